// What a press on a heading does to the order of the rows.

import type { StackSort } from "../answers";

export interface Order {
  sort: StackSort;
  isAscending: boolean;
}

const USUAL: StackSort = "growth";
const KNOWN: StackSort[] = [
  "growth", "growth-blocks", "live", "live-blocks", "total", "calls", "churn", "peak", "temporaries",
];

/** The order that stands in the address, where other views keep theirs too. Without a range,
    growth is what is live: one column, so one name for its order. */
export function orderOf(sort: string, ascending: string, isRange: boolean): Order {
  const asked = KNOWN.find((one) => one === sort) ?? USUAL;
  const same: Partial<Record<StackSort, StackSort>> = { live: "growth", "live-blocks": "growth-blocks" };
  return { sort: (!isRange && same[asked]) || asked, isAscending: ascending === "1" };
}

/** The highest come first; a second press turns the order round. */
export function pressed(now: Order, sort: StackSort): Order {
  return { sort, isAscending: now.sort === sort ? !now.isAscending : false };
}

/** As parameters of the address, where the usual order has none. */
export function orderParameters(order: Order): { sort: string; ascending: string } {
  return { sort: order.sort === USUAL ? "" : order.sort, ascending: order.isAscending ? "1" : "" };
}

export function ariaSort(now: Order, sort: StackSort | null): "ascending" | "descending" | undefined {
  if (sort === null || now.sort !== sort) return undefined;
  return now.isAscending ? "ascending" : "descending";
}

/** `1..50` of a page that begins at `offset` with so many rows. */
export function shownText(offset: number, rows: number): string {
  return rows === 0 ? "none" : `${offset + 1}..${offset + rows}`;
}
