// A row whose stacks go through the same functions, of which some were inlined in one:
//
//   row 50   main → grow              2 made, +20 in event 2
//            main → run → grow        run was inlined; +5 in event 1, -5 in event 3
//            main → run → grow        falls as well: +4 in event 1, -4 in event 2, +4 in event 4

import { expect, test } from "vitest";
import { flame } from "./flame";
import { functions } from "./functions";
import { GROW, LOAD, MAIN, made, part, REST, rowOfParts, RUN } from "./made";
import { Question } from "./question";
import { Recording } from "./recording";
import { stack } from "./stack";
import { stacks } from "./stacks";

function recording(): Recording {
  const data = made();
  const plain = part([MAIN, GROW], { live: [20, 2], made: [20, 2], changes: [1, 20, 2] });
  const falling = part([MAIN, RUN, GROW], { live: [0, 0], made: [5, 1], changes: [0, 5, 1, 2, -5, -1] });
  const again = part([MAIN, RUN, GROW], { live: [4, 1], made: [8, 2], changes: [0, 4, 1, 1, -4, -1, 3, 4, 1] });
  const restOfMappings = part([REST], { live: [64, 1], made: [64, 1], changes: [1, 64, 1] });
  data.rows = [
    rowOfParts(50, "heap", [plain, falling, again]),
    rowOfParts(30, "mapping", [part([LOAD, GROW], { live: [9, 1], made: [9, 1], changes: [3, 9, 1] })]),
    rowOfParts(-2, "mapping", [restOfMappings]),
  ];
  data.details = {};
  return new Recording(data);
}

const asked = <A>(answer: (recording: Recording, question: Question) => A, query: string): A =>
  answer(recording(), new Question(query));
const boxes = (query: string) => {
  const { key, value, own } = asked(flame, query);
  return key.map((one, box) => [one, value[box], own[box]]);
};

test("each part has its own path in trees", () => {
  expect(boxes("counter=total")).toEqual([
    ["", 33, 0], ["1", 33, 0], ["1.3", 20, 20], ["1.2", 13, 0], ["1.2.3", 13, 13],
  ]);
  expect(boxes("counter=total&by=module")).toEqual([["", 33, 0], ["1", 33, 0], ["1.2", 33, 33]]);
  const called = asked(functions, "counter=total").rows.map((row) => [row.function, row.self, row.cumulative]);
  expect(called).toEqual([["grow", 33, 33], ["main", 0, 33], ["run", 0, 13]]);
});

test("parts that move against each other have grown and fallen", () => {
  const range = asked(flame, "events=2..3");
  expect([range.whole, range.fallen]).toEqual([20, 9]);
  const answer = asked(stacks, "events=2..3");
  expect([answer.rows[0]!.growth_bytes, answer.rows[0]!.growth_blocks]).toEqual([11, 0]);
  expect([answer.sums.growth_bytes, answer.fallen_bytes, answer.found]).toEqual([11, 9, 1]);
  const later = asked(stacks, "events=3..4");
  expect([later.rows[0]!.growth_bytes, later.fallen_bytes]).toEqual([-1, 5]);
});

test("a row whose parts cancel each other is there", () => {
  const data = made();
  const up = part([MAIN], { live: [5, 1], made: [5, 1], changes: [1, 5, 1] });
  const down = part([MAIN], { live: [0, 0], made: [5, 1], changes: [0, 5, 1, 1, -5, -1] });
  data.rows = [rowOfParts(50, "heap", [up, down])];
  const answer = stacks(new Recording(data), new Question("events=2..2"));
  expect([answer.found, answer.rows[0]!.growth_bytes, answer.fallen_bytes]).toEqual([1, 0, 5]);
});

test("a pattern admits parts: they alone are summed, the row is shown whole", () => {
  const answer = asked(stacks, "focus=run");
  expect([answer.found, answer.sums.total_bytes, answer.sums.calls, answer.sums.live_bytes]).toEqual([1, 13, 3, 4]);
  expect([answer.rows[0]!.total_bytes, answer.rows[0]!.calls, answer.rows[0]!.path]).toEqual([33, 5, ["main", "grow"]]);
  expect([asked(flame, "focus=run&counter=total").whole, asked(stacks, "focus=run&events=4..4").found]).toEqual([13, 1]);
  // What was admitted fell, while the row as a whole grew.
  expect(asked(stacks, "focus=run&events=2..2").sums.growth_bytes).toBe(-4);
  expect(asked(stacks, "focus=run&events=2..2").rows[0]!.growth_bytes).toBe(16);
});

test("the course of a row is that of its parts together", () => {
  expect(asked(stack, "stack=50").series).toEqual({ event: [1, 2, 3, 4], bytes: [0, 9, 25, 20], blocks: [0, 2, 3, 2] });
});

test("what is left out is of its kind", () => {
  expect(asked(stacks, "kind=mapping").rows.map((row) => [row.stack, row.live_bytes])).toEqual([[-2, 64], [30, 9]]);
  expect(asked(stacks, "").rows.map((row) => row.stack)).toEqual([50]);
  expect(asked(flame, "kind=mapping&events=2..2").whole).toBe(64);
});
