// A small answer for tests, whose sums can be checked by hand.

import type { Flame } from "../answers";

//  everything 100
//  main 80                     thread 20
//  run 50      load 20         work 20
//  fit 50
/** Boxes in the order in which a server sends them: the widest first. */
export function made(changes: Partial<Flame> = {}): Flame {
  const answer: Omit<Flame, "start"> = {
    counter: "live",
    unit: "bytes",
    whole: 100,
    base_whole: null,
    events: 10,
    base_events: null,
    breadcrumbs: [],
    names: ["", "main", "run", "fit<A & B>", "load", "start_thread", "work"],
    libraries: ["", "reco", "libc.so.6"],
    key: ["", "m", "r", "f", "l", "t", "w"],
    function: ["", "M", "R", "F", "L", "T", "W"],
    parent: [-1, 0, 1, 2, 1, 0, 5],
    name: [0, 1, 2, 3, 4, 5, 6],
    library: [0, 1, 1, 1, 1, 2, 1],
    value: [100, 80, 50, 50, 20, 20, 20],
    own: [0, 10, 0, 50, 20, 0, 20],
    base: null,
    weight: [100, 80, 50, 50, 20, 20, 20],
    framework: [0, 0, 0, 0, 0, 1, 0],
    matched: [0, 0, 0, 0, 0, 0, 0],
    matched_value: null,
    left_out: 0,
    fallen: 0,
    notes: [],
    ...changes,
  };
  return { start: sideBySide(answer), ...answer };
}

/** Where boxes begin whose order is that of their widths. */
function sideBySide({ parent, weight }: Pick<Flame, "parent" | "weight">): number[] {
  const start: number[] = [];
  const filled: number[] = [];
  parent.forEach((above, box) => {
    start[box] = above < 0 ? 0 : filled[above]!;
    filled[box] = start[box]!;
    if (above >= 0) filled[above]! += weight[box]!;
  });
  return start;
}

/** As many boxes as are ever sent, in rows of ten for each one above. */
export function madeLarge(boxes: number): Flame {
  const parent = Array.from({ length: boxes }, (_, box) => (box === 0 ? -1 : Math.floor((box - 1) / 10)));
  const weight = new Array<number>(boxes).fill(1);
  for (let box = boxes - 1; box > 0; box -= 1) weight[parent[box]!]! += weight[box]!;
  const zeros = new Array<number>(boxes).fill(0);
  return made({
    whole: boxes,
    key: parent.map((_, box) => (box === 0 ? "" : String(box))),
    parent,
    name: zeros.map((_, box) => (box === 0 ? 0 : 1 + (box % 6))),
    library: zeros.map((_, box) => box % 3),
    value: weight,
    weight,
    own: zeros.map(() => 1),
    framework: zeros,
    matched: zeros,
  });
}

/** One call below the other. */
export function madeDeep(rows: number): Flame {
  const column = (value: (row: number) => number) => Array.from({ length: rows }, (_, row) => value(row));
  const value = column((row) => 2 * rows - row);
  return made({
    whole: 2 * rows,
    key: column((row) => row).map((row) => (row === 0 ? "" : String(row))),
    parent: column((row) => row - 1),
    name: column((row) => row % 7),
    library: column(() => 1),
    value,
    weight: value,
    own: column(() => 1),
    framework: column(() => 0),
    matched: column(() => 0),
  });
}
