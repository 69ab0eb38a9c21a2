import { describe, expect, it } from "vitest";
import { axisOf, firstAbove, interpolate, knotsOf, pixelOf, valueAtPixel } from "./axis";
import type { Moments } from "./moments";
import { made } from "./made";

const EVENTS: Moments = made([
  ["begin", 1, 100], ["end", 1, 180], ["begin", 2, 200], ["snapshot", 2, 250], ["end", 2, 390], ["begin", 3, 400],
  ["end", 3, 480], ["last", 3, 500],
]);

describe("knots", () => {
  it("are begins and both ends", () => {
    expect(knotsOf(EVENTS)).toEqual({ position: [1, 2, 3, 4], time_ns: [100, 200, 400, 500] });
  });
  it("are ticks where there are no events", () => {
    const ticks = made([["tick", 1, 10], ["tick", 2, 20], ["snapshot", 2, 25], ["last", 2, 30]], "tick");
    expect(knotsOf(ticks)).toEqual({ position: [1, 2, 3], time_ns: [10, 20, 30] });
  });
  it("begin with what was before the first event", () => {
    const early = made([["snapshot", 0, 50], ["begin", 1, 100], ["end", 1, 200]]);
    expect(knotsOf(early)).toEqual({ position: [0, 1, 2], time_ns: [50, 100, 200] });
  });
  it("are none without moments", () => {
    expect(knotsOf(made([]))).toEqual({ position: [], time_ns: [] });
  });
});

describe("axis of events", () => {
  const axis = axisOf(EVENTS, false);
  it("places moments inside their events by time", () => {
    expect(axis.values).toEqual([1, 1.8, 2, 2.25, 2.95, 3, 3.8, 4]);
  });
  it("places stamps and keeps them in their event", () => {
    expect(axis.valueIn(1, 150)).toBe(1.5);
    expect(axis.valueIn(1, 300)).toBe(2);
    expect(axis.valueIn(2, 150)).toBe(2);
  });
  it("never leads back where events overlap", () => {
    const overlap = made([["begin", 1, 0], ["begin", 2, 10], ["end", 1, 15], ["begin", 3, 20], ["end", 2, 25], ["end", 3, 30]]);
    expect(axisOf(overlap, false).values).toEqual([1, 2, 2, 3, 3, 4]);
  });
  it("keeps moments in their events where only one event in ten has any", () => {
    const sparse = made([["begin", 1, 0], ["end", 1, 90], ["begin", 11, 1000], ["end", 11, 1090], ["last", 20, 2000]]);
    const values = axisOf(sparse, false).values;
    expect(values[1]).toBeCloseTo(1.9, 12);
    expect(values[2]).toBe(11);
    expect(values[3]).toBeCloseTo(11.9, 12);
    expect(values[4]).toBe(21);
  });
});

describe("axis of time", () => {
  const axis = axisOf(EVENTS, true);
  it("maps events to times and back", () => {
    expect(axis.values).toEqual(EVENTS.time_ns);
    expect(axis.valueOf(2)).toBe(200);
    expect(axis.valueOf(2.5)).toBe(300);
    expect(axis.valueOf(4)).toBe(500);
    expect(axis.positionOf(450)).toBe(3.5);
    expect(axis.positionOf(0)).toBe(1);
    expect(axis.positionOf(9999)).toBe(4);
  });
});

describe("pixels", () => {
  const plot = { left: 80, width: 1000, from: 1, to: 101 };
  it("go to values and back", () => {
    expect(pixelOf(1, plot)).toBe(80);
    expect(pixelOf(51, plot)).toBe(580);
    expect(valueAtPixel(580, plot)).toBe(51);
    expect(valueAtPixel(0, plot)).toBe(1);
    expect(valueAtPixel(5000, plot)).toBe(101);
  });
});

describe("searching", () => {
  it("finds the first value above", () => {
    expect(firstAbove([1, 2, 2, 5], 0)).toBe(0);
    expect(firstAbove([1, 2, 2, 5], 2)).toBe(3);
    expect(firstAbove([1, 2, 2, 5], 5)).toBe(4);
    expect(firstAbove([], 5)).toBe(0);
  });
  it("draws straight lines, level beyond the ends", () => {
    expect(interpolate([0, 10, 20], [0, 100, 0], 5)).toBe(50);
    expect(interpolate([0, 10, 20], [0, 100, 0], 15)).toBe(50);
    expect(interpolate([0, 10], [3, 4], -1)).toBe(3);
    expect(interpolate([0, 10], [3, 4], 11)).toBe(4);
  });
});
