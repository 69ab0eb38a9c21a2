// Where the actions of a suspect lead, whatever kind of memory it is of and whatever the verdict.

import { go, parameter } from "../address";
import type { SuspectCard } from "../answers";
import { reveal } from "../parts/reveal";
import { kindOf, kindShowing, partWith } from "../stacks/links";

/** Its row in the table of what there is something of it in. */
export function openStack(card: SuspectCard, events: string): void {
  const part = partWith(card.numbers, events);
  reveal(`stack ${card.stack}`, "click");
  go({
    view: "stacks", stack: String(card.stack), kind: kindShowing(parameter("kind"), card.kind), events: part.events,
    at: part.counter === "at-peak" ? "peak" : "", sort: "", ascending: "", offset: "", focus: "", shape: "",
  });
}

/** What the flame graph and the callers are asked for. */
export function followedOf(card: SuspectCard, events: string) {
  return { stack: card.stack, kind: kindOf(card.kind), part: partWith(card.numbers, events) };
}

/** Its file, at its line. */
export function openSource(card: SuspectCard, events: string): void {
  const { events: of, counter } = partWith(card.numbers, events);
  reveal("source", "click");
  go({
    view: "callers", file: String(card.file_id), line: card.line === null ? "" : String(card.line), function: "",
    kind: kindShowing(parameter("kind"), card.kind), events: of, counter: counter === "live" ? "" : counter, focus: "",
  });
}

/** To be pasted into a message. */
export function cardText(card: SuspectCard): string {
  const place = card.file === null ? [] : [card.line === null ? card.file : `${card.file}:${card.line}`];
  const said = [card.why, card.doubt, card.follows && `follows ${card.follows}`, card.held, card.freed_by && `freed by ${card.freed_by}`];
  const lines = [[card.function, ...place].join("  "), card.shown, ...said];
  return lines.filter(Boolean).join("\n");
}
