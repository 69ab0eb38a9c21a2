// The counters by which functions are compared.

import { RANGE_COUNTERS, TOTALS_COUNTERS, type CounterName } from "../answers";

export const COUNTERS: { counter: CounterName; words: string }[] = [
  { counter: "live", words: "live bytes" },
  { counter: "live-blocks", words: "live blocks" },
  { counter: "total", words: "total bytes" },
  { counter: "calls", words: "calls" },
  { counter: "frees", words: "frees" },
  { counter: "temporaries", words: "temporaries" },
  { counter: "reallocs", words: "reallocations" },
  { counter: "peak", words: "peak bytes" },
  { counter: "at-peak", words: "bytes when the heap was highest" },
  { counter: "at-peak-blocks", words: "blocks when the heap was highest" },
  { counter: "cpu", words: "CPU time" },
];

/** The counter to ask for: of a range only some are known. */
export function counterFor(asked: string, isRange: boolean, hasTotals: boolean): CounterName {
  const known = COUNTERS.find((one) => one.counter === asked)?.counter ?? "live";
  return isRange && !isOfRange(known, hasTotals) ? "live" : known;
}

/** Whether it is known of ranges of events; some where their ends have totals. */
export function isOfRange(counter: CounterName, hasTotals: boolean): boolean {
  return RANGE_COUNTERS.includes(counter) || (hasTotals && TOTALS_COUNTERS.includes(counter));
}

export function counterWords(counter: CounterName, isRange: boolean): string {
  if (isRange && (counter === "live" || counter === "live-blocks")) return counter === "live-blocks" ? "growth in blocks" : "growth in bytes";
  return COUNTERS.find((one) => one.counter === counter)?.words ?? counter;
}
