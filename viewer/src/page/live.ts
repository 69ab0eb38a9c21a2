// Follows a running program: asks for its state each second while the page is seen, and
// lets everything be asked anew once the data have changed.

import { effect, signal, type ReadonlySignal } from "@preact/signals";
import { ask, generation } from "../ask";
import { about, refreshAbout } from "./about";
import type { Watched } from "./livetext";

const PERIOD_MS = 1000;

const current = signal<Watched | null>(null);
/** Null where no program is watched. */
export const watched: ReadonlySignal<Watched | null> = current;

let timer: ReturnType<typeof setTimeout> | null = null;
let isAsking = false;
/** The generation that all was asked for; what `about` says may be newer by then. */
let seen = 0;

async function look(): Promise<void> {
  const before = current.peek();
  if (before === null || isAsking) return;
  isAsking = true;
  try {
    const status = await ask("status", {});
    const isNew = status.generation !== seen || status.ended !== before.ended;
    current.value = {
      ended: status.ended,
      trouble: status.trouble,
      changed_unix_ms: isNew ? Date.now() : before.changed_unix_ms,
    };
    if (isNew) {
      seen = status.generation;
      generation.value = status.generation;
      await refreshAbout();
    }
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    current.value = { ...before, trouble: `no answer: ${why}` };
  } finally {
    isAsking = false;
  }
  lookLater();
}

function lookLater(): void {
  if (timer !== null) clearTimeout(timer);
  timer = null;
  if (current.peek()?.ended || document.hidden) return;
  timer = setTimeout(() => void look(), PERIOD_MS);
}

/** Begins once it is known that a program is watched. */
export function followProgram(): void {
  effect(() => {
    const known = about.value;
    if (!known?.live || current.peek() !== null) return;
    seen = known.generation;
    current.value = { ended: known.ended, trouble: null, changed_unix_ms: Date.now() };
    lookLater();
  });
  document.addEventListener("visibilitychange", () => {
    if (!document.hidden && current.peek()?.ended === false) void look();
  });
}
