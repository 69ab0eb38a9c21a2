import { expect, test } from "vitest";
import type { StackNumbers } from "../answers";
import { kindOf, kindShowing, partWith } from "./links";

test("a link keeps a choice of kinds that shows the stack", () => {
  expect(["heap", "pooled", "overflow", "mapping", "reported"].map(kindOf)).toEqual([
    "heap", "heap", "heap", "mapping", "reported",
  ]);
  expect(kindShowing("all", "mapping")).toBe("all");
  expect(kindShowing("mapping", "mapping")).toBe("mapping");
  expect(kindShowing("", "pooled")).toBe("");
  expect(kindShowing("", "mapping")).toBe("mapping");
  expect(kindShowing("mapping", "heap")).toBe("heap");
});

test("a link leads to a number that is not nothing", () => {
  const of = (growth: number, live: number, atPeak: number, events: string) =>
    partWith({ growth_bytes: growth, live_bytes: live, at_peak_bytes: atPeak } as StackNumbers, events);
  expect(of(5, 0, 0, "1..9")).toEqual({ events: "1..9", counter: "live" });
  expect(of(-5, 7, 0, "1..9")).toEqual({ events: "", counter: "live" });
  expect(of(0, 0, 3, "")).toEqual({ events: "", counter: "at-peak" });
  expect(of(0, 0, 0, "")).toEqual({ events: "", counter: "total" });
});
