// From weights to pixels: which part of the tree is looked at, where its boxes are on the
// screen, and which box is at a point of it.

import { unsentOf, type Tree } from "./tree";

/** Root at the bottom (flame) or at the top (icicle). */
export type Direction = "flame" | "icicle";

/** What is looked at: a span of weight, and the depth of the row at the root's edge, which
    is between two rows while it moves. */
export interface Sight {
  left: number;
  right: number;
  depth: number;
}

/** The drawing area, in CSS pixels. */
export interface Area {
  width: number;
  height: number;
  rowHeight: number;
  direction: Direction;
  /** By how much the picture is scrolled away from its root. */
  scrolled: number;
}

export interface Rectangle {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** The sight in which a box fills the width. */
export function sightOf(tree: Tree, box: number): Sight {
  const left = tree.start[box] ?? 0;
  return { left, right: left + (tree.answer.weight[box] ?? 0), depth: tree.depth[box] ?? 0 };
}

/** A part of the width of a root, in weight from its left edge. */
export interface Span {
  left: number;
  right: number;
}

/** `0..4096`, as the address has it. */
export function spanText(span: Span): string {
  return `${span.left}..${span.right}`;
}

/** Narrower than this part of the root nothing is looked at: numbers have no more digits. */
const NARROWEST_SPAN = 1e-9;
/** A span of nearly all is all. */
const NEARLY_ALL = 0.999;

/** The sight of a part of a box; of all of it where the span is null. */
export function sightOfSpan(tree: Tree, box: number, span: Span | null): Sight {
  const whole = sightOf(tree, box);
  if (span === null) return whole;
  const left = Math.min(whole.left + span.left, whole.right);
  const right = Math.min(whole.left + span.right, whole.right);
  return right > left ? { ...whole, left, right } : whole;
}

/** What part of its root a sight shows, in whole numbers; null for all. */
export function spanOf(sight: Sight, whole: Sight): Span | null {
  if (sight.right - sight.left >= NEARLY_ALL * (whole.right - whole.left)) return null;
  const left = Math.floor(sight.left - whole.left);
  return { left, right: Math.max(left + 1, Math.ceil(sight.right - whole.left)) };
}

/** Zooms by a factor, below 1 inwards, around a point that stays where it is; never beyond
    the whole. The same sight where nothing changes. */
export function zoomed(sight: Sight, whole: Sight, factor: number, around: number): Sight {
  const width = sight.right - sight.left;
  const all = whole.right - whole.left;
  const next = Math.min(all, Math.max(width * factor, Math.min(width, Math.max(1, all * NARROWEST_SPAN))));
  if (next === width) return sight;
  const left = around - ((around - sight.left) / width) * next;
  return within({ ...sight, left, right: left + next }, whole);
}

/** From one place to another. */
export function partOf(sight: Sight, whole: Sight, left: number, right: number): Sight {
  return within({ ...sight, left, right: Math.max(right, left + 1) }, whole);
}

/** Moves sideways by a part of the width. */
export function panned(sight: Sight, whole: Sight, part: number): Sight {
  const by = part * (sight.right - sight.left);
  return within({ ...sight, left: sight.left + by, right: sight.right + by }, whole);
}

function within(sight: Sight, whole: Sight): Sight {
  const width = Math.min(sight.right - sight.left, whole.right - whole.left);
  const left = Math.min(Math.max(sight.left, whole.left), whole.right - width);
  return { ...sight, left, right: left + width };
}

/** The sight in which a box can be read: the same where it can already. */
export function sightShowing(tree: Tree, box: number, sight: Sight, whole: Sight, area: Area): Sight {
  const { x, width } = rectangleOf(tree, box, sight, area);
  const isWide = width >= Math.min(area.width, 8 * area.rowHeight);
  if (isWide && x >= 0 && x + Math.min(width, 4 * area.rowHeight) <= area.width) return sight;
  const wide = isWide ? sight.right - sight.left : Math.max(1, 4 * tree.answer.weight[box]!);
  const middle = tree.start[box]! + tree.answer.weight[box]! / 2;
  return within({ ...sight, left: middle - wide / 2, right: middle + wide / 2 }, whole);
}

/** Part of the way from one sight to another. Edges of the narrower one move at an even pace
    on the screen, so that a zoom by a thousand looks like one by two. */
export function between(from: Sight, to: Sight, part: number): Sight {
  const fromWidth = from.right - from.left;
  const toWidth = to.right - to.left;
  const depth = from.depth + (to.depth - from.depth) * part;
  if (part >= 1 || !(fromWidth > 0) || !(toWidth > 0)) return { ...to, depth };
  const width = 1 / ((1 - part) / fromWidth + part / toWidth);
  const anchor = fromWidth < toWidth ? from.left : to.left;
  const place = ((anchor - from.left) / fromWidth) * (1 - part) + ((anchor - to.left) / toWidth) * part;
  const left = anchor - place * width;
  return { left, right: left + width, depth };
}

function rowTop(depth: number, sight: Sight, area: Area): number {
  const row = depth - sight.depth;
  return area.direction === "icicle"
    ? row * area.rowHeight - area.scrolled
    : area.height - (row + 1) * area.rowHeight + area.scrolled;
}

export function rectangleOf(tree: Tree, box: number, sight: Sight, area: Area): Rectangle {
  const scale = area.width / (sight.right - sight.left);
  return {
    x: (tree.start[box]! - sight.left) * scale,
    y: rowTop(tree.depth[box]!, sight, area),
    width: tree.answer.weight[box]! * scale,
    height: area.rowHeight,
  };
}

/** Place in a row of the first box that ends right of a point. */
function firstAfter(tree: Tree, row: number[], point: number): number {
  let low = 0;
  let high = row.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const box = row[middle]!;
    if (tree.start[box]! + tree.answer.weight[box]! > point) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** Visits the boxes that can be seen, from left to right and from the root outwards. */
export function eachSeen(
  tree: Tree,
  sight: Sight,
  area: Area,
  visit: (box: number, x: number, y: number, width: number) => void,
): void {
  if (!(sight.right > sight.left)) return;
  const scale = area.width / (sight.right - sight.left);
  const first = Math.max(0, Math.ceil(sight.depth - 1 + area.scrolled / area.rowHeight));
  for (let depth = first; depth < tree.rows.length; depth += 1) {
    const y = rowTop(depth, sight, area);
    if (area.direction === "icicle" ? y >= area.height : y <= -area.rowHeight) break;
    // While a zoom moves, rows above the one that becomes the root slide out.
    if (area.direction === "icicle" ? y <= -area.rowHeight : y >= area.height) continue;
    const row = tree.rows[depth]!;
    for (let place = firstAfter(tree, row, sight.left); place < row.length; place += 1) {
      const box = row[place]!;
      const begin = tree.start[box]!;
      if (begin >= sight.right) break;
      visit(box, (begin - sight.left) * scale, y, tree.answer.weight[box]! * scale);
    }
  }
}

/** Where the children of a box would be that are too small to be sent; null for none. */
export function unsentRectangle(tree: Tree, box: number, sight: Sight, area: Area): Rectangle | null {
  const weight = unsentOf(tree, box);
  if (weight === 0) return null;
  const scale = area.width / (sight.right - sight.left);
  return {
    x: (tree.filled[box]! - sight.left) * scale,
    y: rowTop(tree.depth[box]! + 1, sight, area),
    width: weight * scale,
    height: area.rowHeight,
  };
}

/** The box at a point, -1 where there is none. */
export function boxAt(tree: Tree, sight: Sight, area: Area, x: number, y: number): number {
  if (x < 0 || x >= area.width || y < 0 || y >= area.height || !(sight.right > sight.left)) return -1;
  const away = area.direction === "icicle" ? y + area.scrolled : area.height - y + area.scrolled;
  // The upper edge of a box belongs to it, whichever way the tree grows.
  const rows = away / area.rowHeight;
  const row = area.direction === "icicle" ? Math.floor(rows) : Math.ceil(rows) - 1;
  const depth = Math.floor(row + sight.depth);
  const boxes = tree.rows[depth];
  if (depth < 0 || !boxes) return -1;
  const point = sight.left + (x / area.width) * (sight.right - sight.left);
  const box = boxes[firstAfter(tree, boxes, point)];
  return box !== undefined && tree.start[box]! <= point ? box : -1;
}

/** How far to scroll from the root so that a box can be seen, moving no further than needed. */
export function scrollTo(tree: Tree, box: number, sight: Sight, area: Area): number {
  const from = (tree.depth[box]! - sight.depth) * area.rowHeight;
  if (from < area.scrolled) return Math.max(0, from);
  return Math.max(area.scrolled, from + area.rowHeight - area.height);
}

/** Where a note of this size goes beside the mouse: below and right of it, or on the other
    side where the window ends. */
export function noteAt(
  mouse: { x: number; y: number },
  size: { width: number; height: number },
  window: { width: number; height: number },
): { left: number; top: number } {
  const gap = 14;
  const margin = 6;
  const beside = (at: number, length: number, most: number): number => {
    const after = at + gap;
    if (after + length + margin <= most) return after;
    return Math.max(margin, Math.min(at - gap - length, most - margin - length));
  };
  return {
    left: beside(mouse.x, size.width, window.width),
    top: beside(mouse.y, size.height, window.height),
  };
}
