// What is asked for: the parameters in the address, as the question and as words.

import { RANGE_COUNTERS, TOTALS_COUNTERS, type CounterName, type FlameBy } from "../answers";
import type { Parameters } from "../ask";

export const COUNTERS: { name: CounterName; words: string }[] = [
  { name: "live", words: "live bytes" },
  { name: "live-blocks", words: "live blocks" },
  { name: "total", words: "bytes allocated" },
  { name: "calls", words: "allocations" },
  { name: "at-peak", words: "live bytes at the heap's peak" },
  { name: "at-peak-blocks", words: "live blocks at the heap's peak" },
  { name: "peak", words: "own peak of each stack" },
  { name: "temporaries", words: "temporary allocations" },
  { name: "reallocs", words: "reallocations" },
  { name: "frees", words: "frees" },
  { name: "cpu", words: "CPU time" },
];

export const BY: FlameBy[] = ["function", "line", "module", "scope", "thread"];

/** Of one thread only these are known, and only of the whole recording. */
const THREAD_COUNTERS: CounterName[] = ["total", "calls", "frees", "cpu"];

/** As many rows as the server sends: boxes that are left out are then really small. */
const MOST_ROWS = 4096;

export type Given = Readonly<Record<string, string>>;

export function isByThread(given: Given): boolean {
  return byOf(given) === "thread" || Boolean(given.thread);
}

/** The counters that are known of what is asked for; the first is the usual one. */
export function countersOf(given: Given, hasTotals: boolean): CounterName[] {
  if (isByThread(given)) return THREAD_COUNTERS;
  if (given.events || rangeOf(given.against)) return [...RANGE_COUNTERS, ...(hasTotals ? TOTALS_COUNTERS : [])];
  return COUNTERS.map((one) => one.name);
}

export function counterOf(given: Given, hasTotals: boolean): CounterName {
  const known = countersOf(given, hasTotals);
  return known.find((one) => one === given.counter) ?? known[0]!;
}

export function byOf(given: Given): FlameBy {
  return BY.find((one) => one === given.by) ?? "function";
}

export function questionOf(given: Given, hasTotals: boolean): Parameters {
  const isWhole = isByThread(given);
  return {
    side: given.side,
    events: isWhole ? undefined : given.events,
    kind: given.kind,
    focus: given.focus,
    ignore: given.ignore,
    counter: counterOf(given, hasTotals),
    by: byOf(given),
    inverted: given.inverted ? 1 : undefined,
    root: given.root,
    span: given.span,
    thread: given.thread,
    against: isWhole ? undefined : given.against,
    highlight: given.highlight,
    depth: MOST_ROWS,
  };
}

/** The part of the root's width that is shown, in its weight; null for all of it. */
export function spanGiven(given: Given): { left: number; right: number } | null {
  const span = rangeOf(given["span"]);
  return span && span.from < span.to ? { left: span.from, right: span.to } : null;
}

export interface Range {
  from: number;
  to: number;
}

/** `51..100`; null for anything else. */
export function rangeOf(text: string | undefined): Range | null {
  const found = /^(\d+)\.\.(\d+)$/.exec((text ?? "").trim());
  if (!found) return null;
  const range = { from: Number(found[1]), to: Number(found[2]) };
  return range.from <= range.to ? range : null;
}

export function writeRange(range: Range): string {
  return `${range.from}..${range.to}`;
}

/** What to compare a selection with at first: as many events before it, else after it. With
    nothing selected, the second half of the recording with the first. */
export function firstComparison(
  selected: Range | null,
  first: number,
  last: number,
): { events: Range; against: Range } | null {
  if (last <= first) return null;
  if (selected === null) {
    const middle = Math.floor((first + last) / 2);
    return { events: { from: middle + 1, to: last }, against: { from: first, to: middle } };
  }
  const length = selected.to - selected.from + 1;
  if (selected.from > first) {
    return { events: selected, against: { from: Math.max(first, selected.from - length), to: selected.from - 1 } };
  }
  if (selected.to < last) {
    return { events: selected, against: { from: selected.to + 1, to: Math.min(last, selected.to + length) } };
  }
  return null;
}

/** The thread that a box stands for, where it stands for one. */
export function threadOfKey(key: string): string | null {
  return /^thread:(-?\d+)$/.exec(key)?.[1] ?? null;
}

/** What is changed in the address to make a box the root. */
export function stepsInto(key: string): Record<string, string | undefined> {
  const thread = threadOfKey(key);
  const steps = { span: undefined, sandwich: undefined };
  return thread === null ? { ...steps, root: key } : { ...steps, thread, root: undefined };
}

/** The two halves of a sandwich: what a function called, and who called it. */
export function halvesOf(question: Parameters, key: string): { callers: Parameters; callees: Parameters } {
  const half = { ...question, root: undefined, span: undefined, function: key };
  return { callers: { ...half, inverted: 1 }, callees: { ...half, inverted: undefined } };
}
