// Written by `make answers` from the types in crates/query: change those, not this file.
//
// Every question is `GET api/NAME?parameters`, every answer JSON of bounded size. A refused
// question is answered with status 400 and `{"error": "why"}`. Sizes are bytes, times
// nanoseconds, events are numbered from one. Parameters that many questions share:
// `side`: a `Side`; `events`: `51..100`, both included, or absent for the whole recording,
// set-up and exit too; `kind`: a `Kind`; `focus`: only stacks with a function that matches
// a regular expression; `ignore`: without those; case is ignored unless it has a capital letter.

/** Which profile: the first file, or the one it is compared with. */
export type Side = "a" | "b";

/** Which stacks are meant. */
export type Kind = "heap" | "mapping" | "reported" | "cpu" | "all";

/** One number of every stack. */
export type CounterName = "calls" | "total" | "live" | "live-blocks" | "peak" | "at-peak" |
  "at-peak-blocks" | "frees" | "temporaries" | "reallocs" | "cpu" | "largest";

/** All of them, in the order of `FilePart.counters`. */
export const COUNTERS: CounterName[] = ["calls", "total", "live", "live-blocks", "peak", "at-peak",
  "at-peak-blocks", "frees", "temporaries", "reallocs", "cpu", "largest"];

/** Those that are known of every range of events: what the range left. */
export const RANGE_COUNTERS: CounterName[] = ["live", "live-blocks", "cpu"];

/** Those that are known of ranges whose ends have totals: what was allocated in them. */
export const TOTALS_COUNTERS: CounterName[] = ["total", "calls", "frees", "temporaries"];

/** What one turn of the program is called. */
export type EventUnit = "event" | "tick";

/** What rows of `api/stacks` can be sorted by. */
export type StackSort = "growth" | "growth-blocks" | "live" | "live-blocks" | "total" | "calls" |
  "churn" | "peak" | "at-peak" | "temporaries" | "largest";

/** Which stacks `api/holders` has rows of: all, those that lost anything, those of which
    anything is held. */
export type HoldersWhich = "all" | "lost" | "held";

/** What boxes of `api/flame` can stand for. */
export type FlameBy = "function" | "module" | "scope" | "thread" | "line";

/** What rows of `api/compare` can be. */
export type CompareBy = "stack" | "function" | "library";

/** What became of a row. */
export type CompareClass = "new" | "grown" | "shrunk" | "gone";

/** Every question with its answer. */
export type Answers = {
  about: About;
  status: Status;
  verdict: VerdictAnswer;
  suspects: SuspectsAnswer;
  time: TimeAnswer;
  churn: ChurnAnswer;
  holders: HoldersAnswer;
  holder: HolderAnswer;
  pins: PinsAnswer;
  timeline: Timeline;
  growers: Growers;
  stacks: Stacks;
  stack: StackDetail;
  flame: Flame;
  functions: Functions;
  callers: Callers;
  source: SourceLines;
  stages: StagesAnswer;
  sizes: Sizes;
  compare: Compare;
};

/** Answers `api/about`. */
export type About = {
  format: string;
  version: number;
  /** Counts up each time the data change, as those of a running program do. */
  generation: number;
  /** A program is being watched; `ended` once it is gone. */
  live: boolean;
  ended: boolean;
  /** One, or two to compare. */
  files: Array<FileAbout>;
  /** Of a self-contained file: what it holds and what was left out, in sentences. */
  left_out: Array<string>;
};

export type FileAbout = {
  side: Side;
  /** File name without folders. */
  name: string;
  program: string;
  command: Array<string>;
  pid: number;
  host: string;
  residue_version: string;
  started_unix_ns: number;
  duration_ns: number;
  end: End;
  allocator: string;
  max_rss_bytes: number | null;
  /** What one turn is called. */
  unit: EventUnit;
  /** First and last event at which stacks are known; null without events. */
  first_event: number | null;
  last_event: number | null;
  last_measured_event: number | null;
  events: number;
  /** One event in so many has its own moments. */
  stride: number;
  stacks: number;
  heap: Totals;
  mappings: Totals;
  recorder: RecorderStats;
  /** What makes the numbers less than exact, then what else the reader should know. */
  warnings: Array<string>;
  /** Names of what the program counted. */
  counters: Array<string>;
  threads: Array<Thread>;
  scopes: Array<string>;
  has: Has;
};

export type End = { "kind": "running" } | { "kind": "exited", code: number } |
  { "kind": "killed", signal: number } | { "kind": "exec" } | { "kind": "unknown" };

/** Sums over all stacks of one kind. */
export type Totals = {
  calls: number;
  frees: number;
  total_bytes: number;
  live_bytes: number;
  live_blocks: number;
  /** Highest live bytes of this stack alone, or of all stacks together. */
  peak_bytes: number;
  reallocs_in_place: number;
  reallocs_moved: number;
  /** Freed by the thread that made them before it allocated again. */
  temporaries: number;
};

/** What the recorder says about itself. */
export type RecorderStats = {
  /** Shared memory in use at the end. */
  arena_bytes: number;
  /** Private memory of the recorder inside the program. */
  private_bytes: number;
  /** Estimated from a sample of the hooks' own time. */
  time_ns: number;
  threads: number;
  /** Stacks taken; those that were not the thread's last one; frames unwound for them.
      Everything else was verified. */
  captures: number;
  stacks_unwound: number;
  frames_unwound: number;
  rule_misses: number;
  rules: number;
  trie_nodes: number;
  /** Stacks longer than the depth limit, kept with their root and leaf sides. */
  cut_stacks: number;
  /** Stacks, of those unwound, that did not reach the root: code without an unwind table whose
      frame pointer leads nowhere, or memory that is not there. */
  early_stacks: number;
  /** Stacks, of those unwound, in which frames above code without an unwind table were found by
      its frame pointer: these frames are less certain than the others. */
  guessed_stacks: number;
  /** Allocations that could not be recorded (no memory left for it). */
  dropped: number;
  dropped_bytes: number;
  /** Frees that could not be recorded: their blocks count as live. */
  dropped_frees: number;
  /** Frees of blocks the recorder never saw made. */
  unknown_frees: number;
  /** The same in a forked child: blocks that its parent made. */
  inherited_frees: number;
  /** Blocks handed out again at an address never seen freed. */
  missed_frees: number;
  /** Allocations made while recording was paused. */
  paused_calls: number;
  verified_stacks: number;
  verify_differences: number;
  frames_unresolved: number;
};

/** One thread of the program. */
export type Thread = {
  /** The kernel's number for it. */
  tid: number;
  /** As the program named it; empty where that is not known. */
  name: string;
  /** CPU time that it used, by the kernel's clock; with the threads that had its place before.
      Zero where it was not read. Of a program that was killed, up to the last sample. */
  cpu_ns: number;
};

/** Which views have something to show. */
export type Has = {
  changes: boolean;
  stages: boolean;
  sizes: boolean;
  births: boolean;
  threads: boolean;
  peak: boolean;
  cpu: boolean;
  /** A picture of the program's memory. */
  picture: boolean;
  /** What ranges of events allocated. Not in a page as one file. */
  totals: boolean;
};

/** Answers `api/status`, which is asked each second of a running program. */
export type Status = {
  generation: number;
  live: boolean;
  ended: boolean;
  /** Why the last reading failed, if it did. */
  trouble: string | null;
};

/** Answers `api/verdict`. Parameters: side, events. */
export type VerdictAnswer = {
  /** What `residue leaks --json` writes; null where there are too few events. */
  verdict: Verdict | null;
  /** The headline in words, or why there is no verdict. */
  words: Array<string>;
  /** Where there is none. */
  missing: NoVerdict | null;
};

