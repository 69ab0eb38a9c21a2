// How rows are called, the same for all surfaces.

/** A path, root first. */
export const path = (names) => names.join(" > ");

/** A function with its library, where the name does not say that already. */
export function functionName(name, library) {
  const rest = name.replace(/^\[+/, "");
  const saysLibrary = rest.startsWith(library) && /^[+\]]/.test(rest.slice(library.length));
  return !library || saysLibrary ? name : `${name}  ${library}`;
}

/** A function that most programs have, for what is left without it. */
export const IGNORED = "^main$";

/** `src/thing.cpp:12`: how text names a place. */
export function place(file, line) {
  if (!file) return null;
  const short = file.split("/").slice(-2).join("/").replace(/^\//, "");
  return line ? `${short}:${line}` : short;
}

const UNITS = { B: 1, KiB: 2 ** 10, MiB: 2 ** 20, GiB: 2 ** 30, TiB: 2 ** 40 };

/** A range of sizes by its smallest: of `16..32 KiB` that is 16384. */
export function smallestSize(text) {
  const [, from, unit] = /^(\d+)(?:\.\d+)?(?:\.\.\d+)? (\w+)/.exec(text);
  return String(Number(from) * UNITS[unit]);
}
