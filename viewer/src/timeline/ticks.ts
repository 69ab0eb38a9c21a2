// Where axes have their ticks, and what stands beside them.

import { count } from "../format";

const UNITS = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"];

/** Ends of an axis of bytes: from zero, unless all readings are far from it. */
export function byteEnds(low: number | null, high: number | null): [number, number] {
  if (low === null || high === null) return [0, 1024];
  const pad = 0.06 * Math.max(high - low, 1024);
  if (low >= 0 && low <= 0.4 * high) return [0, high + pad];
  // Readings that hardly differ are not blown up to the height of the chart.
  const missing = Math.max(0, 1024 - (high - low)) / 2;
  const bottom = low - pad - missing;
  return [low >= 0 ? Math.max(0, bottom) : bottom, high + pad + missing];
}

/** Ends of an axis of counts: always with zero. */
export function countEnds(low: number | null, high: number | null): [number, number] {
  const top = Math.max(high ?? 0, 0);
  const bottom = Math.min(low ?? 0, 0);
  return top === bottom ? [0, 1] : [bottom, top + 0.08 * (top - bottom)];
}

function multiples(step: number, low: number, high: number): number[] {
  const ticks: number[] = [];
  for (let at = Math.ceil(low / step); at * step <= high; at++) ticks.push(at * step);
  return ticks;
}

/** A power of two that gives at most so many steps. */
export function byteStep(low: number, high: number, most: number): number {
  const least = (high - low) / Math.max(1, most);
  return Math.max(1, 2 ** Math.ceil(Math.log2(least)));
}

export function byteTicks(low: number, high: number, most: number): number[] {
  return multiples(byteStep(low, high, most), low, high);
}

/** All labels in one unit: the largest of which a step is at least a quarter. */
export function byteLabels(ticks: number[]): string[] {
  const step = ticks.length > 1 ? ticks[1]! - ticks[0]! : Math.abs(ticks[0] ?? 0);
  const largest = Math.max(...ticks.map(Math.abs), 0);
  let unit = 0;
  while (unit < UNITS.length - 1 && largest >= 1024 ** (unit + 1) && step >= 1024 ** (unit + 1) / 4) unit++;
  const size = 1024 ** unit;
  const places = step % size === 0 ? 0 : step % (size / 2) === 0 ? 1 : 2;
  return ticks.map((tick) => (tick === 0 ? "0" : `${(tick / size).toFixed(places)} ${UNITS[unit]}`));
}

/** One, two or five times a power of ten that gives at most so many steps. */
export function roundStep(low: number, high: number, most: number): number {
  const least = (high - low) / Math.max(1, most);
  const power = 10 ** Math.floor(Math.log10(least));
  const factor = [1, 2, 5, 10].find((one) => one * power >= least * (1 - 1e-9)) ?? 10;
  return factor * power;
}

export function eventTicks(low: number, high: number, most: number): number[] {
  return multiples(Math.max(1, roundStep(low, high, most)), low, high);
}

export function countTicks(low: number, high: number, most: number): number[] {
  return multiples(roundStep(low, high, most), low, high);
}

/** `2 500 000` is long beside a small chart: `2.5 M`. */
export function countLabel(value: number): string {
  const size = Math.abs(value);
  const [divisor, suffix] =
    size >= 1e12 ? [1e12, " T"] : size >= 1e9 ? [1e9, " G"] : size >= 1e6 ? [1e6, " M"] : [1, ""];
  const shown = Number((value / divisor).toPrecision(6));
  return `${Number.isInteger(shown) ? count(shown) : shown}${suffix}`;
}

const NS_PER_S = 1e9;
const LONG_STEPS_S = [1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1200, 1800, 3600, 7200, 14400, 28800, 86400];

export function timeStep(low_ns: number, high_ns: number, most: number): number {
  const least = (high_ns - low_ns) / Math.max(1, most);
  if (least <= 0.5 * NS_PER_S) return Math.max(1, roundStep(low_ns, high_ns, most));
  const long = LONG_STEPS_S.find((step) => step * NS_PER_S >= least);
  return long ? long * NS_PER_S : Math.ceil(least / (86400 * NS_PER_S)) * 86400 * NS_PER_S;
}

export function timeTicks(low_ns: number, high_ns: number, most: number): number[] {
  return multiples(timeStep(low_ns, high_ns, most), low_ns, high_ns);
}

/** Labels in the unit that suits the step: `1.25 s`, `340 ms`, `2:05` above a minute. */
export function timeLabels(ticks: number[]): string[] {
  const step = ticks.length > 1 ? ticks[1]! - ticks[0]! : Math.abs(ticks[0] ?? 0);
  const largest = Math.max(...ticks, 0);
  if (step >= NS_PER_S && largest >= 120 * NS_PER_S) return ticks.map((tick) => clock(tick / NS_PER_S));
  const units: [number, string][] = [[NS_PER_S, "s"], [1e6, "ms"], [1e3, "µs"], [1, "ns"]];
  const [size, unit] = units.find(([size]) => step >= size / 1000 && largest >= size) ?? [1, "ns"];
  const places = Math.max(0, Math.ceil(-Math.log10(step / size) - 1e-9));
  return ticks.map((tick) => (tick === 0 ? "0" : `${(tick / size).toFixed(places)} ${unit}`));
}

function clock(seconds: number): string {
  const two = (value: number): string => String(Math.floor(value)).padStart(2, "0");
  const hours = Math.floor(seconds / 3600);
  const minutes = Math.floor((seconds % 3600) / 60);
  return hours > 0 ? `${hours}:${two(minutes)}:${two(seconds % 60)}` : `${minutes}:${two(seconds % 60)}`;
}

/** Of marks in ascending order those that stand at least so far from the one kept before. */
export function apart<T>(marks: T[], pixelOf: (mark: T) => number, least: number): T[] {
  let before = -Infinity;
  return marks.filter((mark) => {
    const pixel = pixelOf(mark);
    if (pixel - before < least) return false;
    before = pixel;
    return true;
  });
}
