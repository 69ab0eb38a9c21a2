// The verdict in the words of the head.

import type { Verdict } from "../answers";

/** The answer's sentences without the one that the headline has said already. */
export function otherWords(words: string[], verdict: Verdict | null): string[] {
  const lines = words.map((one) => one.trim()).filter((one) => one !== "");
  if (verdict === null) return lines;
  return lines.filter((one) => !one.startsWith(verdict.headline.name));
}
