// How text writes numbers. The rules are those of `crates/profile/src/units.rs` and
// `src/text/diff/numbers.rs`; numbers that were not recorded are `-`.

const UNITS = ["B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
const NOT_RECORDED = "-";

const orNone = (rule) => (value) => (value === null ? NOT_RECORDED : rule(value));

/** Decimals as Rust writes them: of two that are equally near the even one. */
export function fixed(value, digits) {
  const size = Math.abs(value);
  const scaled = size * 10 ** digits;
  // Half way between two decimals lie multiples of powers of two only.
  const isTie = Number.isInteger(size * 2 ** (digits + 1)) && scaled % 1 === 0.5;
  const text = isTie && Math.floor(scaled) % 2 === 0 ? (Math.floor(scaled) / 10 ** digits).toFixed(digits) : size.toFixed(digits);
  return value < 0 || Object.is(value, -0) ? `-${text}` : text;
}

/** `5 001 622`. */
export const count = orNone((value) => {
  const sign = value < 0 ? "-" : "";
  return sign + String(Math.abs(value)).replace(/\B(?=(\d{3})+(?!\d))/g, " ");
});

/** `2.19 MiB`; of a mean or a rate `0.25 B`. */
export const bytes = orNone((value) => {
  let [size, unit] = [Math.abs(value), 0];
  const sign = value < 0 ? "-" : "";
  const whole = Math.round(size);
  if (size < 1024 && Math.abs(size - whole) < 1e-6) return `${sign}${whole} B`;
  if (size < 0.005) return "~0 B";
  for (; size >= 1023.5; unit += 1) size /= 1024;
  return `${sign}${fixed(size, size < 9.995 ? 2 : size < 99.95 ? 1 : 0)} ${UNITS[unit]}`;
});

/** A count that was divided: `0.667`. */
export const countRate = (value) => {
  const size = Math.abs(value);
  const text = size >= 1e4 ? count(Math.round(size)) : trimmed(fixed(size, size >= 1000 ? 1 : size >= 10 ? 2 : 3));
  return (value < 0 ? "-" : "") + text;
};

const trimmed = (decimals) => decimals.replace(/0+$/, "").replace(/\.$/, "");

/** The same with the sign of a change. */
export const signed = (rule) => (value) => (value >= 0 ? `+${rule(value)}` : rule(value));

/** `99.4 %`. */
export const percent = (share) => (share === null ? NOT_RECORDED : `${fixed(share * 100, 1)} %`);

/** A part of a whole: only the whole is 100 %. */
export const part = orNone((share) => {
  if (share === 0 || share === 1) return `${100 * share} %`;
  return share < 0.0005 ? "<0.1 %" : `${fixed(Math.min(100 * share, 99.9), 1)} %`;
});

/** A mean of counts: `9.59`, `0.350`. */
export const mean = (value) => {
  if (Math.abs(value - Math.round(value)) < 1e-9 || value >= 999.5) return count(Math.round(value));
  return fixed(value, value < 1 ? 3 : value < 9.995 ? 2 : value < 99.95 ? 1 : 0);
};

/** A mean in a unit that stands in the heading of its table. */
export const inUnit = (unit) => (value) => fixed(value / unit, 1);

/** The number in `1 234 567`, or in `2.19 MiB (2 296 381 bytes)`, or in `512 B`. */
export function exact(text) {
  const [, whole] = /\(([\d ]+) bytes\)$/.exec(text) ?? /^([\d ]+?)(?: B)?$/.exec(text) ?? [];
  if (whole === undefined) throw new Error(`"${text}" is no exact number`);
  return Number(whole.replaceAll(" ", ""));
}
