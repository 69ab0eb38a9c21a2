import { describe, expect, it } from "vitest";
import type { CallEnd } from "../answers";
import { counterFor, counterWords } from "./counters";
import {
  byLine, endRows, firstLook, functionRows, gaps, heat, highestLine, sourceHead, sourceRows, worthShowing, type SourceLine,
} from "./lines";
import { visit } from "./trail";

const line = (number: number, self: number, cumulative: number): SourceLine => ({ line: number, text: null, self, cumulative });

describe("source lines", () => {
  it("have a highest one, by self where cumulative is the same", () => {
    expect(highestLine([line(3, 0, 10), line(4, 5, 10), line(9, 9, 9)])).toBe(4);
    expect(highestLine([line(3, 0, 0)])).toBe(null);
    expect(highestLine([])).toBe(null);
  });
  it("are first looked at where the function allocated", () => {
    const lines = [line(3, 0, 30), line(4, 5, 10), line(9, 7, 7), line(12, 7, 7)];
    expect(firstLook(lines, 5)).toBe(4);
    expect(firstLook(lines, 7)).toBe(3);
    expect(firstLook(lines, 0)).toBe(3);
    expect(firstLook(lines, null)).toBe(3);
  });
  it("are shaded by the root of their part", () => {
    expect([heat(100, 100), heat(25, 100), heat(1, 100), heat(0, 100), heat(-5, 100), heat(5, 0)]).toEqual([100, 50, 10, 0, 0, 0]);
  });
  it("show where others are left out", () => {
    expect([...gaps([line(3, 0, 0), line(4, 0, 0), line(9, 0, 0)])]).toEqual([9]);
  });
  it("without a text are shown for their numbers alone", () => {
    const empty: SourceLine = { line: 5, text: "", self: 0, cumulative: 0 };
    expect(worthShowing([line(3, 0, 0), line(4, 1, 0), line(6, 0, -1), empty]).map((one) => one.line)).toEqual([4, 6, 5]);
  });
  it("go to a file as they are", () => {
    const lines = [{ line: 3, text: "  x = y;", self: 1, cumulative: 2 }, line(4, 0, 0)];
    expect(sourceRows(lines, [])).toEqual([[3, 1, 2, "  x = y;"], [4, 0, 0, null]]);
    const totals = [{ name: "allocated", words: "Allocated", unit: "bytes" as const, byLine: byLine([line(3, 0, 70), line(4, 0, 0)]) }];
    expect(sourceHead(totals)).toEqual(["line", "self", "cumulative", "allocated", "text"]);
    expect(sourceRows(lines, totals)).toEqual([[3, 1, 2, 70, "  x = y;"], [4, 0, 0, 0, null]]);
  });
});

describe("rows of functions", () => {
  const end: CallEnd = {
    key: "0a", function: "run", library: "liba.so", framework: false, self: 1, cumulative: 40, value: 10, recursive: 2,
  };
  it("hold exact numbers", () => {
    expect(functionRows([end])).toEqual([["run", "liba.so", 1, 40]]);
    expect(endRows([end], { function: end })).toEqual([["run", "liba.so", 10, 0.25, 2]]);
    expect(endRows([end], { function: { ...end, cumulative: 0 } })).toEqual([["run", "liba.so", 10, null, 2]]);
  });
});

describe("counters", () => {
  it("of a range are those that were recorded", () => {
    expect(counterFor("total", false, false)).toBe("total");
    expect(counterFor("total", true, false)).toBe("live");
    expect(counterFor("total", true, true)).toBe("total");
    expect(counterFor("peak", true, true)).toBe("live");
    expect(counterFor("live-blocks", true, false)).toBe("live-blocks");
    expect(counterFor("nonsense", false, false)).toBe("live");
    expect(counterWords("live", true)).toBe("growth in bytes");
    expect(counterWords("total", false)).toBe("total bytes");
  });
});

describe("the trail", () => {
  const step = (key: string) => ({ key, name: key });
  it("grows, and ends at a function that is on it", () => {
    const walked = ["a", "b", "c"].map(step).reduce(visit, [] as ReturnType<typeof visit>);
    expect(walked.map((one) => one.key)).toEqual(["a", "b", "c"]);
    expect(visit(walked, step("b")).map((one) => one.key)).toEqual(["a", "b"]);
  });
  it("forgets the oldest", () => {
    const all = Array.from({ length: 14 }, (_, i) => step(String(i)));
    const walked = all.reduce(visit, [] as ReturnType<typeof visit>);
    expect(walked.map((one) => one.key)).toEqual(all.slice(2).map((one) => one.key));
  });
});
