// The functions that were visited on the way to the one that is shown.

import { signal } from "@preact/signals";

export interface Step {
  key: string;
  name: string;
}

/** As long as the page is open. */
export const trail = signal<Step[]>([]);

/** Forgets where the walk came from: another one begins, here if that is known. */
export function beginTrail(first?: Step): void {
  trail.value = first ? [first] : [];
}

const MOST = 12;

/** A function that is on the trail already ends it there; another one is added, and of a
    long trail the oldest are forgotten. */
export function visit(trail: readonly Step[], step: Step): Step[] {
  const known = trail.findIndex((one) => one.key === step.key);
  if (known >= 0) return trail.slice(0, known + 1);
  return [...trail, step].slice(-MOST);
}
