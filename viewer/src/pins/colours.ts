// What a cell of the heap is coloured by: how full it is, how old its blocks are, or whose they are.
// `residue plot --what heap` draws the same colours (`crates/plot/src/heap/colours.rs`).

import type { HeapMap } from "../answers";
import type { By } from "./cells";

type Rgb = readonly [number, number, number];

const VERMILLION: Rgb = [213, 94, 0];
const YELLOW: Rgb = [240, 228, 66];
const BLUE: Rgb = [0, 114, 178];
const PURPLE: Rgb = [204, 121, 167];

/** From empty to full: what is worth a look is red. */
const FULLNESS = [VERMILLION, YELLOW, BLUE] as const;
/** From the oldest to the youngest. */
const AGE = [BLUE, PURPLE, YELLOW] as const;

/** Of stacks, those with most pages first. */
export const STACKS = ["#D55E00", "#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#F0E442"];
export const OTHER_STACKS = "#6B6E75";
/** In RAM, and without a live block. */
export const FREE = "#A6A6A6";

/** So few that neighbours are mostly of one colour. */
const STEPS = 16;
const PAGE_BYTES = 4096;

/** The colour of a cell; null where nothing of it is in RAM. `event` is the last one. */
export function colourOf(map: HeapMap, cell: number, by: By, event: number): string | null {
  const resident = map.resident_pages[cell]!;
  if (resident === 0) return null;
  if (map.pinned_pages[cell] === 0) return FREE;
  if (by === "fullness") return fullness(map.used_bytes[cell]! / (resident * PAGE_BYTES));
  if (by === "age") return age(map.birth[cell] ?? 0, event);
  const rank = map.stacks.findIndex(({ stack }) => stack === map.stack[cell]);
  return STACKS[rank] ?? OTHER_STACKS;
}

export function fullness(share: number): string {
  return between(FULLNESS, share);
}

export function age(birth: number, last: number): string {
  return between(AGE, birth / Math.max(1, last));
}

/** A colour between three, `share` of the way. */
function between(stops: readonly [Rgb, Rgb, Rgb], share: number): string {
  const stepped = Math.round(Math.min(1, Math.max(0, share)) * STEPS) / STEPS;
  const [from, to] = stepped < 0.5 ? [stops[0], stops[1]] : [stops[1], stops[2]];
  const part = stepped < 0.5 ? stepped * 2 : stepped * 2 - 1;
  const channels = from.map((start, channel) => Math.round(start + (to[channel]! - start) * part));
  return `#${channels.map((value) => value.toString(16).padStart(2, "0")).join("")}`.toUpperCase();
}
