// The boxes of a flame graph: the widest below a root, few enough to be drawn. A box is
// never wider than the one above it, so parents come before children.

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
}

export interface Boxes<P> {
  drawn: Box<P>[];
  leftOut: number;
}

interface Waiting<P> extends Box<P> {
  depth: number;
  number: number;
}

/** `below` says what lies below a place; what has no weight does not count. */
export function widest<P>(
  root: Candidate<P>,
  mostDepth: number,
  below: (place: P) => Candidate<P>[],
): Boxes<P> {
  const least = Math.max(1, Math.floor(root.width.weight / NARROWEST));
  // Earlier first where two are equally wide, so that the order is always the same.
  const waiting = new Heap<Waiting<P>>((one, other) => {
    const difference = one.width.weight - other.width.weight;
    return difference > 0 || (difference === 0 && one.number < other.number);
  });
  waiting.push({ ...root, parent: -1, depth: 0, number: 0 });
  const boxes: Boxes<P> = { drawn: [], leftOut: 0 };
  let number = 0;
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (boxes.drawn.length === MOST_BOXES) {
      boxes.leftOut += 1 + waiting.size;
      break;
    }
    const { place, label, width, parent, depth } = next;
    const index = boxes.drawn.push({ place, label, width, parent }) - 1;
    if (depth >= mostDepth) continue;
    for (const candidate of below(place)) {
      if (candidate.width.weight >= least) {
        number += 1;
        waiting.push({ ...candidate, parent: index, depth: depth + 1, number });
      } else if (candidate.width.weight > 0) {
        boxes.leftOut += 1;
      }
    }
  }
  return boxes;
}
