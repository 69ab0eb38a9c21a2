// Paints the heat map: stages downwards, events to the right. The page paints on the canvas
// beside the table, `figure.ts` on one that becomes a picture.

import type { StagesAnswer } from "../answers";
import { count } from "../format";
import { smallTextPx } from "../parts/smalltext";
import { eventTicks, xOfEvent, type Columns, type Range } from "./columns";
import { colourOf, css, parseColour, type Palette, type Scales } from "./scale";

/** Where a line of the map lies. */
export interface Band {
  top: number;
  height: number;
}

export interface Looks extends Palette {
  paper: string;
  ink: string;
  inkSoft: string;
  line: string;
  accent: string;
  selection: string;
  font: string;
}

export interface Map {
  answer: StagesAnswer;
  columns: Columns;
  scales: Scales;
  /** The events that fill the width. */
  shown: Range;
  /** Of the intervals in their order, then of the whole turn. */
  bands: Band[];
  axis: Band;
  widthPx: number;
}

/** A place in the map. */
export interface Cell {
  column: number;
  line: number;
}

export interface Marked {
  selected: Range | null;
  cursor: Cell | null;
}

/** The colours of the theme at this moment. */
export function looksOf(element: Element): Looks {
  const style = getComputedStyle(element);
  const of = (name: string) => style.getPropertyValue(name).trim();
  return {
    shrunk: parseColour(of("--shrunk")),
    neutral: parseColour(of("--panel")),
    grown: parseColour(of("--grown")),
    paper: of("--paper"),
    ink: of("--ink"),
    inkSoft: of("--ink-soft"),
    line: of("--line"),
    accent: of("--accent"),
    selection: of("--selection"),
    font: `${smallTextPx()}px ${of("--sans")}`,
  };
}

/** The value in a line of the map: of an interval, or of the whole turn. */
export function valueAt(answer: StagesAnswer, column: number, line: number): number | null {
  if (line >= answer.intervals.length) return answer.start_to_start[column] ?? null;
  return answer.rows[column]?.values[line] ?? null;
}

/** Edges of a column in whole pixels: neighbours do not overlap, and wide ones stand apart. */
function edges(map: Map, column: number): { left: number; right: number } {
  const { columns, shown, widthPx } = map;
  const start = columns.starts[column]!;
  const left = Math.round(xOfEvent(start, shown, widthPx));
  const right = Math.round(xOfEvent(start + columns.width, shown, widthPx));
  const widthOfOne = (widthPx * columns.width) / (shown.to - shown.from + 1);
  return { left, right: Math.max(left + 1, right - (widthOfOne >= 5 ? 1 : 0)) };
}

/** What stands where there is no value: nothing that could be taken for a colour. */
function hatching(context: CanvasRenderingContext2D, looks: Looks): CanvasPattern | string {
  const tile = document.createElement("canvas");
  tile.width = 6;
  tile.height = 6;
  const pen = tile.getContext("2d");
  if (!pen) return looks.paper;
  pen.strokeStyle = looks.line;
  for (const shift of [-6, 0, 6]) {
    pen.moveTo(shift, 6);
    pen.lineTo(shift + 6, 0);
  }
  pen.stroke();
  return context.createPattern(tile, "repeat") ?? looks.paper;
}

function paintCells(context: CanvasRenderingContext2D, map: Map, looks: Looks): void {
  const { answer, columns, scales, bands, shown } = map;
  const missing = hatching(context, looks);
  for (let column = 0; column < columns.starts.length; column += 1) {
    const start = columns.starts[column]!;
    if (start + columns.width <= shown.from || start > shown.to) continue;
    const { left, right } = edges(map, column);
    bands.forEach((band, line) => {
      const value = valueAt(answer, column, line);
      const { limit } = line < answer.intervals.length ? scales.stages : scales.whole;
      context.fillStyle = value === null ? missing : css(colourOf(value, limit, looks));
      context.fillRect(left, band.top + 1, right - left, band.height - 2);
    });
  }
}

function paintAxis(context: CanvasRenderingContext2D, map: Map, looks: Looks): void {
  const { axis, shown, widthPx } = map;
  context.font = looks.font;
  context.textBaseline = "top";
  context.textAlign = "center";
  const widest = context.measureText(count(shown.to)).width;
  // The middle of the last label must not leave the canvas.
  const inside = (x: number, text: string) => {
    const half = context.measureText(text).width / 2;
    return Math.max(half, Math.min(widthPx - half, x));
  };
  let free = -Infinity;
  for (const tick of eventTicks(shown, widthPx / (3 * widest + 16))) {
    const x = xOfEvent(tick + 0.5, shown, widthPx);
    const text = count(tick);
    const at = inside(x, text);
    if (at - widest / 2 < free) continue;
    free = at + widest / 2 + 6;
    context.fillStyle = looks.line;
    context.fillRect(Math.round(x), axis.top, 1, 4);
    context.fillStyle = looks.inkSoft;
    context.fillText(text, at, axis.top + 6);
  }
}

/** A range is shown by veiling the rest: its own colours stay what they are. */
function paintSelection(context: CanvasRenderingContext2D, map: Map, selected: Range, looks: Looks): void {
  const { shown, widthPx, axis } = map;
  const left = Math.max(0, Math.min(widthPx, Math.round(xOfEvent(selected.from, shown, widthPx))));
  const right = Math.max(0, Math.min(widthPx, Math.round(xOfEvent(selected.to + 1, shown, widthPx))));
  context.save();
  context.globalAlpha = 0.55;
  context.fillStyle = looks.paper;
  context.fillRect(0, 0, left, axis.top);
  context.fillRect(right, 0, widthPx - right, axis.top);
  context.restore();
  context.fillStyle = looks.selection;
  context.fillRect(left, axis.top, Math.max(2, right - left), axis.height);
  context.fillStyle = looks.accent;
  if (selected.from >= shown.from) context.fillRect(left - 1, 0, 2, axis.top);
  if (selected.to <= shown.to) context.fillRect(right - 1, 0, 2, axis.top);
}

function paintGuilty(context: CanvasRenderingContext2D, map: Map, looks: Looks): void {
  map.answer.intervals.forEach((interval, line) => {
    const band = map.bands[line];
    if (!interval.guilty || !band) return;
    context.strokeStyle = looks.ink;
    context.lineWidth = 2;
    context.strokeRect(1, band.top + 1, map.widthPx - 2, band.height - 2);
  });
}

function paintCursor(context: CanvasRenderingContext2D, map: Map, cursor: Cell, looks: Looks): void {
  const band = map.bands[cursor.line];
  if (!band || cursor.column >= map.columns.starts.length) return;
  const { left, right } = edges(map, cursor.column);
  // Two frames, one light and one dark: seen on every colour.
  context.lineWidth = 2;
  context.strokeStyle = looks.paper;
  context.strokeRect(left - 2, band.top - 1, right - left + 4, band.height + 2);
  context.strokeStyle = looks.ink;
  context.strokeRect(left - 0.5, band.top + 0.5, right - left + 1, band.height - 1);
}

export function paint(context: CanvasRenderingContext2D, map: Map, marked: Marked, looks: Looks): void {
  paintCells(context, map, looks);
  if (marked.selected) paintSelection(context, map, marked.selected, looks);
  paintAxis(context, map, looks);
  paintGuilty(context, map, looks);
  if (marked.cursor) paintCursor(context, map, marked.cursor, looks);
}
