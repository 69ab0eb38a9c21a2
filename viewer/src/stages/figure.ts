// The heat map as a picture that can be understood without the page: with the names of
// stages, their means, and the legend.

import type { StagesAnswer } from "../answers";
import type { Columns, Range } from "./columns";
import { paint, type Band, type Looks, type Map } from "./paint";
import { css, type Scales } from "./scale";
import { changeText, stageText, VALUE_NAMES } from "./values";

const WIDTH = 1400;
const MOST_LEFT = 560;
const RIGHT = 130;
const TOP = 54;
const LINE = 30;
const MARGIN = 16;
/** Pixels of the picture for one of these. */
const DENSITY = 2;

export interface Figure {
  answer: StagesAnswer;
  columns: Columns;
  scales: Scales;
  shown: Range;
  selected: Range | null;
  /** What the picture is of: program, file. */
  title: string;
  unit: string;
}

/** Text that fits, cut at its end. */
function fitted(context: CanvasRenderingContext2D, text: string, most: number): string {
  if (context.measureText(text).width <= most) return text;
  let kept = text.length;
  while (kept > 1 && context.measureText(`${text.slice(0, kept)}…`).width > most) kept -= 1;
  return `${text.slice(0, kept)}…`;
}

function paintLegend(context: CanvasRenderingContext2D, figure: Figure, left: number, top: number, looks: Looks): void {
  const { unit } = figure.answer;
  const scale = figure.scales.stages;
  const width = 240;
  const shade = context.createLinearGradient(left, 0, left + width, 0);
  const stops = scale.hasFall ? [looks.shrunk, looks.neutral, looks.grown] : [looks.neutral, looks.grown];
  stops.forEach((colour, index) => shade.addColorStop(index / (stops.length - 1), css(colour)));
  context.fillStyle = shade;
  context.fillRect(left, top, width, 12);
  context.fillStyle = looks.inkSoft;
  context.textBaseline = "top";
  context.textAlign = "left";
  const cut = (sign: string) => (scale.isCut ? `${sign} ` : "");
  context.fillText(scale.hasFall ? `${cut("≤")}${changeText(-scale.limit, unit)}` : "0", left, top + 16);
  context.textAlign = "right";
  context.fillText(`${cut("≥")}${changeText(scale.limit, unit)}`, left + width, top + 16);
  if (scale.hasFall) {
    context.textAlign = "center";
    context.fillText("0", left + width / 2, top + 16);
  }
}

/** What stands at the left of a line of the map. */
function labelOf(interval: StagesAnswer["intervals"][number] | undefined): string {
  if (!interval) return "the whole turn, in shades of its own";
  return interval.guilty ? `guilty ▶ ${stageText(interval.name)}` : stageText(interval.name);
}

export function figureOf(figure: Figure, looks: Looks): HTMLCanvasElement {
  const { answer, columns, scales, shown } = figure;
  const canvas = document.createElement("canvas");
  const context = canvas.getContext("2d");
  if (!context) return canvas;
  const family = looks.font.replace(/^\S+\s/, "");
  const labels = [...answer.intervals.map(labelOf), labelOf(undefined)];
  context.font = `600 13px ${family}`;
  const widest = Math.max(...labels.map((label) => context.measureText(label).width));
  const left = Math.min(MOST_LEFT, MARGIN + Math.ceil(widest) + 12);
  const bands: Band[] = labels.map((_, line) => ({
    top: line * LINE + (line === answer.intervals.length ? 6 : 0),
    height: LINE,
  }));
  const axis: Band = { top: bands.at(-1)!.top + LINE + 2, height: 24 };
  const map: Map = { answer, columns, scales, bands, axis, shown, widthPx: WIDTH - left - RIGHT };
  const height = TOP + axis.top + axis.height + 62;
  canvas.width = WIDTH * DENSITY;
  canvas.height = height * DENSITY;
  context.scale(DENSITY, DENSITY);
  context.fillStyle = looks.paper;
  context.fillRect(0, 0, WIDTH, height);

  context.fillStyle = looks.ink;
  context.textBaseline = "middle";
  context.font = `600 15px ${family}`;
  context.fillText(fitted(context, figure.title, WIDTH - 2 * MARGIN), MARGIN, 20);
  context.font = `12px ${family}`;
  context.fillStyle = looks.inkSoft;
  const per = answer.events_per_row > 1 ? `, sums over ${answer.events_per_row} ${figure.unit}s` : "";
  context.fillText(`${VALUE_NAMES[answer.value]} by stage and ${figure.unit}${per}`, MARGIN, 40);
  context.textAlign = "right";
  context.fillText(`mean per ${figure.unit}`, WIDTH - MARGIN, 40);
  bands.forEach((band, line) => {
    const interval = answer.intervals[line];
    const middle = TOP + band.top + band.height / 2;
    context.font = `${interval?.guilty ? "600 " : ""}13px ${family}`;
    context.fillStyle = interval ? looks.ink : looks.inkSoft;
    context.fillText(fitted(context, labels[line]!, left - MARGIN - 10), left - 10, middle);
    if (interval && interval.mean !== null) {
      context.fillText(changeText(interval.mean, answer.unit), WIDTH - MARGIN, middle);
    }
  });
  context.save();
  context.translate(left, TOP);
  paint(context, map, { selected: figure.selected, cursor: null }, looks);
  context.restore();
  context.font = `12px ${family}`;
  paintLegend(context, figure, left, TOP + axis.top + axis.height + 14, looks);
  return canvas;
}
