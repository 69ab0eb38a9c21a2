import { expect, test } from "vitest";
import type { Compare, CompareRow } from "../answers";
import {
  barPercent, byOf, classOf, compareHead, compareRows, deltaBar, innermost, keyOf, mostOf, netRate, rankedOf,
} from "./rows";

const GROWN: CompareRow = {
  class: "grown", before: 1000, after: 4000, delta: 3000, rate_before: null, rate_after: null, rate_delta: null,
  share: 0.75, name: "leak_here", path: null,
};
/** The same bytes in more events: less for each. */
const SHRUNK: CompareRow = {
  class: "shrunk", before: 4000, after: 4000, delta: 0, rate_before: 40, rate_after: 10, rate_delta: -30,
  share: 1, name: null, path: ["main", "process", "digitise"],
};
const COMPARE: Compare = {
  counter: "live", unit: "bytes", by: "function", per: null,
  before: { name: "a.residue", program: "job", events: 100, total: 1000 },
  after: { name: "b.residue", program: "job", events: 400, total: 4000 },
  counts: { new: 0, gone: 0, grown: 1, shrunk: 0, unchanged: 2 },
  growth: 3000, fall: 0, found: 1, offset: 0, rows: [GROWN],
};

test("a row is known by its name or by its path", () => {
  expect(keyOf(GROWN)).toBe("leak_here");
  expect(keyOf(SHRUNK)).toBe("main;process;digitise");
  expect(innermost(["main", "process", "digitise"])).toEqual({ name: "digitise", callers: ["process", "main"] });
  expect(innermost([])).toEqual({ name: "", callers: [] });
});

test("rates rank where there are rates", () => {
  expect(rankedOf(GROWN)).toEqual({ before: 1000, after: 4000, delta: 3000 });
  expect(rankedOf(SHRUNK)).toEqual({ before: 40, after: 10, delta: -30 });
  expect(mostOf([GROWN])).toEqual({ side: 4000, delta: 3000 });
  expect(mostOf([SHRUNK])).toEqual({ side: 40, delta: 30 });
  expect(mostOf([])).toEqual({ side: 0, delta: 0 });
});

test("bars are parts of the largest, and never too small to see", () => {
  expect(barPercent(50, 200)).toBe(25);
  expect(barPercent(1, 1e6)).toBe(1);
  expect(barPercent(0, 200)).toBe(0);
  expect(barPercent(5, 0)).toBe(0);
});

test("bars of changes grow from the middle", () => {
  expect(deltaBar(200, 200)).toEqual({ left: 50, width: 50 });
  expect(deltaBar(-50, 200)).toEqual({ left: 37.5, width: 12.5 });
  expect(deltaBar(0, 200)).toEqual({ left: 50, width: 0 });
});

test("what the address may hold", () => {
  expect(byOf("stack")).toBe("stack");
  expect(byOf("module")).toBe("function");
  expect(classOf("gone")).toBe("gone");
  expect(classOf("unchanged")).toBe("all");
});

test("the net rate needs events on both sides", () => {
  expect(netRate(COMPARE)).toBeNull();
  expect(netRate({ ...COMPARE, per: "event" })).toBe(0);
  expect(netRate({ ...COMPARE, per: "event", before: { ...COMPARE.before, total: 500 } })).toBe(5);
  expect(netRate({ ...COMPARE, per: "event", after: { ...COMPARE.after, events: null } })).toBeNull();
});

test("files hold rates only where there are rates", () => {
  expect(compareHead(COMPARE)).toEqual(["class", "before_bytes", "after_bytes", "change_bytes", "share", "function"]);
  expect(compareRows(COMPARE, [GROWN])).toEqual([["grown", 1000, 4000, 3000, 0.75, "leak_here"]]);
  const divided: Compare = { ...COMPARE, per: "event", by: "stack", rows: [SHRUNK] };
  expect(compareHead(divided)).toEqual([
    "class", "before_bytes", "after_bytes", "change_bytes",
    "before_bytes_per_event", "after_bytes_per_event", "change_bytes_per_event", "share", "stack",
  ]);
  expect(compareRows(divided, divided.rows)).toEqual([
    ["shrunk", 4000, 4000, 0, 40, 10, -30, 1, "main;process;digitise"],
  ]);
});
