// Colours and measures of the theme, for what is drawn on a canvas.

import { signal } from "@preact/signals";
import { smallTextPx } from "../parts/smalltext";
import type { Colour } from "./series";

export interface Look {
  colour(name: Colour | "paper" | "ink" | "ink-soft" | "line" | "accent" | "selection"): string;
  /** Font of small text, in CSS pixels. */
  small_px: number;
  font: string;
}

export function readLook(): Look {
  const root = document.documentElement;
  const style = getComputedStyle(root);
  const small_px = smallTextPx();
  const sans = style.getPropertyValue("--sans").trim() || "sans-serif";
  return {
    colour: (name) => style.getPropertyValue(`--${name}`).trim() || "#808080",
    small_px,
    font: `${small_px}px ${sans}`,
  };
}

/** Counts up whenever what is drawn must be drawn in other colours or sizes. */
export const lookChanges = signal(0);

const changed = (): void => {
  lookChanges.value += 1;
};
new MutationObserver(changed).observe(document.documentElement, {
  attributes: true,
  attributeFilter: ["data-theme"],
});
// theme.css has larger letters from this width on.
matchMedia("(min-width: 2400px)").addEventListener("change", changed);
