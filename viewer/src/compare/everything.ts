// All rows of a comparison, asked for page by page: for files, which are not cut.

import type { Compare, CompareRow } from "../answers";

/** The most that one answer holds. */
export const MOST_ROWS = 200;

export type AskPage = (offset: number, limit: number) => Promise<Compare>;

export async function allRows(askPage: AskPage): Promise<CompareRow[]> {
  const rows: CompareRow[] = [];
  for (;;) {
    const page = await askPage(rows.length, MOST_ROWS);
    rows.push(...page.rows);
    if (page.rows.length === 0 || rows.length >= page.found) return rows;
  }
}
