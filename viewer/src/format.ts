// Numbers as people read them.

const UNITS = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"];

function digits(value: number, most: number): string {
  // Four significant digits, as in the command's own texts.
  const whole = Math.max(1, Math.floor(Math.log10(Math.abs(value) || 1)) + 1);
  return value.toFixed(Math.max(0, most - whole));
}

/** `12.34 MiB`, `-3 B`. */
export function bytes(value: number): string {
  if (Math.abs(value) < 1024) {
    return `${Number.isInteger(value) ? value : digits(value, 4)} B`;
  }
  let size = Math.abs(value);
  let unit = 0;
  while (size >= 1024 && unit < UNITS.length - 1) {
    size /= 1024;
    unit += 1;
  }
  return `${value < 0 ? "-" : ""}${digits(size, 4)} ${UNITS[unit]}`;
}

/** `+12.34 MiB`. */
export function signedBytes(value: number): string {
  return value > 0 ? `+${bytes(value)}` : bytes(value);
}

/** `1 234 567`, with narrow spaces. */
export function count(value: number): string {
  const text = Number.isInteger(value) ? String(value) : digits(value, 4);
  const [whole = "", part] = text.split(".");
  const spaced = whole.replace(/\B(?=(\d{3})+(?!\d))/g, "\u202f");
  return part ? `${spaced}.${part}` : spaced;
}

export function amount(value: number, unit: "bytes" | "count"): string {
  return unit === "bytes" ? bytes(value) : count(value);
}

/** `12.3 %`. */
export function percent(part: number, whole: number): string {
  if (!whole) return "";
  const share = (100 * part) / whole;
  return `${share.toFixed(Math.abs(share) >= 99.95 || share === 0 ? 0 : Math.abs(share) >= 10 ? 1 : 2)} %`;
}

/** `1.25 s`, `340 ms`. */
export function duration(ns: number): string {
  const seconds = ns / 1e9;
  if (seconds >= 60) return `${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s`;
  if (seconds >= 1) return `${seconds.toPrecision(3)} s`;
  if (seconds >= 1e-3) return `${(seconds * 1e3).toPrecision(3)} ms`;
  return `${(seconds * 1e6).toPrecision(3)} µs`;
}
