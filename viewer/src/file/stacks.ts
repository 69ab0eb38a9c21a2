// api/stacks: the table of stacks.

import { COUNTERS, type CounterName, type StackNumbers, type Stacks, type StackSort } from "../answers";
import type { Question } from "./question";
import type { Recording } from "./recording";
import { rowOf } from "./rows";

const USUAL_ROWS = 50;
const MOST_ROWS = 200;

const SORTS: Record<StackSort, keyof StackNumbers> = {
  growth: "growth_bytes",
  "growth-blocks": "growth_blocks",
  live: "live_bytes",
  "live-blocks": "live_blocks",
  total: "total_bytes",
  calls: "calls",
  churn: "churn_bytes",
  peak: "peak_bytes",
  "at-peak": "at_peak_bytes",
  temporaries: "temporaries",
  largest: "largest_bytes",
};
const SORT_NAMES = Object.keys(SORTS) as [StackSort, ...StackSort[]];

/** A row that passes the filters, with the sums of its parts that do. */
interface Found extends StackNumbers {
  index: number;
  fallenBytes: number;
  /** Whether the range left something of it, or took something from it. */
  isMoved: boolean;
}

export function stacks(recording: Recording, question: Question): Stacks {
  const events = question.events("events");
  const sort = SORTS[question.word("sort", SORT_NAMES)];
  if (sort === "largest_bytes" && !recording.hasLargest) {
    throw new Error("`largest` was not recorded: the file is from an earlier version of residue or from another tool");
  }
  const shape = question.text("shape");
  const offset = question.limit("offset", 0, Number.MAX_SAFE_INTEGER);
  const limit = question.limit("limit", USUAL_ROWS, MOST_ROWS);
  if (shape !== null && events !== null && !recording.isJudged(events)) {
    throw new Error("shapes of single ranges are not in this file: `residue view` tells them");
  }
  const places = events && recording.places(events);
  const all = meant(recording, question);
  const moved = all.filter((one) => one.isMoved);
  const sign = question.isSet("ascending") ? 1 : -1;
  const first = question.numbers("first");
  const place = ({ index }: Found) => {
    const at = first.indexOf(recording.rows[index]!.row.stack);
    return at < 0 ? first.length : at;
  };
  // Sorting keeps the order of the file among equals.
  moved.sort((one, other) => place(one) - place(other) || sign * ((one[sort] ?? 0) - (other[sort] ?? 0)));
  const ofShape = ({ index }: Found) => recording.rows[index]!.row.shape === shape;
  const found = shape === null ? moved : moved.filter(ofShape);
  return {
    found: found.length,
    offset,
    // Peaks fall on different moments and have no sum.
    sums: { ...sumOf(all), peak_bytes: 0 },
    fallen_bytes: all.reduce((sum, one) => sum + one.fallenBytes, 0),
    events: recording.eventCount(events),
    first_event: places && places.firstEvent,
    last_event: places && places.lastEvent,
    rows: found.slice(offset, offset + limit).map(({ index }) => rowOf(recording, index, events)),
    looked_at: shape === null ? null : moved.length,
  };
}

/** All rows that pass the filters. */
function meant(recording: Recording, question: Question): Found[] {
  const events = question.events("events");
  const changed = events && recording.changed(events);
  const admits = recording.admits({ kind: question.kind(), focus: question.pattern("focus"), ignore: question.pattern("ignore") });
  const found: Found[] = [];
  recording.rows.forEach((_, index) => {
    const parts = recording.partsOf(index).filter((part) => admits[part]);
    if (parts.length === 0) return;
    const numbers = parts.map((part) => {
      const numbers = numbersOf(recording.parts[part]!.counters, recording.hasLargest);
      return changed
        ? { ...numbers, growth_bytes: changed.bytes[part]!, growth_blocks: changed.blocks[part]! }
        : numbers;
    });
    found.push({
      index,
      ...sumOf(numbers),
      fallenBytes: numbers.reduce((sum, one) => sum + Math.max(0, -one.growth_bytes), 0),
      isMoved: changed === null || numbers.some((one) => one.growth_bytes !== 0 || one.growth_blocks !== 0),
    });
  });
  return found;
}

/** Of a part in the whole recording. */
function numbersOf(counters: readonly number[], hasLargest: boolean): StackNumbers {
  const of = (name: CounterName) => counters[COUNTERS.indexOf(name)]!;
  return {
    growth_bytes: of("live"),
    growth_blocks: of("live-blocks"),
    live_bytes: of("live"),
    live_blocks: of("live-blocks"),
    total_bytes: of("total"),
    calls: of("calls"),
    frees: of("frees"),
    churn_bytes: Math.max(0, of("total") - of("live")),
    temporaries: of("temporaries"),
    reallocs: of("reallocs"),
    peak_bytes: of("peak"),
    at_peak_bytes: of("at-peak"),
    largest_bytes: hasLargest ? of("largest") : null,
  };
}

function sumOf(all: StackNumbers[]): StackNumbers {
  const sum = (name: Exclude<keyof StackNumbers, "largest_bytes">) => all.reduce((total, one) => total + one[name], 0);
  const known = all.flatMap((one) => one.largest_bytes ?? []);
  return {
    growth_bytes: sum("growth_bytes"),
    growth_blocks: sum("growth_blocks"),
    live_bytes: sum("live_bytes"),
    live_blocks: sum("live_blocks"),
    total_bytes: sum("total_bytes"),
    calls: sum("calls"),
    frees: sum("frees"),
    churn_bytes: sum("churn_bytes"),
    temporaries: sum("temporaries"),
    reallocs: sum("reallocs"),
    peak_bytes: sum("peak_bytes"),
    at_peak_bytes: sum("at_peak_bytes"),
    // A maximum, which does not add up.
    largest_bytes: known.length === 0 ? null : known.reduce((one, other) => Math.max(one, other)),
  };
}
