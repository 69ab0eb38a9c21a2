import { expect, test } from "vitest";
import { along, chartOf, ticks } from "./chart";

test("lengths on both axes", () => {
  expect(along(50, 100, "linear")).toBe(0.5);
  expect(along(0, 100, "linear")).toBe(0);
  expect(along(100, 100, "log")).toBe(1);
  expect(along(0, 100, "log")).toBe(0);
  // 2 * 8 is the fourth power of two, 2 * 128 the eighth.
  expect(along(8, 128, "log")).toBeCloseTo(0.5, 12);
  expect(along(1, 1, "log")).toBe(1);
  expect(along(5, 0, "linear")).toBe(0);
});

test("ticks are round", () => {
  expect(ticks(1000, "log", 5)).toEqual([1, 10, 100, 1000]);
  expect(ticks(999, "log", 5)).toEqual([1, 10, 100]);
  expect(ticks(1e8, "log", 3)).toEqual([1, 1e3, 1e6]);
  expect(ticks(1000, "linear", 5)).toEqual([0, 200, 400, 600, 800, 1000]);
  expect(ticks(3, "linear", 10)).toEqual([0, 1, 2, 3]);
  expect(ticks(0, "linear", 5)).toEqual([]);
});

test("both charts have the same rows and the same widths", () => {
  const rows = [
    { from: 64, to: 127, total: 1000, live: 0 },
    { from: 128, to: 255, total: 500, live: 4 },
  ];
  const chart = chartOf(rows, 1092, 10, "linear");
  // 1092 less 80 for names and 12 between are two times 500, of which 55 are for numbers.
  expect(chart.total.left).toBe(80);
  expect(chart.total.width).toBe(445);
  expect(chart.live.left).toBe(592);
  expect(chart.live.width).toBe(445);
  expect(chart.total.bars).toEqual([
    { y: 38.75, height: 12, width: 445, blocks: 1000 },
    { y: 56.25, height: 12, width: 222.5, blocks: 500 },
  ]);
  expect(chart.live.bars).toEqual([
    { y: 38.75, height: 12, width: 0, blocks: 0 },
    { y: 56.25, height: 12, width: 445, blocks: 4 },
  ]);
  expect(chart.bottom).toBe(71);
  expect(chart.height).toBe(76);
  expect(chart.live.ticks.map((tick) => tick.x)).toEqual([592, 703.25, 814.5, 925.75, 1037]);
});

test("what is not known has no bar and no axis", () => {
  const chart = chartOf([{ from: 8, to: 15, total: 3, live: null }], 1000, 10, "log");
  expect(chart.live.bars[0]).toEqual({ y: 38.75, height: 12, width: 0, blocks: null });
  expect(chart.live.ticks).toEqual([]);
});
