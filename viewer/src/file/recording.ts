// The data of a file, with what is worked out from them once and asked for again and
// again.

import type { CounterName, FileAbout, Kind } from "../answers";
import type { CallTree, Label } from "./calltree";
import { COUNTERS, type FileData, type FileRow } from "./data";
import { placesOf, type Places } from "./places";
import type { EventRange } from "./question";
import { Recent } from "./recent";
import { LabelTable, treeBy, type TreeBy } from "./trees";
import { Values } from "./values";

const RANGES_KEPT = 8;
const SUMS_KEPT = 8;

/** Which rows are meant. */
export interface Filter {
  kind: Kind;
  focus: RegExp | null;
}

/** Which rows are meant, and which number of each. */
export interface Selection extends Filter {
  counter: CounterName;
  events: EventRange | null;
}

/** By row, by how much live memory changed. */
export interface Changed {
  bytes: Float64Array;
  blocks: Float64Array;
}

export class Recording {
  readonly labels: readonly Label[];
  /** By row, root first. */
  readonly paths: readonly (readonly number[])[];
  private readonly ranges = new Recent<Changed>(RANGES_KEPT);
  private readonly trees = new Map<TreeBy, CallTree>();
  private readonly sums = new Recent<Values>(SUMS_KEPT);

  constructor(readonly data: FileData) {
    const table = new LabelTable();
    const numbers = data.labels.map((label) => table.number(label));
    this.labels = table.labels;
    this.paths = data.rows.map((row) => row.path.map((label) => numbers[label]!));
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

  /** Events in a range, or of the recording. */
  eventCount(range: EventRange | null): number {
    return range === null ? this.about.events : this.places(range).events;
  }

  /** By how much each row changed in a range. */
  changed(range: EventRange): Changed {
    const { first, last } = this.places(range);
    return this.ranges.get(`${first}..${last}`, () => {
      const bytes = new Float64Array(this.rows.length);
      const blocks = new Float64Array(this.rows.length);
      this.rows.forEach(({ changes }, row) => {
        for (let at = 0; at < changes.length && changes[at]! <= last; at += 3) {
          if (changes[at]! < first) continue;
          bytes[row]! += changes[at + 1]!;
          blocks[row]! += changes[at + 2]!;
        }
      });
      return { bytes, blocks };
    });
  }

  /** By row, whether it is meant. */
  admits({ kind, focus }: Filter): boolean[] {
    const matches = focus && this.labels.map((label) => focus.test(label.name));
    return this.rows.map(({ row, is_rest: isRest }, index) => {
      if (!holds(kind, row.kind)) return false;
      // Which functions the rest has is not known.
      return matches === null || (!isRest && this.paths[index]!.some((label) => matches[label]));
    });
  }

  tree(by: TreeBy): CallTree {
    const known = this.trees.get(by) ?? treeBy(by, this.labels, this.paths);
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

  /** By row, its number: nothing of one that is not meant. */
  private numbers(selection: Selection): Float64Array {
    const { counter, events } = selection;
    const admits = this.admits(selection);
    const changed = events && this.changed(events);
    const ofRange = changed && (counter === "live-blocks" ? changed.blocks : changed.bytes);
    const place = COUNTERS.indexOf(counter);
    return Float64Array.from(this.rows, ({ counters }, row) => {
      if (!admits[row]) return 0;
      return ofRange ? ofRange[row]! : counters[place]!;
    });
  }
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
