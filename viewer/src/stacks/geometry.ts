// Small drawings of series: as points of a line, as bars. Pure numbers; no DOM.

import { count } from "../format";

/** Where values lie from top to bottom. A series that hardly changes is drawn nearly flat:
    its span is taken as a tenth of its highest value at least. */
export function sparkRange(values: readonly number[]): { low: number; high: number } {
  let least = Infinity;
  let most = -Infinity;
  for (const value of values) {
    least = Math.min(least, value);
    most = Math.max(most, value);
  }
  if (!Number.isFinite(least)) return { low: 0, high: 1 };
  const span = Math.max(most - least, Math.abs(most) / 10);
  if (span === 0) return { low: least, high: least + 1 };
  return { low: most - span, high: most };
}

const rounded = (value: number) => Math.round(value * 100) / 100;

/** The line of a sparkline as an SVG path, at equal distances over the whole width. */
export function sparkPath(values: readonly number[], width: number, height: number): string {
  if (values.length === 0) return "";
  const { low, high } = sparkRange(values);
  const step = values.length > 1 ? width / (values.length - 1) : 0;
  const y = (value: number) => rounded(height - ((value - low) / (high - low)) * height);
  if (values.length === 1) return `M0 ${y(values[0]!)}H${width}`;
  return values.map((value, i) => `${i ? "L" : "M"}${rounded(i * step)} ${y(value)}`).join("");
}

export interface Bar { x: number; y: number; width: number; height: number }

/** Bars from the bottom up, one for each value above zero, a small gap between them. What
    is there is at least half a unit high, so that it can be seen. */
export function bars(values: readonly number[], width: number, height: number): Bar[] {
  const most = Math.max(0, ...values);
  if (most === 0) return [];
  const each = width / values.length;
  const gap = each > 2 ? 0.5 : 0;
  return values.flatMap((value, i) => {
    if (value <= 0) return [];
    const high = Math.max(0.5, (value / most) * height);
    return [{ x: rounded(i * each), y: rounded(height - high), width: rounded(each - gap), height: rounded(high) }];
  });
}

/** The part of a whole from 0 to 1; 0 where there is no whole. */
export function part(value: number, whole: number): number {
  if (!(whole > 0) || value <= 0) return 0;
  return Math.min(1, value / whole);
}

/** How many events a bar stands for: what was made before the first event has one bar. */
export function eventsOf(first: number, barEvents: number): number {
  return first === 0 ? 1 : barEvents;
}

/** `event 51`, `events 51..60`. */
export function eventText(first: number, barEvents: number, turn: string): string {
  if (first === 0) return `before the first ${turn}`;
  if (barEvents === 1) return `${turn} ${count(first)}`;
  return `${turn}s ${count(first)}..${count(first + barEvents - 1)}`;
}

/** Index of the entry of an ascending list that is nearest to a value. */
export function nearest(sorted: readonly number[], value: number): number {
  let low = 0;
  let high = sorted.length - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sorted[middle]! < value) low = middle + 1;
    else high = middle;
  }
  if (low > 0 && value - sorted[low - 1]! <= sorted[low]! - value) return low - 1;
  return low;
}
