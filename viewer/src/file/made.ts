// A small file for tests: four events, in which one path leaves ten bytes each.
//
//   path                             kind      before  1    2    3    4   after
//   main → run → grow → new          heap      +100   +10  +10  +10  +10  -40
//   main → run → run → grow          heap              +30      -30
//   [load] → grow                    mapping                +4096
//   [pooled: small blocks]           pooled      +7
//   [3 call paths not in this file]  heap                            +5

import type {
  ChurnAnswer, FileAbout, FileData, FilePart, FileRow, HeldStack, HoldersAnswer, RecorderStats, StackDetail, StackNumbers, StackRow, StagesAnswer, Timeline,
  Totals,
} from "../answers";
import { Question } from "./question";
import { Recording } from "./recording";

export const MAIN = 0;
export const RUN = 1;
export const GROW = 2;
export const NEW = 3;
export const LOAD = 4;
export const POOLED = 5;
export const REST = 6;

const LABELS = [
  { name: "main", library: "app", framework: false },
  { name: "run", library: "app", framework: false },
  { name: "grow", library: "libgrow.so", framework: false },
  { name: "new", library: "libc.so", framework: true },
  { name: "[load]", library: "", framework: false },
  { name: "[pooled: small blocks]", library: "", framework: false },
  { name: "[3 call paths not in this file]", library: "", framework: true },
];

/** By label, and as they stand in the file. */
const LIBRARY_OF = [0, 0, 1, 2, 3, 4, 5];
const LIBRARIES = ["app", "libgrow.so", "libc.so", "[load]", "[pooled: small blocks]", LABELS[REST]!.name].map(
  (name) => ({ name, library: name.startsWith("[") ? "" : name, framework: false }),
);

const NO_TOTALS: Totals = {
  calls: 0, frees: 0, total_bytes: 0, live_bytes: 0, live_blocks: 0, peak_bytes: 0,
  reallocs_in_place: 0, reallocs_moved: 0, temporaries: 0,
};

export const NO_STATS: RecorderStats = {
  arena_bytes: 0, private_bytes: 0, time_ns: 0, threads: 0, captures: 0, stacks_unwound: 0,
  frames_unwound: 0, rule_misses: 0, rules: 0, trie_nodes: 0, cut_stacks: 0, early_stacks: 0, guessed_stacks: 0, dropped: 0,
  dropped_bytes: 0, dropped_frees: 0, unknown_frees: 0, inherited_frees: 0, missed_frees: 0,
  paused_calls: 0, verified_stacks: 0, verify_differences: 0, frames_unresolved: 0,
};

const ABOUT: FileAbout = {
  side: "a", name: "made.residue", program: "made", command: ["made"], pid: 1, host: "here",
  residue_version: "0", started_unix_ns: 0, duration_ns: 1000, end: { kind: "exited", code: 0 },
  allocator: "glibc", max_rss_bytes: null, unit: "event", first_event: 1, last_event: 4, last_measured_event: 4, events: 4,
  stride: 1, stacks: 7, heap: NO_TOTALS, mappings: NO_TOTALS, recorder: NO_STATS, warnings: [],
  counters: ["hits"], threads: [], scopes: ["load"],
  has: { changes: true, stages: true, sizes: true, births: true, threads: true, peak: true, cpu: true, picture: true, totals: true },
};

/** What was made and not kept was freed. */
interface Made {
  live: [bytes: number, blocks: number];
  made: [bytes: number, calls: number];
  changes: number[];
  allocated?: number[];
  cpu?: number[];
}

export function part(path: number[], { live, made, changes, allocated = [], cpu = [] }: Made): FilePart {
  const libraries = path.map((label) => LIBRARY_OF[label]!);
  const [bytes, blocks] = live;
  const cpuNs = cpu.reduce((sum, ns, at) => sum + (at % 2 ? ns : 0), 0);
  // As if all blocks had one size.
  const largest = Math.ceil(made[0] / Math.max(1, made[1]));
  return {
    path,
    by_library: libraries.filter((library, place) => library !== libraries[place - 1]),
    counters: [made[1], made[0], bytes, blocks, made[0], bytes, blocks, made[1] - blocks, 0, 0, cpuNs, largest],
    changes,
    allocated,
    cpu,
  };
}

