// What a press on a heading does to the order of the rows.

import type { StackSort } from "../answers";

export interface Order {
  sort: StackSort;
  isAscending: boolean;
}

/** What the table is of: growth in a range, or what was live at the end of the recording or
    when the heap was highest. */
export type Shown = "grew" | "end" | "peak";

/** As the address has it. */
export function shownOf(events: string, at: string): Shown {
  if (events !== "") return "grew";
  return at === "peak" ? "peak" : "end";
}

const USUAL: Record<Shown, StackSort> = { grew: "growth", end: "growth", peak: "at-peak" };
const KNOWN: StackSort[] = [
  "growth", "growth-blocks", "live", "live-blocks", "total", "calls", "churn", "peak", "at-peak", "temporaries",
  "largest",
];
/** Without a range growth is what is live: one column, so one name for its order. */
const SAME: Record<Shown, Partial<Record<StackSort, StackSort>>> = {
  grew: {},
  end: { live: "growth", "live-blocks": "growth-blocks" },
  peak: { growth: "live", "growth-blocks": "live-blocks" },
};

/** The order that stands in the address, where other views keep theirs too. */
export function orderOf(sort: string, ascending: string, shown: Shown): Order {
  const asked = KNOWN.find((one) => one === sort) ?? USUAL[shown];
  return { sort: SAME[shown][asked] ?? asked, isAscending: ascending === "1" };
}

/** The highest come first; a second press turns the order round. */
export function pressed(now: Order, sort: StackSort): Order {
  return { sort, isAscending: now.sort === sort ? !now.isAscending : false };
}

/** As parameters of the address, where the usual order has none. */
export function orderParameters(order: Order, shown: Shown): { sort: string; ascending: string } {
  return { sort: order.sort === USUAL[shown] ? "" : order.sort, ascending: order.isAscending ? "1" : "" };
}

export function ariaSort(now: Order, sort: StackSort | null): "ascending" | "descending" | undefined {
  if (sort === null || now.sort !== sort) return undefined;
  return now.isAscending ? "ascending" : "descending";
}

/** `1..50` of a page that begins at `offset` with so many rows. */
export function shownText(offset: number, rows: number): string {
  return rows === 0 ? "none" : `${offset + 1}..${offset + rows}`;
}