/** The document of `residue leaks --json`. */
export type Verdict = {
  format: string;
  version: number;
  /** Name of the program; empty where another tool measured it. */
  program: string;
  /** What rates are per: `event` or `tick`. */
  unit: EventUnit;
  /** Events of the whole run. */
  events: number;
  /** Where events come from. */
  about: EventsAbout;
  verdict: Headline;
  /** The first line of `residue leaks`. */
  headline: HeadlineText;
  /** What the rate was measured on. */
  basis: Basis;
  /** Growth, in bytes per event or tick. */
  rate_bytes_per_event: number;
  /** The 95 % interval of the rate; null where it has no bound. */
  low: number | null;
  high: number | null;
  /** Events that were used, both included. */
  first_event: number;
  last_event: number;
  /** Events excluded as warm-up, before the first. */
  warm_up_events: number;
  /** Null where no growth would have been seen. */
  smallest_visible_bytes_per_event: number | null;
  /** About how many events would decide, if undetermined. */
  needs_events: number | null;
  /** In sentences, and the same as codes with their numbers. */
  reasons: Array<string>;
  reason_codes: Array<VerdictOrGrowthReason>;
  /** The counter of the program that the growth depends on. */
  counter: Followed | null;
  /** Sizes of the whole process, each judged alone. */
  series: VerdictSeries;
  /** The parts of the growth of the resident size. */
  account: Account | null;
  /** Who keeps pages of the heap resident, where that explains growth and a picture was taken:
      in sentences. */
  pinned: Array<string>;
  /** Those that leak, by their rates; then others worth a word. */
  stacks: Array<StackVerdict>;
  /** What stacks need not have allocated, the most first. */
  churn: Array<Churn>;
};

/** How events were found and how many there were. */
export type EventsAbout = {
  source: EventSource;
  /** Events that began. More than the moments show where they were thinned. */
  events: number;
  /** Most streams that were open at once. */
  streams: number;
  /** One event in so many has its begin and end among the moments, at the end. */
  stride: number;
  /** Of a very long run, births between the first and the last thousands of events are put
      together by so many events, under the first of them; else 1 or 0. */
  birth_bin_events: number;
  tick_ns: number;
  /** Events whose line was read only when the next one's had come. */
  late_lines: number;
  misuse: Misuse;
  search: EventSearch;
};

export type EventSource = "marks" | "function" | "lines" | "ticks" | "imported" | "none";

/** Calls that made no sense; each was ignored. */
export type Misuse = {
  end_without_begin: number;
  /** An event began while its stream had one open, which was ended there. */
  begin_inside_event: number;
  /** An event was ended under another id than the one it began with. */
  end_of_another: number;
  scope_end_without_begin: number;
  /** Streams, names or scopes beyond what the recorder has room for. */
  no_room: number;
};

/** What was asked to begin events, and what was found. Where there are no events, this says
    why. */
export type EventSearch = {
  /** Patterns of `--event-function`. */
  functions: Array<string>;
  /** The pattern of `--event-line`. */
  line: string | null;
  /** Functions that match in the files of the program; not known of a forked child, which has
      the hooks of its parent. */
  functions_matched: number | null;
  /** Those of them whose entries are noticed. */
  functions_hooked: number;
  /** Functions of JIT-compiled code that match: those cannot be hooked. */
  jit_functions_matched: number;
};

export type Headline = "leak" | "freed-at-exit" | "fragmentation" | "growth" | "filling" | "slowing" |
  "no-growth" | "undetermined";

/** Words around one number of bytes per event, which a surface may show with all its digits. */
export type HeadlineText = {
  /** `LEAK`, `NO GROWTH`. */
  name: string;
  before: string;
  /** The rate, or the detection limit where nothing grows; null where there is none. */
  bytes_per_event: number | null;
  unit: EventUnit;
  /** With the space that separates it. */
  after: string;
};

/** What the headline's rate was measured on. */
export type Basis = "stacks" | "live" | "rss" | "vm";

/** Of the headline, or of the series that it was measured on. */
export type VerdictOrGrowthReason = VerdictReason | GrowthReason;

export type VerdictReason = { "code": "late-lines", late_events: number, events: number } |
  { "code": "sum-may-be-at-rest" } | { "code": "many-paths" } |
  { "code": "size-may-grow", basis: Basis, live_is_flat: boolean } |
  { "code": "all-stacks-come-to-rest" } |
  { "code": "fills", live_bytes: number, /** * What is held in the end, and the 95 % interval of that. */ end_bytes: number, end_low: number, end_high: number, first_bytes_per_event: number }
  | { "code": "slows-down", first_bytes_per_event: number } |
  { "code": "steady-or-filling", needs_events: number } |
  { "code": "exchange", stacks: number, bytes_per_event: number } |
  { "code": "partly-recorded", from: number, to: number, events: number } |
  { "code": "only-in-this-range", run: Headline };

export type GrowthReason = { "code": "too-few-readings", readings: number } |
  { "code": "too-few-for-noise", readings: number } |
  { "code": "spikes-set-aside", readings: number } |
  { "code": "warm-up-excluded", first_event: number, events: number } |
  { "code": "all-readings-equal" } | { "code": "unchanged-at-the-end", readings: number } |
  { "code": "increments-equal", increments: number, after_warm_up: boolean } |
  { "code": "increments-repeat", period_events: number, adds_up_to_nothing: boolean, after_warm_up: boolean }
  | { "code": "below-negligible", negligible_bytes_per_event: number } |
  { "code": "ends-and-fit-differ", end_to_end_bytes_per_event: number, line_fit_bytes_per_event: number, first_above_fit_bytes: number, last_above_fit_bytes: number }
  | { "code": "rises-in-steps", steps: number, mean_step_bytes: number } |
  { "code": "random-walk-noise" } | { "code": "correlated-noise" } |
  { "code": "grew-then-stopped", stopped_at_event: number } |
  { "code": "shrank-then-stopped", stopped_at_event: number } | { "code": "filled-up" } |
  { "code": "may-be-filling-up" } | { "code": "not-in-last-third" } |
  { "code": "few-jumps-explain" } | { "code": "still-lately" } | { "code": "fell-back-before" }
  | { "code": "few-readings-after-warm-up", readings: number } | { "code": "few-steps" } |
  { "code": "not-certain-enough" };

/** The counter that growth follows. */
export type Followed = {
  name: string;
  bytes_per_unit: number;
  /** Bounds are infinite where nothing can be told, never for a counter that is followed. */
  bytes_per_unit_low: number;
  bytes_per_unit_high: number;
  /** Bytes per event that do not depend on the counter. */
  constant_bytes: number;
  constant_bytes_low: number;
  constant_bytes_high: number;
  /** Correlation of increments and counts. */
  correlation: number;
  /** Its square: the share of the variance of increments that the counter accounts for. */
  r_squared: number;
  /** Share of the whole growth that the proportional part makes. */
  explained_share: number;
  dependence: Dependence;
  events: number;
  /** Probability of so steep a dependence by chance. */
  chance: number;
};

/** What the growth depends on. */
export type Dependence = "proportional" | "per-event" | "both" | "unclear";

export type VerdictSeries = {
  live: Growth | null;
  rss: Growth | null;
  vm: Growth | null;
};

/** A series with the sentences for its codes. */
export type Growth = {
  reasons: Array<string>;
  outcome: Outcome;
  rate: number;
  /** The 95 % interval of the rate; infinite, and null in JSON, where it has no bound. */
  low: number | null;
  high: number | null;
  /** Leading events that were left out. */
  warm_up_events: number;
  /** First and last event that were used. */
  first_event: number;
  last_event: number;
  /** Last reading minus first, over all events. */
  end_to_end_rate: number;
  /** The same over the events that were used. */
  end_to_end_after_warm_up: number;
  /** Least-squares line over all events; the intercept is at event number 0. */
  line_fit_rate: number;
  line_fit_intercept: number;
  /** The smallest growth that this run would have been called growing for, nine times in ten;
      infinite, and null in JSON, where no growth would have been. */
  smallest_visible: number | null;
  /** If undetermined: about how many events would decide. */
  needs_events: number | null;
  method: Method;
  /** What was found, and why numbers differ. */
  reason_codes: Array<GrowthReason>;
};

export type Outcome = "growing" | "shrinking" | "no-growth" | "undetermined";

/** How rate and interval were found. */
export type Method = "too-short" | "exact" | "periodic" | "low-frequency" | "slowing";

