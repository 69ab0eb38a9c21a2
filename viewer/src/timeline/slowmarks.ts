// Slow events as marks over the charts: a row for each measure, told apart by place, shape
// and colour.

import type { TimeAnswer, TimeMeasure } from "../answers";
import { SLOW_BY, slowText } from "../time/slow";
import { pixelOf, type Axis, type Plot } from "./axis";
import type { Colour } from "./series";

export interface SlowMark {
  event: number;
  /** A value of the axis: the middle of the event. */
  value: number;
  text: string;
}

export interface SlowRow {
  /** Names it in the address. */
  key: string;
  measure: TimeMeasure;
  label: string;
  about: string;
  colour: Colour;
  isUsual: true;
  /** The slowest first. */
  marks: SlowMark[];
  found: number;
}

const COLOURS: Record<TimeMeasure, Colour> = { cpu: "vermilion", wall: "vermilion", waited: "purple" };

/** Half of the size of a mark, and where the middle of its row lies below the upper edge of the
    plot, in CSS pixels. */
export const MARK_PX = 4;
export const rowTop_px = (row: number): number => 7 + row * 11;
/** Of marks that are closer the slowest is drawn: zooming in tells them apart. */
const LEAST_SPACE_PX = 2 * MARK_PX;

export function slowRows(answer: TimeAnswer | null, axis: Axis): SlowRow[] {
  const slow = answer?.verdict?.slow ?? [];
  return slow.map(({ measure, events, found, words }) => ({
    key: `slow:${measure}`,
    measure,
    label: SLOW_BY[measure],
    about: words,
    colour: COLOURS[measure],
    isUsual: true,
    marks: events.map((one) => ({
      event: one.event, value: axis.valueOf(one.event + 0.5), text: slowText(measure, one),
    })),
    found,
  }));
}

/** The marks of a row that are drawn, from left to right, with their places in CSS pixels. */
export function drawnMarks({ marks }: SlowRow, plot: Plot): { mark: SlowMark; pixel: number }[] {
  const drawn: { mark: SlowMark; pixel: number }[] = [];
  for (const mark of marks) {
    if (mark.value < plot.from || mark.value > plot.to) continue;
    const pixel = pixelOf(mark.value, plot);
    const isFree = drawn.every((other) => Math.abs(other.pixel - pixel) >= LEAST_SPACE_PX);
    if (isFree) drawn.push({ mark, pixel });
  }
  return drawn.sort((one, other) => one.pixel - other.pixel);
}
