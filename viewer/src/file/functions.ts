// api/functions: all functions, with what each allocated itself and with all that it
// called. A function is named by the number of its label.

import type { FunctionRow, Functions } from "../answers";
import type { Label } from "./calltree";
import type { Question } from "./question";
import type { Recording } from "./recording";
import { selectionOf, unitOf } from "./selection";
import type { ByLabel } from "./values";

const USUAL_ROWS = 100;
const MOST_ROWS = 200;

export function functionRow(labels: readonly Label[], sums: ByLabel, id: number): FunctionRow {
  const label = labels[id]!;
  return {
    key: String(id),
    function: label.name,
    library: label.library,
    framework: label.framework,
    self: sums.own[id]!,
    cumulative: sums.cumulative[id]!,
  };
}

/** Here `focus` chooses functions and not stacks: it is a list to find one in. */
export function functions(recording: Recording, question: Question): Functions {
  const { focus, ...selection } = selectionOf(recording, question);
  const isOwn = question.word("sort", ["cumulative", "self"]) === "self";
  const offset = question.limit("offset", 0, Number.MAX_SAFE_INTEGER);
  const limit = question.limit("limit", USUAL_ROWS, MOST_ROWS);
  const { labels } = recording;
  const values = recording.values("function", { ...selection, focus: null });
  const sums = values.byLabel();
  const ranking = isOwn ? sums.own : sums.cumulative;
  const found = labels
    .map((_, id) => id)
    .filter((id) => sums.cumulative[id]! > 0 && (focus?.test(labels[id]!.name) ?? true))
    .sort((one, other) => {
      const byNumber = ranking[other]! - ranking[one]! || sums.cumulative[other]! - sums.cumulative[one]!;
      return byNumber || byName(labels[one]!, labels[other]!) || one - other;
    });
  return {
    counter: selection.counter,
    unit: unitOf(selection.counter),
    whole: values.whole,
    found: found.length,
    offset,
    rows: found.slice(offset, offset + limit).map((id) => functionRow(labels, sums, id)),
  };
}

function byName(one: Label, other: Label): number {
  if (one.name === other.name) return 0;
  return one.name < other.name ? -1 : 1;
}
