// What the page may ask for, and what comes back: the contract with `src/view` of the
// command. Every question is `GET api/NAME?parameters`, every answer JSON of bounded
// size. A refused question is answered with status 400 and `{"error": "why"}`.
//
// Sizes are bytes, times nanoseconds, events are numbered from one.

/** Which profile: the first file, or the one it is compared with. */
export type Side = "a" | "b";
export type Kind = "heap" | "mapping" | "reported" | "all";
export type CounterName =
  | "calls" | "total" | "live" | "live-blocks" | "peak" | "at-peak" | "at-peak-blocks"
  | "frees" | "temporaries" | "reallocs";
/** With a range of events only `live` and `live-blocks` are known: what the range left. */
export const RANGE_COUNTERS: CounterName[] = ["live", "live-blocks"];

/** Parameters that most questions share. */
export interface Selection {
  side?: Side;
  /** `51..100`, both included; absent for the whole recording, set-up and exit too. */
  events?: string;
  kind?: Kind;
  /** Only stacks with a function that matches: a regular expression, case ignored. */
  focus?: string;
}

// ---------------------------------------------------------------- api/about

export interface About {
  format: "residue-view";
  version: 1;
  /** Counts up each time the data change: for a running program. */
  generation: number;
  /** A program is being watched; `ended` once it is gone. */
  live: boolean;
  ended: boolean;
  /** One, or two to compare. */
  files: FileAbout[];
  /** Of a self-contained file: what it holds and what was left out, in sentences. */
  left_out: string[];
}

export interface FileAbout {
  side: Side;
  /** File name without folders. */
  name: string;
  program: string;
  command: string[];
  pid: number;
  host: string;
  residue_version: string;
  started_unix_ns: number;
  duration_ns: number;
  end: { kind: string; code?: number; signal?: number };
  allocator: string;
  max_rss_bytes: number | null;
  /** What one turn is called. */
  unit: "event" | "tick";
  /** First and last event at which stacks are known; null without events. */
  first_event: number | null;
  last_event: number | null;
  /** The last event of which it is known what it left: its end was seen, or another began. */
  last_measured_event: number | null;
  events: number;
  /** One event in so many has its own moments. */
  stride: number;
  stacks: number;
  heap: Totals;
  mappings: Totals;
  /** The recorder's own statistics: dropped, unknown_frees, time_ns, ... */
  recorder: Record<string, number>;
  /** What the reader should know: things that were not recorded, and why. */
  warnings: string[];
  counters: string[];
  threads: { tid: number; name: string }[];
  scopes: string[];
  has: { changes: boolean; stages: boolean; sizes: boolean; births: boolean; threads: boolean; peak: boolean };
}

export interface Totals {
  calls: number; frees: number; total_bytes: number; live_bytes: number; live_blocks: number;
  peak_bytes: number; reallocs_in_place: number; reallocs_moved: number; temporaries: number;
}

// ---------------------------------------------------------------- api/status
// Asked each second of a running program.

export interface Status {
  generation: number;
  live: boolean;
  ended: boolean;
  /** Why the last reading failed, if it did. */
  trouble: string | null;
}

// ---------------------------------------------------------------- api/verdict
// Parameters: side, events.

export interface VerdictAnswer {
  /** What `residue leaks --json` writes; null where there are too few events. */
  verdict: Verdict | null;
  /** The headline in words, and why. */
  words: string[];
  /** Why there is no verdict, and what to try: the words of the command line. */
  missing: { reason: string; advice: string } | null;
}

/** The document of `residue leaks --json`; docs/COMMANDS.md has all of it. */
export interface Verdict {
  verdict: "leak" | "freed-at-exit" | "fragmentation" | "growth" | "no-growth" | "undetermined";
  basis: "stacks" | "live" | "rss" | "vm";
  unit: string;
  events: number;
  rate_bytes_per_event: number;
  /** Null where the interval has no bound. */
  low: number | null;
  high: number | null;
  first_event: number;
  last_event: number;
  warm_up_events: number;
  smallest_visible_bytes_per_event: number;
  needs_events: number | null;
  reasons: string[];
  counter: Followed | null;
  series: { live: Growth | null; rss: Growth | null; vm: Growth | null };
  account: Account | null;
  stacks: StackVerdict[];
}

