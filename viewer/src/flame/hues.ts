// Which of the few hues each library has: the first that are met, which are the widest, have
// one each, and keep it as long as the page is open; the others share one.

export const HUES = 8;

const known = new Map<string, number>();

/** The hue of a library, from zero; `HUES` for those that share one. */
export function hueOf(library: string): number {
  let hue = known.get(library);
  if (hue === undefined) {
    hue = Math.min(known.size, HUES);
    known.set(library, hue);
  }
  return hue;
}
