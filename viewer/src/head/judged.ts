// What the verdict on the whole recording speaks of, for those who show it: which events, and
// which stacks it accuses.

import { signal } from "@preact/signals";
import type { FileAbout, Side, Verdict, VerdictAnswer } from "../answers";

/** Told by the head, which asks for it. */
export const judged = signal<{ side: Side; answer: VerdictAnswer } | null>(null);

/** The verdict's events as a range of the address; null where what stacks hold is not known
    over them. */
export function judgedRange(verdict: Verdict | null, file: FileAbout | null): string | null {
  if (verdict === null || !file?.has.changes) return null;
  const { first_event: known, last_measured_event: measured } = file;
  if (known === null || measured === null) return null;
  const first = Math.max(verdict.first_event, known);
  return first <= measured ? `${first}..${verdict.last_event}` : null;
}

/** The stacks that the verdict accuses, the worst first: those with a share of the growth. */
export function accused(verdict: Verdict | null): Verdict["stacks"] {
  return verdict?.stacks.filter((stack) => stack.share !== null) ?? [];
}

/** The verdict on a side, once it is known. */
export function verdictOn(side: string): Verdict | null {
  return judged.value?.side === side ? judged.value.answer.verdict : null;
}