export interface Growth {
  outcome: string; rate: number; low: number; high: number;
  warm_up_events: number; first_event: number; last_event: number;
  line_fit_rate: number; line_fit_intercept: number; method: string; reasons: string[];
}

export interface Followed {
  name: string;
  bytes_per_unit: number; bytes_per_unit_low: number; bytes_per_unit_high: number;
  constant_bytes: number; correlation: number; explained_share: number; dependence: string;
}

export interface Account {
  from_event: number; to_event: number; accounts: number;
  bytes_per_event: {
    rss: number; program_rss: number; live_heap: number; untouched: number;
    heap_metadata: number; allocator_slack: number; mapped: number; thread_stacks: number;
    files: number; recorder: number; unexplained: number;
  };
  explained_share: number | null;
  fragmentation: boolean;
  untouched: boolean;
  reasons: string[];
}

export interface StackVerdict {
  stack: number; lines: number; kind: string; shape: Shape; confidence: string; reason: string;
  rate_bytes_per_event: number; low: number; high: number; share: number | null;
  blocks_per_event: number; counter: Followed | null;
  /** All names, root first; the part of it that is worth a line; `file:line`. */
  path: string[]; shown: string; place: string | null;
  freed_at: string[] | null; live: number[];
}

export type Shape =
  | "leak" | "warm-up" | "cache" | "plateau" | "sawtooth" | "step" | "deferred"
  | "freed-at-exit" | "stopped" | "flat" | "undetermined";

// ---------------------------------------------------------------- api/timeline
// Parameters: side, events (what to show; absent: all), points (most, default 1500).

export interface Timeline {
  unit: "event" | "tick";
  /** Moments are real readings; where there are more than `points`, the lowest and the
      highest of each group are kept, and `thinned` says so. */
  thinned: boolean;
  /** All arrays have one entry per moment, in the order of time. */
  event: number[];
  time_ns: number[];
  kind: ("begin" | "end" | "tick" | "snapshot" | "last")[];
  series: {
    rss: (number | null)[];
    vm: (number | null)[];
    live: (number | null)[];
    mapped: (number | null)[];
    recorder: (number | null)[];
    /** Free memory that the allocator keeps, where it says so: at accounts. */
    retained: (number | null)[];
  };
  /** What each counter counted from one begin to the next, at begins; null elsewhere. */
  counters: { name: string; values: (number | null)[] }[];
  /** Over how many events each of these values is a sum. */
  counted_events: (number | null)[];
  snapshots: { name: string; event: number; time_ns: number }[];
  /** Named times inside events, at most 2000, evenly left out. */
  stamps: { name: string; event: number; time_ns: number }[];
}

// ---------------------------------------------------------------- api/stacks
// Parameters: Selection, sort, ascending (1), shape, offset, limit (most 200, default 50),
// first (numbers of stacks with commas between them: their rows come first).

export type StackSort =
  | "growth" | "growth-blocks" | "live" | "live-blocks" | "total" | "calls" | "churn" | "peak"
  | "at-peak" | "temporaries";

export interface Stacks {
  /** Groups of stacks through the same functions that pass the filters. */
  found: number;
  offset: number;
  /** Sums over all that were found. Growth is net: what fell is taken off. */
  sums: StackNumbers;
  /** Bytes by which stacks that shrank fell in the range. */
  fallen_bytes: number;
  /** Events in the range, or of the recording. */
  events: number;
  /** Of a range: the events that it is really of, both included. It is widened to events that
      were kept, and ends before one whose end was not seen. */
  first_event: number | null;
  last_event: number | null;
  rows: StackRow[];
  /** Rows before and after these that were looked at for their shape, if one is asked for. */
  looked_at: number | null;
}

