// The data of a file, with what is worked out from them once and asked for again and
// again.

import {
  COUNTERS, type CounterName, type FileAbout, type FileData, type FilePart, type FileRow, type Kind,
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

/** A part with the row that it is of, and its paths in numbers of labels, where the first
    label is the root's. */
export interface Part {
  row: number;
  path: readonly number[];
  byLibrary: readonly number[];
  counters: readonly number[];
  changes: readonly number[];
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

  places(range: EventRange): Places {
    return placesOf(this.data, range);
  }

  /** Whether a range is what the verdict in the file is on. */
  isJudged({ from, to }: EventRange): boolean {
    const { verdict } = this.data.verdict;
    return verdict !== null && from === Math.max(verdict.first_event, this.about.first_event ?? 1) && to === verdict.last_event;
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
      const bytes = new Float64Array(this.parts.length);
      const blocks = new Float64Array(this.parts.length);
      this.parts.forEach(({ changes }, part) => {
        for (let at = 0; at < changes.length && changes[at]! <= last; at += 3) {
          if (changes[at]! < first) continue;
          bytes[part]! += changes[at + 1]!;
          blocks[part]! += changes[at + 2]!;
        }
      });
      return { bytes, blocks };
    });
  }

  /** By part, whether it is meant. */
  admits({ kind, focus }: Filter): boolean[] {
    const matches = focus && this.labels.map((label) => focus.test(label.name));
    return this.parts.map(({ row, path }) => {
      const { row: shown, is_rest: isRest } = this.rows[row]!;
      if (!holds(kind, shown.kind)) return false;
      // Which functions the rest has is not known.
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
    const { kind, focus, counter, events } = selection;
    const places = events && this.places(events);
    const range = places ? `${places.first}..${places.last}` : "";
    const key = JSON.stringify([by, kind, focus?.source ?? "", counter, range]);
    return this.sums.get(key, () => new Values(this.tree(by), this.numbers(selection)));
  }

  /** By part, its number: nothing of one that is not meant. */
  private numbers(selection: Selection): Float64Array {
    const { counter, events } = selection;
    const admits = this.admits(selection);
    const changed = events && this.changed(events);
    const ofRange = changed && (counter === "live-blocks" ? changed.blocks : changed.bytes);
    const place = COUNTERS.indexOf(counter);
    return Float64Array.from(this.parts, ({ counters }, part) => {
      if (!admits[part]) return 0;
      return ofRange ? ofRange[part]! : counters[place]!;
    });
  }
}

function partOf({ path, by_library: byLibrary, counters, changes }: FilePart, row: number): Part {
  const afterRoot = (label: number) => label + 1;
  return { row, path: path.map(afterRoot), byLibrary: byLibrary.map(afterRoot), counters, changes };
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
