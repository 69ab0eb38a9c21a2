// What stacks held, laid on one another from the bottom up. Pure numbers; no DOM.

import type { Growers } from "../answers";

export interface Band {
  /** Index of the stack; -1 for all others together. */
  place: number;
  low: number[];
  high: number[];
}

export interface Bands {
  /** From the bottom up. */
  bands: Band[];
  highest: number;
}

/** From zero, or what each has more than at the first moment: of what it has less nothing is drawn. */
export function bandsOf(answer: Growers, isGrowth: boolean): Bands {
  const length = answer.event.length;
  const sum = new Array<number>(length).fill(0);
  const add = (values: readonly number[], place: number): Band => {
    const first = values[0] ?? 0;
    const low = [...sum];
    values.forEach((value, at) => (sum[at]! += Math.max(0, isGrowth ? value - first : value)));
    return { place, low, high: [...sum] };
  };
  // What the rest did must not bend those that are meant.
  const bands = answer.stacks.map((stack, place) => add(stack.bytes, place));
  bands.push(add(answer.rest, -1));
  return { bands, highest: Math.max(0, ...sum) };
}

const rounded = (value: number) => Math.round(value * 10) / 10;

/** The outline of a band. `xs` are pixels of the moments, `y` makes one of a value. */
export function outline(band: Band, xs: readonly number[], y: (value: number) => number): string {
  if (xs.length === 0) return "";
  const point = (values: readonly number[]) => (at: number) => `${rounded(xs[at]!)} ${rounded(y(values[at]!))}`;
  const places = xs.map((_, at) => at);
  const forth = places.map(point(band.high)).join("L");
  const back = [...places].reverse().map(point(band.low)).join("L");
  return `M${forth}L${back}Z`;
}

/** The moment that is nearest to a pixel. */
export function nearestTo(xs: readonly number[], pixel: number): number {
  let best = 0;
  xs.forEach((x, at) => {
    if (Math.abs(x - pixel) < Math.abs(xs[best]! - pixel)) best = at;
  });
  return best;
}
