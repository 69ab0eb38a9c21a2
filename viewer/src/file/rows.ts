// Rows of the table of stacks, of the whole recording or of a range.

import type { StackDetail, StackRow } from "../answers";
import { counted } from "../format";
import type { Places } from "./places";
import type { EventRange } from "./question";
import type { Recording } from "./recording";

const MOST_SPARKS = 60;
/** Functions of a path that are shown, from both ends. */
const MOST_STEPS = 64;

/** A row with its path. What is said of its shape is of the events that the verdict is on, and
    so is left out of other ranges. */
export function rowOf(recording: Recording, index: number, events: EventRange | null): StackRow {
  const { row } = recording.rows[index]!;
  const path = shortened(recording.pathOf(index).map((label) => label.name));
  if (events === null) return { ...row, path };
  const changed = recording.changed(events);
  const parts = recording.partsOf(index);
  const sum = (numbers: Float64Array) => parts.reduce((total, part) => total + numbers[part]!, 0);
  const unknown = { shape: null, confidence: null, rate: null, low: null, high: null, counter: null };
  return {
    ...row,
    ...(recording.isJudged(events) ? {} : unknown),
    path,
    growth_bytes: sum(changed.bytes),
    growth_blocks: sum(changed.blocks),
    spark: spark(seriesOf(recording, index, recording.places(events)).bytes),
  };
}

/** The names of a path, without the middle of a very long one. */
export function shortened(names: string[]): string[] {
  if (names.length <= MOST_STEPS) return names;
  const half = MOST_STEPS / 2;
  const leftOut = `[... ${counted(names.length - 2 * half, "function")} ...]`;
  return [...names.slice(0, half), leftOut, ...names.slice(-half)];
}

/** What a row held at the begins of some places. */
export function seriesOf(recording: Recording, index: number, { first, last }: Pick<Places, "first" | "last">): StackDetail["series"] {
  const { begins } = recording.data;
  const places = Array.from({ length: Math.max(0, last - first + 1) }, (_, at) => first + at);
  const series = { event: places.map((place) => begins[place]!), bytes: places.map(() => 0), blocks: places.map(() => 0) };
  for (const part of recording.partsOf(index)) {
    const { changes } = recording.parts[part]!;
    let [bytes, blocks, at] = [0, 0, 0];
    places.forEach((place, reading) => {
      for (; at < changes.length && changes[at]! < place; at += 3) {
        bytes += changes[at + 1]!;
        blocks += changes[at + 2]!;
      }
      series.bytes[reading]! += bytes;
      series.blocks[reading]! += blocks;
    });
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
