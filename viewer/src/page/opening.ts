// What the page shows when its address says nothing: what the verdict speaks of.

import { effect } from "@preact/signals";
import { go, isUnsaid, place, write, type View } from "../address";
import type { About, FileAbout, VerdictAnswer } from "../answers";
import { judged, judgedRange } from "../head/judged";
import { about } from "./about";
import { chosenFile } from "./side";

export interface Opening {
  view: View;
  kind?: string;
  events?: string;
  counter?: string;
}

/** Growth over the verdict's events, of all kinds of memory. Without a verdict the flame graph
    at the peak; of a program that runs it may still come. */
export function openingOf(answer: VerdictAnswer, file: FileAbout, isRunning: boolean): Opening {
  const events = judgedRange(answer.verdict, file);
  if (events !== null) return { view: "stacks", kind: "all", events };
  if (answer.verdict !== null || isRunning) return { view: "stacks", kind: "all" };
  if (file.has.peak) return { view: "flame", counter: "at-peak" };
  return { view: "flame", counter: file.heap.live_bytes > 0 ? undefined : "total" };
}

/** What is shown until there is a verdict, which may take its time: growth over all events.
    Null where there is none to be expected. */
export function firstLook(file: FileAbout): Opening | null {
  const { first_event: first, last_event: last, last_measured_event: measured } = file;
  if (!file.has.changes || first === null || last === null || measured === null || measured <= first) return null;
  return { view: "stacks", kind: "all", events: `${first}..${last}` };
}

/** Two recordings are opened to be compared, whatever either leaves behind. Null of one alone. */
export function comparisonOf(known: Pick<About, "files">): Opening | null {
  return known.files.length > 1 ? { view: "compare", kind: "all" } : null;
}

/** Opens the page, and goes with the verdict on a running program as long as the reader has
    chosen nothing else. */
export function followVerdict(): void {
  let opened: string | null = null;
  let events: string | undefined;
  const open = (opening: Opening): void => {
    go({ ...opening }, { quiet: true });
    opened = write(place.peek());
  };
  effect(() => {
    const known = judged.value;
    const files = about.value;
    const file = chosenFile(files, known?.side ?? "a");
    if (!files || !file) return;
    const comparison = comparisonOf(files);
    if (comparison) {
      if (isUnsaid.peek()) open(comparison);
      return;
    }
    const opening = known ? openingOf(known.answer, file, files.live && !files.ended) : firstLook(file);
    if (!opening) return;
    const isAtVerdict = events !== undefined && place.peek().parameters["events"] === events;
    if (isUnsaid.peek() || write(place.peek()) === opened) open(opening);
    else if (isAtVerdict && opening.events) go({ events: opening.events }, { quiet: true });
    events = opening.events;
  });
}