/** An account with the sentences for its codes. */
export type Account = {
  reasons: Array<string>;
  /** Events of the first and of the last account that was used. */
  from_event: number;
  to_event: number;
  /** How many accounts were used. */
  accounts: number;
  bytes_per_event: AccountParts;
  /** One minus the unexplained share of the growth of the program's own resident size, at least
      zero; none where that did not change. */
  explained_share: number | null;
  /** The program holds no more than before, and the heap grows by memory that the allocator
      cannot give back. */
  fragmentation: boolean;
  /** Most of what stays live was never written to, so the resident size does not grow by it. */
  untouched: boolean;
  /** What was concluded from what, and what could not be known. */
  reason_codes: Array<AccountReason>;
};

/** Growth in bytes per event. */
export type AccountParts = {
  /** As the kernel reports it for the process. */
  rss: number;
  /** Without the recorder. */
  program_rss: number;
  /** Bytes the program asked for and did not free, resident or not. */
  live_heap: number;
  /** The part of the live heap without memory behind it. A lower bound; negative where memory
      that was made before is written to for the first time. */
  untouched: number;
  /** Zero where the allocator does not say what it has in use; then it is slack. */
  heap_metadata: number;
  allocator_slack: number;
  mapped: number;
  thread_stacks: number;
  files: number;
  recorder: number;
  unexplained: number;
};

export type AccountReason =
  { "code": "last-minus-first", accounts: number, from_event: number, to_event: number } |
  { "code": "line-fit", accounts: number, from_event: number, to_event: number } |
  { "code": "rss-is-sum-of-kinds" } |
  { "code": "allocator-keeps-more", slack_bytes_per_event: number, live_bytes_per_event: number }
  | { "code": "never-written", untouched_bytes_per_event: number, live_bytes_per_event: number }
  | { "code": "live-outgrows-resident-heap" } | { "code": "no-allocator-statistics" } |
  { "code": "allocator-statistics-too-low" };

export type StackVerdict = {
  /** The largest of those through the same functions, and how many there are. */
  stack: number;
  lines: number;
  /** Kind of memory: `heap`, `mapping` or `reported`. */
  kind: string;
  /** What it is; the two below say what the readings and the survivors say alone. */
  shape: Shape;
  shape_by_series: Shape;
  shape_by_births: Shape | null;
  agreement: Agreement;
  /** How sure the shape is. */
  confidence: Confidence;
  /** The numbers that decided, as a sentence and as codes. */
  reason: string;
  reason_codes: Array<ShapeReason>;
  /** Growth of this stack. */
  rate_bytes_per_event: number;
  /** The 95 % interval of the rate; null where it has no bound. */
  low: number | null;
  high: number | null;
  /** Part of the verdict's rate, 0 to 1; null for stacks that it is not about. */
  share: number | null;
  /** Blocks that each event leaves behind. */
  blocks_per_event: number;
  /** The counter of the program that the growth depends on. */
  counter: Followed | null;
  /** Who holds what it left, or that it is lost, in a sentence; null where no picture was
      taken. */
  held: string | null;
  /** Path that frees the blocks in a later event, root first. */
  freed_at: Array<string> | null;
  /** Live bytes at the begins of events, at most 60 of them. */
  live: Array<number>;
  /** Every function that is shown of it, inlined ones too, root first. */
  path: Array<string>;
  /** The part of it that is worth a line: `main > … > fill > grow`. */
  shown: string;
  /** Its innermost line that is the program's own: `sframe.h:214`. */
  place: string | null;
};

export type Shape = "leak" | "warm-up" | "cache" | "plateau" | "sawtooth" | "step" | "filling" |
  "slowing" | "deferred" | "freed-at-exit" | "stopped" | "flat" | "undetermined";

/** Whether the births of the survivors fit the readings, or the sentence that says how not. */
export type Agreement = "agrees" | "births-unknown" | { "disagrees": string };

export type Confidence = "low" | "medium" | "high";

export type ShapeReason = { "code": "grows", bytes_per_event: number, low: number, high: number } |
  { "code": "freed-after-last-event", freed_bytes: number, left_bytes: number } |
  { "code": "few-readings", readings: number } | { "code": "fell-back-once" } |
  { "code": "falls-back-again-and-again", times: number } |
  { "code": "freed-in-later-events", blocks: number, mean_events: number, longest_events: number }
  | { "code": "stays-at", bytes: number } |
  { "code": "moves-without-direction", range_bytes: number } |
  { "code": "rises", bytes: number, rises: number, /** * The reading by which 95 % of it were reached. */ most_by_reading: number, readings: number }
  | { "code": "growth-undetermined", bytes_per_event: number, low: number, high: number } |
  { "code": "fills", live_bytes: number, /** * What it will hold, and the 95 % interval of that. */ end_bytes: number, end_low: number, end_high: number, /** * At the end of the run, and at its begin. */ bytes_per_event: number, first_bytes_per_event: number }
  |
  { "code": "slows-down", /** * At the end of the run, and at its begin. */ bytes_per_event: number, first_bytes_per_event: number }
  | { "code": "steady-or-filling", needs_events: number } |
  { "code": "lost", /** * Of the bytes that were left, without those of the last events. */ lost_bytes: number, left_bytes: number, from_events: number }
  | { "code": "no-survivors" } |
  { "code": "survivors-of-last-events", events: number, of_events: number } |
  { "code": "survivors-of-first-events", events: number, of_events: number } |
  { "code": "survivors", from_events: number, of_events: number, mean_bytes: number } |
  { "code": "exchange" } | { "code": "sum-may-be-at-rest" } | { "code": "late-lines" } |
  { "code": "not-in-verdict" } | { "code": "only-in-this-range", run: Shape };

/** Advice about a stack. */
export type Churn = {
  /** Every function that is shown of it, inlined ones too, root first. */
  path: Array<string>;
  /** The part of it that is worth a line: `main > … > fill > grow`. */
  shown: string;
  /** Its innermost line that is the program's own: `sframe.h:214`. */
  place: string | null;
  /** What was seen, and what doing otherwise would save. */
  words: string;
  /** Index among the stacks of `residue dump`. */
  stack: number;
  /** `reserve`: room for the elements of containers that reallocate as they grow. `reuse`: one
      block, instead of one after another of the same size. */
  action: string;
  /** What proves it: `doubling`, `hash-table`, `steps`, `reallocation` or `one-size`. */
  evidence: string;
  /** All of the stack's. */
  allocations: number;
  bytes_allocated: number;
  /** Mean over all events; null without events. */
  allocations_per_event: number | null;
  /** How many containers grew; null where they cannot be counted. */
  containers: number | null;
  /** Most elements of all containers together; null where it is not known how large one is. */
  elements_low: number | null;
  elements_high: number | null;
  /** Final capacities of all containers together. */
  final_bytes_low: number | null;
  final_bytes_high: number | null;
  /** Size of the block to reuse. */
  block_bytes: number | null;
  /** By reserving the number of elements, or by reusing the block. */
  saved_allocations: number;
  saved_bytes_low: number;
  saved_bytes_high: number;
};

/** Why nothing is judged, and what to try. */
export type NoVerdict = {
  reason: string;
  advice: string;
};

/** Answers `api/suspects`: the stacks to look at first. Parameters: side, events. */
export type SuspectsAnswer = {
  role: SuspectRole;
  /** What they have in common: `2 stacks leak`. Empty where there are none. */
  title: string;
  /** The worst first, at most 20. */
  cards: Array<SuspectCard>;
  /** `and 3 more stacks, 1.20 KiB/event together`; null where all are told. */
  rest: string | null;
  /** The counter that the growth of the whole process follows, where no stack stands for it. */
  follows: string | null;
  /** Between which stamps of an event the live heap grows; null where that is not known. */
  stage: string | null;
  /** What to do, the most useful first. */
  advice: Array<SuspectAdvice>;
};

/** Why stacks are shown. */
export type SuspectRole = "guilty" | "pins" | "notable" | "largest";

