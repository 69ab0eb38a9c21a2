import { expect, test } from "vitest";
import { made } from "./made";
import { Recording } from "./recording";
import { seriesOf, shortened, spark } from "./rows";

test("what a row held at begins is the sum of all changes before them", () => {
  const recording = new Recording(made());
  expect(seriesOf(recording, 0, { first: 0, last: 3 })).toEqual({
    event: [1, 2, 3, 4], bytes: [100, 110, 120, 130], blocks: [1, 2, 3, 4],
  });
  expect(seriesOf(recording, 1, { first: 1, last: 3 })).toEqual({
    event: [2, 3, 4], bytes: [30, 30, 0], blocks: [1, 1, 0],
  });
});

test("many readings become means of equal parts", () => {
  expect(spark([1])).toEqual([]);
  expect(spark([1, 5])).toEqual([1, 5]);
  const means = spark(Array.from({ length: 121 }, (_, at) => at));
  expect(means.length).toBe(40);
  // The first of 121 is left out, so that the last part is whole.
  expect([means[0], means[39]]).toEqual([2, 119]);
});

test("long paths lose their middle", () => {
  const names = Array.from({ length: 100 }, (_, at) => `f${at}`);
  expect(shortened(names.slice(0, 64)).length).toBe(64);
  const short = shortened(names);
  expect(short.length).toBe(65);
  expect([short[31], short[32], short[33]]).toEqual(["f31", "[... 36 functions ...]", "f68"]);
});
