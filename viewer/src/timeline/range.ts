// Ranges of events, both ends included, as they stand in the address: `51..100`.
//
// On the axis an event N reaches from N to N + 1: it begins at N, and the next begins at
// N + 1. A place on the axis is called a position; it need not be whole.

export interface Range {
  first: number;
  last: number;
}

/** Null for anything that is not a range. */
export function parseRange(text: string): Range | null {
  const found = /^(\d{1,15})\.\.(\d{1,15})$/.exec(text.trim());
  if (!found) return null;
  const [one, other] = [Number(found[1]), Number(found[2])];
  return { first: Math.min(one, other), last: Math.max(one, other) };
}

export function writeRange(range: Range): string {
  return `${range.first}..${range.last}`;
}

export function lengthOf(range: Range): number {
  return range.last - range.first + 1;
}

export function isSame(one: Range | null, other: Range | null): boolean {
  return one?.first === other?.first && one?.last === other?.last;
}

function between(value: number, low: number, high: number): number {
  return Math.min(Math.max(value, low), high);
}

/** Both ends brought inside the bounds. */
export function clampRange(range: Range, bounds: Range): Range {
  return {
    first: between(range.first, bounds.first, bounds.last),
    last: between(range.last, bounds.first, bounds.last),
  };
}

/** As long as before if the bounds are long enough. */
export function moveRange(range: Range, events: number, bounds: Range): Range {
  const length = Math.min(lengthOf(range), lengthOf(bounds));
  const first = between(range.first + events, bounds.first, bounds.last - length + 1);
  return { first, last: first + length - 1 };
}

/** An event belongs to a drag that covers at least this part of it. */
const LEAST_COVER = 0.25;

/** The whole events that a drag from one position to another selects: at least one. */
export function rangeOfDrag(from: number, to: number, bounds: Range): Range {
  const [low, high] = [Math.min(from, to), Math.max(from, to)];
  const first = Math.ceil(low - (1 - LEAST_COVER));
  const last = Math.floor(high - LEAST_COVER);
  const middle = Math.floor((low + high) / 2);
  return clampRange(first <= last ? { first, last } : { first: middle, last: middle }, bounds);
}

/** A range with one end dragged to a position; it stops at the other end. */
export function withEndAt(range: Range, end: "first" | "last", position: number, bounds: Range): Range {
  const edge = Math.round(position);
  return end === "first"
    ? { first: between(edge, bounds.first, range.last), last: range.last }
    : { first: range.first, last: between(edge - 1, range.first, bounds.last) };
}

/** A stretch of the axis that need not begin or end at whole events: a zoom on its way. */
export interface Stretch {
  from: number;
  to: number;
}

export function stretchOf(range: Range): Stretch {
  return { from: range.first, to: range.last + 1 };
}

/** The whole events nearest to a stretch: at least one. */
export function rangeOfStretch(stretch: Stretch, bounds: Range): Range {
  const first = between(Math.round(stretch.from), bounds.first, bounds.last);
  const last = between(Math.round(stretch.to) - 1, first, bounds.last);
  return { first, last };
}

/** The stretch made longer or shorter so that `around` stays where it is; at least an event,
    at most the bounds. */
export function zoomStretch(stretch: Stretch, around: number, factor: number, bounds: Range): Stretch {
  const before = stretch.to - stretch.from;
  const length = between(before * factor, 1, lengthOf(bounds));
  const share = between((around - stretch.from) / before, 0, 1);
  return panStretch({ from: around - share * length, to: around + (1 - share) * length }, 0, bounds);
}

/** The stretch moved by so many events, not beyond the bounds. */
export function panStretch(stretch: Stretch, events: number, bounds: Range): Stretch {
  const length = stretch.to - stretch.from;
  const from = between(stretch.from + events, bounds.first, Math.max(bounds.first, bounds.last + 1 - length));
  return { from, to: from + length };
}
