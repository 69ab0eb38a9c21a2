// Which of the open files the page shows.

import type { About, FileAbout } from "../answers";

/** The file on the side that is asked for; the first where there is no such side. */
export function chosenFile(known: About | null, side: string): FileAbout | null {
  return known?.files.find((file) => file.side === side) ?? known?.files[0] ?? null;
}