export function rowOfParts(stack: number, kind: string, parts: FilePart[]): FileRow {
  const sum = (counter: number) => parts.reduce((total, { counters }) => total + counters[counter]!, 0);
  const [calls, total, live, blocks] = [sum(0), sum(1), sum(2), sum(3)];
  const numbers: StackNumbers = {
    growth_bytes: live, growth_blocks: blocks, live_bytes: live, live_blocks: blocks, total_bytes: total, calls,
    frees: calls - blocks, churn_bytes: total - live, temporaries: 0, reallocs: 0, peak_bytes: total,
    at_peak_bytes: live, largest_bytes: Math.max(...parts.map(({ counters }) => counters.at(-1)!)),
  };
  const row: StackRow = {
    stack, lines: parts.length, kind, ...numbers, path: [], file: null, line: null,
    library: LABELS[parts[0]!.path.at(-1)!]!.library, shape: stack === 10 ? "leak" : "flat", confidence: "high",
    rate: 10, low: 9, high: 11, counter: null, spark: [1, 2], births: [],
  };
  return { row, parts, is_rest: stack < 0 };
}

/** A row of one part. */
function row(
  stack: number,
  kind: string,
  path: number[],
  live: Made["live"],
  made: Made["made"],
  changes: number[],
): FileRow {
  return rowOfParts(stack, kind, [part(path, { live, made, changes })]);
}

function rows(): FileRow[] {
  const leak = row(10, "heap", [MAIN, RUN, GROW, NEW], [100, 4], [140, 5], [
    -1, 100, 1, 0, 10, 1, 1, 10, 1, 2, 10, 1, 3, 10, 1, 4, -40, -1,
  ]);
  const recursive = row(20, "heap", [MAIN, RUN, RUN, GROW], [0, 0], [30, 1], [0, 30, 1, 2, -30, -1]);
  const mapping = row(30, "mapping", [LOAD, GROW], [4096, 1], [4096, 1], [1, 4096, 1]);
  const pooled = row(40, "pooled", [POOLED], [7, 7], [7, 7], [-1, 7, 7]);
  const rest = row(-1, "heap", [REST], [5, 1], [50, 9], [3, 5, 1]);
  leak.row.births = [0, 20, 80];
  return [leak, recursive, mapping, pooled, rest];
}

const TIMELINE: Timeline = {
  unit: "event", thinned: false,
  event: [1, 1, 2, 2, 3, 3, 4, 4, 4],
  time_ns: [100, 150, 200, 250, 300, 350, 400, 450, 500],
  kind: ["begin", "end", "begin", "end", "begin", "end", "begin", "end", "last"],
  series: {
    rss: [10, 11, 20, 21, 30, 31, 40, 41, 50],
    vm: Array(9).fill(null), live: Array(9).fill(null), mapped: Array(9).fill(null),
    recorder: Array(9).fill(null), retained: Array(9).fill(null),
  },
  counters: [{ name: "hits", values: [1, null, 2, null, 3, null, 4, null, null] }],
  costs: [{ name: "allocations", unit: "count", values: [7, null, 8, null, 9, null, 10, null, null] }],
  counted_events: [1, null, 1, null, 1, null, 1, null, null],
  snapshots: [{ name: "late", event: 3, time_ns: 320 }],
  stamps: [{ name: "mid", event: 2, time_ns: 220 }, { name: "mid", event: 3, time_ns: 320 }],
};

