// api/callers: one function, with who called it and whom it called.
//
// What a function did within itself is counted once. A call from one function to another
// counts where it is outermost; the part of it in which the called one was at work
// already, further out, is said to be recursive.

import type { CallEnd, Callers } from "../answers";
import { ROOT, type CallTree } from "./calltree";
import { functionRow } from "./functions";
import type { Question } from "./question";
import type { Recording } from "./recording";
import { selectionOf, unitOf } from "./selection";
import type { Values } from "./values";

const MOST_ENDS = 200;

/** Calls by the label of their other end. */
type Ends = Map<number, { value: number; recursive: number }>;

interface Calls {
  callers: Ends;
  callees: Ends;
  begun: number;
}

export function callers(recording: Recording, question: Question): Callers {
  const selection = selectionOf(recording, question);
  const { labels } = recording;
  const key = question.text("function") ?? "";
  const id = labels.findIndex((_, label) => label !== ROOT && String(label) === key);
  if (id < 0) throw new Error("this file has no such function");
  const tree = recording.tree("function");
  const values = recording.values("function", selection);
  const sums = values.byLabel();
  const calls = callsOf(tree, values, id);
  const sorted = (ends: Ends): CallEnd[] => {
    const all = [...ends].map(([label, call]) => ({ ...functionRow(labels, sums, label), ...call }));
    return all.sort((one, other) => other.value - one.value || Number(one.key) - Number(other.key));
  };
  const [calling, called] = [sorted(calls.callers), sorted(calls.callees)];
  return {
    counter: selection.counter,
    unit: unitOf(selection.counter),
    whole: values.whole,
    function: functionRow(labels, sums, id),
    begun: calls.begun,
    callers: calling.slice(0, MOST_ENDS),
    callees: called.slice(0, MOST_ENDS),
    callers_found: calling.length,
    callees_found: called.length,
    file_id: null,
    file: null,
  };
}

function callsOf(tree: CallTree, values: Values, id: number): Calls {
  const { label, parent } = tree;
  const isOutermost = tree.isOutermost();
  const calls: Calls = { callers: new Map(), callees: new Map(), begun: 0 };
  for (let node = ROOT + 1; node < tree.size; node += 1) {
    const value = values.cumulative[node]!;
    const caller = label[parent[node]!]!;
    const callee = label[node]!;
    if (value === 0 || (caller !== id && callee !== id)) continue;
    if (parent[node] === ROOT) {
      calls.begun += value;
      continue;
    }
    if (!isOutermostCall(tree, node)) continue;
    const recursive = isOutermost[node] ? 0 : value;
    if (callee === id) add(calls.callers, caller, value, recursive);
    if (caller === id) add(calls.callees, callee, value, recursive);
  }
  return calls;
}

function add(ends: Ends, end: number, value: number, recursive: number): void {
  const sum = ends.get(end);
  ends.set(end, { value: (sum?.value ?? 0) + value, recursive: (sum?.recursive ?? 0) + recursive });
}

/** Whether the same function called the same one nowhere further out. */
function isOutermostCall({ label, parent }: CallTree, node: number): boolean {
  const [caller, callee] = [label[parent[node]!], label[node]];
  for (let at = parent[node]!; at !== ROOT; at = parent[at]!) {
    if (label[at] === callee && parent[at] !== ROOT && label[parent[at]!] === caller) return false;
  }
  return true;
}
