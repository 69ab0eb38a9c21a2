import { expect, test } from "vitest";
import { rangeLabel, rangeOf } from "./range";

test("a range is two numbers in their order", () => {
  expect(rangeOf("51..100")).toEqual({ from: 51, to: 100 });
  expect(rangeOf("7..7")).toEqual({ from: 7, to: 7 });
  for (const wrong of ["", "51", "100..51", "a..b", "1..2..3"]) expect(rangeOf(wrong)).toBeNull();
});

test("one event is not several", () => {
  expect(rangeLabel("51..100", "event")).toBe("events 51..100 alone:");
  expect(rangeLabel("7..7", "tick")).toBe("tick 7 alone:");
});
