// Colours of boxes. A hue for each of the widest libraries, grey for frameworks; where two
// sides are compared a scale from shrunk over unchanged to grown.

import type { Tree } from "./tree";
import { isEverything, libraryOf, nameOf } from "./tree";
import { changeOf } from "./difference";
import { hueOf, HUES } from "./hues";

export type Colour = readonly [red: number, green: number, blue: number];

/** What theme.css says, resolved. */
export interface Palette {
  paper: Colour;
  /** One for each of the widest libraries, and one more for all others. */
  hues: Colour[];
  framework: Colour;
  ink: Colour;
  grown: Colour;
  shrunk: Colour;
  match: Colour;
  accent: Colour;
}

const VARIABLES: Record<Exclude<keyof Palette, "hues">, string> = {
  paper: "--paper",
  framework: "--flame-framework",
  ink: "--flame-ink",
  grown: "--grown",
  shrunk: "--shrunk",
  match: "--flame-match",
  accent: "--accent",
};

/** What theme.css calls a hue. */
export function hueVariable(hue: number): string {
  return `--flame-hue-${hue}`;
}

/** `#rgb` or `#rrggbb`; a middle grey for anything else. */
export function parseColour(text: string): Colour {
  const digits = text.trim().replace(/^#/, "");
  const long = digits.length === 3 ? digits.replace(/./g, "$&$&") : digits;
  if (!/^[0-9a-f]{6}$/i.test(long)) return [128, 128, 128];
  const value = Number.parseInt(long, 16);
  return [value >> 16, (value >> 8) & 255, value & 255];
}

export function paletteBy(variable: (name: string) => string): Palette {
  const entries = Object.entries(VARIABLES).map(([name, css]) => [name, parseColour(variable(css))]);
  const hues = Array.from({ length: HUES + 1 }, (_, hue) => parseColour(variable(hueVariable(hue))));
  return { ...Object.fromEntries(entries), hues } as Palette;
}

export function css(colour: Colour): string {
  return `#${colour.map((part) => Math.round(part).toString(16).padStart(2, "0")).join("")}`;
}

export function mix(from: Colour, to: Colour, part: number): Colour {
  const at = (index: 0 | 1 | 2) => from[index] + (to[index] - from[index]) * part;
  return [at(0), at(1), at(2)];
}

/** A number of 32 bits that depends on a text alone (FNV-1a). */
export function hash(text: string): number {
  let state = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) {
    state = Math.imul(state ^ text.charCodeAt(index), 0x01000193);
  }
  return state >>> 0;
}

/** Relative luminance, as contrast is defined by. */
function luminance(colour: Colour): number {
  const linear = (part: number) => {
    const value = part / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  };
  return 0.2126 * linear(colour[0]) + 0.7152 * linear(colour[1]) + 0.0722 * linear(colour[2]);
}

export function contrast(one: Colour, other: Colour): number {
  const [dark, light] = [luminance(one), luminance(other)].sort((a, b) => a - b) as [number, number];
  return (light + 0.05) / (dark + 0.05);
}

/** Of ink and paper the one that is read better on a colour. */
export function inkOn(colour: Colour, palette: Palette): Colour {
  return contrast(palette.ink, colour) >= contrast(palette.paper, colour) ? palette.ink : palette.paper;
}

/** The tone of a function: its library gives the hue, its name the depth a little, so that
    neighbours of one library can be told apart. */
export function toneOf(hue: number, name: string, palette: Palette): Colour {
  const byName = (hash(name) % 8) / 7;
  return mix(palette.hues[hue]!, palette.paper, 0.14 * byName);
}

/** The tone of a change from -1 (gone) to 1 (new). */
export function changeTone(relative: number, palette: Palette): Colour {
  const end = relative < 0 ? palette.shrunk : palette.grown;
  // A change is seen from the start: the scale has a step at zero.
  return relative === 0 ? palette.framework : mix(palette.framework, end, 0.15 + 0.85 * Math.abs(relative));
}

/** The tone of a box that matches the search. */
export function matchTone(palette: Palette): Colour {
  return mix(palette.match, palette.paper, 0.45);
}

export interface Paint {
  fill: string;
  ink: string;
}

/** Fill and ink of every box; with a search, boxes that do not match step back. */
export function paintsOf(tree: Tree, palette: Palette, isSearched: boolean): Paint[] {
  const { answer } = tree;
  // Few tones make up thousands of boxes.
  const known = new Map<string, Paint>();
  return answer.key.map((_, box) => {
    const change = changeOf(tree, box);
    let tone: Colour;
    if (change) tone = changeTone(Math.round(change.relative * 32) / 32 || tiny(change.relative), palette);
    else if (answer.framework[box] || isEverything(tree, box)) tone = palette.framework;
    else tone = toneOf(hueOf(libraryOf(tree, box)), nameOf(tree, box), palette);
    if (isSearched && !answer.matched[box]) tone = mix(tone, palette.paper, 0.5);
    // In a comparison the tone has a meaning; there the outline alone tells a match.
    else if (isSearched && !change) tone = matchTone(palette);
    const fill = css(tone);
    let paint = known.get(fill);
    if (!paint) {
      paint = { fill, ink: css(inkOn(tone, palette)) };
      known.set(fill, paint);
    }
    return paint;
  });
}

/** A change that rounds to none keeps its sign. */
function tiny(relative: number): number {
  return Math.sign(relative) / 64;
}
