// Scales of charts: where a value lies, and at which values an axis has its marks.

export type Unit = "bytes" | "count";

export interface Scale {
  from: number;
  to: number;
  ticks: number[];
}

/** A round distance between marks, one of 1, 2, 5 (or 1, 2, 4, 8 ... of bytes) times a
    power, such that about `wanted` marks fit. */
export function roundStep(span: number, wanted: number, unit: Unit): number {
  const rough = span / Math.max(1, wanted);
  if (!(rough > 0)) return 1;
  if (unit === "bytes") {
    return Math.max(1, 2 ** Math.ceil(Math.log2(rough)));
  }
  const power = 10 ** Math.floor(Math.log10(rough));
  const times = [1, 2, 5, 10].find((one) => one * power >= rough * (1 - 1e-9)) ?? 10;
  return Math.max(1, times * power);
}

/** An axis from zero, or from the lowest value where one is below zero, to a mark at or
    above the highest. */
export function valueScale(values: readonly number[], unit: Unit, wanted = 4): Scale {
  let least = 0;
  let most = 0;
  for (const value of values) {
    least = Math.min(least, value);
    most = Math.max(most, value);
  }
  const step = roundStep(most - least, wanted, unit);
  const from = Math.floor(least / step) * step;
  const to = Math.max(from + step, Math.ceil(most / step) * step);
  return { from, to, ticks: marks(from, to, step) };
}

/** An axis of events, with marks at round numbers inside it. */
export function eventScale(from: number, to: number, wanted = 6): Scale {
  const end = to > from ? to : from + 1;
  const step = roundStep(end - from, wanted, "count");
  return { from, to: end, ticks: marks(Math.ceil(from / step) * step, end, step) };
}

function marks(from: number, to: number, step: number): number[] {
  const found: number[] = [];
  for (let i = 0; from + i * step <= to; i += 1) found.push(from + i * step);
  return found;
}

/** Where a value lies between two pixels. */
export function at(scale: Scale, value: number, first: number, last: number): number {
  return first + ((value - scale.from) / (scale.to - scale.from)) * (last - first);
}

/** The value at a pixel. */
export function valueAt(scale: Scale, pixel: number, first: number, last: number): number {
  return scale.from + ((pixel - first) / (last - first)) * (scale.to - scale.from);
}
