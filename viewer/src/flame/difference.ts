// Two sides of a comparison: what a box holds before and after, and how much it changed.

import type { Flame } from "../answers";
import type { Tree } from "./tree";

/** Whether sides are compared by what they hold per event: where both have events and not
    the same number of them. */
export function isPerEvent(answer: Flame): boolean {
  const { base, events, base_events } = answer;
  return base !== null && base_events !== null && events > 0 && base_events > 0 && events !== base_events;
}

export interface Change {
  before: number;
  after: number;
  difference: number;
  /** The same per event, where both sides have events. */
  rate: { before: number; after: number; difference: number } | null;
  /** -1: gone, 0: unchanged, 1: new. */
  relative: number;
}

/** What changed in a box; null where nothing is compared. */
export function changeOf(tree: Tree, box: number): Change | null {
  const { answer, reading } = tree;
  if (answer.base === null) return null;
  const here = { amount: answer.value[box]!, events: answer.events };
  const there = { amount: answer.base[box]!, events: answer.base_events ?? 0 };
  const [from, to] = reading.isBaseLater ? [here, there] : [there, here];
  const before = from.amount;
  const after = to.amount;
  let rate: Change["rate"] = null;
  if (from.events > 0 && to.events > 0) {
    rate = { before: before / from.events, after: after / to.events, difference: 0 };
    rate.difference = rate.after - rate.before;
  }
  const judged = rate !== null && isPerEvent(answer) ? rate : { before, after };
  const larger = Math.max(Math.abs(judged.before), Math.abs(judged.after));
  const relative = larger === 0 ? 0 : (judged.after - judged.before) / larger;
  return { before, after, difference: after - before, rate, relative: Math.max(-1, Math.min(1, relative)) };
}

/** What stands before the name of a box that changed, so that colour is not the only sign. */
export function signOf(relative: number): string {
  return relative > 0 ? "+" : relative < 0 ? "\u2212" : "";
}
