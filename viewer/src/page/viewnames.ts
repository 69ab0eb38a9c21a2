// The views in words, and which of them have something to show.

import type { View } from "../address";
import type { About, FileAbout } from "../answers";

export const TITLES: Record<View, string> = {
  stacks: "Stacks",
  flame: "Flame graph",
  callers: "Callers",
  stages: "Stages",
  sizes: "Sizes",
  compare: "Compare",
};

export const MEANINGS: Record<View, string> = {
  stacks: "Which paths through the program hold or leave memory, one path a row, with its course over the events.",
  flame: "The same memory as boxes: each function as wide as what it and all that it called allocated.",
  callers: "One function with those that call it and those that it calls, down to the line of the source.",
  stages: "Between which named points of an event the memory grows.",
  sizes: "How large the blocks are: all that were made, and those still live.",
  compare: "What is new, gone, grown or shrunk from one recording to another.",
};

export const HOW_TO_COMPARE = "Needs two recordings: residue view BEFORE AFTER";

export interface Readiness {
  /** It cannot be opened. */
  isDisabled: boolean;
  /** Why there is nothing to see, if so. */
  why: string | null;
}

export function readiness(view: View, known: About | null, file: FileAbout | null): Readiness {
  if (view === "compare" && known !== null && known.files.length < 2) {
    return { isDisabled: true, why: HOW_TO_COMPARE };
  }
  if (view === "stages" && file !== null && !file.has.stages) {
    return { isDisabled: false, why: "No stages were marked in this recording" };
  }
  return { isDisabled: false, why: null };
}
