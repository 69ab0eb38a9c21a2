import { expect, test } from "vitest";
import type { StagesAnswer } from "../answers";
import { columnsOf } from "./columns";
import { changeText, columnText, inOrder, matrixHead, matrixRows, stageText, valueOf } from "./values";

const ANSWER: StagesAnswer = {
  missing: null,
  value: "live",
  unit: "bytes",
  intervals: [
    { name: "begin -> end", mean: 1000, low: 1000, high: 1000, share: 1, guilty: true },
    { name: "outside: end -> begin", mean: 0, low: 0, high: 0, share: 0, guilty: false },
  ],
  events_per_row: 2,
  rows: [
    { event: 1, values: [2000, 0] },
    { event: 3, values: [1000, null] },
  ],
  start_to_start: [2000],
  words: [],
  jumps: [],
};

test("changes carry their sign, spans of time do not", () => {
  expect(changeText(1000, "bytes")).toBe("+1000 B");
  expect(changeText(-2048, "bytes")).toBe("-2.00 KiB");
  expect(changeText(0, "bytes")).toBe("0");
  expect(changeText(1_250_000, "nanoseconds")).toBe("1.25 ms");
  expect(changeText(-2_000_000_000, "nanoseconds")).toBe("-2.00 s");
});

test("the value in the address is one of four", () => {
  expect(valueOf("rss")).toBe("rss");
  expect(valueOf("weight")).toBe("live");
});

test("names of stages have a real arrow", () => {
  expect(stageText("outside: end -> begin of the next event")).toBe("outside: end → begin of the next event");
});

test("a column says which events it stands for", () => {
  const columns = columnsOf([1, 3], 2);
  expect(columnText(columns, 0, 3, "event")).toBe("events 1 to 2, their sum");
  expect(columnText(columns, 1, 3, "event")).toBe("event 3");
});

test("the matrix has all values, and how many events are in each line", () => {
  expect(matrixHead(ANSWER)).toEqual([
    "event", "events", "begin -> end (bytes)", "outside: end -> begin (bytes)", "start to start (bytes)",
  ]);
  expect(matrixRows(ANSWER, columnsOf([1, 3], 2), 3)).toEqual([
    [1, 2, 2000, 0, 2000],
    [3, 1, 1000, null, null],
  ]);
});

test("rows and turns are put in the order of events together", () => {
  const mixed: StagesAnswer = {
    ...ANSWER,
    rows: [
      { event: 3, values: [1, 2] },
      { event: 1, values: [3, 4] },
      { event: 2, values: [5, 6] },
    ],
    start_to_start: [30, 10],
  };
  const ordered = inOrder(mixed);
  expect(ordered.rows.map((row) => row.event)).toEqual([1, 2, 3]);
  expect(ordered.rows.map((row) => row.values[0])).toEqual([3, 5, 1]);
  expect(ordered.start_to_start).toEqual([10, null, 30]);
});
