import { expect, test } from "vitest";
import { labelFor, Measure } from "./label";

test("texts are cut to fit, each character measured once", () => {
  const asked: string[] = [];
  const measure = new Measure((character) => {
    asked.push(character);
    return 10;
  });
  expect(measure.fit("abcdef", 60)).toBe("abcdef");
  expect(measure.fit("abcdef", 59)).toBe("abcd\u2026");
  expect(measure.fit("abcdef", 30)).toBe("ab\u2026");
  expect(measure.fit("abcdef", 29)).toBe("");
  expect(measure.fit("\u{1f525}\u{1f525}\u{1f525}\u{1f525}", 30)).toBe("\u{1f525}\u{1f525}\u2026");
  expect(measure.width("aab")).toBe(30);
  expect(asked.filter((character) => character === "a")).toHaveLength(1);
});

test("the number is shown where there is room for both", () => {
  const measure = new Measure(() => 10);
  // Two paddings of 5, a gap of 18, 30 + 40 for the words.
  const run = { sign: "", name: "run", number: "12 B" };
  expect(labelFor(measure, run, 98, 5)).toEqual({ name: "run", number: "12 B" });
  expect(labelFor(measure, run, 97, 5)).toEqual({ name: "run", number: "" });
  expect(labelFor(measure, { ...run, name: "running" }, 60, 5)).toEqual({ name: "runn\u2026", number: "" });
  expect(labelFor(measure, run, 15, 5)).toEqual({ name: "", number: "" });
});

test("the sign is the last to be left out", () => {
  const measure = new Measure(() => 10);
  const grown = { sign: "+", name: "running", number: "+12 B" };
  expect(labelFor(measure, grown, 80, 5)).toEqual({ name: "+ runn\u2026", number: "" });
  expect(labelFor(measure, grown, 40, 5)).toEqual({ name: "+", number: "" });
  expect(labelFor(measure, grown, 13, 5)).toEqual({ name: "+", number: "" });
  expect(labelFor(measure, grown, 12, 5)).toEqual({ name: "", number: "" });
});
