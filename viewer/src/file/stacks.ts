// api/stacks: the table of stacks.

import type { StackNumbers, Stacks, StackSort } from "../answers";
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
  temporaries: "temporaries",
};
const SORT_NAMES = Object.keys(SORTS) as [StackSort, ...StackSort[]];

/** A row that passes the filters. */
interface Found extends StackNumbers {
  index: number;
}

export function stacks(recording: Recording, question: Question): Stacks {
  const events = question.events("events");
  const sort = SORTS[question.word("sort", SORT_NAMES)];
  const shape = question.text("shape");
  const offset = question.limit("offset", 0, Number.MAX_SAFE_INTEGER);
  const limit = question.limit("limit", USUAL_ROWS, MOST_ROWS);
  if (shape !== null && events !== null) {
    throw new Error("shapes of single ranges are not in this file: `residue view` tells them");
  }
  const all = meant(recording, question);
  const moved = events === null ? all : all.filter((one) => one.growth_bytes !== 0 || one.growth_blocks !== 0);
  const sign = question.isSet("ascending") ? 1 : -1;
  // Sorting keeps the order of the file among equals.
  moved.sort((one, other) => sign * (one[sort] - other[sort]));
  const ofShape = ({ index }: Found) => recording.rows[index]!.row.shape === shape;
  const found = shape === null ? moved : moved.filter(ofShape);
  return {
    found: found.length,
    offset,
    sums: sumOf(all),
    fallen_bytes: all.reduce((sum, one) => sum + Math.max(0, -one.growth_bytes), 0),
    events: recording.eventCount(events),
    rows: found.slice(offset, offset + limit).map(({ index }) => rowOf(recording, index, events)),
    looked_at: shape === null ? null : moved.length,
  };
}

/** All rows that pass the filters, with their growth in the range. */
function meant(recording: Recording, question: Question): Found[] {
  const events = question.events("events");
  const changed = events && recording.changed(events);
  const admits = recording.admits({ kind: question.kind(), focus: question.pattern("focus") });
  const found: Found[] = [];
  recording.rows.forEach(({ row }, index) => {
    if (!admits[index]) return;
    found.push({
      index,
      ...numbersOf(row),
      ...(changed && { growth_bytes: changed.bytes[index]!, growth_blocks: changed.blocks[index]! }),
    });
  });
  return found;
}

function numbersOf(numbers: StackNumbers): StackNumbers {
  return {
    growth_bytes: numbers.growth_bytes,
    growth_blocks: numbers.growth_blocks,
    live_bytes: numbers.live_bytes,
    live_blocks: numbers.live_blocks,
    total_bytes: numbers.total_bytes,
    calls: numbers.calls,
    frees: numbers.frees,
    churn_bytes: numbers.churn_bytes,
    temporaries: numbers.temporaries,
    reallocs: numbers.reallocs,
    peak_bytes: numbers.peak_bytes,
    at_peak_bytes: numbers.at_peak_bytes,
  };
}

function sumOf(all: StackNumbers[]): StackNumbers {
  const sum = (name: keyof StackNumbers) => all.reduce((total, one) => total + one[name], 0);
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
    // Peaks fall on different moments and have no sum.
    peak_bytes: 0,
    at_peak_bytes: sum("at_peak_bytes"),
  };
}
