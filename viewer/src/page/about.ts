// What the page knows of the files that are open. It is asked for once, and again when the
// data of a running program have changed.

import { signal, type Signal } from "@preact/signals";
import { parameter } from "../address";
import type { About, FileAbout } from "../answers";
import { ask } from "../ask";
import { chosenFile } from "./side";

/** Null until the answer is there. */
export const about: Signal<About | null> = signal<About | null>(null);
/** Why there is no answer, or none that is newer. */
export const aboutTrouble: Signal<string | null> = signal<string | null>(null);

/** The file on the chosen side (parameter `side`). */
export function fileAbout(): FileAbout | null {
  return chosenFile(about.value, parameter("side", "a"));
}

export async function refreshAbout(): Promise<void> {
  try {
    about.value = await ask("about", {});
    aboutTrouble.value = null;
  } catch (error) {
    aboutTrouble.value = error instanceof Error ? error.message : String(error);
  }
}
