import { describe, expect, it } from "vitest";
import { bars, eventsOf, eventText, nearest, part, sparkPath, sparkRange } from "./geometry";

describe("sparkRange", () => {
  it("is from the lowest to the highest", () => {
    expect(sparkRange([30, 10, 50])).toEqual({ low: 10, high: 50 });
  });
  it("makes little of small changes of much", () => {
    expect(sparkRange([1000, 1001])).toEqual({ low: 900.9, high: 1001 });
  });
  it("has a span where all are zero, or none are there", () => {
    expect(sparkRange([0, 0])).toEqual({ low: 0, high: 1 });
    expect(sparkRange([])).toEqual({ low: 0, high: 1 });
  });
});

describe("sparkPath", () => {
  it("spans the box, the highest at the top", () => {
    expect(sparkPath([0, 50, 100], 80, 20)).toBe("M0 20L40 10L80 0");
  });
  it("draws what falls", () => {
    expect(sparkPath([100, 0], 80, 20)).toBe("M0 0L80 20");
  });
  it("is a line for one value, and nothing for none", () => {
    expect(sparkPath([7], 80, 20)).toBe("M0 0H80");
    expect(sparkPath([], 80, 20)).toBe("");
  });
  it("lies at the bottom for zeros", () => {
    expect(sparkPath([0, 0], 80, 20)).toBe("M0 20L80 20");
  });
});

describe("bars", () => {
  it("are as high as their part of the highest, and leave zeros out", () => {
    expect(bars([10, 0, 5], 30, 20)).toEqual([
      { x: 0, y: 0, width: 9.5, height: 20 },
      { x: 20, y: 10, width: 9.5, height: 10 },
    ]);
  });
  it("can always be seen", () => {
    expect(bars([100000, 1], 2, 20)[1]).toEqual({ x: 1, y: 19.5, width: 1, height: 0.5 });
  });
  it("are none where nothing is", () => {
    expect(bars([0, 0], 30, 20)).toEqual([]);
    expect(bars([], 30, 20)).toEqual([]);
  });
});

describe("part", () => {
  it("lies between nothing and all", () => {
    expect(part(25, 100)).toBe(0.25);
    expect(part(200, 100)).toBe(1);
    expect(part(-5, 100)).toBe(0);
    expect(part(5, 0)).toBe(0);
    expect(part(5, -10)).toBe(0);
  });
});

describe("the events of a bar", () => {
  it("are as many as it stands for, but for what came before the first", () => {
    expect([eventsOf(0, 5), eventsOf(1, 5)]).toEqual([1, 5]);
    expect(eventText(0, 5, "event")).toBe("before the first event");
    expect(eventText(51, 5, "event")).toBe("events 51..55");
    expect(eventText(51, 1, "tick")).toBe("tick 51");
  });
});

describe("nearest", () => {
  it("finds the nearest, of two as near the earlier", () => {
    expect(nearest([1, 5, 9], 0)).toBe(0);
    expect(nearest([1, 5, 9], 3)).toBe(0);
    expect(nearest([1, 5, 9], 3.1)).toBe(1);
    expect(nearest([1, 5, 9], 100)).toBe(2);
  });
});
