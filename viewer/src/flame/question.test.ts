import { expect, test } from "vitest";
import { counterOf, countersOf, firstComparison, questionOf, rangeOf, stepsInto, threadOfKey } from "./question";

test("what is asked without parameters", () => {
  expect(questionOf({}, false)).toEqual({ counter: "live", by: "function", depth: 4096 });
});

test("all parameters are passed on", () => {
  const given = {
    side: "b", events: "51..100", kind: "all", focus: "Fit", counter: "live-blocks", by: "line",
    inverted: "1", root: "k", against: "1..50", highlight: "x.*y", layout: "flame", sort: "growth",
  };
  expect(questionOf(given, true)).toEqual({
    side: "b", events: "51..100", kind: "all", focus: "Fit", counter: "live-blocks", by: "line",
    inverted: 1, root: "k", against: "1..50", highlight: "x.*y", depth: 4096,
  });
});

test("counters that are not known give way", () => {
  expect(countersOf({}, false)).toHaveLength(11);
  expect(counterOf({ counter: "peak" }, false)).toBe("peak");
  expect(counterOf({ counter: "peak", events: "1..2" }, false)).toBe("live");
  expect(counterOf({ counter: "live-blocks", events: "1..2" }, false)).toBe("live-blocks");
  expect(counterOf({ counter: "calls", against: "1..2" }, false)).toBe("live");
  expect(counterOf({ counter: "calls", against: "b" }, false)).toBe("calls");
  expect(counterOf({ counter: "calls", events: "1..2" }, true)).toBe("calls");
  expect(counterOf({ counter: "nonsense" }, false)).toBe("live");
});

test("threads are known of the whole recording", () => {
  const asked = questionOf({ by: "thread", thread: "7", events: "1..2", against: "3..4", counter: "live" }, false);
  expect(asked).toEqual({ counter: "total", by: "thread", thread: "7", depth: 4096 });
});

test("ranges", () => {
  expect(rangeOf(" 51..100 ")).toEqual({ from: 51, to: 100 });
  expect(rangeOf("7..7")).toEqual({ from: 7, to: 7 });
  for (const wrong of ["9..3", "b", "", "1..", "1-2", undefined]) expect(rangeOf(wrong)).toBeNull();
});

test("what a selection is compared with at first", () => {
  const against = (from: number, to: number) => firstComparison({ from, to }, 1, 100)?.against;
  expect(against(51, 100)).toEqual({ from: 1, to: 50 });
  expect(against(81, 90)).toEqual({ from: 71, to: 80 });
  expect(against(11, 100)).toEqual({ from: 1, to: 10 });
  expect(against(1, 40)).toEqual({ from: 41, to: 80 });
  expect(against(1, 100)).toBeUndefined();
  expect(firstComparison(null, 1, 100)).toEqual({ events: { from: 51, to: 100 }, against: { from: 1, to: 50 } });
  expect(firstComparison(null, 1, 1)).toBeNull();
});

test("a thread's box leads to the thread", () => {
  expect(threadOfKey("thread:42")).toBe("42");
  expect(threadOfKey("cbf29ce484222325")).toBeNull();
  expect(stepsInto("thread:42")).toEqual({ thread: "42", root: undefined });
  expect(stepsInto("ab.cd")).toEqual({ root: "ab.cd" });
});
