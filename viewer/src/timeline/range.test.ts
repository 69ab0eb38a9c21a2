import { describe, expect, it } from "vitest";
import {
  clampRange, isSame, lengthOf, moveRange, panStretch, parseRange, rangeOfDrag, rangeOfStretch, stretchOf, withEndAt,
  writeRange, zoomStretch,
} from "./range";

const BOUNDS = { first: 1, last: 100 };

describe("ranges in the address", () => {
  it("reads and writes both ends", () => {
    expect(parseRange("51..100")).toEqual({ first: 51, last: 100 });
    expect(parseRange(" 7..7 ")).toEqual({ first: 7, last: 7 });
    expect(writeRange({ first: 51, last: 100 })).toBe("51..100");
    expect(lengthOf({ first: 51, last: 100 })).toBe(50);
  });
  it("puts ends in order", () => {
    expect(parseRange("100..51")).toEqual({ first: 51, last: 100 });
  });
  it("refuses everything else", () => {
    for (const text of ["", "51", "51..", "..100", "a..b", "-1..5", "1.5..2", "1...2", "1..2..3", "9999999999999999..1"]) {
      expect(parseRange(text), text).toBeNull();
    }
  });
  it("tells equal ones", () => {
    expect(isSame(null, null)).toBe(true);
    expect(isSame({ first: 1, last: 2 }, { first: 1, last: 2 })).toBe(true);
    expect(isSame({ first: 1, last: 2 }, null)).toBe(false);
    expect(isSame({ first: 1, last: 2 }, { first: 1, last: 3 })).toBe(false);
  });
});

describe("bounds", () => {
  it("clamps both ends", () => {
    expect(clampRange({ first: 0, last: 5000 }, BOUNDS)).toEqual({ first: 1, last: 100 });
    expect(clampRange({ first: 51, last: 120 }, BOUNDS)).toEqual({ first: 51, last: 100 });
    expect(clampRange({ first: 300, last: 400 }, BOUNDS)).toEqual({ first: 100, last: 100 });
  });
  it("moves a range by its length and keeps the length at the ends", () => {
    expect(moveRange({ first: 11, last: 20 }, 10, BOUNDS)).toEqual({ first: 21, last: 30 });
    expect(moveRange({ first: 11, last: 20 }, -10, BOUNDS)).toEqual({ first: 1, last: 10 });
    expect(moveRange({ first: 5, last: 14 }, -10, BOUNDS)).toEqual({ first: 1, last: 10 });
    expect(moveRange({ first: 86, last: 95 }, 10, BOUNDS)).toEqual({ first: 91, last: 100 });
    expect(moveRange({ first: 0, last: 500 }, 10, BOUNDS)).toEqual({ first: 1, last: 100 });
  });
});

describe("drags", () => {
  it("selects the events between two edges, a little beside them or not", () => {
    expect(rangeOfDrag(51, 101, BOUNDS)).toEqual({ first: 51, last: 100 });
    expect(rangeOfDrag(50.9, 81.1, BOUNDS)).toEqual({ first: 51, last: 80 });
    expect(rangeOfDrag(51.1, 80.9, BOUNDS)).toEqual({ first: 51, last: 80 });
  });
  it("selects from the middle of one to the middle of another", () => {
    expect(rangeOfDrag(51.5, 80.5, BOUNDS)).toEqual({ first: 51, last: 80 });
    expect(rangeOfDrag(80.5, 51.5, BOUNDS)).toEqual({ first: 51, last: 80 });
  });
  it("selects at least one event", () => {
    expect(rangeOfDrag(7.4, 7.5, BOUNDS)).toEqual({ first: 7, last: 7 });
    expect(rangeOfDrag(7.9, 8.05, BOUNDS)).toEqual({ first: 7, last: 7 });
  });
  it("stays inside the recording", () => {
    expect(rangeOfDrag(0, 200, BOUNDS)).toEqual({ first: 1, last: 100 });
  });
  it("moves one end up to the other", () => {
    const range = { first: 20, last: 40 };
    expect(withEndAt(range, "first", 30.4, BOUNDS)).toEqual({ first: 30, last: 40 });
    expect(withEndAt(range, "first", 70, BOUNDS)).toEqual({ first: 40, last: 40 });
    expect(withEndAt(range, "first", -5, BOUNDS)).toEqual({ first: 1, last: 40 });
    expect(withEndAt(range, "last", 61.2, BOUNDS)).toEqual({ first: 20, last: 60 });
    expect(withEndAt(range, "last", 3, BOUNDS)).toEqual({ first: 20, last: 20 });
    expect(withEndAt(range, "last", 500, BOUNDS)).toEqual({ first: 20, last: 100 });
  });
});

describe("zoom", () => {
  it("is whole events once it rests", () => {
    expect(stretchOf({ first: 51, last: 100 })).toEqual({ from: 51, to: 101 });
    expect(rangeOfStretch({ from: 51, to: 101 }, BOUNDS)).toEqual({ first: 51, last: 100 });
    expect(rangeOfStretch({ from: 50.6, to: 100.6 }, BOUNDS)).toEqual({ first: 51, last: 100 });
    expect(rangeOfStretch({ from: 7.4, to: 7.6 }, BOUNDS)).toEqual({ first: 7, last: 7 });
  });
  it("keeps what is under the pointer", () => {
    expect(zoomStretch({ from: 1, to: 101 }, 26, 0.5, BOUNDS)).toEqual({ from: 13.5, to: 63.5 });
    expect(zoomStretch({ from: 1, to: 101 }, 1, 0.5, BOUNDS)).toEqual({ from: 1, to: 51 });
  });
  it("stops at one event and at everything", () => {
    expect(zoomStretch({ from: 50, to: 52 }, 51, 0.01, BOUNDS)).toEqual({ from: 50.5, to: 51.5 });
    expect(zoomStretch({ from: 40, to: 60 }, 50, 100, BOUNDS)).toEqual({ from: 1, to: 101 });
  });
  it("pans up to the ends", () => {
    expect(panStretch({ from: 10, to: 20 }, 5, BOUNDS)).toEqual({ from: 15, to: 25 });
    expect(panStretch({ from: 10, to: 20 }, -50, BOUNDS)).toEqual({ from: 1, to: 11 });
    expect(panStretch({ from: 10, to: 20 }, 500, BOUNDS)).toEqual({ from: 91, to: 101 });
  });
});
