// What can be drawn over the events, how it looks, and what of it is shown.

import type { Unit } from "../answers";
import { bytes, count, counted } from "../format";
import { endsOf, type Moments } from "./moments";
import type { Range } from "./range";

/** A colour of the theme, without its dashes. */
export type Colour = "blue" | "sky" | "green" | "orange" | "vermilion" | "purple" | "yellow" | "grey";

export interface Series {
  /** Names it in the address. */
  key: string;
  label: string;
  /** What it is, in a sentence. */
  about: string;
  unit: Unit;
  /** With all others of bytes in the large chart, or in a small one of its own. */
  isMain: boolean;
  values: (number | null)[];
  /** Of a counter, whose values are means per event: what they are means of. */
  counted?: { sums: (number | null)[]; events: (number | null)[] };
  colour: Colour;
  width: number;
  /** Lengths of dashes and gaps in CSS pixels; empty for a solid line. */
  dash: number[];
  /** Readings are few: each gets a dot. */
  isSparse: boolean;
  /** Whether it is shown when the address says nothing. */
  isUsual: boolean;
}

const COST_COLOURS: Colour[] = ["orange", "sky", "purple", "green"];
const COST_ABOUT: Record<string, string> = {
  "CPU time": "CPU time of each event, of the thread that marks it",
  waited: "Wall time of each event less its CPU time",
  allocations: "Allocations in each event",
  "bytes allocated": "Bytes allocated in each event",
};
const COUNTER_COLOURS: Colour[] = ["vermilion", "purple", "yellow", "grey"];

function has(values: (number | null)[]): boolean {
  return values.some((value) => value !== null);
}

function hasMore(values: (number | null)[]): boolean {
  return values.some((value) => value !== null && value !== 0);
}

function meanOf(sum: number | null, events: number | null): number | null {
  return sum === null || events === null || events === 0 ? sum : sum / events;
}

/** `sum over 4 events: 12`, of a mean over several; null for the value of one event alone. */
export function sumText(series: Series, place: number, unit: string): string | null {
  const events = series.counted?.events[place] ?? null;
  const sum = series.counted?.sums[place] ?? null;
  return sum === null || events === null || events < 2 ? null : `sum over ${counted(events, unit)}: ${count(sum)}`;
}

/** All series of which something is known; those of bytes first. */
export function seriesOf(moments: Moments): Series[] {
  const { rss, vm, live, mapped, retained, recorder } = moments.series;
  const bytesOf = (
    key: string, label: string, about: string, values: (number | null)[],
    colour: Colour, width: number, dash: number[], isUsual: boolean,
  ): Series => ({ key, label, about, unit: "bytes", isMain: true, values, colour, width, dash, isSparse: key === "retained", isUsual });
  const lines = [
    bytesOf("rss", "RSS", "Resident memory of the process, as the kernel counts it", rss, "blue", 2.25, [], true),
    bytesOf("live", "Live heap", "Bytes in blocks that are not freed", live, "green", 1.5, [], true),
    bytesOf("mapped", "Mapped", "Bytes that the program itself has mapped", mapped, "orange", 1.5, [7, 3], hasMore(mapped)),
    bytesOf("retained", "Retained", "Free memory that the allocator keeps, where it says so", retained, "purple", 1.25, [3, 3], false),
    bytesOf("recorder", "Recorder", "The recorder's own memory, part of RSS", recorder, "grey", 1.5, [1.5, 2.5], false),
    bytesOf("vm", "VM", "Address space of the process", vm, "sky", 1.5, [9, 3, 2, 3], false),
  ];
  const counters = moments.counters.map(({ name, values }, at): Series => ({
    key: `counter:${name}`,
    label: name,
    about: `Counter ${name} per ${moments.unit}, from one begin to the next`,
    unit: "count",
    isMain: false,
    values: values.map((sum, at) => meanOf(sum, moments.counted_events[at] ?? null)),
    counted: { sums: values, events: moments.counted_events },
    colour: COUNTER_COLOURS[at % COUNTER_COLOURS.length]!,
    width: 1.25,
    dash: [],
    isSparse: false,
    isUsual: at === 0,
  }));
  const costs = moments.costs.map(({ name, unit, values }, at): Series => ({
    key: `cost:${name}`,
    label: name,
    about: COST_ABOUT[name] ?? name,
    unit,
    isMain: false,
    values,
    colour: COST_COLOURS[at % COST_COLOURS.length]!,
    width: 1.25,
    dash: [],
    isSparse: false,
    isUsual: false,
  }));
  return [...lines, ...counters, ...costs].filter((one) => has(one.values));
}

/** Keys in a parameter of the address, with commas between them. */
export function parseKeys(text: string): Set<string> {
  const decoded = text.split(",").filter(Boolean).map((key) => {
    try {
      return decodeURIComponent(key);
    } catch {
      return key;
    }
  });
  return new Set(decoded);
}

export function writeKeys(keys: Iterable<string>): string {
  return [...keys].map((key) => key.replace(/[,%]/g, encodeURIComponent)).join(",");
}

export interface Choice {
  show: Set<string>;
  hide: Set<string>;
}

/** What can be shown or hidden. */
export type Shown = Pick<Series, "key" | "isUsual">;

export function isShown(series: Shown, choice: Choice): boolean {
  return series.isUsual ? !choice.hide.has(series.key) : choice.show.has(series.key);
}

/** The choice with one of them switched over. */
export function toggled(series: Shown, choice: Choice): Choice {
  const next = { show: new Set(choice.show), hide: new Set(choice.hide) };
  const from = series.isUsual ? next.hide : next.show;
  if (!from.delete(series.key)) from.add(series.key);
  return next;
}

/** What a chart says to those who cannot see it. `from` and `to` are moments, `to` excluded. */
export function summary(shown: Series[], events: Range, unit: string, from: number, to: number): string {
  const parts = shown.flatMap((one) => {
    if (!one.isMain) return [];
    const ends = endsOf(one.values, from, to);
    return ends ? [`${one.label} from ${bytes(ends[0])} to ${bytes(ends[1])}`] : [];
  });
  const over = `over ${unit}s ${events.first} to ${events.last}`;
  return parts.length ? `${parts.join(", ")}, ${over}` : `Nothing is shown ${over}`;
}