export interface StackNumbers {
  /** Change of live memory in the range; of the whole recording: what is live. */
  growth_bytes: number;
  growth_blocks: number;
  /** Of the whole recording, always. */
  live_bytes: number; live_blocks: number; total_bytes: number; calls: number; frees: number;
  /** Bytes allocated and freed again: total less live. */
  churn_bytes: number;
  temporaries: number; reallocs: number;
  /** Zero in sums: peaks fall on different moments. */
  peak_bytes: number; at_peak_bytes: number;
}

export interface StackRow extends StackNumbers {
  /** The largest of those through the same functions: names the row in `api/stack`. */
  stack: number;
  /** How many stacks, at different lines, make the row. */
  lines: number;
  kind: string;
  /** Root first, as names are shown; long ones are cut in the middle. */
  path: string[];
  /** The innermost function's place. */
  file: string | null;
  line: number | null;
  library: string;
  /** Null where there are fewer than two events in the range. */
  shape: Shape | null;
  confidence: string | null;
  /** Bytes per event, 95 %. */
  rate: number | null; low: number | null; high: number | null;
  counter: Followed | null;
  /** Live bytes over the range, at most 60 values at equal distances. */
  spark: number[];
  /** Of the blocks live at the end, bytes by event of birth, in at most 30 equal parts of the
      whole recording; empty where births are not known. */
  births: number[];
}

// ---------------------------------------------------------------- api/stack
// Parameters: side, events, stack.

export interface StackDetail {
  row: StackRow;
  /** Leaf first. */
  frames: FrameDetail[];
  /** Instead of frames, where there is no path. */
  no_path: string | null;
  /** The stacks of the row, the largest first, at most 50. */
  members: { stack: number; place: string; numbers: StackNumbers }[];
  /** Why it has its shape, and whether the witnesses agree. */
  reason: string | null;
  agreement: string | null;
  sizes_total: SizeBin[];
  sizes_live: SizeBin[];
  /** Survivors by the event they were made in, at most 400 parts of `births_width` events. */
  births_width: number;
  births: { event: number; bytes: number; blocks: number }[];
  /** At begins of events in the range, at most 600, evenly chosen. */
  series: { event: number[]; bytes: number[]; blocks: number[] };
  deferral: { frees: number; mean_events: number; longest_events: number } | null;
  /** Path of a late free, leaf first. */
  freed_at: FrameDetail[] | null;
  threads: { name: string; tid: number; calls: number; total_bytes: number; frees: number; net_bytes: number }[];
}

export interface FrameDetail {
  function: string;
  symbol: string | null;
  library: string | null;
  address: string | null;
  framework: boolean;
  /** Innermost first; the last is the frame's own function, those before it were inlined. */
  places: { function: string; file: string | null; file_id: number | null; line: number | null }[];
}

export interface SizeBin { from_bytes: number; to_bytes: number; blocks: number }

// ---------------------------------------------------------------- api/flame
// Parameters: Selection, counter, by, inverted (1), root (a key), stack (the root is where its
// path ends), thread (a tid),
// against, highlight (a regular expression), depth (most, default 256).

export type FlameBy = "function" | "module" | "scope" | "thread" | "line";

export interface Flame {
  counter: CounterName;
  unit: "bytes" | "count";
  /** What shares are of: everything, not only below the root that is shown. */
  whole: number;
  base_whole: number | null;
  /** Events on each side, to compare rates. */
  events: number;
  base_events: number | null;
  /** From the outermost to the box that is shown as the root; empty for everything. */
  breadcrumbs: { key: string; name: string; value: number }[];
  /** Texts that boxes refer to. */
  names: string[];
  libraries: string[];
  /** Boxes in columns, parents before children; the first is the root that is shown. */
  key: string[];
  /** Keys of functions, for `api/callers`; empty where there is none. */
  function: string[];
  parent: number[];
  name: number[];
  library: number[];
  /** With all below it. */
  value: number[];
  own: number[];
  /** On the other side, where two are compared. */
  base: number[] | null;
  /** Width: the value, or where two are compared the larger side of each stack, so that
      what is gone has a width too. */
  weight: number[];
  /** 1: part of a framework. */
  framework: number[];
  /** 1: it matches `highlight`. */
  matched: number[];
  /** Of all below the root that is shown: in or below a match. */
  matched_value: number | null;
  /** Too small to be drawn: how many boxes were not sent, at the edges of what was. */
  left_out: number;
  /** In a range: bytes by which other stacks fell; they have no box. */
  fallen: number;
  /** What the reader should know, such as that a range is not known by thread. */
  notes: string[];
}
// `against` is `51..100` for another range of the same file, or `a`, `b` for the other file.

