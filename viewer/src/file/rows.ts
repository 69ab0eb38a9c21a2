// Rows of the table of stacks, of the whole recording or of a range.

import type { StackDetail, StackRow } from "../answers";
import type { Places } from "./places";
import type { EventRange } from "./question";
import type { Recording } from "./recording";

const MOST_SPARKS = 60;
/** Functions of a path that are shown, from both ends. */
const MOST_STEPS = 64;

/** A row with its path. What is said of its shape is of the whole recording, and so is left
    out of a range. */
export function rowOf(recording: Recording, index: number, events: EventRange | null): StackRow {
  const { row } = recording.rows[index]!;
  const path = shortened(namesOf(recording, index));
  if (events === null) return { ...row, path };
  const changed = recording.changed(events);
  return {
    ...row,
    path,
    growth_bytes: changed.bytes[index]!,
    growth_blocks: changed.blocks[index]!,
    shape: null,
    confidence: null,
    rate: null,
    low: null,
    high: null,
    counter: null,
    spark: spark(seriesOf(recording, index, recording.places(events)).bytes),
  };
}

/** Root first. */
export function namesOf({ labels, paths }: Recording, index: number): string[] {
  return paths[index]!.map((label) => labels[label]!.name);
}

/** The names of a path, without the middle of a very long one. */
export function shortened(names: string[]): string[] {
  if (names.length <= MOST_STEPS) return names;
  const half = MOST_STEPS / 2;
  const leftOut = `[... ${names.length - 2 * half} functions ...]`;
  return [...names.slice(0, half), leftOut, ...names.slice(-half)];
}

/** What a row held at the begins of some places. */
export function seriesOf(recording: Recording, index: number, { first, last }: Places): StackDetail["series"] {
  const { changes } = recording.rows[index]!;
  const { begins } = recording.data;
  const series: StackDetail["series"] = { event: [], bytes: [], blocks: [] };
  let [bytes, blocks, at] = [0, 0, 0];
  for (let place = first; place <= last; place += 1) {
    for (; at < changes.length && changes[at]! < place; at += 3) {
      bytes += changes[at + 1]!;
      blocks += changes[at + 2]!;
    }
    series.event.push(begins[place]!);
    series.bytes.push(bytes);
    series.blocks.push(blocks);
  }
  return series;
}

/** Means of equal parts, so few that they can be drawn small; one reading is no course. */
export function spark(readings: number[]): number[] {
  if (readings.length < 2) return [];
  const part = Math.ceil(readings.length / MOST_SPARKS);
  const means: number[] = [];
  for (let at = readings.length % part; at < readings.length; at += part) {
    const sum = readings.slice(at, at + part).reduce((one, other) => one + other, 0);
    means.push(sum / part);
  }
  return means;
}
