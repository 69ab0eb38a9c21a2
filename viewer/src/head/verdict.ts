// The verdict in the words of the head.

import type { Followed, Verdict } from "../answers";
import { bytes } from "../format";
import { accused } from "./judged";

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
  const constant = counter.dependence === "both" ? ` + ${bytes(counter.constant_bytes)}/${unit}` : "";
  const share = (counter.explained_share * 100).toFixed(0);
  const fit = `r² = ${counter.r_squared.toFixed(2)}; accounts for ${share} % of the rate`;
  return `per ${singular(counter.name)}${constant} (counter "${counter.name}", ${fit})`;
}

/** The answer's sentences without the one that the headline has said already. */
export function otherWords(words: string[], verdict: Verdict | null): string[] {
  const lines = words.map((one) => one.trim()).filter((one) => one !== "");
  if (verdict === null) return lines;
  return lines.filter((one) => !one.startsWith(verdict.headline.name));
}
