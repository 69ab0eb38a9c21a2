// A range of events as places of the file.
//
//   begins      1 .... 4 .... 7 .... last event
//   places         0      1      2
//   events 5..5           |______|        all of place 1: events 4 to 6
//
// Where begins were left out a range is wider, up to those that are there: what events
// left is never hidden.

import type { FileData } from "../answers";
import type { EventRange } from "./question";

export interface Places {
  first: number;
  /** Included. */
  last: number;
  /** The events that lie in them, both included. */
  firstEvent: number;
  lastEvent: number;
}

/** The places of a range; a range in which nothing was measured is refused, in the words of
    the server. */
export function placesOf(data: FileData, range: EventRange): Places {
  const { begins } = data;
  const file = data.about.files[0];
  const lastBegin = file?.last_event ?? begins.at(-1);
  if (begins.length === 0 || lastBegin === undefined || range.from > lastBegin) {
    throw new Error(`there is no ${file?.unit ?? "event"} ${range.from}; the last is ${file?.events ?? 0}`);
  }
  const last = lastAtMost(begins, range.to);
  const first = Math.max(0, lastAtMost(begins, range.from));
  const next = begins[last + 1];
  const firstEvent = begins[first]!;
  const lastEvent = next === undefined ? (file?.last_measured_event ?? 0) : next - 1;
  if (lastEvent < firstEvent) {
    throw new Error(
      `\`${range.from}..${range.to + 1}\`: nothing was measured between the two, so what was left is not known`,
    );
  }
  return { first, last, firstEvent, lastEvent };
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
