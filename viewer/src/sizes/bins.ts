// Sizes of blocks in bins, each twice as wide as the one before: those of all blocks and of
// the live ones in one list, without holes.

import type { SizeBin, Sizes } from "../answers";
import type { Cell } from "../download";
import { bytes } from "../format";

export interface SizeRow {
  /** Smallest and largest size, both included. */
  from: number;
  to: number;
  /** Blocks; null where they are not known. */
  total: number | null;
  live: number | null;
}

const isPower = (value: number) => value > 0 && Number.isInteger(Math.log2(value));

/** First size of the next bin. */
const nextFrom = (from: number) => (from === 0 ? 1 : 2 * from);

/** From the smallest to the largest size that occurs; bins between that nobody used are
    rows of zeros. */
export function sizeRows(sizes: Sizes): SizeRow[] {
  const rows = new Map<number, SizeRow>();
  const add = (bins: SizeBin[] | null, which: "total" | "live") => {
    for (const bin of bins ?? []) {
      if (bin.blocks === 0) continue;
      const row = rows.get(bin.from_bytes) ?? emptyRow(bin.from_bytes, bin.to_bytes, sizes);
      row[which] = (row[which] ?? 0) + bin.blocks;
      rows.set(bin.from_bytes, row);
    }
  };
  add(sizes.total, "total");
  add(sizes.live, "live");
  const known = [...rows.values()].sort((one, other) => one.from - other.from);
  const all: SizeRow[] = [];
  for (const row of known) {
    const before = all.at(-1);
    if (before && (before.from === 0 || isPower(before.from)) && isPower(row.from)) {
      for (let from = nextFrom(before.from); from < row.from; from = nextFrom(from)) {
        all.push(emptyRow(from, nextFrom(from) - 1, sizes));
      }
    }
    all.push(row);
  }
  return all;
}

function emptyRow(from: number, to: number, sizes: Sizes): SizeRow {
  return { from, to, total: sizes.total && 0, live: sizes.live && 0 };
}

/** All larger blocks are counted in it too. */
export function isOpen(row: { from: number; to: number }): boolean {
  return row.from > 0 && row.to > 2 * row.from;
}

/** `64–127 B`, `1–2 KiB`, `1 GiB or more`, as in the command's own texts. */
export function sizeText(row: { from: number; to: number }): string {
  const { from, to } = row;
  if (isOpen(row)) return `${whole(from)} or more`;
  if (from === to) return `${from} B`;
  if (from < 1024) return `${from}–${to} B`;
  const [number = "", unit = ""] = whole(from).split(" ");
  return `${number}–${2 * Number(number)} ${unit}`;
}

/** `1 GiB`: without zeros behind the point. */
function whole(size: number): string {
  return bytes(size).replace(/\.0+ /, " ");
}

export function sum(rows: SizeRow[], which: "total" | "live"): number {
  return rows.reduce((before, row) => before + (row[which] ?? 0), 0);
}

export const SIZES_HEAD = ["from_bytes", "to_bytes", "total_blocks", "live_blocks"];

export function csvRows(rows: SizeRow[]): Cell[][] {
  return rows.map((row) => [row.from, isOpen(row) ? null : row.to, row.total, row.live]);
}
