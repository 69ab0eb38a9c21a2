// Numbers as people read them.

import type { Unit } from "./answers";

const UNITS = ["B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];

/** Three digits, of a number below 1024 or so; the same as in the command's own texts. */
function digits(value: number): string {
  const size = Math.abs(value);
  return value.toFixed(size < 9.995 ? 2 : size < 99.95 ? 1 : 0);
}

/** What would be rounded to nothing. */
const LEAST_SHOWN = 0.005;

/** `2.19 MiB`, `-3 B`. Whole bytes have all their digits; rates may be parts of a byte. */
export function bytes(value: number): string {
  const whole = Math.round(value);
  // A mean of whole numbers is rarely whole to its last bit.
  if (Math.abs(value - whole) < 1e-6 && Math.abs(whole) < 1024) return `${whole || 0} B`;
  if (Math.abs(value) < LEAST_SHOWN) return "~0 B";
  let size = Math.abs(value);
  let unit = 0;
  // What would be rounded up to 1024 is 1.00 of the next unit.
  while (size >= 1023.5 && unit < UNITS.length - 1) {
    size /= 1024;
    unit += 1;
  }
  return `${value < 0 ? "-" : ""}${digits(size)} ${UNITS[unit]}`;
}

/** `+12.3 MiB`. */
export function signedBytes(value: number): string {
  return value > 0 ? `+${bytes(value)}` : bytes(value);
}

/** `1 234 567`, with narrow spaces. */
export function count(value: number): string {
  const text = Number.isInteger(value) ? String(value) : digits(value);
  const [whole = "", part] = text.split(".");
  const spaced = whole.replace(/\B(?=(\d{3})+(?!\d))/g, "\u202f");
  return part ? `${spaced}.${part}` : spaced;
}

/** `1 block`, `36 180 blocks`. */
export function counted(number: number, one: string, many = `${one}s`): string {
  return `${count(number)} ${Math.abs(number) === 1 ? one : many}`;
}

/** `event 7`, `events 7..9`. */
export function eventsText(unit: string, first: number, last: number): string {
  return first === last ? `${unit} ${count(first)}` : `${unit}s ${first}..${last}`;
}

export function amount(value: number, unit: Unit): string {
  if (unit === "ns") return duration(value);
  return unit === "bytes" ? bytes(value) : count(value);
}

/** To the last digit. */
export function exactAmount(value: number, unit: Unit): string {
  if (unit === "ns") return `${count(value)} ns`;
  return unit === "bytes" ? counted(value, "byte") : count(value);
}

/** `12.3 %`. */
export function percent(part: number, whole: number): string {
  if (!whole) return "";
  const share = (100 * part) / whole;
  return `${share.toFixed(Math.abs(share) >= 99.95 || share === 0 ? 0 : Math.abs(share) >= 10 ? 1 : 2)} %`;
}

/** `12.3 %` as the command's tables have it: only all is 100 %, and only nothing 0 %. */
export function share(part: number, whole: number): string {
  if (part === 0 || whole === 0) return "0 %";
  if (part === whole) return "100 %";
  const percent = (100 * part) / whole;
  if (percent < 0.05) return "<0.1 %";
  return `${Math.min(percent, part < whole ? 99.9 : Infinity).toFixed(1)} %`;
}

/** A mean of counts as the command has it: `13`, `9.59`, `0.350`. */
export function mean(value: number): string {
  if (Math.abs(value - Math.round(value)) < 1e-9 || value >= 999.5) return count(Math.round(value));
  return value >= 1 ? digits(value) : value.toFixed(3);
}

/** `1.25 s`, `340 ms`, `2 min 5 s`. */
export function duration(ns: number): string {
  // Where the smaller unit would be rounded up to 1000, the larger one is used.
  if (ns < 1000) return `${Math.round(ns)} ns`;
  if (ns < 999_500) return `${digits(ns / 1e3)} µs`;
  if (ns < 999_500_000) return `${digits(ns / 1e6)} ms`;
  if (ns < 59_950_000_000) return `${digits(ns / 1e9)} s`;
  const seconds = Math.round(ns / 1e9);
  const [minutes, hours] = [Math.floor(seconds / 60), Math.floor(seconds / 3600)];
  if (hours === 0) return `${minutes} min ${seconds % 60} s`;
  return hours < 24 ? `${hours} h ${minutes % 60} min` : `${Math.floor(hours / 24)} d ${hours % 24} h`;
}
