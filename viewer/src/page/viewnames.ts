// The views in words, and which of them have something to show.

import type { View } from "../address";
import type { About, FileAbout } from "../answers";

export const TITLES: Record<View, string> = {
  stacks: "Stacks",
  flame: "Flame graph",
  callers: "Callers",
  stages: "Stages",
  time: "Time",
  churn: "Churn",
  holders: "Holders",
  pins: "Pins",
  sizes: "Sizes",
  compare: "Compare",
};

export const MEANINGS: Record<View, string> = {
  stacks: "Call stacks that hold or leak memory, one per row, with their history over the events.",
  flame: "Flame graph: each function as wide as what it and its callees allocated.",
  callers: "One function with its callers and callees, down to the source line.",
  stages: "Between which named points of an event the memory grows.",
  time: "Whether events take ever longer, which are slow, and what those do that others do not.",
  churn: "Who allocates most in each event, and which containers could reserve and blocks be reused.",
  holders: "Which live blocks are lost, which are held, and the chain of pointers from a variable to each.",
  pins: "Whose blocks keep mostly empty pages of the heap resident.",
  sizes: "Sizes of blocks: all allocated, and those still live.",
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
  if ((view === "holders" || view === "pins") && file !== null && !file.has.picture) {
    return { isDisabled: false, why: "No picture of the memory was taken: record with residue run --holders" };
  }
  return { isDisabled: false, why: null };
}