// ---------------------------------------------------------------- api/functions
// Parameters: Selection, counter, sort (cumulative, self), offset, limit (most 200). Here
// `focus` chooses functions by their names, and not stacks.

export interface Functions {
  counter: CounterName;
  unit: "bytes" | "count";
  whole: number;
  found: number;
  offset: number;
  rows: FunctionRow[];
}

export interface FunctionRow {
  key: string; function: string; library: string; framework: boolean;
  self: number; cumulative: number;
}

// ---------------------------------------------------------------- api/callers
// Parameters: Selection, counter, function (a key).

export interface Callers {
  counter: CounterName;
  unit: "bytes" | "count";
  whole: number;
  function: FunctionRow;
  /** What began with it: nothing called it. */
  begun: number;
  /** The highest, at most 200 each. */
  callers: CallEnd[];
  callees: CallEnd[];
  callers_found: number;
  callees_found: number;
  /** Where it is in the source, as far as is known: the file with most of it. */
  file_id: number | null;
  file: string | null;
}

export interface CallEnd extends FunctionRow {
  value: number;
  /** The part in which the called one of the two was at work already, further out. */
  recursive: number;
}

// ---------------------------------------------------------------- api/source
// Parameters: Selection, counter, file (a file_id of this profile), line (where to look).

export interface SourceLines {
  file: string;
  /** Why there is no text, where there is none. */
  missing: string | null;
  /** Lines around those with numbers, at most 2000; numbers of lines from one. */
  lines: { line: number; text: string | null; self: number; cumulative: number }[];
  unit: "bytes" | "count";
}

// ---------------------------------------------------------------- api/stages
// Parameters: side, value (rss, vm, live, time).

export interface StagesAnswer {
  /** Null where there are no stamps, with the reason in `missing`. */
  missing: string | null;
  value: "rss" | "vm" | "live" | "time";
  unit: "bytes" | "nanoseconds";
  intervals: {
    name: string; mean: number | null; low: number | null; high: number | null;
    share: number | null; guilty: boolean;
  }[];
  /** At most 400 rows; where there are more, each stands for `events_per_row` and holds
      sums. */
  events_per_row: number;
  rows: { event: number; values: (number | null)[] }[];
  start_to_start: (number | null)[];
  /** In words: which interval is guilty, how sure. */
  words: string[];
  jumps: { event: number; interval: string; value: number }[];
}

// ---------------------------------------------------------------- api/sizes
// Parameters: side, kind, focus.

export interface Sizes {
  /** Null where sizes are not known. */
  total: SizeBin[] | null;
  live: SizeBin[] | null;
}

// ---------------------------------------------------------------- api/compare
// Parameters: by (function, stack, library), counter, kind, focus, class (all, new, gone,
// grown, shrunk), offset, limit (most 200). `a` is before, `b` is after.

export interface Compare {
  counter: CounterName;
  unit: "bytes" | "count";
  by: "function" | "stack" | "library";
  /** What numbers are divided by in `rate_*`: null where they are not. */
  per: "event" | "tick" | null;
  before: CompareSide;
  after: CompareSide;
  counts: { new: number; gone: number; grown: number; shrunk: number; unchanged: number };
  growth: number;
  fall: number;
  found: number;
  offset: number;
  rows: CompareRow[];
}
export interface CompareSide { name: string; program: string; events: number | null; total: number }
export interface CompareRow {
  class: "new" | "gone" | "grown" | "shrunk";
  before: number; after: number; delta: number;
  rate_before: number | null; rate_after: number | null; rate_delta: number | null;
  /** Of all growth, or of all fall. */
  share: number;
  /** Function or library; of a stack the path, root first. */
  name: string | null;
  path: string[] | null;
}
