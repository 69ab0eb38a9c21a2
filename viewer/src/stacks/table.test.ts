import { describe, expect, it } from "vitest";
import type { StackNumbers, StackRow } from "../answers";
import { csvLine } from "../download";
import { membersRows, sizeRows, sizeText, STACKS_HEAD, stacksRows, threadsRows } from "./table";

const NUMBERS: StackNumbers = {
  growth_bytes: 4800, growth_blocks: 100, live_bytes: 14400, live_blocks: 300, total_bytes: 20000, calls: 400,
  frees: 100, churn_bytes: 5600, temporaries: 2, reallocs: 1, peak_bytes: 15000, at_peak_bytes: 14000,
  largest_bytes: 640,
};
const ROW: StackRow = {
  ...NUMBERS, stack: 7, lines: 2, kind: "heap", path: ["main", "run<a, b>", "new"], file: "/src/a.cpp", line: 15,
  library: "liba.so", shape: "leak", confidence: "high", rate: 96, low: 95.5, high: 96.5,
  counter: {
    name: "photons", bytes_per_unit: 1.5, bytes_per_unit_low: 1.25, bytes_per_unit_high: 1.75, constant_bytes: 0,
    constant_bytes_low: 0, constant_bytes_high: 0, correlation: 1, r_squared: 1, explained_share: 1, dependence: "proportional",
    events: 100, chance: 0,
  },
  spark: [], births: [],
};

describe("stacksRows", () => {
  it("has all numbers as they are, and the path in one cell", () => {
    expect(csvLine(STACKS_HEAD)).toBe(
      "stack,kind,growth_bytes,growth_blocks,bytes_per_event,low,high,live_bytes,live_blocks,total_bytes,calls,frees," +
        "churn_bytes,temporaries,reallocs,peak_bytes,at_peak_bytes,largest_bytes,shape,confidence,counter,bytes_per_unit," +
        "bytes_per_unit_low,bytes_per_unit_high,lines,library,file,line,path",
    );
    expect(csvLine(stacksRows([ROW])[0]!)).toBe(
      '7,heap,4800,100,96,95.5,96.5,14400,300,20000,400,100,5600,2,1,15000,14000,640,leak,high,photons,1.5,1.25,1.75,2,' +
        'liba.so,/src/a.cpp,15,"main;run<a, b>;new"',
    );
  });
  it("leaves empty what is not known", () => {
    const row: StackRow = { ...ROW, largest_bytes: null, shape: null, confidence: null, rate: null, low: null, high: null, counter: null, file: null, line: null, path: ["new"] };
    expect(csvLine(stacksRows([row])[0]!)).toBe(
      "7,heap,4800,100,,,,14400,300,20000,400,100,5600,2,1,15000,14000,,,,,,,,2,liba.so,,,new",
    );
  });
});

describe("tables of the detail", () => {
  it("have the lines and the threads", () => {
    expect(membersRows([{ stack: 9, place: "a.cpp:15", numbers: NUMBERS }])).toEqual([
      [9, "a.cpp:15", 4800, 100, 14400, 300, 20000, 400, 640],
    ]);
    expect(
      threadsRows([{ name: "worker", tid: 12, calls: 3, total_bytes: 30, frees: 1, net_bytes: 20, largest_bytes: 16 }]),
    ).toEqual([["worker", 12, 3, 30, 1, 20, 16]]);
  });
});

describe("sizeText", () => {
  it("names one size, a span, or all that are larger", () => {
    expect(sizeText(1, 1)).toBe("1 B");
    expect(sizeText(32, 63)).toBe("32 B .. 63 B");
    expect(sizeText(2 ** 40, 2 ** 64)).toBe("1.00 TiB and more");
  });
});

describe("sizeRows", () => {
  it("puts both kinds side by side, in the order of sizes, without empty ones", () => {
    const bin = (from: number, blocks: number) => ({ from_bytes: from, to_bytes: 2 * from - 1, blocks });
    expect(sizeRows([bin(64, 10), bin(16, 5), bin(32, 0)], [bin(64, 3), bin(128, 1)])).toEqual([
      { from_bytes: 16, to_bytes: 31, total: 5, live: 0 },
      { from_bytes: 64, to_bytes: 127, total: 10, live: 3 },
      { from_bytes: 128, to_bytes: 255, total: 0, live: 1 },
    ]);
  });
});
