// Rows of a comparison: their names, the lengths of their bars, and their lines in a file.

import type { Compare, CompareRow } from "../answers";
import type { Cell } from "../download";

export type Class = CompareRow["class"];

/** In the order of the chips. */
export const CLASSES: Class[] = ["new", "grown", "shrunk", "gone"];
export const GLYPHS: Record<Class, string> = { new: "+", grown: "▲", shrunk: "▼", gone: "\u2212" };
export const MEANINGS: Record<Class, string> = {
  new: "only in the later one",
  grown: "more than before",
  shrunk: "less than before",
  gone: "only in the earlier one",
};

export const BYS = ["function", "stack", "library"] as const;
export type By = (typeof BYS)[number];

export function byOf(text: string): By {
  return BYS.find((by) => by === text) ?? "function";
}

export function classOf(text: string): Class | "all" {
  return CLASSES.find((one) => one === text) ?? "all";
}

export function keyOf(row: CompareRow): string {
  return row.name ?? (row.path ?? []).join(";");
}

/** The numbers that rows are ranked and classed by: rates where there are rates. */
export interface Ranked {
  before: number;
  after: number;
  delta: number;
}

export function rankedOf(row: CompareRow): Ranked {
  return {
    before: row.rate_before ?? row.before,
    after: row.rate_after ?? row.after,
    delta: row.rate_delta ?? row.delta,
  };
}

/** What full bars stand for, so that those of all rows can be compared. */
export function mostOf(rows: CompareRow[]): { side: number; delta: number } {
  let side = 0;
  let delta = 0;
  for (const row of rows) {
    const ranked = rankedOf(row);
    side = Math.max(side, ranked.before, ranked.after);
    delta = Math.max(delta, Math.abs(ranked.delta));
  }
  return { side, delta };
}

/** Percent of the width; what is not nothing is seen. */
export function barPercent(value: number, most: number): number {
  if (value <= 0 || most <= 0) return 0;
  return Math.max(1, Math.min(100, (100 * value) / most));
}

/** A bar from the middle: growth to the right, fall to the left; in percent of the width. */
export function deltaBar(delta: number, most: number): { left: number; width: number } {
  const width = barPercent(Math.abs(delta), most) / 2;
  return { left: delta < 0 ? 50 - width : 50, width };
}

/** Of a path, root first: the innermost function, and its callers, the nearest first. */
export function innermost(path: string[]): { name: string; callers: string[] } {
  return { name: path.at(-1) ?? "", callers: path.slice(0, -1).reverse() };
}

/** Net change per event (or tick), where both sides have events; else null. */
export function netRate(compare: Compare): number | null {
  const { before, after, per } = compare;
  if (per === null || !before.events || !after.events) return null;
  return after.total / after.events - before.total / before.events;
}

export function compareHead(compare: Compare): string[] {
  const unit = compare.unit === "count" ? "" : `_${compare.unit}`;
  const rates = compare.per === null ? [] : ["before", "after", "change"].map((name) => `${name}${unit}_per_${compare.per}`);
  return ["class", `before${unit}`, `after${unit}`, `change${unit}`, ...rates, "share", compare.by];
}

export function compareRows(compare: Compare, rows: CompareRow[]): Cell[][] {
  return rows.map((row) => {
    const rates = compare.per === null ? [] : [row.rate_before, row.rate_after, row.rate_delta];
    return [row.class, row.before, row.after, row.delta, ...rates, row.share, keyOf(row)];
  });
}
