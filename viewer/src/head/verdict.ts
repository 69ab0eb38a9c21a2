// The verdict in the words of the head.

import type { Followed, Verdict } from "../answers";
import { bytes, count } from "../format";
import { accused } from "./judged";

export const HEADLINES: Record<Verdict["verdict"], string> = {
  leak: "LEAK",
  "freed-at-exit": "FREED AT EXIT",
  fragmentation: "FRAGMENTATION",
  growth: "GROWS",
  "no-growth": "NO GROWTH",
  undetermined: "UNDETERMINED",
};

const GROWING: Record<Verdict["basis"], string> = {
  stacks: "live heap",
  live: "live heap",
  rss: "RSS",
  vm: "VM",
};

/** The line beside the headline: some words, a number of bytes per event, more words. */
export interface Line {
  before: string;
  bytes_per_event: number | null;
  after: string;
}

/** `47.73 .. 51.59 KiB`, with one unit where both have the same. A bound that is not known
    is null. */
export function intervalText(low: number | null, high: number | null): string {
  if (low === null || high === null || !Number.isFinite(low) || !Number.isFinite(high)) return "unknown";
  if (low === high) return "exact";
  const [lowest, highest] = [bytes(low), bytes(high)];
  const [lowNumber = "", lowUnit] = lowest.split(" ");
  const [, highUnit] = highest.split(" ");
  return lowUnit === highUnit ? `${lowNumber} .. ${highest}` : `${lowest} .. ${highest}`;
}

function eventsText(verdict: Verdict): string {
  const warmUp = verdict.warm_up_events ? `, warm-up ${count(verdict.warm_up_events)}` : "";
  return `${verdict.unit}s ${verdict.first_event}..${verdict.last_event}${warmUp}`;
}

export function line(verdict: Verdict): Line {
  const unit = verdict.unit;
  const interval = `(95 %: ${intervalText(verdict.low, verdict.high)}, ${eventsText(verdict)})`;
  const rate = Number.isFinite(verdict.rate_bytes_per_event) ? verdict.rate_bytes_per_event : null;
  switch (verdict.verdict) {
    case "leak":
      return { before: "", bytes_per_event: rate, after: `per ${unit} ${interval}` };
    case "freed-at-exit":
      return {
        before: "",
        bytes_per_event: rate,
        after: `per ${unit} ${interval}, held until the last ${unit} was over`,
      };
    case "fragmentation":
      return {
        before: "RSS",
        bytes_per_event: rate,
        after: `per ${unit} ${interval}, while the live heap does not grow`,
      };
    case "growth":
      return { before: GROWING[verdict.basis], bytes_per_event: rate, after: `per ${unit} ${interval}` };
    case "no-growth":
      return {
        before: "this run would have seen",
        bytes_per_event: verdict.smallest_visible_bytes_per_event,
        after: `per ${unit} (${eventsText(verdict)})`,
      };
    case "undetermined": {
      const needs =
        verdict.needs_events === null
          ? `this run of ${count(verdict.events)} ${unit}s cannot tell:`
          : `needs about ${count(verdict.needs_events)} ${unit}s:`;
      return { before: needs, bytes_per_event: rate, after: `per ${unit} ${interval}` };
    }
  }
}

/** The most stacks that an answer holds. */
const MOST_STACKS = 50;

/** `3 more stacks leak`; null where there is one alone. */
export function moreGuiltyText(verdict: Verdict): string | null {
  const guilty = accused(verdict).length;
  if (guilty < 2) return null;
  const more = guilty >= MOST_STACKS ? `${guilty - 1} or more` : `${guilty - 1} more`;
  return guilty === 2 ? "1 more stack leaks" : `${more} stacks leak`;
}

/** One of what a counter counts: `hit` for `hits`. */
export function singular(name: string): string {
  return /[^s]s$/.test(name) && name.length > 2 ? name.slice(0, -1) : name;
}

/** The counter that the growth goes with; null where it goes with none. */
export function followed(verdict: Verdict): Followed | null {
  const counter = verdict.counter ?? accused(verdict)[0]?.counter ?? null;
  const isFollowed = counter?.dependence === "proportional" || counter?.dependence === "both";
  return isFollowed ? counter : null;
}

/** What stands after the bytes per unit of the counter. */
export function followedText(counter: Followed, unit: string): string {
  const constant = counter.dependence === "both" ? ` + ${bytes(counter.constant_bytes)} per ${unit}` : "";
  const share = (counter.explained_share * 100).toFixed(0);
  return `per ${singular(counter.name)}${constant} (counter ${counter.name}, r = ${counter.correlation.toFixed(3)}, ${share} % of the growth)`;
}

/** The answer's sentences without the one that the headline has said already. */
export function otherWords(words: string[], verdict: Verdict | null): string[] {
  const lines = words.map((one) => one.trim()).filter((one) => one !== "");
  if (verdict === null) return lines;
  return lines.filter((one) => !one.startsWith(HEADLINES[verdict.verdict]));
}
