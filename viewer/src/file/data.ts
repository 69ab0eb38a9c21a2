// What a self-contained file holds: `residue report FILE --html OUT` writes it into the
// page as JSON in `<script type="application/json" id="residue-data">`. It is the top of
// the data; what was left out is one row of its own, so that sums stay whole, and is said
// in `about.left_out`.

import type {
  About, CounterName, Kind, Sizes, StackDetail, StackRow, StagesAnswer, Timeline, VerdictAnswer,
} from "../answers";

export interface FileData {
  about: About;
  verdict: VerdictAnswer;
  timeline: Timeline;
  stages: Record<"rss" | "vm" | "live" | "time", StagesAnswer>;
  sizes: Record<Kind, Sizes>;
  /** Functions that paths refer to. */
  labels: { name: string; library: string; framework: boolean }[];
  /** Events at whose begins it is known what stacks hold, ascending; of very many, some.
      Place p stands for all that happened from the begin of `begins[p]` to that of
      `begins[p + 1]`; the last place ends with the last event. */
  begins: number[];
  rows: FileRow[];
  /** Of the first rows, by `row.stack`. */
  details: Record<string, StackDetail>;
}

export interface FileRow {
  /** Of the whole recording, as in `api/stacks`; `path` is empty, see below. */
  row: StackRow;
  /** Indices into `labels`, root first. */
  path: number[];
  /** Of the whole recording, in the order of COUNTERS. */
  counters: number[];
  /** Triples of place, bytes, blocks: by how much live memory changed. Place -1 is before
      the first begin, place `begins.length` after the last event. */
  changes: number[];
  /** All that is not in this file, as one row; its `stack` is -1. */
  is_rest: boolean;
}

export const COUNTERS: CounterName[] = [
  "calls", "total", "live", "live-blocks", "peak", "at-peak", "at-peak-blocks", "frees",
  "temporaries", "reallocs",
];
