// The data of a file, with what is worked out from them once and asked for again and
// again.

import {
  COUNTERS, RANGE_COUNTERS, TOTALS_COUNTERS, type CounterName, type FileAbout, type FileData, type FilePart, type FileRow, type Kind,
} from "../answers";
import { ROOT_LABEL, type CallTree, type Label } from "./calltree";
import { placesOf, type Places } from "./places";
import type { EventRange } from "./question";
import { Recent } from "./recent";
import { treeBy, type TreeBy } from "./trees";
import { Values } from "./values";

const RANGES_KEPT = 8;
const SUMS_KEPT = 8;

/** Which parts of rows are meant. */
export interface Filter {
  kind: Kind;
  focus: RegExp | null;
  ignore: RegExp | null;
}

/** Which parts are meant, and which number of each. */
export interface Selection extends Filter {
  counter: CounterName;
  events: EventRange | null;
}

/** By part, by how much live memory changed. */
export interface Changed {
  bytes: Float64Array;
  blocks: Float64Array;
}

/** Numbers of a step behind its place, by what a course tells. */
const LIVE = { bytes: 0, blocks: 1, width: 2 };
const ALLOCATED = { calls: 0, total: 1, temporaries: 2, width: 3 };
const CPU = { ns: 0, width: 1 };

/** A part with the row that it is of, and its paths in numbers of labels, where the first
    label is the root's. */
export interface Part {
  row: number;
  path: readonly number[];
  byLibrary: readonly number[];
  counters: readonly number[];
  changes: readonly number[];
  allocated: readonly number[];
  cpu: readonly number[];
}

export class Recording {
  readonly labels: readonly Label[];
  readonly libraries: readonly Label[];
  /** The outermost scopes, as labels name them. */
  readonly scopes: ReadonlySet<string>;
  /** Of all rows, one after the other. */
  readonly parts: readonly Part[];
  /** By row. */
  private readonly firstPart: number[] = [];
  private readonly ranges = new Recent<Changed>(RANGES_KEPT);
  private readonly trees = new Map<TreeBy, CallTree>();
  private readonly sums = new Recent<Values>(SUMS_KEPT);

  constructor(readonly data: FileData) {
    this.labels = [ROOT_LABEL, ...data.labels];
    this.libraries = [ROOT_LABEL, ...data.libraries];
    this.scopes = new Set(data.about.files[0]?.scopes.map((scope) => `[${scope}]`));
    const parts: Part[] = [];
    data.rows.forEach((row, index) => {
      this.firstPart.push(parts.length);
      for (const part of row.parts) parts.push(partOf(part, index));
    });
    this.parts = parts;
  }

  get rows(): readonly FileRow[] {
    return this.data.rows;
  }

  get about(): FileAbout {
    const file = this.data.about.files[0];
    if (!file) throw new Error("no profile is in this file");
    return file;
  }

  /** Whether largest blocks were recorded. */
  get hasLargest(): boolean {
    return this.rows.some(({ row }) => row.largest_bytes !== null);
  }

  places(range: EventRange): Places {
    return placesOf(this.data, range);
  }

  /** Whether a range is what the verdict in the file is on. */
  isJudged({ from, to }: EventRange): boolean {
    const { verdict } = this.data.verdict;
    return verdict !== null && from === Math.max(verdict.first_event, this.about.first_event ?? 1) && to === verdict.last_event;
  }

  /** Whether a range holds every event that was kept. */
  isWhole({ from, to }: EventRange): boolean {
    const { first_event: first, last_event: last } = this.about;
    return first !== null && last !== null && from <= first && to >= last;
  }

  /** Events in a range, or of the recording. */
  eventCount(range: EventRange | null): number {
    if (range === null) return this.about.events;
    const { firstEvent, lastEvent } = this.places(range);
    return lastEvent - firstEvent + 1;
  }

  /** The numbers of a row's parts. */
  partsOf(row: number): number[] {
    const first = this.firstPart[row]!;
    return this.rows[row]!.parts.map((_, index) => first + index);
  }

  /** Of a row's largest stack. */
  pathOf(row: number): Label[] {
    return this.parts[this.firstPart[row]!]!.path.map((label) => this.labels[label]!);
  }

  /** By how much each part changed in a range. */
  changed(range: EventRange): Changed {
    const { first, last } = this.places(range);
    return this.ranges.get(`${first}..${last}`, () => {
      const of = (number: number) => this.sumsOf((part) => part.changes, LIVE.width, number, first, last);
      return { bytes: of(LIVE.bytes), blocks: of(LIVE.blocks) };
    });
  }

