// Light or dark: as the system says, unless the reader chose one.

import { computed, effect, signal, type ReadonlySignal } from "@preact/signals";

export const CHOICES = ["system", "light", "dark"] as const;
export type Choice = (typeof CHOICES)[number];
export type Theme = "light" | "dark";

const KEPT_AS = "residue-theme";

export function isChoice(text: string | null): text is Choice {
  return CHOICES.some((one) => one === text);
}

export function themeOf(choice: Choice, isSystemDark: boolean): Theme {
  if (choice !== "system") return choice;
  return isSystemDark ? "dark" : "light";
}

// Storage may be forbidden, as in a file that was opened from disk.
function kept(): Choice {
  try {
    const text = localStorage.getItem(KEPT_AS);
    return isChoice(text) ? text : "system";
  } catch {
    return "system";
  }
}

function keep(choice: Choice): void {
  try {
    localStorage.setItem(KEPT_AS, choice);
  } catch {
    // Then it lasts as long as the page.
  }
}

export const choice = signal<Choice>("system");
const isSystemDark = signal(false);
/** What is shown now; for drawings, which take their colours when they draw. */
export const theme: ReadonlySignal<Theme> = computed(() => themeOf(choice.value, isSystemDark.value));

export function choose(next: Choice): void {
  choice.value = next;
  keep(next);
}

/** Sets the theme of the document now and whenever choice or system change. */
export function followTheme(): void {
  const system = matchMedia("(prefers-color-scheme: dark)");
  isSystemDark.value = system.matches;
  system.addEventListener("change", (event) => {
    isSystemDark.value = event.matches;
  });
  choice.value = kept();
  effect(() => {
    document.documentElement.dataset["theme"] = theme.value;
  });
}