/** One of them. */
export type SuspectCard = {
  /** Names its file in `api/source`; null where it is not known. */
  file_id: number | null;
  /** Of all stacks of the row; growth is of the events that are judged. */
  numbers: StackNumbers;
  /** The line that is meant and those around it; empty where they are not to be had. */
  source: Array<SuspectLine>;
  /** The largest of those through the same functions, and how many there are. */
  stack: number;
  lines: number;
  /** Kind of memory: `heap`, `mapping` or `reported`. */
  kind: string;
  /** The innermost function of the program's own, where it is, as short as it is told, and in
      full. */
  function: string;
  at: string | null;
  file: string | null;
  line: number | null;
  /** Growth; null of a stack that is not shown for its growth. */
  rate_bytes_per_event: number | null;
  /** What it is shown for instead, and what these bytes are: `free on its pages`. */
  bytes: number | null;
  bytes_are: string;
  /** Part of all that it is a part of, from 0 to 1, and what that is: `of the growth`. */
  share: number | null;
  share_of: string;
  /** Null where there are no events. */
  shape: Shape | null;
  /** The numbers that decided, in a sentence. */
  why: string;
  /** Where its survivors disagree with its readings. */
  doubt: string | null;
  /** The counter of the program that its growth follows. */
  follows: string | null;
  /** Who holds what it left, or that it is lost; null where no picture was taken. */
  held: string | null;
  /** The path that frees its blocks in a later event. */
  freed_by: string | null;
  /** Live bytes at the begins of events, at most 60 of them. */
  live: Array<number>;
  /** Every function that is shown of it, inlined ones too, root first. */
  path: Array<string>;
  /** The part of it that is worth a line: `main > … > fill > grow`. */
  shown: string;
  /** Its innermost line that is the program's own: `sframe.h:214`. */
  place: string | null;
};

/** What is known of one stack, or of several together. */
export type StackNumbers = {
  /** Change of live memory in the range; of the whole recording: what is live. */
  growth_bytes: number;
  growth_blocks: number;
  /** Of the whole recording, always, as all that follows. */
  live_bytes: number;
  live_blocks: number;
  total_bytes: number;
  calls: number;
  frees: number;
  /** Bytes allocated and freed again: total − live. */
  churn_bytes: number;
  temporaries: number;
  reallocs: number;
  /** Zero in sums: peaks fall on different moments. */
  peak_bytes: number;
  at_peak_bytes: number;
  /** The largest single block; of several stacks the largest of theirs. Null where it was not
      recorded. */
  largest_bytes: number | null;
};

export type SuspectLine = {
  /** From one. */
  line: number;
  text: string;
};

export type SuspectAdvice = {
  /** `reserve`, `reuse`, `pool`, `trim`, or `record` what is not known yet. */
  action: string;
  words: string;
  /** The stack that is meant, and where it is; null and empty where none is. */
  stack: number | null;
  /** Every function that is shown of it, inlined ones too, root first. */
  path: Array<string>;
  /** The part of it that is worth a line: `main > … > fill > grow`. */
  shown: string;
  /** Its innermost line that is the program's own: `sframe.h:214`. */
  place: string | null;
};

/** Answers `api/time`, of the whole recording. Parameters: side. */
export type TimeAnswer = {
  /** What `residue slow --json` writes; null where times of events are not known. */
  verdict: TimeVerdict | null;
  /** Why they are not known, in the words of the command. */
  missing: string | null;
};

/** The document of `residue slow --json`. Times are in nanoseconds; numbers that are not known
    or have no bound are null. */
export type TimeVerdict = {
  format: string;
  version: number;
  /** Name of the program; empty where another tool measured it. */
  program: string;
  /** Events with a begin and an end, the first and the last of them. */
  events: number;
  first_event: number;
  last_event: number;
  verdict: TimeHeadline;
  /** The first line of `residue slow`. */
  headline: string;
  /** What the verdict is about. */
  basis: TimeMeasure;
  /** By how much each event takes longer than the one before, with the 95 % interval. */
  rate_ns_per_event: number;
  low: number | null;
  high: number | null;
  /** Whether the rate is the sum of the functions that grow, where the whole cannot tell. */
  rate_is_of_functions: boolean;
  /** The same from the first event that was used to the last, as a part of the first: 0.05. */
  change_over_run: number | null;
  /** The smallest slowdown that this run could have detected. */
  smallest_visible_ns_per_event: number | null;
  /** About how many events would decide, if undetermined. */
  needs_events: number | null;
  reasons: Array<string>;
  measures: Array<MeasureTimes>;
  /** The counter that times follow; trends and slow events are judged without what it explains. */
  counter: TimeCounter | null;
  /** Functions that take ever longer, by samples. */
  growing: Array<GrowingFunction>;
  /** Slow events, by measure, and what they do that others do not. */
  slow: Array<SlowEvents>;
  /** What is said where no event is slow. */
  no_slow_events: string | null;
  /** What cannot be known of these times, in sentences, and the same as codes with their
      numbers. */
  limits: Array<string>;
  limit_codes: Array<TimeLimit>;
};

export type TimeHeadline = "slows-down" | "speeds-up" | "steady" | "undetermined";

/** What is measured of an event. */
export type TimeMeasure = "cpu" | "wall" | "waited";

export type MeasureTimes = {
  measure: TimeMeasure;
  /** As a row of the table of `residue slow` is named. */
  name: string;
  mean_ns: number;
  median_ns: number;
  /** One event in twenty takes longer. */
  quantile_95_ns: number;
  longest_ns: number;
  outcome: Outcome;
  rate_ns_per_event: number;
  low: number | null;
  high: number | null;
  change_over_run: number | null;
  smallest_visible_ns_per_event: number | null;
  /** Events that were used, both included, and those excluded as warm-up before them. */
  first_event: number;
  last_event: number;
  warm_up_events: number;
  reasons: Array<string>;
  /** How it goes from event to event, in words. */
  course: string;
};

export type TimeCounter = {
  name: string;
  ns_per_unit: number;
  ns_per_unit_low: number;
  ns_per_unit_high: number;
  /** Per event, whatever was counted. */
  constant_ns: number;
  constant_ns_low: number;
  constant_ns_high: number;
  r_squared: number;
  words: string;
};

export type GrowingFunction = {
  rate_ns_per_event: number;
  low: number;
  high: number;
  /** In the first and in the last half of the events. */
  early_samples: number;
  late_samples: number;
  /** Probability of it by chance, with all functions that were asked. */
  chance: number;
  words: string;
  /** Every function that is shown of it, inlined ones too, root first. */
  path: Array<string>;
  /** The part of it that is worth a line: `main > … > fill > grow`. */
  shown: string;
  /** Its innermost line that is the program's own: `sframe.h:214`. */
  place: string | null;
};

export type SlowEvents = {
  measure: TimeMeasure;
  /** How many events are slow, and of how many. */
  found: number;
  of_events: number;
  /** Mean time beyond what was expected. */
  excess_ns: number;
  /** The slowest first. */
  events: Array<SlowEvent>;
  functions: Array<SlowFunction>;
  stages: Array<SlowStage>;
  allocations: Array<MoreAllocated>;
  words: string;
  /** What is said where nothing is named that they do and others do not. */
  no_cause: string | null;
};

export type SlowEvent = {
  event: number;
  /** What the program calls it. */
  id: number;
  value_ns: number;
  expected_ns: number;
};

export type SlowFunction = {
  /** CPU time by which a slow event has more of it than another. */
  excess_ns: number;
  slow_samples: number;
  slow_all_samples: number;
  other_samples: number;
  other_all_samples: number;
  chance: number;
  words: string;
  /** Every function that is shown of it, inlined ones too, root first. */
  path: Array<string>;
  /** The part of it that is worth a line: `main > … > fill > grow`. */
  shown: string;
  /** Its innermost line that is the program's own: `sframe.h:214`. */
  place: string | null;
};

/** From one stamp to the next, `begin` and `end` of the event included. */
export type SlowStage = {
  from: string;
  to: string;
  excess_ns: number;
  slow_mean_ns: number;
  other_mean_ns: number;
  chance: number;
  words: string;
};

export type MoreAllocated = {
  what: Allocations;
  slow_mean: number;
  other_mean: number;
  chance: number;
  words: string;
};

export type Allocations = "calls" | "bytes";

