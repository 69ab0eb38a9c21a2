// Tables of stacks as rows of a CSV file. Numbers are exact.

import type { SizeBin, StackDetail, StackRow } from "../answers";
import type { Cell } from "../download";
import { bytes } from "../format";

const COLUMNS: [string, (row: StackRow) => Cell][] = [
  ["stack", (row) => row.stack],
  ["kind", (row) => row.kind],
  ["growth_bytes", (row) => row.growth_bytes],
  ["growth_blocks", (row) => row.growth_blocks],
  ["bytes_per_event", (row) => row.rate],
  ["low", (row) => row.low],
  ["high", (row) => row.high],
  ["live_bytes", (row) => row.live_bytes],
  ["live_blocks", (row) => row.live_blocks],
  ["total_bytes", (row) => row.total_bytes],
  ["calls", (row) => row.calls],
  ["frees", (row) => row.frees],
  ["churn_bytes", (row) => row.churn_bytes],
  ["temporaries", (row) => row.temporaries],
  ["reallocs", (row) => row.reallocs],
  ["peak_bytes", (row) => row.peak_bytes],
  ["at_peak_bytes", (row) => row.at_peak_bytes],
  ["largest_bytes", (row) => row.largest_bytes],
  ["shape", (row) => row.shape],
  ["confidence", (row) => row.confidence],
  ["counter", (row) => row.counter?.name],
  ["bytes_per_unit", (row) => row.counter?.bytes_per_unit],
  ["bytes_per_unit_low", (row) => row.counter?.bytes_per_unit_low],
  ["bytes_per_unit_high", (row) => row.counter?.bytes_per_unit_high],
  ["lines", (row) => row.lines],
  ["library", (row) => row.library],
  ["file", (row) => row.file],
  ["line", (row) => row.line],
  ["path", (row) => row.path.join(";")],
];

export const STACKS_HEAD = COLUMNS.map(([name]) => name);

export function stacksRows(rows: readonly StackRow[]): Cell[][] {
  return rows.map((row) => COLUMNS.map(([, cell]) => cell(row)));
}

export const MEMBERS_HEAD = [
  "stack", "place", "growth_bytes", "growth_blocks", "live_bytes", "live_blocks", "total_bytes", "calls",
  "largest_bytes",
];

export function membersRows(members: StackDetail["members"]): Cell[][] {
  return members.map(({ stack, place, numbers }) => [
    stack, place, numbers.growth_bytes, numbers.growth_blocks, numbers.live_bytes, numbers.live_blocks,
    numbers.total_bytes, numbers.calls, numbers.largest_bytes,
  ]);
}

export const THREADS_HEAD = ["thread", "tid", "calls", "total_bytes", "frees", "net_bytes", "largest_bytes"];

export function threadsRows(threads: StackDetail["threads"]): Cell[][] {
  return threads.map((one) => [one.name, one.tid, one.calls, one.total_bytes, one.frees, one.net_bytes, one.largest_bytes]);
}

export interface SizeRow { from_bytes: number; to_bytes: number; total: number; live: number }

/** Blocks by size, ever made and live, side by side. */
export function sizeRows(total: readonly SizeBin[], live: readonly SizeBin[]): SizeRow[] {
  const rows = new Map<number, SizeRow>();
  const row = (bin: SizeBin) => {
    const known = rows.get(bin.from_bytes);
    if (known) return known;
    const made = { from_bytes: bin.from_bytes, to_bytes: bin.to_bytes, total: 0, live: 0 };
    rows.set(bin.from_bytes, made);
    return made;
  };
  for (const bin of total) row(bin).total += bin.blocks;
  for (const bin of live) row(bin).live += bin.blocks;
  return [...rows.values()].filter((one) => one.total || one.live).sort((a, b) => a.from_bytes - b.from_bytes);
}

/** The last size holds all that are larger. */
export function sizeText(from: number, to: number): string {
  if (to > Number.MAX_SAFE_INTEGER) return `${bytes(from)} and more`;
  return to > from ? `${bytes(from)} .. ${bytes(to)}` : bytes(from);
}

export const SIZES_HEAD = ["from_bytes", "to_bytes", "blocks", "live_blocks"];
