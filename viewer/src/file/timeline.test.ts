import { expect, test } from "vitest";
import { asked, made } from "./made";
import { timeline } from "./timeline";

test("the whole is given as it is", () => {
  expect(asked(timeline, "points=5")).toEqual(made().timeline);
});

test("a range ends where the next event begins", () => {
  const part = asked(timeline, "events=2..3");
  expect(part.event).toEqual([2, 2, 3, 3, 4]);
  expect(part.series.rss).toEqual([20, 21, 30, 31, 40]);
  expect(part.counters).toEqual([{ name: "hits", values: [2, null, 3, null, null] }]);
  expect(part.counted_events).toEqual([1, null, 1, null, null]);
  expect(part.stamps.map((stamp) => stamp.event)).toEqual([2, 3]);
  expect(part.snapshots).toEqual([{ name: "late", event: 3, time_ns: 320 }]);
  const last = asked(timeline, "events=4..9");
  expect([last.event, last.counters[0]!.values]).toEqual([[4, 4, 4], [4, null, null]]);
  expect(() => asked(timeline, "events=5..9")).toThrow("there is no event 5; the last is 4");
});
