// What is compared, as it stands in the address.

import { parameter } from "../address";
import type { CounterName } from "../answers";
import type { Parameters } from "../ask";
import { byOf, classOf } from "./rows";

export const COUNTERS: { counter: CounterName; words: string }[] = [
  { counter: "live", words: "live bytes" },
  { counter: "live-blocks", words: "live blocks" },
  { counter: "total", words: "bytes allocated" },
  { counter: "calls", words: "allocations" },
  { counter: "peak", words: "peak of each" },
  { counter: "at-peak", words: "bytes at the heap's peak" },
  { counter: "at-peak-blocks", words: "blocks at the heap's peak" },
  { counter: "frees", words: "frees" },
  { counter: "temporaries", words: "temporaries" },
  { counter: "reallocs", words: "reallocations" },
  { counter: "cpu", words: "CPU time" },
];

export function counterOf(text: string): CounterName {
  return COUNTERS.find((one) => one.counter === text)?.counter ?? "live";
}

/** All but the page; reading them follows the address. */
export function question(): Parameters {
  const wanted = classOf(parameter("class"));
  return {
    by: byOf(parameter("by")),
    counter: counterOf(parameter("counter", "live")),
    kind: parameter("kind", "heap"),
    focus: parameter("focus"),
    class: wanted === "all" ? undefined : wanted,
  };
}

/** Place in the list; 0 for what is not a number. */
export function offsetOf(text: string): number {
  return /^\d{1,9}$/.test(text) ? Number(text) : 0;
}
