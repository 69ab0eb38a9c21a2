// What the growth of the resident size is made of, as a bar: what was added to the right of
// zero, what was taken off to the left of it.

import type { Account, Verdict } from "../answers";

export type PartName =
  | "live_heap" | "untouched" | "heap_metadata" | "allocator_slack" | "mapped"
  | "thread_stacks" | "files" | "recorder" | "unexplained";

export interface Part {
  name: PartName;
  label: string;
  bytes_per_event: number;
  /** From 0 to 1 of the bar's width; a part that is too small to be seen has width 0. */
  start: number;
  width: number;
}

export interface Bar {
  /** All that count, in their order. */
  parts: Part[];
  /** Where zero is, from 0 to 1. */
  zero: number;
  /** Names of the parts that do not count. */
  absent: string[];
}

/** A part counts from this share of the largest on. */
const LEAST_SHARE = 1 / 1000;

const LABELS: [PartName, string][] = [
  ["live_heap", "live heap"],
  ["untouched", "never written"],
  ["heap_metadata", "heap metadata"],
  ["allocator_slack", "allocator slack"],
  ["mapped", "mapped"],
  ["thread_stacks", "thread stacks"],
  ["files", "files"],
  ["recorder", "recorder"],
  ["unexplained", "unexplained"],
];

/** The parts with their signs, so that they add up to the whole resident size. */
function signed(account: Account): { name: PartName; label: string; bytes_per_event: number }[] {
  return LABELS.map(([name, label]) => {
    const value = account.bytes_per_event[name];
    if (name !== "untouched") return { name, label, bytes_per_event: value };
    // Live memory without pages behind it is taken off; it may also get its pages late.
    return { name, label: value >= 0 ? label : "allocated earlier, first touched now", bytes_per_event: -value };
  });
}

export function bar(account: Account): Bar {
  const all = signed(account);
  const largest = Math.max(...all.map((part) => Math.abs(part.bytes_per_event)));
  const counts = (value: number) => largest > 0 && Math.abs(value) >= largest * LEAST_SHARE;
  const counted = all.filter((part) => counts(part.bytes_per_event));
  const sum = (sign: 1 | -1) =>
    counted.reduce((sum, part) => sum + Math.max(0, sign * part.bytes_per_event), 0);
  const [added, taken] = [sum(1), sum(-1)];
  const whole = added + taken;
  const zero = whole > 0 ? taken / whole : 0;
  let right = zero;
  let left = zero;
  const parts = counted.map((part) => {
    const width = Math.abs(part.bytes_per_event) / whole;
    if (part.bytes_per_event < 0) left -= width;
    const start = part.bytes_per_event < 0 ? left : right;
    if (part.bytes_per_event > 0) right += width;
    return { ...part, start, width };
  });
  const absent = all.filter((part) => !counts(part.bytes_per_event) && part.name !== "untouched");
  return { parts, zero, absent: absent.map((part) => part.label) };
}

/** Where nothing grows, the parts are noise. */
export function isWorthDrawing(verdict: Verdict): boolean {
  const account = verdict.account;
  if (account === null) return false;
  const { program_rss, live_heap } = account.bytes_per_event;
  if (Math.max(Math.abs(program_rss), Math.abs(live_heap)) < 1) return false;
  const isQuiet = verdict.verdict === "no-growth" || verdict.verdict === "undetermined";
  return !isQuiet || verdict.series.rss?.outcome === "growing";
}
