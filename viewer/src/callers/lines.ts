// Lines of a source file with their numbers.

import type { CallEnd, Callers, FunctionRow, SourceLines, Unit } from "../answers";
import type { Cell } from "../download";

export type SourceLine = SourceLines["lines"][number];

/** The line with most below it, by its own part where several have the same. */
export function highestLine(lines: readonly SourceLine[]): number | null {
  let best: SourceLine | null = null;
  for (const line of lines) {
    const isHigher =
      best === null ||
      line.cumulative > best.cumulative ||
      (line.cumulative === best.cumulative && line.self > best.self);
    if (isHigher) best = line;
  }
  return best !== null && (best.cumulative > 0 || best.self > 0) ? best.line : null;
}

/** Where to begin to read: the one line that allocated all that the function did by itself,
    else the highest line of the file. */
export function firstLook(lines: readonly SourceLine[], functionSelf: number | null): number | null {
  const own = functionSelf ? lines.filter((line) => line.self === functionSelf) : [];
  return own.length === 1 ? own[0]!.line : highestLine(lines);
}

/** Shade of a line in percent: the square root, so that small parts can be seen too. */
export function heat(value: number, most: number): number {
  if (!(value > 0) || !(most > 0)) return 0;
  return Math.round(Math.sqrt(Math.min(1, value / most)) * 100);
}

/** Lines that say something: without a text only those with a number do. */
export function worthShowing(lines: readonly SourceLine[]): SourceLine[] {
  return lines.filter((line) => line.text !== null || line.self !== 0 || line.cumulative !== 0);
}

/** Numbers of the lines before which others were left out. */
export function gaps(lines: readonly SourceLine[]): Set<number> {
  const found = new Set<number>();
  lines.forEach((line, i) => {
    const before = lines[i - 1];
    if (before && line.line !== before.line + 1) found.add(line.line);
  });
  return found;
}

/** Another counter of the same lines, with all below them. */
export interface LineTotals {
  name: string;
  words: string;
  unit: Unit;
  /** Of lines that have any. */
  byLine: ReadonlyMap<number, number>;
}

export function byLine(lines: readonly SourceLine[]): Map<number, number> {
  return new Map(lines.filter((line) => line.cumulative !== 0).map((line) => [line.line, line.cumulative]));
}

export function sourceHead(totals: readonly LineTotals[]): string[] {
  return ["line", "self", "cumulative", ...totals.map((one) => one.name), "text"];
}

export function sourceRows(lines: readonly SourceLine[], totals: readonly LineTotals[]): Cell[][] {
  return lines.map(({ line, self, cumulative, text }) => [
    line, self, cumulative, ...totals.map((one) => one.byLine.get(line) ?? 0), text,
  ]);
}

export const FUNCTIONS_HEAD = ["function", "library", "self", "cumulative"];
export function functionRows(rows: readonly FunctionRow[]): Cell[][] {
  return rows.map((row) => [row.function, row.library, row.self, row.cumulative]);
}

export const ENDS_HEAD = ["function", "library", "value", "share", "recursive"];
export function endRows(ends: readonly CallEnd[], of: Pick<Callers, "function">): Cell[][] {
  const whole = of.function.cumulative;
  return ends.map((end) => [end.function, end.library, end.value, whole ? end.value / whole : null, end.recursive]);
}
