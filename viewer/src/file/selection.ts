// What a question about functions is about.

import { RANGE_COUNTERS, type CounterName, type Unit } from "../answers";
import type { Question } from "./question";
import type { Selection } from "./recording";

/** As in a sentence. */
export const RANGE_COUNTER_WORDS = `${RANGE_COUNTERS.slice(0, -1).join(", ")} and ${RANGE_COUNTERS.at(-1)}`;

const OF_BYTES: CounterName[] = ["total", "live", "peak", "at-peak"];

export function selectionOf(question: Question): Selection {
  if (question.text("thread") !== null) throw new Error("threads are not in this file: `residue view` shows them");
  const counter = question.counter();
  // Parts of a file are added up, which a maximum is not.
  if (counter === "largest") throw new Error("largest blocks are not in this file: `residue report --counter largest` shows them");
  const selection = {
    // CPU time is in no file, and so are stacks that have it.
    kind: counter === "cpu" ? ("cpu" as const) : question.kind(),
    focus: question.pattern("focus"),
    counter,
    events: question.events("events"),
  };
  if (selection.events && !RANGE_COUNTERS.includes(selection.counter)) {
    throw new Error(
      `\`${selection.counter}\` is not known of a range of events, only ${RANGE_COUNTER_WORDS}`,
    );
  }
  return selection;
}

/** What a counter counts. */
export function unitOf(counter: CounterName): Unit {
  if (counter === "cpu") return "ns";
  return OF_BYTES.includes(counter) ? "bytes" : "count";
}
