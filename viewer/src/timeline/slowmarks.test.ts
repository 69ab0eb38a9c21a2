import { expect, test } from "vitest";
import type { SlowEvents, TimeAnswer } from "../answers";
import { axisOf } from "./axis";
import { made } from "./made";
import { drawnMarks, slowRows } from "./slowmarks";

const MS = 1e6;
const moments = made([1, 2, 3, 4, 5].flatMap((event) => [
  ["begin", event, event * 100] as ["begin", number, number],
  ["end", event, event * 100 + 50] as ["end", number, number],
]));
const event = (event: number, value_ns: number) => ({ event, id: event, value_ns, expected_ns: MS });
const slow = (measure: SlowEvents["measure"], events: SlowEvents["events"]) =>
  ({ measure, events, found: events.length, words: `words of ${measure}` }) as SlowEvents;
const answer = {
  verdict: { slow: [slow("cpu", [event(4, 3 * MS), event(2, 2 * MS)]), slow("waited", [event(3, 5 * MS)])] },
  missing: null,
} as TimeAnswer;

test("each measure has a row of marks in the middle of their events", () => {
  const rows = slowRows(answer, axisOf(moments, false));
  expect(rows.map(({ key, found, about }) => [key, found, about])).toEqual([
    ["slow:cpu", 2, "words of cpu"], ["slow:waited", 1, "words of waited"],
  ]);
  expect(rows[0]!.marks.map(({ event, value }) => [event, value])).toEqual([[4, 4.5], [2, 2.5]]);
  expect(rows[0]!.marks[0]!.text).toBe("event 4: CPU time 3.00 ms, 2.00 ms more than expected");
  const byTime = slowRows(answer, axisOf(moments, true));
  expect(byTime[1]!.marks[0]!.value).toBe(350);
});

test("without times there are no rows", () => {
  expect(slowRows({ verdict: null, missing: "ticks" }, axisOf(moments, false))).toEqual([]);
  expect(slowRows(null, axisOf(moments, false))).toEqual([]);
});

test("of marks that are close the slowest is drawn", () => {
  const [row] = slowRows(answer, axisOf(moments, false));
  const drawn = (from: number, to: number, width: number) =>
    drawnMarks(row!, { left: 10, width, from, to }).map(({ mark, pixel }) => [mark.event, pixel]);
  expect(drawn(1, 6, 100)).toEqual([[2, 40], [4, 80]]);
  expect(drawn(3, 6, 100)).toEqual([[4, 60]]);
  expect(drawn(1, 6, 10)).toEqual([[4, 17]]);
});
