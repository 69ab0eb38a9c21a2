// The memory as boxes: each function as wide as what was allocated in it and below it.

import { useState } from "preact/hooks";
import { go, place } from "../address";
import type { FileAbout } from "../answers";
import { about, fileAbout } from "../page/about";
import { Menu, type MenuItem, type MenuPlace } from "../parts/Menu";
import { Graph } from "./Graph";
import { COUNTERS, counterOf, rangeOf, type Given } from "./question";
import { Sandwich } from "./Sandwich";
import type { SideNames } from "./Tooltip";
import "./flame.css";

/** What the two sides are called, where two are compared. */
function sidesOf(given: Given, file: FileAbout | null): SideNames | null {
  const against = given["against"];
  if (!against) return null;
  const turns = `${file?.unit ?? "event"}s`;
  if (rangeOf(against)) {
    return { before: `${turns} ${against}`, after: given["events"] ? `${turns} ${given["events"]}` : "whole recording" };
  }
  const names = ["a", "b"].map((side) => about.value?.files.find((one) => one.side === side)?.name ?? side);
  return { before: names[0]!, after: names[1]! };
}

function headingOf(given: Given, file: FileAbout | null, sides: SideNames | null): string {
  const words = [file?.program || file?.name || "Residue"];
  words.push(COUNTERS.find((one) => one.name === counterOf(given, fileAbout()?.has.totals ?? false))!.words);
  if (given["events"]) words.push(`what ${file?.unit ?? "event"}s ${given["events"]} left`);
  if (sides) words.push(`${sides.before} \u2192 ${sides.after}`);
  if (given["focus"]) words.push(`only stacks with ${given["focus"]}`);
  if (given["ignore"]) words.push(`without stacks with ${given["ignore"]}`);
  return words.join(" \u2014 ");
}

/** What both ways to draw have in common. */
export interface Frame {
  given: Given;
  file: FileAbout | null;
  sides: SideNames | null;
  /** What one turn is called. */
  turn: string;
  heading: string;
  /** Of files, without an ending. */
  fileName: string;
  openMenu: (at: MenuPlace, label: string, items: MenuItem[]) => void;
}

export function FlameView() {
  const given = place.value.parameters;
  const file = fileAbout();
  const [menu, setMenu] = useState<{ at: MenuPlace; label: string; items: MenuItem[] } | null>(null);
  const sides = sidesOf(given, file);
  const frame: Frame = {
    given,
    file,
    sides,
    turn: file?.unit ?? "event",
    heading: headingOf(given, file, sides),
    fileName: `${(file?.program || file?.name || "residue").replace(/[^\w.+-]+/g, "_")}-flame`,
    openMenu: (at, label, items) => setMenu({ at, label, items }),
  };
  const press = (event: KeyboardEvent) => {
    if (event.key !== "Escape" || event.defaultPrevented || !given["sandwich"]) return;
    if ((event.target as Element).closest("input, select, [role=menu]")) return;
    event.preventDefault();
    go({ sandwich: undefined });
  };
  return (
    <section class="view view-flame" aria-label="Flame graph" onKeyDown={press}>
      {given["sandwich"] ? <Sandwich frame={frame} of={given["sandwich"]} /> : <Graph frame={frame} />}
      {menu && <Menu {...menu} onClose={() => setMenu(null)} />}
    </section>
  );
}
