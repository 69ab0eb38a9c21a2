// What the timeline draws itself, below and above the lines: ranges, flags of snapshots,
// ticks of stamps, marks of slow events. All places are in pixels of the canvas, as uPlot gives them.

import uPlot from "uplot";
import type { Look } from "./look";
import { drawnMarks, MARK_PX, rowTop_px, type SlowRow } from "./slowmarks";
import { apart } from "./ticks";

const LONGEST_NAME = 28;
/** Stamps are drawn once they are this far apart on average, in CSS pixels. */
export const STAMP_SPACE = 5;

function inPlot(chart: uPlot, draw: (context: CanvasRenderingContext2D, ratio: number) => void): void {
  const { left, top, width, height } = chart.bbox;
  chart.ctx.save();
  chart.ctx.beginPath();
  chart.ctx.rect(left, top, width, height);
  chart.ctx.clip();
  draw(chart.ctx, uPlot.pxRatio);
  chart.ctx.restore();
}

export function drawRange(chart: uPlot, from: number, to: number, look: Look): void {
  const [start, end] = [chart.valToPos(from, "x", true), chart.valToPos(to, "x", true)];
  inPlot(chart, (context, ratio) => {
    const { top, height } = chart.bbox;
    context.fillStyle = look.colour("selection");
    context.fillRect(start, top, end - start, height);
    context.fillStyle = look.colour("accent");
    for (const edge of [start, end]) context.fillRect(edge - ratio / 2, top, ratio, height);
  });
}

/** The range to compare with: hatched, so that it differs by more than its colour. */
export function drawHatched(chart: uPlot, from: number, to: number, look: Look): void {
  const [start, end] = [chart.valToPos(from, "x", true), chart.valToPos(to, "x", true)];
  inPlot(chart, (context, ratio) => {
    const { top, height } = chart.bbox;
    context.beginPath();
    context.rect(start, top, end - start, height);
    context.clip();
    context.strokeStyle = look.colour("purple");
    context.lineWidth = ratio;
    context.globalAlpha = 0.45;
    context.beginPath();
    const step = 7 * ratio;
    for (let at = Math.floor((start - height) / step) * step; at < end; at += step) {
      context.moveTo(at, top + height);
      context.lineTo(at + height, top);
    }
    context.stroke();
    context.globalAlpha = 1;
    context.fillStyle = look.colour("purple");
    for (const edge of [start, end - ratio]) context.fillRect(edge, top, ratio, height);
  });
}

export function drawPin(chart: uPlot, at: number, look: Look): void {
  inPlot(chart, (context, ratio) => {
    context.strokeStyle = look.colour("ink");
    context.lineWidth = ratio;
    context.setLineDash([2 * ratio, 2 * ratio]);
    const pixel = Math.round(chart.valToPos(at, "x", true)) + 0.5;
    context.beginPath();
    context.moveTo(pixel, chart.bbox.top);
    context.lineTo(pixel, chart.bbox.top + chart.bbox.height);
    context.stroke();
  });
}

export interface Mark {
  name: string;
  value: number;
}

export function shortened(name: string): string {
  return name.length > LONGEST_NAME ? `${name.slice(0, LONGEST_NAME - 1)}…` : name;
}

/** Poles through the plot; above it cloth and names as far as there is room. */
export function drawFlags(chart: uPlot, flags: Mark[], isNamed: boolean, look: Look): void {
  const context = chart.ctx;
  const ratio = uPlot.pxRatio;
  const { left, top, width, height } = chart.bbox;
  const { min, max } = chart.scales.x!;
  const seen = flags.filter(({ value }) => value >= min! && value <= max!);
  context.save();
  context.font = `${look.small_px * ratio}px ${look.font.replace(/^\S+ /, "")}`;
  context.textAlign = "left";
  context.textBaseline = "bottom";
  let taken = -Infinity;
  for (const flag of apart(seen, ({ value }) => chart.valToPos(value, "x", true), 3 * ratio)) {
    const pixel = Math.round(chart.valToPos(flag.value, "x", true));
    context.fillStyle = look.colour("ink-soft");
    context.globalAlpha = 0.55;
    context.fillRect(pixel, top, ratio, height);
    context.globalAlpha = 1;
    if (!isNamed) continue;
    const name = shortened(flag.name);
    const length = context.measureText(name).width;
    const isLeft = pixel + 10 * ratio + length > left + width + 8 * ratio;
    const start = isLeft ? pixel - 4 * ratio - length : pixel + 10 * ratio;
    if (start < taken) continue;
    taken = (isLeft ? pixel + 10 * ratio : start + length) + 8 * ratio;
    context.beginPath();
    context.moveTo(pixel, top - 10 * ratio);
    context.lineTo(pixel + 7 * ratio, top - 6.5 * ratio);
    context.lineTo(pixel, top - 3 * ratio);
    context.fill();
    context.fillRect(pixel, top - 10 * ratio, ratio, 10 * ratio);
    context.fillText(name, start, top - ratio);
  }
  context.restore();
}

/** Small ticks on the lower edge, if there is room for them. */
export function drawStamps(chart: uPlot, stamps: Mark[], look: Look): void {
  const { left, top, width, height } = chart.bbox;
  inPlot(chart, (context, ratio) => {
    const { min, max } = chart.scales.x!;
    const seen = stamps.filter(({ value }) => value >= min! && value <= max!);
    if (seen.length * STAMP_SPACE * ratio > width) return;
    context.fillStyle = look.colour("ink-soft");
    for (const stamp of seen) {
      const pixel = Math.round(left + ((stamp.value - min!) / (max! - min!)) * width);
      context.fillRect(pixel, top + height - 7 * ratio, ratio, 7 * ratio);
    }
  });
}

/** A row for each measure below the upper edge: filled triangles for time that was used, rings for
    time that was waited. */
export function drawSlow(chart: uPlot, rows: SlowRow[], look: Look): void {
  inPlot(chart, (context, ratio) => {
    const { left, top, width } = chart.bbox;
    const { min, max } = chart.scales.x!;
    const plot = { left: left / ratio, width: width / ratio, from: min!, to: max! };
    const size = MARK_PX * ratio;
    rows.forEach((row, lane) => {
      const middle = top + rowTop_px(lane) * ratio;
      context.fillStyle = context.strokeStyle = look.colour(row.colour);
      context.lineWidth = 1.75 * ratio;
      for (const { pixel } of drawnMarks(row, plot)) {
        const at = pixel * ratio;
        context.beginPath();
        if (row.measure === "waited") {
          context.arc(at, middle, size - ratio, 0, 2 * Math.PI);
          context.stroke();
        } else {
          context.moveTo(at - size, middle - size);
          context.lineTo(at + size, middle - size);
          context.lineTo(at, middle + size);
          context.fill();
        }
      }
    });
  });
}

/** The name of a small chart, in its upper left corner. */
export function drawTitle(chart: uPlot, title: string, look: Look): void {
  const context = chart.ctx;
  const ratio = uPlot.pxRatio;
  const { left, top } = chart.bbox;
  context.save();
  context.font = `600 ${look.small_px * ratio}px ${look.font.replace(/^\S+ /, "")}`;
  context.textAlign = "left";
  context.textBaseline = "top";
  context.lineJoin = "round";
  context.strokeStyle = look.colour("paper");
  context.lineWidth = 4 * ratio;
  const text = shortened(title);
  context.strokeText(text, left + 6 * ratio, top + 3 * ratio);
  context.fillStyle = look.colour("ink-soft");
  context.fillText(text, left + 6 * ratio, top + 3 * ratio);
  context.restore();
}
