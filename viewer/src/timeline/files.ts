// The timeline as files: a picture of what is seen, a table of the readings in it.

import { saveCsv, savePng, type Cell } from "../download";
import type { Look } from "./look";
import type { Moments } from "./moments";
import type { Series } from "./series";

/** One row for each moment whose value on the axis lies between `from` and `to`. */
export function tableOf(
  moments: Moments, series: Series[], values: number[], from: number, to: number,
): { head: string[]; rows: Cell[][] } {
  // A counter is told as it was counted: a sum, and over how many events.
  const columns = series.flatMap(({ key, label, values, counted }) =>
    counted
      ? [{ name: label, values: counted.sums }, { name: `${label}_${moments.unit}s`, values: counted.events }]
      : [{ name: `${key}_bytes`, values }],
  );
  const head = [moments.unit, "moment", "time_ns", ...columns.map((one) => one.name)];
  const rows: Cell[][] = [];
  values.forEach((value, at) => {
    if (value < from || value > to) return;
    rows.push([moments.event[at], moments.kind[at], moments.time_ns[at], ...columns.map((one) => one.values[at])]);
  });
  return { head, rows };
}

export function saveTable(name: string, table: { head: string[]; rows: Cell[][] }): void {
  saveCsv(`${name}.timeline.csv`, table.head, table.rows);
}

/** The charts below each other on paper, with a line of names above them. */
export function savePicture(
  name: string, title: string, canvases: HTMLCanvasElement[], series: Series[], look: Look, ratio: number,
): void {
  const text_px = look.small_px * ratio;
  const head_px = Math.round(text_px * 2.6);
  const picture = document.createElement("canvas");
  picture.width = Math.max(...canvases.map((one) => one.width));
  picture.height = head_px + canvases.reduce((sum, one) => sum + one.height, 0);
  const context = picture.getContext("2d");
  if (!context) return;
  context.fillStyle = look.colour("paper");
  context.fillRect(0, 0, picture.width, picture.height);
  context.textBaseline = "middle";
  const font = look.font.replace(/^\S+ /, "");
  let left = text_px;
  const write = (text: string, weight: number, colour: string): void => {
    context.font = `${weight} ${text_px}px ${font}`;
    context.fillStyle = colour;
    context.fillText(text, left, head_px / 2);
    left += context.measureText(text).width + text_px * 1.5;
  };
  write(title, 600, look.colour("ink"));
  for (const one of series) {
    context.strokeStyle = look.colour(one.colour);
    context.lineWidth = one.width * ratio;
    context.setLineDash(one.dash.map((length) => length * ratio));
    context.beginPath();
    context.moveTo(left, head_px / 2);
    context.lineTo(left + text_px * 2, head_px / 2);
    context.stroke();
    left += text_px * 2.5;
    write(one.label, 400, look.colour("ink-soft"));
  }
  let top = head_px;
  for (const canvas of canvases) {
    context.drawImage(canvas, 0, top);
    top += canvas.height;
  }
  savePng(`${name}.timeline.png`, picture);
}
