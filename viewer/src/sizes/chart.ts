// Where the parts of the drawing lie: two bar charts side by side, whose rows are the same
// sizes. Lengths are pixels of the page.

import type { SizeRow } from "./bins";

export type Axis = "log" | "linear";

export interface Bar {
  y: number;
  height: number;
  width: number;
  /** Blocks; null where they are not known. */
  blocks: number | null;
}

export interface Panel {
  left: number;
  /** Length of the longest bar. */
  width: number;
  bars: Bar[];
  ticks: { x: number; blocks: number }[];
}

export interface Chart {
  width: number;
  height: number;
  /** Right end of the names of sizes. */
  labels: number;
  top: number;
  bottom: number;
  rowHeight: number;
  total: Panel;
  live: Panel;
}

/** From 0 to 1: how far along the axis. On a logarithmic one a single block has a length
    too, which is why it begins at a half. */
export function along(blocks: number, most: number, axis: Axis): number {
  if (blocks <= 0 || most <= 0) return 0;
  if (axis === "linear") return blocks / most;
  return Math.log(2 * blocks) / Math.log(2 * most);
}

/** Round numbers of blocks up to the highest, at most about so many. */
export function ticks(most: number, axis: Axis, about: number): number[] {
  if (most <= 0) return [];
  if (axis === "log") {
    const powers = Math.floor(Math.log10(most) + 1e-9);
    const step = Math.max(1, Math.ceil((powers + 1) / Math.max(1, about)));
    const found: number[] = [];
    for (let power = 0; power <= powers; power += step) found.push(10 ** power);
    return found;
  }
  const least = most / Math.max(1, about);
  const power = 10 ** Math.floor(Math.log10(least));
  const step = Math.max(1, power * ([1, 2, 5, 10].find((factor) => factor * power >= least) ?? 10));
  return Array.from({ length: Math.floor(most / step) + 1 }, (_, index) => index * step);
}

const EMS = { labels: 8, gap: 1.2, numbers: 5.5, top: 3.6, row: 1.75, bar: 1.2, bottom: 0.5 };

export function chartOf(rows: SizeRow[], widthPx: number, emPx: number, axis: Axis): Chart {
  const em = (number: number) => number * emPx;
  const half = (widthPx - em(EMS.labels) - em(EMS.gap)) / 2;
  const top = em(EMS.top);
  const rowHeight = em(EMS.row);
  const panel = (which: "total" | "live", left: number): Panel => {
    const most = Math.max(0, ...rows.map((row) => row[which] ?? 0));
    const width = Math.max(em(2), half - em(EMS.numbers));
    return {
      left,
      width,
      bars: rows.map((row, index) => ({
        y: top + index * rowHeight + (rowHeight - em(EMS.bar)) / 2,
        height: em(EMS.bar),
        width: width * along(row[which] ?? 0, most, axis),
        blocks: row[which],
      })),
      ticks: ticks(most, axis, width / em(5)).map((blocks) => ({ blocks, x: left + width * along(blocks, most, axis) })),
    };
  };
  const bottom = top + rows.length * rowHeight;
  return {
    width: widthPx,
    height: bottom + em(EMS.bottom),
    labels: em(EMS.labels) - em(0.7),
    top,
    bottom,
    rowHeight,
    total: panel("total", em(EMS.labels)),
    live: panel("live", em(EMS.labels) + half + em(EMS.gap)),
  };
}