/** What cannot be known of these times. */
export type TimeLimit = { "code": "no-cpu-times" } |
  { "code": "handed-over", events: number, of_events: number } |
  { "code": "other-threads", others_ns: number, process_ns: number, share: number } |
  { "code": "overlap", streams: number } | { "code": "no-samples" } | { "code": "in-step" } |
  { "code": "changes-hands" };

/** Answers `api/churn`. Parameters: side, events, kind, focus, ignore, limit (most 200, default
    50). */
export type ChurnAnswer = {
  /** What `residue report --view churn` puts above its rows, or says where it has none. */
  title: string;
  /** What it writes as JSON; null where it is not known what was allocated. */
  churn: EventChurn | null;
  heads: ChurnHeads | null;
  /** Of a range: the events that it really is of, both included. Null of a range of all events,
      which is the whole recording. */
  first_event: number | null;
  last_event: number | null;
  /** What `residue report --view advice` puts above its advice, or says where it has none. */
  advice_title: string;
  /** What it writes as JSON, of the whole recording beside a range too. */
  advice: Array<StackAdvice>;
};

export type EventChurn = {
  /** What the rows are: `8 stacks by bytes allocated per event, 20 events`. */
  words: string;
  /** What rates are per: `event` or `tick`. */
  unit: EventUnit;
  /** How many the numbers are of, from the begin of the first on. Null without events, and
      where it is not known what was allocated in them: then numbers are of the whole recording. */
  events: number | null;
  /** Stacks that allocated anything and pass the filters. */
  found: number;
  /** What all of them allocated. */
  calls: number;
  bytes: number;
  /** Those that allocated most bytes, first. */
  rows: Array<ChurnRow>;
};

export type ChurnRow = {
  /** Index among the stacks of `residue dump`. */
  stack: number;
  calls: number;
  bytes: number;
  /** Null without events. */
  calls_per_event: number | null;
  bytes_per_event: number | null;
  /** Blocks freed by the thread that allocated them before it allocated again; null where that
      was not recorded. */
  temporaries: number | null;
  /** Blocks freed before the next event began; null where that is not known, as in parts of a
      recording. */
  freed_in_event: number | null;
  /** Root first. */
  path: Array<string>;
};

/** What columns of numbers are called, the same on every surface. */
export type ChurnHeads = {
  bytes: string;
  calls: string;
  freed: string;
  /** Whether the last column is of `freed_in_event`, and not of `temporaries`. */
  is_freed_in_event: boolean;
};

export type StackAdvice = {
  /** Root first. */
  path: Array<string>;
  /** What was seen, and what doing otherwise would save. */
  words: string;
  /** Index among the stacks of `residue dump`. */
  stack: number;
  /** `reserve`: room for the elements of containers that reallocate as they grow. `reuse`: one
      block, instead of one after another of the same size. */
  action: string;
  /** What proves it: `doubling`, `hash-table`, `steps`, `reallocation` or `one-size`. */
  evidence: string;
  /** All of the stack's. */
  allocations: number;
  bytes_allocated: number;
  /** Mean over all events; null without events. */
  allocations_per_event: number | null;
  /** How many containers grew; null where they cannot be counted. */
  containers: number | null;
  /** Most elements of all containers together; null where it is not known how large one is. */
  elements_low: number | null;
  elements_high: number | null;
  /** Final capacities of all containers together. */
  final_bytes_low: number | null;
  final_bytes_high: number | null;
  /** Size of the block to reuse. */
  block_bytes: number | null;
  /** By reserving the number of elements, or by reusing the block. */
  saved_allocations: number;
  saved_bytes_low: number;
  saved_bytes_high: number;
};

/** Answers `api/holders`, of the picture that was taken last. Parameters: side, which (`all`,
    `lost` or `held`), focus, ignore, offset, limit (most 200, default 50). */
export type HoldersAnswer = {
  /** Null where there is no picture. */
  picture: HoldersDocument | null;
  /** Why there is none, in the words of the command. */
  missing: string | null;
  /** Of how many stacks those of the document are a part, and where that begins. */
  found: number;
  offset: number;
};

/** The document of `residue holders --json`. Sizes are in bytes. */
export type HoldersDocument = {
  format: string;
  version: number;
  /** Name of the program. */
  program: string;
  /** What births are counted in: `event` or `tick`. */
  unit: string;
  /** The event that had begun last when the picture was taken. */
  event: number;
  /** Whether the program had begun to end. */
  at_exit: boolean;
  /** Whether somebody asked for it while that event ran, or before the first. */
  is_asked: boolean;
  /** How long the program was held up, and how long reading took while it went on. */
  took_ns: number;
  read_ns: number;
  threads: number;
  /** Other threads could not be stopped and ran while the picture was taken. */
  other_threads_ran: boolean;
  /** Bytes that could not be read. */
  unread_bytes: number;
  /** Blocks are missing. */
  is_incomplete: boolean;
  /** All live blocks, by what holds them. */
  all: HeldAmounts;
  /** What stacks left, the largest loss first, then the largest amount. */
  stacks: Array<HeldStack>;
  /** Words outside the heap on which most hangs: without them it would be lost. */
  retained: Array<RetainedBy>;
  /** The picture in sentences: when, how long, what is missing. */
  about: Array<string>;
};

export type HeldAmounts = {
  /** A chain of pointers leads to them from a variable, a stack or a register. */
  held: HeldAmount;
  /** The same, by pointers into them alone and none to their starts. */
  held_inside: HeldAmount;
  /** Nothing points to them. */
  lost: HeldAmount;
  /** Only blocks that they hold themselves point to them. */
  lost_in_cycle: HeldAmount;
  /** Only lost blocks point to them. */
  held_by_lost: HeldAmount;
};

/** Blocks, and their bytes. */
export type HeldAmount = {
  blocks: number;
  bytes: number;
};

/** What one call path left. */
export type HeldStack = {
  stack: number;
  /** The first and the last event in which lost blocks were made; null where none is lost. */
  lost_births: [number, number] | null;
  /** The same of those that are held. */
  held_births: [number, number] | null;
  /** The line that `residue leaks` shows. */
  words: string | null;
  /** Shortest ways from a root, those through the same call paths together, most bytes first. */
  chains: Array<HolderChain>;
  /** Every function that is shown of it, inlined ones too, root first. */
  path: Array<string>;
  /** The part of it that is worth a line: `main > … > fill > grow`. */
  shown: string;
  /** Its innermost line that is the program's own: `sframe.h:214`. */
  place: string | null;
  /** A chain of pointers leads to them from a variable, a stack or a register. */
  held: HeldAmount;
  /** The same, by pointers into them alone and none to their starts. */
  held_inside: HeldAmount;
  /** Nothing points to them. */
  lost: HeldAmount;
  /** Only blocks that they hold themselves point to them. */
  lost_in_cycle: HeldAmount;
  /** Only lost blocks point to them. */
  held_by_lost: HeldAmount;
};

export type HolderChain = {
  holder: ShownHolder;
  /** From the holder on; the blocks themselves are not among them. */
  steps: Array<HolderStep>;
  words: string;
  blocks: number;
  bytes: number;
};

/** A word outside the heap that points into it. */
export type ShownHolder = {
  kind: HolderKind;
  /** Path of the module, or number of the thread. */
  place: string;
  address: number;
  /** Further words of the same variable or stack do the same. */
  is_one_of_many: boolean;
  /** Null where it has no name. */
  variable: string | null;
  /** Path to the member, in full: `.map[3].first`. */
  member: string;
  /** Where it is declared. */
  file: string | null;
  line: number;
  words: string;
};

export type HolderKind = "module" | "thread" | "registers" | "unknown";

/** A block on the way. */
export type HolderStep = {
  stack: number;
  /** Where in it the pointer is; null: at various places. */
  offset: number | null;
  /** Several such blocks, each held by the one before. */
  is_repeated: boolean;
  /** What container it looks like. */
  shape: ContainerShape | null;
  /** Pointers that are set in the largest. */
  elements: number;
  /** What it is: `an array of 602 pointers`. */
  words: string;
  /** Every function that is shown of it, inlined ones too, root first. */
  path: Array<string>;
  /** The part of it that is worth a line: `main > … > fill > grow`. */
  shown: string;
  /** Its innermost line that is the program's own: `sframe.h:214`. */
  place: string | null;
};

