// What a question about functions is about.

import { COUNTERS, type CounterName, type Unit } from "../answers";
import type { EventRange, Question } from "./question";
import type { Recording, Selection } from "./recording";

const OF_BYTES: CounterName[] = ["total", "live", "peak", "at-peak"];

export function selectionOf(recording: Recording, question: Question): Selection {
  if (question.text("thread") !== null) throw new Error("threads are not in this file: `residue view` shows them");
  const counter = question.counter();
  // Calls of functions are added up, which a maximum is not.
  if (counter === "largest") {
    throw new Error("largest blocks of functions are not in this file: `residue report --counter largest` shows them");
  }
  const selection = {
    // Stacks of CPU time have nothing else.
    kind: counter === "cpu" ? ("cpu" as const) : question.kind(),
    focus: question.pattern("focus"),
    ignore: question.pattern("ignore"),
    counter,
    events: question.events("events"),
  };
  if (selection.events) checkKnown(recording, counter, selection.events);
  return selection;
}

/** Refuses a counter that the file does not have for a range, in the words of the server. */
export function checkKnown(recording: Recording, counter: CounterName, range: EventRange): void {
  if (recording.knows(counter, range)) return;
  const known = COUNTERS.filter((one) => recording.knows(one, range));
  const around = recording.rangeAround(counter, range);
  const nearest = around === null ? "" : `; in this file it is known of events ${around.from}..${around.to}`;
  throw new Error(`\`${counter}\` is not known of this range of events, only ${words(known)}${nearest}`);
}

function words(names: readonly string[]): string {
  return `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
}

/** What a counter counts. */
export function unitOf(counter: CounterName): Unit {
  if (counter === "cpu") return "ns";
  return OF_BYTES.includes(counter) ? "bytes" : "count";
}
