// The boxes of a flame graph: the widest below a root, few enough to be drawn. A box is
// never wider than the one above it, so parents come before children. Of a part of the width
// narrower ones are drawn too, at the places where they are among all.

import { Heap } from "./heap";

export const MOST_BOXES = 4000;
/** A box narrower than this part of the root is less than half a pixel of a wide screen. */
const NARROWEST = 4000;

/** What a box stands for. */
export interface Width {
  value: number;
  own: number;
  /** On the other side of a comparison. */
  base: number;
  /** The larger side of each path, summed: equal to the value without a comparison. */
  weight: number;
}

/** A box before it is known whether it is wide enough; `P` says where it is in the tree. */
export interface Candidate<P> {
  place: P;
  label: number;
  width: Width;
}

/** `parent` is an index among those that are drawn; of the root itself it is -1. */
export interface Box<P> extends Candidate<P> {
  parent: number;
  /** In weight from the left edge of the root. */
  start: number;
}

/** A part of the root's width. */
export interface Window {
  left: number;
  right: number;
}

export interface Boxes<P> {
  drawn: Box<P>[];
  leftOut: number;
}

interface Waiting<P> extends Box<P> {
  depth: number;
  /** As wide as it is on the screen. */
  seen: number;
  number: number;
}

/** `below` says what lies below a place; what has no weight does not count. */
export function widest<P>(
  root: Candidate<P>,
  mostDepth: number,
  part: Window | null,
  below: (place: P) => Candidate<P>[],
): Boxes<P> {
  const whole = root.width.weight;
  const window = part ?? { left: 0, right: whole };
  const least = leastOf(whole);
  const leastInWindow = Math.min(least, leastOf(window.right - window.left));
  const scale = whole / Math.max(1, window.right - window.left);
  const isSeen = (start: number, weight: number) => start < window.right && start + weight > window.left;
  // Earlier first where two are equally wide, so that the order is always the same.
  const waiting = new Heap<Waiting<P>>((one, other) => {
    const difference = one.seen - other.seen;
    return difference > 0 || (difference === 0 && one.number < other.number);
  });
  waiting.push({ ...root, parent: -1, start: 0, depth: 0, seen: Infinity, number: 0 });
  const boxes: Boxes<P> = { drawn: [], leftOut: 0 };
  let number = 0;
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (boxes.drawn.length === MOST_BOXES) {
      boxes.leftOut += 1 + waiting.size;
      break;
    }
    const { place, label, width, parent, start, depth } = next;
    const index = boxes.drawn.push({ place, label, width, parent, start }) - 1;
    if (depth >= mostDepth) continue;
    const leastBelow = isSeen(start, width.weight) ? leastInWindow : least;
    const candidates = below(place).sort((one, other) => other.width.weight - one.width.weight);
    let left = start;
    for (const candidate of candidates) {
      const { weight } = candidate.width;
      const isInWindow = isSeen(left, weight);
      number += 1;
      if (weight >= leastBelow) {
        if (isInWindow || weight >= least) {
          waiting.push({ ...candidate, parent: index, start: left, depth: depth + 1, seen: isInWindow ? weight * scale : weight, number });
        }
        left += weight;
      } else if (weight > 0) {
        boxes.leftOut += 1;
      }
    }
  }
  return boxes;
}

function leastOf(width: number): number {
  return Math.max(1, Math.floor(width / NARROWEST));
}
