// From events to times and back. Begins of events are the fixed points between which both
// axes run in straight lines, so that every moment has a place on either.

import type { Moments } from "./moments";

/** Where the axis of events and the axis of time meet; both ascend. */
export interface Knots {
  position: number[];
  time_ns: number[];
}

/** Begins of events (ticks where there are no events), and both ends of the recording. */
export function knotsOf(moments: Moments): Knots {
  const knots: Knots = { position: [], time_ns: [] };
  const opens = moments.unit === "tick" ? "tick" : "begin";
  const add = (position: number, time_ns: number): void => {
    const last = knots.position.length - 1;
    if (last >= 0 && (position <= knots.position[last]! || time_ns < knots.time_ns[last]!)) return;
    knots.position.push(position);
    knots.time_ns.push(time_ns);
  };
  const count = moments.event.length;
  if (count === 0) return knots;
  add(moments.event[0]!, moments.time_ns[0]!);
  for (let at = 1; at < count; at++) {
    if (moments.kind[at] === opens) add(moments.event[at]!, moments.time_ns[at]!);
  }
  add(Math.max(...lastOf(moments.event, 64)) + 1, moments.time_ns[count - 1]!);
  return knots;
}

/** Events that overlap may end out of order, but not by many. */
function lastOf(values: number[], most: number): number[] {
  return values.slice(Math.max(0, values.length - most));
}

/** Straight lines through the points (from[i], to[i]); level beyond both ends. */
export function interpolate(from: number[], to: number[], at: number): number {
  const last = from.length - 1;
  if (last < 0) return at;
  if (at <= from[0]!) return to[0]!;
  if (at >= from[last]!) return to[last]!;
  const next = firstAbove(from, at);
  const [low, high] = [from[next - 1]!, from[next]!];
  const share = high > low ? (at - low) / (high - low) : 0;
  return to[next - 1]! + share * (to[next]! - to[next - 1]!);
}

/** Index of the first value above `at` in an ascending array; its length if there is none. */
export function firstAbove(values: readonly number[], at: number): number {
  let [low, high] = [0, values.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (values[middle]! > at) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** The horizontal axis: by event or by time. */
export interface Axis {
  isTime: boolean;
  /** From a position among events to a value of this axis. */
  valueOf(position: number): number;
  positionOf(value: number): number;
  /** Values of all moments, ascending. */
  values: number[];
  /** The value of something inside an event: a stamp. */
  valueIn(event: number, time_ns: number): number;
}

export function axisOf(moments: Moments, isTime: boolean): Axis {
  const knots = knotsOf(moments);
  if (isTime) {
    return {
      isTime,
      valueOf: (position) => interpolate(knots.position, knots.time_ns, position),
      positionOf: (value) => interpolate(knots.time_ns, knots.position, value),
      values: moments.time_ns,
      valueIn: (_event, time_ns) => time_ns,
    };
  }
  const valueIn = (event: number, time_ns: number): number => {
    const free = interpolate(knots.time_ns, knots.position, time_ns);
    return Math.min(Math.max(free, event), event + 1);
  };
  let highest = -Infinity;
  const values = moments.event.map((event, at) => {
    // An event that ends while the next has begun must not lead back.
    highest = Math.max(highest, valueIn(event, moments.time_ns[at]!));
    return highest;
  });
  return { isTime, valueOf: (position) => position, positionOf: (value) => value, values, valueIn };
}

/** Where the plot lies in its element, in CSS pixels, and what it shows. */
export interface Plot {
  left: number;
  width: number;
  from: number;
  to: number;
}

export function pixelOf(value: number, plot: Plot): number {
  return plot.left + ((value - plot.from) / (plot.to - plot.from)) * plot.width;
}

/** Pixels beside the plot stand for its nearer end. */
export function valueAtPixel(pixel: number, plot: Plot): number {
  const share = Math.min(Math.max((pixel - plot.left) / plot.width, 0), 1);
  return plot.from + share * (plot.to - plot.from);
}