  /** By part, the sum of one number of a course over some places. */
  private sumsOf(
    course: (part: Part) => readonly number[], width: number, number: number, first: number, last: number,
  ): Float64Array {
    return Float64Array.from(this.parts, (part) => {
      const steps = course(part);
      let sum = 0;
      for (let at = 0; at < steps.length && steps[at]! <= last; at += 1 + width) {
        if (steps[at]! >= first) sum += steps[at + 1 + number]!;
      }
      return sum;
    });
  }

  /** Whether a counter is in the file for a range. */
  knows(counter: CounterName, range: EventRange): boolean {
    const ends = this.endsOf(counter);
    if (ends === null) return RANGE_COUNTERS.includes(counter);
    const { first, last } = this.places(range);
    return ends.includes(first) && ends.includes(last + 1);
  }

  /** The least range around another for which a counter is in the file; null where there is none. */
  rangeAround(counter: CounterName, range: EventRange): EventRange | null {
    const ends = this.endsOf(counter) ?? [];
    const { first, last } = this.places(range);
    const from = ends.filter((place) => place <= first).at(-1) ?? ends[0];
    const next = ends.find((place) => place > last);
    if (from === undefined || next === undefined || from >= next) return null;
    return { from: this.data.begins[from]!, to: (this.data.begins[next] ?? (this.about.last_measured_event ?? 0) + 1) - 1 };
  }

  /** The places that ranges begin and end at of which a counter is known; null for all places. */
  private endsOf(counter: CounterName): readonly number[] | null {
    if (TOTALS_COUNTERS.includes(counter)) return this.data.allocated_at;
    // Where no CPU time was recorded there is none of any range.
    return counter === "cpu" && this.data.cpu_at.length > 0 ? this.data.cpu_at : null;
  }

  /** By part, a counter in a range that knows it. */
  private spent(counter: CounterName, range: EventRange): Float64Array {
    const { first, last } = this.places(range);
    const { bytes, blocks } = this.changed(range);
    const allocated = (number: number) => this.sumsOf((part) => part.allocated, ALLOCATED.width, number, first, last);
    switch (counter) {
      case "cpu":
        return this.sumsOf((part) => part.cpu, CPU.width, CPU.ns, first, last);
      case "calls":
        return allocated(ALLOCATED.calls);
      case "total":
        return allocated(ALLOCATED.total);
      case "temporaries":
        return allocated(ALLOCATED.temporaries);
      case "frees":
        // Blocks that were made and are not there.
        return allocated(ALLOCATED.calls).map((calls, part) => calls - blocks[part]!);
      case "live-blocks":
        return blocks;
      default:
        return bytes;
    }
  }

  /** By part, whether it is meant. */
  admits({ kind, focus, ignore }: Filter): boolean[] {
    const labels = (pattern: RegExp | null) => pattern && this.labels.map((label) => pattern.test(label.name));
    const [matches, ignored] = [labels(focus), labels(ignore)];
    return this.parts.map(({ row, path }) => {
      const { row: shown, is_rest: isRest } = this.rows[row]!;
      if (!holds(kind, shown.kind)) return false;
      // Which functions the rest has is not known.
      if (ignored !== null && path.some((label) => ignored[label])) return false;
      return matches === null || (!isRest && path.some((label) => matches[label]));
    });
  }

  tree(by: TreeBy): CallTree {
    const known = this.trees.get(by) ?? treeBy(by, this);
    this.trees.set(by, known);
    return known;
  }

  /** The sums over a tree. */
  values(by: TreeBy, selection: Selection): Values {
    const { kind, focus, ignore, counter, events } = selection;
    const places = events && this.places(events);
    const range = places ? `${places.first}..${places.last}` : "";
    const key = JSON.stringify([by, kind, focus?.source ?? "", ignore?.source ?? "", counter, range]);
    return this.sums.get(key, () => new Values(this.tree(by), this.numbers(selection)));
  }

  /** By part, its number: nothing of one that is not meant. */
  private numbers(selection: Selection): Float64Array {
    const { counter, events } = selection;
    const admits = this.admits(selection);
    const ofRange = events && this.spent(counter, events);
    const place = COUNTERS.indexOf(counter);
    return Float64Array.from(this.parts, ({ counters }, part) => {
      if (!admits[part]) return 0;
      return ofRange ? ofRange[part]! : counters[place]!;
    });
  }
}

function partOf({ path, by_library: byLibrary, ...numbers }: FilePart, row: number): Part {
  const afterRoot = (label: number) => label + 1;
  return { row, path: path.map(afterRoot), byLibrary: byLibrary.map(afterRoot), ...numbers };
}

function holds(kind: Kind, ofRow: string): boolean {
  switch (kind) {
    case "all":
      return true;
    case "heap":
      return ["heap", "pooled", "overflow"].includes(ofRow);
    default:
      return ofRow === kind;
  }
}
