// The boxes of an answer as a tree: where each one stands, in units of its weight, and what
// is beside, above and below it.

import type { Flame } from "../answers";

/** What an answer does not say of itself. */
export interface Reading {
  /** What the root of everything is called. */
  rootName: string;
  /** The answer's `base` came after its `value`: the first of two files is shown. */
  isBaseLater: boolean;
  /** What one turn is called. */
  turn: string;
}

const PLAIN: Reading = { rootName: "everything", isBaseLater: false, turn: "event" };

export interface Tree {
  answer: Flame;
  reading: Reading;
  /** Where a box begins, in weight; the root begins at 0. */
  start: readonly number[];
  /** Where its last child ends. */
  filled: Float64Array;
  /** Steps from the root. */
  depth: Int32Array;
  /** Depth of the deepest box at or below this one. */
  deepest: Int32Array;
  /** Boxes of each depth, from left to right. */
  rows: number[][];
  indexOf: Map<string, number>;
}

export function treeOf(answer: Flame, reading: Reading = PLAIN): Tree {
  const { parent, weight, key, start } = answer;
  const boxes = key.length;
  const filled = new Float64Array(boxes);
  const depth = new Int32Array(boxes);
  const rows: number[][] = boxes > 0 ? [[0]] : [];
  const indexOf = new Map<string, number>();
  for (let box = 0; box < boxes; box += 1) {
    indexOf.set(key[box]!, box);
    filled[box] = start[box]!;
    if (box === 0) continue;
    const above = parent[box]!;
    filled[above] = Math.max(filled[above]!, start[box]! + weight[box]!);
    depth[box] = depth[above]! + 1;
    (rows[depth[box]!] ??= []).push(box);
  }
  for (const row of rows) {
    if (!isSorted(row, start)) row.sort((one, other) => start[one]! - start[other]!);
  }
  const deepest = depth.slice();
  for (let box = boxes - 1; box > 0; box -= 1) {
    const above = parent[box]!;
    if (deepest[box]! > deepest[above]!) deepest[above] = deepest[box]!;
  }
  return { answer, reading, start, filled, depth, deepest, rows, indexOf };
}

function isSorted(row: number[], start: readonly number[]): boolean {
  for (let place = 1; place < row.length; place += 1) {
    if (start[row[place]!]! < start[row[place - 1]!]!) return false;
  }
  return true;
}

/** Whether a box stands for everything, and not for a function. */
export function isEverything(tree: Tree, box: number): boolean {
  return tree.answer.key[box] === "";
}

export function nameOf(tree: Tree, box: number): string {
  if (isEverything(tree, box)) return tree.reading.rootName;
  return tree.answer.names[tree.answer.name[box]!] ?? "";
}

export function libraryOf(tree: Tree, box: number): string {
  if (isEverything(tree, box)) return "";
  return tree.answer.libraries[tree.answer.library[box]!] ?? "";
}

/** The part of a box, in weight, whose children are too small to be sent. In a comparison it
    is not known: there what is its own has no width. */
export function unsentOf(tree: Tree, box: number): number {
  const { base, weight, own } = tree.answer;
  if (base !== null) return 0;
  return Math.max(0, tree.start[box]! + weight[box]! - own[box]! - tree.filled[box]!);
}

/** How many rows of boxes there are from this one on, itself included. */
export function rowsFrom(tree: Tree, box: number): number {
  return tree.deepest[box]! - tree.depth[box]! + 1;
}

/** The boxes at or below a root that match the search, as they are read: from left to right,
    and from the root outwards. */
export function matchesFrom(tree: Tree, root: number): number[] {
  const { answer, start, depth } = tree;
  if (answer.matched_value === null) return [];
  return below(tree, root)
    .filter((box) => answer.matched[box])
    .sort((one, other) => start[one]! - start[other]! || depth[one]! - depth[other]!);
}

/** From just below the root of the answer to a box, both of them: none for the root. */
export function pathTo(tree: Tree, box: number): number[] {
  const path: number[] = [];
  for (let at = box; at > 0; at = tree.answer.parent[at]!) path.push(at);
  return path.reverse();
}

/** Whether a box is at or below another. */
export function isWithin(tree: Tree, box: number, root: number): boolean {
  let at = box;
  while (tree.depth[at]! > tree.depth[root]!) at = tree.answer.parent[at]!;
  return at === root;
}

/** All boxes at or below one, parents before children. */
export function below(tree: Tree, root: number): number[] {
  const { parent, key } = tree.answer;
  const inside = new Uint8Array(key.length);
  const found = [root];
  inside[root] = 1;
  for (let box = root + 1; box < key.length; box += 1) {
    if (inside[parent[box]!]) {
      inside[box] = 1;
      found.push(box);
    }
  }
  return found;
}

/** Below a root, the boxes with most weight, widest first. */
export function widest(tree: Tree, root: number, most: number): number[] {
  const { weight } = tree.answer;
  return below(tree, root)
    .slice(1)
    .sort((one, other) => weight[other]! - weight[one]! || one - other)
    .slice(0, most);
}

export type Step = "out" | "in" | "left" | "right";

/** The box that a step from one leads to, staying at or below the root that is shown: out to
    the box that it is in, in to the widest child, left or right along its row. The same box
    where there is none. */
export function stepFrom(tree: Tree, box: number, step: Step, root: number): number {
  if (step === "out") return box === root ? box : tree.answer.parent[box]!;
  const row = tree.rows[tree.depth[box]! + (step === "in" ? 1 : 0)] ?? [];
  if (step === "in") {
    let best = box;
    let width = 0;
    for (const child of row) {
      if (tree.answer.parent[child] === box && tree.answer.weight[child]! > width) {
        best = child;
        width = tree.answer.weight[child]!;
      }
    }
    return best;
  }
  const next = row[row.indexOf(box) + (step === "left" ? -1 : 1)];
  return next !== undefined && isWithin(tree, next, root) ? next : box;
}
