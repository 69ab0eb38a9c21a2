// Whether verdict and timeline are folded into a strip, so that a view has the whole window.

import { go, parameter, type View } from "../address";
import { keep, kept } from "../parts/kept";

const KEPT_AS = "flame-folded";

/** As it stands in the address. */
export function isFolded(): boolean {
  return parameter("full") === "1";
}

export function fold(folded: boolean): void {
  keep(KEPT_AS, folded ? "yes" : "no");
  go({ full: folded ? "1" : undefined });
}

/** How a view is opened by its tab: the flame graph needs all the room there is, unless the
    reader has unfolded the rest before. */
export function foldedFor(view: View): string | undefined {
  return view === "flame" && kept(KEPT_AS) !== "no" ? "1" : undefined;
}
