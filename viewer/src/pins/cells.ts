// Cells of the heap in rows, and what is told of each.

import type { HeapMap, PinsDocument } from "../answers";
import { bytes, counted, share } from "../format";

export const WAYS = ["fullness", "age", "stack"] as const;
export type By = (typeof WAYS)[number];

export const CELLS_OF_ROW = 128;
export const ROW_PX = 8;
const PAGE_BYTES = 4096;

export function rowsOf(map: HeapMap): number {
  return Math.ceil(map.start.length / CELLS_OF_ROW);
}

/** The cell at a place on a canvas of some width; null behind the last. */
export function cellAt(map: HeapMap, x: number, y: number, widthPx: number): number | null {
  const column = Math.min(CELLS_OF_ROW - 1, Math.max(0, Math.floor((x / widthPx) * CELLS_OF_ROW)));
  const cell = Math.floor(y / ROW_PX) * CELLS_OF_ROW + column;
  return y >= 0 && cell < map.start.length ? cell : null;
}

/** Left and right edge of a cell in whole pixels. */
export function edgesOf(cell: number, widthPx: number): { left: number; right: number } {
  const column = cell % CELLS_OF_ROW;
  const edge = (at: number) => Math.round((at * widthPx) / CELLS_OF_ROW);
  return { left: edge(column), right: edge(column + 1) };
}

/** Whether an area of addresses begins with a cell. */
export function beginsArea(map: HeapMap, cell: number): boolean {
  return cell > 0 && map.start[cell - 1]! + map.pages[cell - 1]! * PAGE_BYTES !== map.start[cell];
}

export interface CellFacts {
  address: string;
  lines: string[];
  /** Whose bytes are most of it; null where there are none. */
  stack: string | null;
}

/** What a tooltip says, one thing a line. */
export function factsOf(of: PinsDocument, map: HeapMap, cell: number): CellFacts {
  const [pages, resident, pinned] = [map.pages[cell]!, map.resident_pages[cell]!, map.pinned_pages[cell]!];
  const used = map.used_bytes[cell]!;
  const lines = [`${counted(pages, "page")}, ${resident} in RAM`];
  if (pinned > 0) {
    lines.push(`${bytes(used)} in live blocks (${share(used, resident * PAGE_BYTES)})`);
    lines.push(`${bytes(Math.max(0, pinned * PAGE_BYTES - used))} free on pages that they keep`);
  }
  if (resident > pinned) lines.push(`${bytes((resident - pinned) * PAGE_BYTES)} on pages without a live block`);
  const birth = map.birth[cell];
  if (birth !== null && birth !== undefined) {
    lines.push(birth === 0 ? `half of it made before the first ${of.unit}` : `half of it made in ${of.unit} ${birth} or before`);
  }
  return { address: `0x${map.start[cell]!.toString(16)}`, lines, stack: nameOf(of, map, map.stack[cell] ?? null) };
}

function nameOf(of: PinsDocument, map: HeapMap, stack: number | null): string | null {
  if (stack === null) return null;
  const known = [...map.stacks, ...of.stacks].find((one) => one.stack === stack);
  return known ? known.shown : `stack ${stack}`;
}
