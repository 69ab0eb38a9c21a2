// Recordings, what the command line says of them, and servers of pages: made when first
// asked for, shared by all tests, and gone with the lab.

import { execFile, spawn } from "node:child_process";
import { copyFile, mkdir, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { eventually } from "./visit.mjs";

/** Where the workloads are written. */
export const SOURCES = fileURLToPath(new URL("../../../workloads/", import.meta.url));
const INCLUDE = fileURLToPath(new URL("../../../include/", import.meta.url));
const LONGEST_COMMAND_MS = 120_000;
const LONGEST_OUTPUT_BYTES = 1 << 28;

/** The range that detector is asked to tell the truth of. */
export const RANGE = { first: 45, last: 78 };
/** Markup, if anybody took it for it; a slash cannot be in the name of a file. */
export const NASTY_FILE = `<img src=x onerror="nasty('program')">"'&`;

const run = promisify(execFile);

/** `truth KEY VALUE` lines. */
function truthsOf(output) {
  const lines = [...output.matchAll(/^truth (\S+) (-?\d+)$/gm)];
  return new Map(lines.map(([, key, value]) => [key, Number(value)]));
}

/** The process of this name below another, once the recorder is in it. */
async function recordedBelow(pid, name) {
  const children = (await readFile(`/proc/${pid}/task/${pid}/children`, "utf8")).split(" ").filter(Boolean);
  for (const child of children) {
    const command = (await readFile(`/proc/${child}/comm`, "utf8")).trim();
    if (command !== name) return recordedBelow(Number(child), name);
    const maps = await readFile(`/proc/${child}/maps`, "utf8");
    if (maps.includes(".arena")) return Number(child);
  }
  throw new Error(`${name} is not recorded yet`);
}

export class Lab {
  #made = new Map();
  /** What ends the programs that were started, each by its own number. */
  #endings = new Set();

  constructor(residue, workloads, folder) {
    this.residue = resolve(residue);
    this.workloads = resolve(workloads);
    this.folder = folder;
  }

  static async open(residue, workloads) {
    return new Lab(residue, workloads, await mkdtemp(join(tmpdir(), "residue-browser-")));
  }

  async close() {
    await Promise.all([...this.#endings].map((end) => end()));
    await rm(this.folder, { recursive: true, force: true });
  }

  /** The same lab at work in another folder; what it starts ends with this one. */
  movedTo(folder) {
    const moved = new Lab(this.residue, this.workloads, folder);
    moved.#endings = this.#endings;
    return moved;
  }

  path(name) {
    return join(this.folder, name);
  }

  /** What `make` makes, made once under this name. */
  #once(name, make) {
    if (!this.#made.has(name)) this.#made.set(name, make());
    return this.#made.get(name);
  }

  /** Standard output of a command that succeeds. */
  async command(program, ...parts) {
    const { stdout } = await run(program, parts, {
      cwd: this.folder,
      timeout: LONGEST_COMMAND_MS,
      maxBuffer: LONGEST_OUTPUT_BYTES,
    });
    return stdout;
  }

  /** What a command complains of that fails. */
  async complaint(...parts) {
    const failed = await run(this.residue, parts, { cwd: this.folder, timeout: LONGEST_COMMAND_MS }).catch((error) => error);
    return failed.stderr;
  }

  /** What `residue ... --json` says. */
  async json(...parts) {
    return JSON.parse(await this.command(this.residue, ...parts, "--json"));
  }

  /** Records a program: the profile, and what the program says is true. */
  record(name, program, ...parts) {
    return this.recordWith([], name, program, ...parts);
  }

  /** The same with options of `residue run`. */
  async recordWith(options, name, program, ...parts) {
    const file = this.path(name);
    const output = await this.command(this.residue, "run", "-q", ...options, "-o", file, "--", program, ...parts.map(String));
    return { file, truths: truthsOf(output) };
  }

  workload(name) {
    return join(this.workloads, name);
  }

  /** Every 20th event calls another function, for as long again as an event takes. On a busy machine that may
      not stand out: then it is recorded anew. */
  slowEvents() {
    return this.#once("slow events", async () => {
      for (let attempt = 0; attempt < 4; attempt += 1) {
        const recorded = await this.recordWith(["--cpu"], "slow.residue", this.workload("slow_events"), 200, 10_000, "slow");
        const told = await this.json("slow", recorded.file);
        const slow = told.slow.find(({ measure }) => measure === "cpu");
        const planted = slow?.events.filter(({ event }) => event % 20 === 0).length;
        if (planted === recorded.truths.get("slow_events") && slow.functions.length > 0) return { ...recorded, told };
      }
      throw new Error("slow events were not told from the others");
    });
  }

  /** Twenty events that allocate and free the same blocks. */
  churn() {
    return this.#once("churn", () => this.record("churn.residue", this.workload("churn"), 20));
  }

  /** Blocks that variables, containers and nobody holds. */
  holders() {
    return this.#once("holders", () => this.recordWith(["--holders"], "held.residue", this.workload("who_holds")));
  }

  /** Small blocks that keep mostly empty pages. */
  pinned() {
    return this.#once("pinned", () => this.recordWith(["--holders-at", "50"], "pinned.residue", this.workload("pinned_pages")));
  }

  /** One of everything, slow enough that the kernel's accounts of its memory are there. An account is taken when
      it costs little beside the time that has passed, so on a busy machine the program must take longer. */
  detector() {
    return this.#once("detector", async () => {
      for (const event_us of [25_000, 50_000, 100_000, 200_000]) {
        const parts = [120, RANGE.first, RANGE.last, event_us];
        const recorded = await this.record("detector.residue", this.workload("detector"), ...parts);
        if ((await this.json("leaks", recorded.file)).account) return recorded;
      }
      throw new Error("the kernel's accounts of detector's memory were not taken");
    });
  }

  /** Two builds of one program, with different numbers of events. */
  releases() {
    return this.#once("releases", async () => {
      const [before, after] = await Promise.all([this.#release(1, 100), this.#release(2, 80)]);
      return { before, after };
    });
  }

  async #release(release, events) {
    const program = this.path(`event_residue_${release}`);
    const options = ["-O2", "-g", "-U_FORTIFY_SOURCE", "-pthread", "-std=gnu++17", `-I${INCLUDE}`, `-DRELEASE=${release}`];
    await this.command("g++", ...options, "-o", program, join(SOURCES, "event_residue.cpp"), "-ldl");
    return this.record(`release${release}.residue`, program, events);
  }

  /** One behaviour alone, of 120 events: `shapes` lists them. */
  shape(name) {
    return this.#once(`shape ${name}`, () => this.record(`${name}.residue`, this.workload("shapes"), name, 120, 3));
  }

  /** A program without events. */
  withoutEvents() {
    return this.#once("without events", () => this.record("hello.residue", this.workload("hello")));
  }

  /** A leak in time alone. Nothing is known after the last tick. */
  ticks() {
    return this.#once("ticks", async () => {
      const file = this.path("ticks.residue");
      await this.command(this.residue, "run", "-q", "--tick", "10ms", "-o", file, "--", this.workload("slow_leak"));
      return { file };
    });
  }

  /** So many events that not all of their moments are drawn. */
  manyEvents() {
    return this.#once("many events", () =>
      this.record("events.residue", this.workload("detector"), 3000, RANGE.first, RANGE.last, 0),
    );
  }

  /** Names that would be markup; the executable and the profile have one, too. */
  nasty() {
    return this.#once("nasty", async () => {
      await mkdir(this.path("nasty"));
      const program = this.path(`nasty/${NASTY_FILE}`);
      await copyFile(this.workload("nasty_names"), program);
      return this.recordWith(["--holders"], `nasty/${NASTY_FILE}.residue`, program);
    });
  }

  /** More stacks than a self-contained file holds. */
  manyStacks() {
    return this.#once("many", () => this.record("many.residue", this.workload("million_stacks"), 20_000));
  }

  /** A profile as one self-contained file. */
  selfContained(name, profile) {
    return this.#once(name, async () => {
      const file = this.path(name);
      await this.command(this.residue, "report", profile, "--html", file);
      return file;
    });
  }

  /** The address of a page of these files, without what stands after `#`. */
  served(...parts) {
    return this.#once(`view ${parts.join(" ")}`, async () => {
      const address = new URL(await this.#start(this.residue, "view", ...parts, "--no-browser"));
      return address.origin + address.pathname;
    });
  }

  /** Records a program that runs on: its process, a way to end it, and its truths once it
      has ended. */
  async run(name, program, ...parts) {
    const own = ["run", "-q", "-o", this.path(name), "--", program, ...parts.map(String)];
    const child = spawn(this.residue, own, { cwd: this.folder, stdio: ["ignore", "pipe", "inherit"] });
    let output = "";
    child.stdout.on("data", (text) => (output += text));
    const ended = new Promise((done) => child.once("close", done));
    const pid = await eventually(() => recordedBelow(child.pid, basename(program)));
    const end = async () => {
      // The recorder's command ends by itself once it has written what was recorded.
      if (child.exitCode === null && child.signalCode === null) process.kill(pid, "SIGTERM");
      await ended;
      this.#endings.delete(end);
    };
    this.#endings.add(end);
    return { pid, end, truths: () => ended.then(() => truthsOf(output)) };
  }

  /** The first line of a program that stays. */
  #start(program, ...parts) {
    const child = spawn(program, parts, { cwd: this.folder, stdio: ["ignore", "pipe", "pipe"] });
    const ended = new Promise((done) => child.once("close", done));
    this.#endings.add(async () => {
      if (child.exitCode === null && child.signalCode === null) child.kill("SIGTERM");
      await ended;
    });
    let complaint = "";
    child.stderr.on("data", (text) => (complaint += text));
    return new Promise((done, fail) => {
      createInterface({ input: child.stdout }).once("line", done);
      child.once("error", fail);
      child.once("exit", (code) => fail(new Error(`${parts.join(" ")} ended with ${code}: ${complaint}`)));
    });
  }
}
