// What is asked about: recordings of workloads, each for something that answers may stumble
// over, and files of other tools.

import { execFile } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { commandIn, dataOf, openFile, serve } from "./surfaces.mjs";

const run = promisify(execFile);
const below = (path) => fileURLToPath(new URL(`../../${path}`, import.meta.url));
const FIXTURES = below("crates/import/tests/fixtures/");
const COMPILED = ["-O2", "-g", "-U_FORTIFY_SOURCE", "-pthread", "-std=gnu++17", `-I${below("include")}`];

/** A workload, its arguments, options of `residue run`, and the source file whose lines are
    asked for. */
const recorded = (name, workload, parts = [], { options = [], source } = {}) => ({
  name,
  source,
  make: (lab) => lab.record(name, lab.workload(workload), parts, options),
});

const imported = (name, make) => ({ name, make: async (lab) => lab.import(name, await make(lab)) });

/** The first part of another recording. */
const cut = (name, from, part) => ({
  name,
  make: async (lab) => {
    const bytes = await readFile(lab.path(fileOf(from)));
    await writeFile(lab.path(fileOf(name)), bytes.subarray(0, Math.floor(bytes.length * part)));
  },
});

const release = (name, number, events) => ({
  name,
  source: "event_residue.cpp",
  make: async (lab) => {
    const program = lab.path(`event_residue_${number}`);
    const source = below("workloads/event_residue.cpp");
    await run("g++", [...COMPILED, `-DRELEASE=${number}`, "-o", program, source, "-ldl"]);
    await lab.record(name, program, [events], []);
  },
});

/** Stamps of thirty events, each of which keeps 100 KiB, most of it before its last stamp. */
function stamps() {
  const lines = Array.from({ length: 30 }, (_, event) => {
    const [time, rss] = [1_000_000 + event * 10_000, 50_000 + event * 100];
    const at = (name, later, more) => `${name}:${time + later},${200_000 + more},${rss + more}\n`;
    return at("head", 0, 0) + at("middle", 4000, 10 + (event % 3)) + at("tail", 8000, 90);
  });
  return lines.join("");
}

/** Those that are made from others come after them. */
export const RECORDINGS = [
  recorded("inlined", "detector", [60, 21, 40, 1000], { source: "detector.cpp" }),
  recorded("mapping", "account_mmap", [], { source: "account_mmap.c" }),
  recorded("freed_at_exit", "shapes", ["exit-freed", 60, 3]),
  recorded("ticks", "slow_leak", [700], { options: ["--tick", "20ms"], source: "slow_leak.c" }),
  recorded("threads", "overlap", [60]),
  recorded("thinned", "event_rate", [9000, 40]),
  release("release_1", 1, 100),
  release("release_2", 2, 80),
  recorded("small_beside_large", "needle", [40], { source: "needle.cpp" }),
  recorded("hits", "leaky_events", [100], { source: "leaky_events.cpp" }),
  recorded("stamped", "marks_cpp", [40], { source: "marks_cpp.cpp" }),
  recorded("no_events", "thresholds", [], { source: "thresholds.cpp" }),
  recorded("several_threads", "by_thread", ["together"]),
  recorded("slow", "slow_events", [100, 3000, "slow"], { options: ["--cpu"] }),
  recorded("held", "who_holds", [], { options: ["--holders"] }),
  recorded("pinned", "pinned_pages", [], { options: ["--holders"] }),
  cut("cut_late", "hits", 0.95),
  cut("cut_early", "hits", 0.6),
  imported("imported_stamps", async (lab) => {
    await writeFile(lab.path("stamps.txt"), stamps());
    return lab.path("stamps.txt");
  }),
  imported("imported_massif", () => join(FIXTURES, "shop.massif")),
  imported("imported_heaptrack", () => join(FIXTURES, "shop.heaptrack")),
];

/** Before and after, under different file names. */
export const PAIRS = [
  ["release_1", "release_2"],
  ["hits", "cut_late"],
  ["no_events", "several_threads"],
];

export class Lab {
  constructor(residue, workloads, folder, FileSource) {
    Object.assign(this, { residue, workloads, folder, FileSource, command: commandIn(residue, folder) });
  }

  path(file) {
    return join(this.folder, file);
  }

  workload(name) {
    return join(this.workloads, name);
  }

  record(name, program, parts, options) {
    return this.command("run", "-q", ...options, "-o", fileOf(name), "--", program, ...parts.map(String));
  }

  import(name, file) {
    return this.command("import", file, "-o", fileOf(name));
  }

  /** A recording with everybody who is asked about it; closed in the end. */
  async open({ name, source }) {
    const html = `${name}.html`;
    await this.command("report", fileOf(name), "--html", html);
    const data = await dataOf(this.path(html));
    const recording = new Recording(name, source, this.command, spansOf(data));
    const server = await serve(this.residue, this.folder, recording.file);
    return { recording, server, file: openFile(data, this.FileSource) };
  }

  async openPair(before, after) {
    const files = [fileOf(before), fileOf(after)];
    const diff = (by, counter) => ["diff", ...files, "--kind", "all", "--by", by, "--counter", counter];
    const recording = { name: `${before} and ${after}`, command: this.command, diff };
    return { recording, server: await serve(this.residue, this.folder, ...files) };
  }
}

const fileOf = (name) => `${name}.residue`;

class Recording {
  constructor(name, source, command, spans) {
    Object.assign(this, { name, source, command, spans, file: fileOf(name) });
  }

  /** The part of the file that a span is. */
  at(span) {
    return span ? `${this.file}@${span.from}..${span.next}` : this.file;
  }

  /** Where it begins and where it ends. */
  moments(span) {
    return { before: `${this.file}@${span.from}`, after: `${this.file}@${span.next}` };
  }
}

/** Halves, a middle, one event, and what is not there. A file of very many events knows what stacks
    held at some of them: ranges begin and end there. */
function spansOf({ about, begins, allocated_at, cpu_at }) {
  const { last_event: last, events, stride } = about.files[0];
  if (begins.length < 4) return [];
  const begin = (part) => begins[Math.floor(begins.length * part)];
  /** Whether a range begins and ends at some of these places. */
  const isBetween = (places, from, next) =>
    [begins.indexOf(from), next === "end" ? begins.length : begins.indexOf(next)].every((place) => places.includes(place));
  const span = (name, from, next, { isInFile = true, hasMoments = true } = {}) => ({
    name, from, to: next === "end" ? last : next - 1, next, isInFile, hasMoments,
    hasTotals: isBetween(allocated_at, from, next), hasCpu: isBetween(cpu_at, from, next),
  });
  const spans = [
    span("the first half", begins[0], begin(1 / 2)),
    span("the second half", begin(1 / 2), "end"),
    span("a middle", begin(1 / 4), begin(3 / 4)),
    span("one event", begin(1 / 3), begins[Math.floor(begins.length / 3) + 1]),
    span("what is not there", events + 5, events + 9),
  ];
  // Between those, and where no event was kept.
  if (begins.length < events) {
    const [from, next] = [begin(1 / 4) + 1, begin(3 / 4) + 1];
    const hasMoments = begins.includes(from) && begins.includes(next);
    spans.push(span("an odd part", from, next, { isInFile: false, hasMoments }));
  }
  // A range is widened to what was kept; moments that were not cannot be compared.
  if (stride > 1) spans.push(span("a gap", last - 1, last, { isInFile: false, hasMoments: false }));
  return spans;
}