/** What a container is by its looks. */
export type ContainerShape = "list" | "doubly-linked-list" | "tree" | "hash-nodes" | "hash-buckets" |
  "deque-chunks" | "deque-map" | "pointers" | "structs";

export type RetainedBy = {
  holder: ShownHolder;
  /** All that would be lost without it. */
  bytes: number;
  /** Who allocated the block that it points to. */
  stack: number;
  /** Every function that is shown of it, inlined ones too, root first. */
  path: Array<string>;
  /** The part of it that is worth a line: `main > … > fill > grow`. */
  shown: string;
  /** Its innermost line that is the program's own: `sframe.h:214`. */
  place: string | null;
};

/** Answers `api/holder`. Parameters: side, stack. */
export type HolderAnswer = {
  /** With all chains that were kept; null where nothing of it was live in the picture. */
  stack: HeldStack | null;
  /** Blocks of other stacks that these chains and theirs reach through its own, most bytes
      first, at most 100; and of how many stacks there are such blocks. */
  holds: Array<Holds>;
  holds_found: number;
  /** Why there is no picture, in the words of the command. */
  missing: string | null;
};

/** Blocks that are reached through those of a stack. */
export type Holds = {
  stack: number;
  /** Stacks whose blocks lie between; zero of what is held directly. */
  between: number;
  /** What the blocks that hold it are. */
  by: HolderStep;
  /** Every function that is shown of it, inlined ones too, root first. */
  path: Array<string>;
  /** The part of it that is worth a line: `main > … > fill > grow`. */
  shown: string;
  /** Its innermost line that is the program's own: `sframe.h:214`. */
  place: string | null;
  blocks: number;
  bytes: number;
};

/** Answers `api/pins`, of the picture that was taken last. Parameters: side. */
export type PinsAnswer = {
  /** Null where it is not known which pages were resident. */
  pins: PinsDocument | null;
  /** Why it is not known, in the words of the command. */
  missing: string | null;
};

/** The document of `residue pins --json`. Sizes are in bytes. */
export type PinsDocument = {
  format: string;
  version: number;
  /** Name of the program. */
  program: string;
  /** What births are counted in: `event` or `tick`. */
  unit: string;
  /** The event that had begun last when the picture was taken. */
  event: number;
  /** Whether the program had begun to end. */
  at_exit: boolean;
  /** Whether somebody asked for it while that event ran, or before the first. */
  is_asked: boolean;
  /** Stacks by what is free on the pages that they keep. */
  stacks: Array<PinnedStack>;
  /** Stacks that are not among them, with what they keep. */
  other_stacks: number;
  other_used_bytes: number;
  other_free_bytes: number;
  /** By size of block, ascending. */
  sizes: Array<PinnedSize>;
  /** By age of block, the youngest first. */
  ages: Array<PinnedAge>;
  /** Stacks with blocks that were live at the heap's peak and are not any more: what lay
      between. */
  freed: Array<FreedSince>;
  /** The heap in the order of addresses; null in recordings of before there were maps. */
  map: HeapMap | null;
  /** The heap at earlier pictures, the first first. */
  earlier: Array<EarlierHeap>;
  /** What would give memory back, the most first. */
  advice: Array<PinsAdvice>;
  /** The picture in sentences: when, what is missing. */
  about: Array<string>;
  resident_bytes: number;
  /** In live blocks, with what the allocator adds to each. */
  used_bytes: number;
  /** Free on pages that live blocks are on. */
  free_bytes: number;
  /** On pages without a live block: the allocator has not given them back. */
  free_page_bytes: number;
};

export type PinnedStack = {
  /** Since an earlier picture; null where it is not known. */
  growth: PinnedGrowth | null;
  stack: number;
  /** Its live blocks in the resident heap. */
  blocks: number;
  /** Bytes of them that are resident, with what the allocator adds. */
  used_bytes: number;
  /** Its part of what is free on their pages: divided evenly among the stacks of a page. */
  free_bytes: number;
  /** Pages that its blocks are on. */
  pages: number;
  /** Of these, on which no other stack has a block; what is free on them. */
  alone_pages: number;
  alone_free_bytes: number;
  /** Sizes of its blocks, the smallest and the largest. */
  smallest: number;
  largest: number;
  /** Events that they were made in, the first and the last. */
  first_birth: number;
  last_birth: number;
  /** Every function that is shown of it, inlined ones too, root first. */
  path: Array<string>;
  /** The part of it that is worth a line: `main > … > fill > grow`. */
  shown: string;
  /** Its innermost line that is the program's own: `sframe.h:214`. */
  place: string | null;
};

/** What the free bytes of a stack's pages grew by. */
export type PinnedGrowth = {
  since_event: number;
  bytes_per_event: number;
};

export type PinnedSize = {
  /** Blocks of these sizes, both included. */
  from_bytes: number;
  to_bytes: number;
  used_bytes: number;
  free_bytes: number;
};

export type PinnedAge = {
  /** Blocks that were made in these events, both included. */
  first_birth: number;
  last_birth: number;
  used_bytes: number;
  free_bytes: number;
};

export type FreedSince = {
  stack: number;
  /** Live when the whole heap was highest, and at the end of the recording. */
  at_peak_bytes: number;
  live_bytes: number;
  /** Every function that is shown of it, inlined ones too, root first. */
  path: Array<string>;
  /** The part of it that is worth a line: `main > … > fill > grow`. */
  shown: string;
  /** Its innermost line that is the program's own: `sframe.h:214`. */
  place: string | null;
};

/** Cells are runs of pages; of each list the number at the same place is of the same cell. All
    cells add up to the resident heap. */
export type HeapMap = {
  /** Pages of a cell; the last of an area of addresses may have fewer. */
  cell_pages: number;
  /** Address of the first page. */
  start: Array<number>;
  pages: Array<number>;
  /** Those of them that are in RAM, and those of these that live blocks are on. */
  resident_pages: Array<number>;
  pinned_pages: Array<number>;
  /** In live blocks, with what the allocator adds to each. */
  used_bytes: Array<number>;
  /** Whose blocks have the most bytes in it; null where there are none. */
  stack: Array<number | null>;
  /** Half of the bytes in live blocks were made in this event or before. */
  birth: Array<number | null>;
  /** Stacks that have the most bytes in cells, those with most pages first; of all only a few. */
  stacks: Array<MapStack>;
};

export type MapStack = {
  stack: number;
  /** Cells in which it has the most bytes, and what of them is in RAM. */
  cells: number;
  resident_bytes: number;
  /** Every function that is shown of it, inlined ones too, root first. */
  path: Array<string>;
  /** The part of it that is worth a line: `main > … > fill > grow`. */
  shown: string;
  /** Its innermost line that is the program's own: `sframe.h:214`. */
  place: string | null;
};

export type EarlierHeap = {
  event: number;
  resident_bytes: number;
  /** In live blocks, with what the allocator adds to each. */
  used_bytes: number;
  /** Free on pages that live blocks are on. */
  free_bytes: number;
  /** On pages without a live block: the allocator has not given them back. */
  free_page_bytes: number;
};

export type PinsAdvice = {
  /** `pool`: blocks of their own pages; `trim`: free pages given back. */
  action: string;
  /** The stack whose blocks are meant; null where all are. */
  stack: number | null;
  saved_bytes: number;
  words: string;
};

/** Answers `api/timeline`. Parameters: side, events (what to show; absent: all), points (most,
    default 1500). */
export type Timeline = {
  unit: EventUnit;
  /** Moments are real readings; where there are more than `points`, the lowest and the highest
      of each group are kept, and this says so. */
  thinned: boolean;
  /** All lists have one entry per moment, in the order of time. */
  event: Array<number>;
  time_ns: Array<number>;
  kind: Array<MomentKind>;
  series: TimelineSeries;
  counters: Array<TimelineCounter>;
  /** What the events cost that begin there. */
  costs: Array<TimelineCost>;
  /** Over how many events each value of a counter is a sum. */
  counted_events: Array<number | null>;
  snapshots: Array<TimelineName>;
  /** Named times inside events, at most 2000, evenly left out. */
  stamps: Array<TimelineName>;
};

