// What a question about functions is about.

import { RANGE_COUNTERS, type CounterName } from "../answers";
import type { Question } from "./question";
import type { Selection } from "./recording";

const OF_BYTES: CounterName[] = ["total", "live", "peak", "at-peak"];

export function selectionOf(question: Question): Selection {
  if (question.text("thread") !== null) throw new Error("threads are not in this file: `residue view` shows them");
  const selection = {
    kind: question.kind(),
    focus: question.pattern("focus"),
    counter: question.counter(),
    events: question.events("events"),
  };
  if (selection.events && !RANGE_COUNTERS.includes(selection.counter)) {
    throw new Error(
      `\`${selection.counter}\` is not known of a range of events, only ${RANGE_COUNTERS.join(" and ")}`,
    );
  }
  return selection;
}

/** What a counter counts. */
export function unitOf(counter: CounterName): "bytes" | "count" {
  return OF_BYTES.includes(counter) ? "bytes" : "count";
}
