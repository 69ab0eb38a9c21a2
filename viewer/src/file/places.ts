// A range of events as places of the file.
//
//   begins      1 .... 4 .... 7 .... last event
//   places         0      1      2
//   events 5..5           |______|        all of place 1: events 4 to 6
//
// Where begins were left out a range is wider, up to those that are there: what events
// left is never hidden.

import type { FileData } from "./data";
import type { EventRange } from "./question";

export interface Places {
  first: number;
  /** Included; less than the first where nothing lies in the range. */
  last: number;
  /** Events that began in them. */
  events: number;
}

export function placesOf(data: FileData, range: EventRange): Places {
  const { begins } = data;
  const file = data.about.files[0];
  const lastBegin = file?.last_event ?? begins.at(-1);
  if (begins.length === 0 || lastBegin === undefined || range.from > lastBegin) {
    throw new Error(`there is no ${file?.unit ?? "event"} ${range.from}; the last is ${file?.events ?? 0}`);
  }
  const last = lastAtMost(begins, range.to);
  const first = Math.max(0, lastAtMost(begins, range.from));
  if (last < first) return { first, last, events: 0 };
  // Nothing is known after the last tick, while the last event has an end of its own.
  const lastKnown = file?.unit === "tick" ? lastBegin - 1 : lastBegin;
  const next = begins[last + 1];
  const end = next === undefined ? lastKnown : next - 1;
  return { first, last, events: Math.max(0, end - begins[first]! + 1) };
}

/** Index of the last number that is not above another; -1 where all are. */
function lastAtMost(numbers: readonly number[], most: number): number {
  let [low, high] = [0, numbers.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (numbers[middle]! <= most) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}