export type MomentKind = "begin" | "end" | "tick" | "snapshot" | "last";

/** Bytes by moment; null where they were not read. */
export type TimelineSeries = {
  rss: Array<number | null>;
  vm: Array<number | null>;
  live: Array<number | null>;
  mapped: Array<number | null>;
  recorder: Array<number | null>;
  /** Free memory that the allocator keeps, where it says so: at accounts. */
  retained: Array<number | null>;
};

export type TimelineCounter = {
  name: string;
  /** What it counted from one begin to the next, at begins; null elsewhere. */
  values: Array<number | null>;
};

export type TimelineCost = {
  name: string;
  unit: Unit;
  /** At begins, from there to the end of the event; null elsewhere, and where it is not known. */
  values: Array<number | null>;
};

/** What a number counts. */
export type Unit = "bytes" | "ns" | "count";

/** Something with a name at one time. */
export type TimelineName = {
  name: string;
  event: number;
  time_ns: number;
};

/** Answers `api/growers`, of all kinds of memory and the whole recording. Parameters: side. */
export type Growers = {
  /** Begins of events, evenly chosen, the highest of all among them, and the last moment. All
      lists have one value each. */
  event: Array<number>;
  time_ns: Array<number>;
  /** Those that the verdict accuses, then those that grew most, then those that held most; at
      most 7. */
  stacks: Array<Grower>;
  /** What all others held together, and how many they are. */
  rest: Array<number>;
  rest_stacks: number;
  /** Index of the moment at which most was live; null without moments. */
  highest: number | null;
};

export type Grower = {
  /** The largest of those through the same functions. */
  stack: number;
  kind: string;
  /** The innermost function of the program's own, and its line. */
  function: string;
  place: string | null;
  is_accused: boolean;
  /** From the first moment to the last. */
  growth_bytes: number;
  /** Live bytes. */
  bytes: Array<number>;
};

/** Answers `api/stacks`. Parameters: side, events, kind, focus, ignore, sort, ascending (1),
    shape, offset, limit (most 200, default 50). */
export type Stacks = {
  /** Groups of stacks through the same functions that pass the filters. */
  found: number;
  offset: number;
  /** Sums over all that were found. Growth is net: what fell is taken off. */
  sums: StackNumbers;
  /** Bytes by which stacks that shrank fell in the range. */
  fallen_bytes: number;
  /** Events in the range, or of the recording. */
  events: number;
  /** Of a range: the events that it really is of, both included. */
  first_event: number | null;
  last_event: number | null;
  rows: Array<StackRow>;
  /** Rows that were looked at for their shape, if one is asked for. */
  looked_at: number | null;
};

export type StackRow = {
  /** The largest of those through the same functions: names the row in `api/stack`. Below zero
      for a row of no stack. */
  stack: number;
  /** How many stacks, at different lines, make the row. */
  lines: number;
  kind: string;
  /** Root first, as names are shown; long ones are cut in the middle. */
  path: Array<string>;
  /** The innermost function's place. */
  file: string | null;
  line: number | null;
  library: string;
  /** Null where there are fewer than two events in the range. */
  shape: Shape | null;
  confidence: Confidence | null;
  /** Bytes per event, with its 95 % interval. */
  rate: number | null;
  low: number | null;
  high: number | null;
  counter: Followed | null;
  /** Live bytes over the range, at most 60 values at equal distances. */
  spark: Array<number>;
  /** Of the blocks live at the end, bytes by event of birth, in at most 30 equal parts of the
      whole recording; empty where births are not known. */
  births: Array<number>;
  /** Change of live memory in the range; of the whole recording: what is live. */
  growth_bytes: number;
  growth_blocks: number;
  /** Of the whole recording, always, as all that follows. */
  live_bytes: number;
  live_blocks: number;
  total_bytes: number;
  calls: number;
  frees: number;
  /** Bytes allocated and freed again: total − live. */
  churn_bytes: number;
  temporaries: number;
  reallocs: number;
  /** Zero in sums: peaks fall on different moments. */
  peak_bytes: number;
  at_peak_bytes: number;
  /** The largest single block; of several stacks the largest of theirs. Null where it was not
      recorded. */
  largest_bytes: number | null;
};

/** Answers `api/stack`. Parameters: side, events, stack. */
export type StackDetail = {
  row: StackRow;
  /** Leaf first. */
  frames: Array<FrameDetail>;
  /** Instead of frames, where there is no path. */
  no_path: string | null;
  /** The stacks of the row, the largest first, at most 50. */
  members: Array<Member>;
  /** Why it has its shape, and whether the witnesses agree. */
  reason: string | null;
  agreement: string | null;
  sizes_total: Array<SizeBin>;
  sizes_live: Array<SizeBin>;
  /** Survivors by the event they were made in, at most 400 parts of so many events. */
  births_width: number;
  births: Array<Births>;
  /** At begins of events in the range, at most 600, evenly chosen. */
  series: StackSeries;
  deferral: Deferral | null;
  /** Path of a late free, leaf first. */
  freed_at: Array<FrameDetail> | null;
  threads: Array<ThreadPart>;
};

export type FrameDetail = {
  function: string;
  symbol: string | null;
  library: string | null;
  address: string | null;
  framework: boolean;
  /** Innermost first; the last is the frame's own function, those before it were inlined. */
  places: Array<PlaceDetail>;
  /** Found by the frame pointer alone: the function that it called has no unwind table. */
  by_frame_pointer: boolean;
};

export type PlaceDetail = {
  function: string;
  file: string | null;
  /** Names the file in `api/source`. */
  file_id: number | null;
  line: number | null;
};

export type Member = {
  stack: number;
  /** Where it differs from the others, innermost first. */
  place: string;
  numbers: StackNumbers;
};

/** Blocks from one size to another, both included. */
export type SizeBin = {
  from_bytes: number;
  /** Highest where all larger blocks are counted here too. */
  to_bytes: number;
  blocks: number;
};

export type Births = {
  /** The first of them; zero for what was made before the first event. */
  event: number;
  bytes: number;
  blocks: number;
};

export type StackSeries = {
  event: Array<number>;
  bytes: Array<number>;
  blocks: Array<number>;
};

/** Frees in a later event than that of the allocation. */
export type Deferral = {
  frees: number;
  mean_events: number;
  longest_events: number;
};

export type ThreadPart = {
  name: string;
  tid: number;
  calls: number;
  total_bytes: number;
  frees: number;
  net_bytes: number;
  /** Its largest single block; null where that was not recorded. */
  largest_bytes: number | null;
};

/** Answers `api/flame`. Parameters: side, events, kind, focus, ignore, counter, by, inverted
    (1), root (a key), function (a key: it alone with all that it called, inverted with all that
    called it), span (`0..4096`: a part of the root's width, of which narrower boxes are sent),
    thread (a tid), against (`51..100` for another range of the same file; `a` or `b` for the
    other file), highlight (a regular expression), depth (most, default 256). */
export type Flame = {
  counter: CounterName;
  unit: Unit;
  /** What shares are of: everything, not only below the root that is shown. */
  whole: number;
  base_whole: number | null;
  /** Events on each side, to compare rates. */
  events: number;
  base_events: number | null;
  /** From the outermost to the box that is shown as the root; empty for everything. */
  breadcrumbs: Array<Crumb>;
  /** Texts that boxes refer to. */
  names: Array<string>;
  libraries: Array<string>;
  /** Boxes in columns, parents before children; the first is the root that is shown. */
  key: Array<string>;
  /** Keys of functions, for `api/callers`; empty where there is none. */
  function: Array<string>;
  /** Of the first, which has none, minus one. */
  parent: Array<number>;
  name: Array<number>;
  library: Array<number>;
  /** With all below it. */
  value: Array<number>;
  own: Array<number>;
  /** On the other side, where two are compared. */
  base: Array<number> | null;
  /** Width: the value, or where two are compared the larger side of each stack, so that what is
      gone has a width too. */
  weight: Array<number>;
  /** Where a box begins, in weight from the left edge of the root. */
  start: Array<number>;
  /** 1: part of a framework. */
  framework: Array<number>;
  /** 1: it matches `highlight`. */
  matched: Array<number>;
  /** Of all below the root that is shown: in or below a match. */
  matched_value: number | null;
  /** Too small to be drawn: how many boxes were not sent, at the edges of what was. */
  left_out: number;
  /** In a range: bytes by which other stacks fell; they have no box. */
  fallen: number;
  /** What the reader should know, such as that a range is not known by thread. */
  notes: Array<string>;
};

