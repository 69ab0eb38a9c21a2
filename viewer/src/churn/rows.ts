// Rows of churn as numbers.

import type { ChurnHeads, ChurnRow } from "../answers";
import type { Cell } from "../download";

/** What stands in the last column of numbers; null where it was not recorded. */
export function freedOf(row: ChurnRow, heads: ChurnHeads): number | null {
  return heads.is_freed_in_event ? row.freed_in_event : row.temporaries;
}

/** The columns of `residue report --view churn --csv`. */
export const CHURN_HEAD = [
  "stack", "calls", "bytes", "calls_per_event", "bytes_per_event", "temporaries", "freed_in_event", "path",
];

export function churnRows(rows: readonly ChurnRow[]): Cell[][] {
  return rows.map((row) => [
    row.stack, row.calls, row.bytes, row.calls_per_event, row.bytes_per_event, row.temporaries, row.freed_in_event,
    row.path.join(";"),
  ]);
}
