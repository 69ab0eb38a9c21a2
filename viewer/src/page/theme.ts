// Light or dark: as the system says, unless the reader chose one.

import { computed, effect, signal, type ReadonlySignal } from "@preact/signals";
import { keep, kept } from "../parts/kept";

export const CHOICES = ["system", "light", "dark"] as const;
export type Choice = (typeof CHOICES)[number];
export type Theme = "light" | "dark";

const KEPT_AS = "theme";

export function isChoice(text: string | null): text is Choice {
  return CHOICES.some((one) => one === text);
}

export function themeOf(choice: Choice, isSystemDark: boolean): Theme {
  if (choice !== "system") return choice;
  return isSystemDark ? "dark" : "light";
}

function chosenBefore(): Choice {
  const text = kept(KEPT_AS);
  return isChoice(text) ? text : "system";
}

export const choice = signal<Choice>("system");
const isSystemDark = signal(false);
/** What is shown now; for drawings, which take their colours when they draw. */
export const theme: ReadonlySignal<Theme> = computed(() => themeOf(choice.value, isSystemDark.value));

export function choose(next: Choice): void {
  choice.value = next;
  keep(KEPT_AS, next);
}

/** Sets the theme of the document now and whenever choice or system change. */
export function followTheme(): void {
  const system = matchMedia("(prefers-color-scheme: dark)");
  isSystemDark.value = system.matches;
  system.addEventListener("change", (event) => {
    isSystemDark.value = event.matches;
  });
  choice.value = chosenBefore();
  effect(() => {
    document.documentElement.dataset["theme"] = theme.value;
  });
}