export type Crumb = {
  key: string;
  name: string;
  value: number;
};

/** Answers `api/functions`. Parameters: side, events, kind, focus (chooses functions by their
    names, and not stacks), ignore, counter, sort (cumulative, self), offset, limit (most 200). */
export type Functions = {
  counter: CounterName;
  unit: Unit;
  whole: number;
  found: number;
  offset: number;
  rows: Array<FunctionRow>;
};

export type FunctionRow = {
  key: Key;
  function: string;
  library: string;
  framework: boolean;
  self: number;
  cumulative: number;
};

/** 64 bits of what something is called; 16 hexadecimal digits in JSON. */
export type Key = string;

/** Answers `api/callers`. Parameters: side, events, kind, focus, ignore, counter, function (a
    key). */
export type Callers = {
  counter: CounterName;
  unit: Unit;
  whole: number;
  function: FunctionRow;
  /** What root: nothing called it. */
  begun: number;
  /** The highest, at most 200 each. */
  callers: Array<CallEnd>;
  callees: Array<CallEnd>;
  callers_found: number;
  callees_found: number;
  /** Where it is in the source, as far as is known: the file with most of it. */
  file_id: number | null;
  file: string | null;
};

export type CallEnd = {
  value: number;
  /** The part in which the called one of the two was at work already, further out. */
  recursive: number;
  key: Key;
  function: string;
  library: string;
  framework: boolean;
  self: number;
  cumulative: number;
};

/** Answers `api/source`. Parameters: side, events, kind, focus, ignore, counter, file (a
    `file_id` of this profile), line (where to look). */
export type SourceLines = {
  file: string;
  /** Why there is no text, where there is none. */
  missing: string | null;
  /** Lines with numbers and those around them, at most 2000. */
  lines: Array<SourceLine>;
  unit: Unit;
};

export type SourceLine = {
  /** From one. */
  line: number;
  text: string | null;
  self: number;
  cumulative: number;
};

/** Answers `api/stages`. Parameters: side, value (rss, vm, live, time). */
export type StagesAnswer = {
  /** Why there are no stages, where there are none. */
  missing: string | null;
  value: StagesValue;
  unit: StagesUnit;
  intervals: Array<StagesInterval>;
  /** At most 400 rows; where there are more events, each row stands for so many and holds sums. */
  events_per_row: number;
  rows: Array<StagesRow>;
  start_to_start: Array<number | null>;
  /** In words: which interval rises most, how sure that is. */
  words: Array<string>;
  jumps: Array<StagesJump>;
};

/** What of a stamp is looked at. */
export type StagesValue = "rss" | "vm" | "live" | "time";

export type StagesUnit = "bytes" | "nanoseconds";

export type StagesInterval = {
  name: string;
  mean: number | null;
  low: number | null;
  high: number | null;
  share: number | null;
  guilty: boolean;
};

/** One event, or several together. */
export type StagesRow = {
  event: number;
  values: Array<number | null>;
};

export type StagesJump = {
  event: number;
  interval: string;
  value: number;
};

/** Answers `api/sizes`. Parameters: side, kind, focus, ignore. */
export type Sizes = {
  /** Null where sizes are not known. */
  total: Array<SizeBin> | null;
  live: Array<SizeBin> | null;
};

/** Answers `api/compare`. Parameters: by, counter, kind, focus, ignore, class (all, new, gone,
    grown, shrunk), offset, limit (most 200). Side `a` is before, `b` is after. */
export type Compare = {
  counter: CounterName;
  unit: Unit;
  by: CompareBy;
  /** What numbers are divided by in `rate_*`: null where they are not. */
  per: EventUnit | null;
  before: CompareSide;
  after: CompareSide;
  counts: CompareCounts;
  growth: number;
  fall: number;
  found: number;
  offset: number;
  rows: Array<CompareRow>;
};

export type CompareSide = {
  name: string;
  program: string;
  events: number | null;
  total: number;
};

export type CompareCounts = {
  new: number;
  gone: number;
  grown: number;
  shrunk: number;
  unchanged: number;
};

export type CompareRow = {
  class: CompareClass;
  before: number;
  after: number;
  delta: number;
  rate_before: number | null;
  rate_after: number | null;
  rate_delta: number | null;
  /** Of all growth, or of all fall. */
  share: number;
  /** Function or library; of a stack the path, root first. */
  name: string | null;
  path: Array<string> | null;
};

/** What a self-contained file holds. */
export type FileData = {
  about: About;
  verdict: VerdictAnswer;
  suspects: SuspectsAnswer;
  time: TimeAnswer;
  churn: ChurnByKind;
  /** With the stacks that lost most and those of which most is held. */
  holders: HoldersAnswer;
  /** Of these stacks and of those that hold them, by stack, as long as they fit. */
  held: { [key in number]: HolderAnswer };
  pins: PinsAnswer;
  timeline: Timeline;
  growers: Growers;
  stages: StagesByValue;
  sizes: SizesByKind;
  /** Of the rows that matter most, by `row.stack`. */
  details: { [key in string]: StackDetail };
  /** Functions that paths refer to; two of them never have the same name and library unless
      their names were cut. */
  labels: Array<FileLabel>;
  /** What paths by library refer to. */
  libraries: Array<FileLabel>;
  /** Events at whose begins it is known what stacks hold, ascending; of very many, some. Place
      p stands for all that happened from the begin of `begins[p]` to that of `begins[p + 1]`;
      the last place ends with the last event. */
  begins: Array<number>;
  /** Places at whose begins it is known what had been allocated, ascending; `begins.length` is
      the end of the last event. Ranges that begin and end there have it. */
  allocated_at: Array<number>;
  /** The same of CPU time. */
  cpu_at: Array<number>;
  /** In the order of groups: among rows that are equal in what they are sorted by, the earlier
      comes first, as the server has it. */
  rows: Array<FileRow>;
};

/** Of the whole recording. */
export type ChurnByKind = {
  heap: ChurnAnswer;
  mapping: ChurnAnswer;
  reported: ChurnAnswer;
  cpu: ChurnAnswer;
  all: ChurnAnswer;
};

export type StagesByValue = {
  rss: StagesAnswer;
  vm: StagesAnswer;
  live: StagesAnswer;
  time: StagesAnswer;
};

export type SizesByKind = {
  heap: Sizes;
  mapping: Sizes;
  reported: Sizes;
  cpu: Sizes;
  all: Sizes;
};

export type FileLabel = {
  name: string;
  library: string;
  framework: boolean;
};

export type FileRow = {
  /** Of the whole recording, as in `api/stacks`; `path` is empty, `parts` have it. */
  row: StackRow;
  /** The stacks of the row by the path they end in; the row's own is that of the first. Stacks
      that fall at times have parts of their own, as long as they are few. */
  parts: Array<FilePart>;
  /** All of one kind that is not in this file, as one row of one part; its `stack` is -1 of the
      heap, -2 of mappings, -3 of reported blocks, -4 of CPU time. */
  is_rest: boolean;
};

export type FilePart = {
  /** Indices into `labels`, root first. */
  path: Array<number>;
  /** Indices into `libraries`, root first. */
  by_library: Array<number>;
  /** Of the whole recording, in the order of `COUNTERS`. */
  counters: Array<number>;
  /** Triples of place, bytes, blocks: by how much live memory changed, by place. Place -1 is
      before the first begin, place `begins.length` after the last event. */
  changes: Array<number>;
  /** Place, calls, bytes, temporaries, and so on: what was allocated from one of the places in
      `allocated_at` to the next. */
  allocated: Array<number>;
  /** Place, nanoseconds, and so on: the CPU time from one of the places in `cpu_at` to the
      next. */
  cpu: Array<number>;
};