function stages(value: "rss" | "vm" | "live" | "time", missing: string | null): StagesAnswer {
  return {
    missing, value, unit: value === "time" ? "nanoseconds" : "bytes", intervals: [], events_per_row: 1,
    rows: [], start_to_start: [], words: [], jumps: [],
  };
}

function churn(title: string): ChurnAnswer {
  return { title, churn: null, heads: null, first_event: null, last_event: null, advice_title: "advice: none", advice: [] };
}

const heldRow = (stack: number, lost: number, held: number): HeldStack => ({
  stack, path: ["main"], shown: "main", place: null, words: null, lost_births: null, held_births: null, chains: [],
  lost: { blocks: lost / 10, bytes: lost }, lost_in_cycle: NOTHING, held_by_lost: NOTHING,
  held: { blocks: held / 10, bytes: held }, held_inside: NOTHING,
});
const NOTHING = { blocks: 0, bytes: 0 };
const HELD_ROWS = [heldRow(10, 100, 0), heldRow(20, 50, 30), heldRow(30, 0, 400)];
const HOLDERS: HoldersAnswer = {
  picture: {
    format: "residue-holders", version: 1, program: "made", unit: "event", event: 4, at_exit: true, is_asked: false, took_ns: 1, read_ns: 2,
    threads: 1, other_threads_ran: false, unread_bytes: 0, is_incomplete: false,
    all: heldRow(0, 150, 430), stacks: HELD_ROWS, retained: [], about: ["picture when the program ended"],
  },
  missing: null, found: 7, offset: 0,
};

/** Of the leak, with a member that names no row. */
function detail(leak: StackRow): StackDetail {
  return {
    row: leak, frames: [], no_path: null,
    members: [{ stack: 10, place: "a:1", numbers: leak }, { stack: 11, place: "a:2", numbers: leak }],
    reason: "ten bytes an event", agreement: "agree", sizes_total: [], sizes_live: [], births_width: 1,
    births: [], series: { event: [1], bytes: [100], blocks: [1] }, deferral: null, freed_at: null, threads: [],
  };
}

export function made(): FileData {
  const all = rows();
  const bins = (blocks: number) => ({ total: [{ from_bytes: 64, to_bytes: 127, blocks }], live: null });
  return {
    about: {
      format: "residue-view", version: 1, generation: 3, live: false, ended: false, files: [ABOUT],
      left_out: ["This file holds 4 call paths of 7."],
    },
    verdict: { verdict: null, words: ["of the whole"], missing: null },
    suspects: { role: "largest", title: "", cards: [], rest: null, follows: null, stage: null, advice: [] },
    time: { verdict: null, missing: "no event times: no clock was read" },
    churn: {
      heap: churn("churn of the heap"), mapping: churn("churn of mappings"), reported: churn("churn: none"),
      cpu: churn("churn: none"), all: churn("churn of all"),
    },
    holders: HOLDERS,
    held: { "10": { stack: HELD_ROWS[0]!, holds: [], holds_found: 0, missing: null } },
    pins: { pins: null, missing: "which pages were resident is not known" },
    timeline: TIMELINE,
    growers: { event: [], time_ns: [], stacks: [], rest: [], rest_stacks: 0, highest: null },
    stages: {
      rss: stages("rss", "no stamp has this value; choose another with --value"), vm: stages("vm", null),
      live: stages("live", null), time: stages("time", null),
    },
    sizes: { heap: bins(1), mapping: bins(2), reported: bins(3), cpu: bins(5), all: bins(4) },
    labels: LABELS.map((label) => ({ ...label })),
    libraries: LIBRARIES.map((library) => ({ ...library })),
    begins: [1, 2, 3, 4],
    allocated_at: [],
    cpu_at: [],
    rows: all,
    details: { "10": detail({ ...all[0]!.row, path: ["main", "run", "grow", "new"] }) },
  };
}

/** The answer to a question about the small file. */
export function asked<A>(answer: (recording: Recording, question: Question) => A, query: string): A {
  return answer(new Recording(made()), new Question(query));
}
