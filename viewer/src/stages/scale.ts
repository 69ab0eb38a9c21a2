// From a value to a colour: growth one way, fall the other way, nothing in between. The
// scale ends where nearly all values end, so that one outlier does not flatten the rest.

/** Red, green and blue, 0 to 255. */
export type Colour = readonly [number, number, number];

export interface Palette {
  shrunk: Colour;
  neutral: Colour;
  grown: Colour;
}

/** So many of the values that are not zero lie within the scale. */
const WITHIN = 0.9;

/** The value below which this part of the ascending values lies, linear between two. */
export function quantile(ascending: readonly number[], part: number): number {
  if (ascending.length === 0) return 0;
  const at = part * (ascending.length - 1);
  const below = ascending[Math.floor(at)]!;
  const above = ascending[Math.ceil(at)]!;
  return below + (above - below) * (at - Math.floor(at));
}

export interface Scale {
  /** Where the colours are full, both ways; 0 where every value is zero. */
  limit: number;
  /** Values lie on this side of zero, so the legend has to show it. */
  hasFall: boolean;
  hasGrowth: boolean;
  /** Values lie beyond the limit. */
  isCut: boolean;
}

/** The scale of a table of values. */
export function scaleOf(values: readonly (number | null)[]): Scale {
  const sizes: number[] = [];
  let hasFall = false;
  let hasGrowth = false;
  for (const value of values) {
    if (value === null || value === 0) continue;
    sizes.push(Math.abs(value));
    if (value < 0) hasFall = true;
    else hasGrowth = true;
  }
  sizes.sort((one, other) => one - other);
  const limit = quantile(sizes, WITHIN);
  return { limit, hasFall, hasGrowth, isCut: (sizes.at(-1) ?? 0) > limit };
}

/** Stages share a scale. The whole turn has its own: in time it is the sum of them all. */
export interface Scales {
  stages: Scale;
  whole: Scale;
}

/** From -1 to 1: how far a value is along the scale. */
export function strength(value: number, limit: number): number {
  if (limit === 0) return 0;
  return Math.max(-1, Math.min(1, value / limit));
}

export function mix(from: Colour, to: Colour, part: number): Colour {
  const one = (index: 0 | 1 | 2) => Math.round(from[index] + (to[index] - from[index]) * part);
  return [one(0), one(1), one(2)];
}

export function colourOf(value: number, limit: number, palette: Palette): Colour {
  const along = strength(value, limit);
  return mix(palette.neutral, along < 0 ? palette.shrunk : palette.grown, Math.abs(along));
}

/** `#c44e00` or `rgb(196, 78, 0)`, as a style sheet's variable holds it; else grey. */
export function parseColour(text: string): Colour {
  const hex = /^\s*#([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})\s*$/i.exec(text);
  if (hex) return [parseInt(hex[1]!, 16), parseInt(hex[2]!, 16), parseInt(hex[3]!, 16)];
  const parts = /^\s*rgba?\(\s*(\d+)[\s,]+(\d+)[\s,]+(\d+)/.exec(text);
  if (parts) return [Number(parts[1]), Number(parts[2]), Number(parts[3])];
  return [128, 128, 128];
}

export function css(colour: Colour): string {
  return `rgb(${colour[0]}, ${colour[1]}, ${colour[2]})`;
}
