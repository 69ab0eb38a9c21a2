// A colour and a pattern for each part of the account, so that neither is needed alone.

import type { PartName } from "./account";

/** Side of a tile of the patterns. */
export const TILE_PX = 8;

export interface Look {
  /** Variable of the theme. */
  colour: string;
  /** Lines on a tile; empty for a plain colour. */
  lines: string;
}

export const LOOKS: Record<PartName, Look> = {
  live_heap: { colour: "--blue", lines: "" },
  untouched: { colour: "--grey", lines: "M0 0 L8 8 M8 0 L0 8" },
  heap_metadata: { colour: "--sky", lines: "M2 0 V8 M6 0 V8" },
  allocator_slack: { colour: "--orange", lines: "M-1 1 L1 -1 M0 8 L8 0 M7 9 L9 7" },
  mapped: { colour: "--green", lines: "M0 2 H8 M0 6 H8" },
  thread_stacks: { colour: "--purple", lines: "M-1 7 L1 9 M0 0 L8 8 M7 -1 L9 1" },
  files: { colour: "--yellow", lines: "M3 4 H5 M4 3 V5" },
  recorder: { colour: "--grey", lines: "M4 0 V8 M0 4 H8" },
  unexplained: { colour: "--vermilion", lines: "M0 4 L2 2 L6 6 L8 4" },
};
