// Everything that a picture is made of, and the words in its boxes: shared by what paints
// the canvas and by what writes the SVG.

import { amount } from "../format";
import { css, mix, type Paint, type Palette } from "./colours";
import { changeOf, isPerEvent, signOf } from "./difference";
import type { Measure, Words } from "./label";
import type { Area, Sight } from "./layout";
import { nameOf, type Tree } from "./tree";

export interface Font {
  /** CSS pixels. */
  size: number;
  family: string;
}

export interface Scene {
  tree: Tree;
  sight: Sight;
  area: Area;
  palette: Palette;
  paints: Paint[];
  measure: Measure;
  font: Font;
  /** Under the mouse, under the keyboard's cursor; -1 for none. */
  hovered: number;
  cursor: number;
  /** What a drag would zoom to, in CSS pixels from the left. */
  marked: { from: number; to: number } | null;
}

/** What stands where boxes are too small to be drawn. */
export const UNSENT_WORDS = "too small to draw";
/** Narrower than this in CSS pixels, such a place is left empty. */
export const UNSENT_LEAST = 3;

/** Fill and ink of such a place: hardly more than paper. */
export function unsentPaint(palette: Palette): Paint {
  return {
    fill: css(mix(palette.paper, palette.framework, 0.35)),
    ink: css(mix(palette.ink, palette.paper, 0.4)),
  };
}

/** Left and right of the words in a box. */
export function paddingOf(font: Font): number {
  return Math.round(font.size * 0.4);
}

export function rowHeightOf(font: Font): number {
  return Math.round(font.size * 1.6);
}

/** Name and number of a box; in a comparison the number is the difference. */
export function wordsOf(tree: Tree, box: number): Words {
  const { answer } = tree;
  const change = changeOf(tree, box);
  const name = nameOf(tree, box);
  if (!change) return { sign: "", name, number: amount(answer.value[box]!, answer.unit) };
  const sign = signOf(change.relative);
  const perEvent = change.rate !== null && isPerEvent(answer);
  const difference = perEvent ? change.rate!.difference : change.difference;
  const number = `${sign}${amount(Math.abs(difference), answer.unit)}${perEvent ? `/${tree.reading.turn}` : ""}`;
  return { sign, name, number };
}
