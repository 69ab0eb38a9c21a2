// What a self-contained file holds: `residue report FILE --html OUT` writes it into the
// page as JSON in `<script type="application/json" id="residue-data">`. It is the top of
// the data; what was left out is one row of its own for each kind of memory, so that sums
// stay whole, and is said in `about.left_out`.

import type {
  About, CounterName, Kind, Sizes, StackDetail, StackRow, StagesAnswer, Timeline, VerdictAnswer,
} from "../answers";

export interface FileData {
  about: About;
  verdict: VerdictAnswer;
  timeline: Timeline;
  stages: Record<"rss" | "vm" | "live" | "time", StagesAnswer>;
  sizes: Record<Kind, Sizes>;
  /** Functions that paths refer to; two of them never have the same name and library
      unless their names were cut. */
  labels: FileLabel[];
  /** What paths by library refer to. */
  libraries: FileLabel[];
  /** Events at whose begins it is known what stacks hold, ascending; of very many, some.
      Place p stands for all that happened from the begin of `begins[p]` to that of
      `begins[p + 1]`; the last place ends with the last event. */
  begins: number[];
  /** Among rows that are equal in what they are ordered by, the earlier is the first. */
  rows: FileRow[];
  /** Of the rows that matter most, by `row.stack`. */
  details: Record<string, StackDetail>;
}

export interface FileLabel {
  name: string;
  library: string;
  framework: boolean;
}

export interface FileRow {
  /** Of the whole recording, as in `api/stacks`; `path` is empty, see below. */
  row: StackRow;
  /** The stacks of the row by the path they end in; the row's own is that of the first.
      Stacks that fall at times have parts of their own, as long as they are few. */
  parts: FilePart[];
  /** All of one kind that is not in this file, as one row of one part; its `stack` is -1
      of the heap, -2 of mappings, -3 of reported blocks. */
  is_rest: boolean;
}

export interface FilePart {
  /** Indices into `labels`, root first. */
  path: number[];
  /** Indices into `libraries`, root first. */
  by_library: number[];
  /** Of the whole recording, in the order of COUNTERS. */
  counters: number[];
  /** Triples of place, bytes, blocks: by how much live memory changed, by place. Place -1
      is before the first begin, place `begins.length` after the last event. */
  changes: number[];
}

export const COUNTERS: CounterName[] = [
  "calls", "total", "live", "live-blocks", "peak", "at-peak", "at-peak-blocks", "frees",
  "temporaries", "reallocs",
];
