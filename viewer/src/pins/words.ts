// Pins in words and as rows of CSV: those of `residue pins`.

import type { PinnedAge, PinnedSize, PinnedStack } from "../answers";
import type { Cell } from "../download";
import { bytes, counted, eventsText, signedBytes } from "../format";

export function sizesText({ from_bytes: from, to_bytes: to }: Pick<PinnedSize, "from_bytes" | "to_bytes">): string {
  return from === to ? bytes(to) : `${bytes(from)} to ${bytes(to)}`;
}

export function bornText({ first_birth: first, last_birth: last }: Pick<PinnedAge, "first_birth" | "last_birth">, unit: string): string {
  return eventsText(unit, first, last);
}

/** `2 000 blocks of 64 B, born in events 1..100`. */
export function blocksText(of: PinnedStack, unit: string): string {
  const sizes = sizesText({ from_bytes: of.smallest, to_bytes: of.largest });
  return `${counted(of.blocks, "block")} of ${sizes}, born in ${bornText(of, unit)}`;
}

/** `+79.7 KiB/event since 50`; empty where there was no earlier picture. */
export function growthText({ growth }: PinnedStack, unit: string): string {
  return growth === null ? "" : `${signedBytes(growth.bytes_per_event)}/${unit} since ${growth.since_event}`;
}

/** What keeps less than one part in so many is not shown. */
const LEAST_PART = 200;

export function worthShowing<T extends { free_bytes: number }>(rows: readonly T[], allFree: number): T[] {
  return rows.filter(({ free_bytes: free }) => free > 0 && free >= Math.floor(allFree / LEAST_PART));
}

export const PINS_HEAD = [
  "stack", "free_bytes", "used_bytes", "pages", "alone_pages", "alone_free_bytes", "blocks", "smallest", "largest", "first_birth",
  "last_birth", "bytes_per_event", "since_event", "path",
];

export function pinsRows(rows: readonly PinnedStack[]): Cell[][] {
  return rows.map((row) => [
    row.stack, row.free_bytes, row.used_bytes, row.pages, row.alone_pages, row.alone_free_bytes, row.blocks, row.smallest,
    row.largest, row.first_birth, row.last_birth, row.growth?.bytes_per_event, row.growth?.since_event, row.path.join(";"),
  ]);
}
