import { expect, test } from "vitest";
import type { FileAbout, StackVerdict, Verdict } from "../answers";
import { accused, judgedRange } from "./judged";

const verdict = (first: number, last: number, shares: (number | null)[] = []) =>
  ({
    first_event: first,
    last_event: last,
    stacks: shares.map((share, stack) => ({ stack, share }) as StackVerdict),
  }) as Verdict;
const file = (parts: Partial<FileAbout> = {}) =>
  ({ first_event: 1, last_event: 1000, last_measured_event: 1000, has: { changes: true }, ...parts }) as FileAbout;

test("the verdict's events are a range", () => {
  expect(judgedRange(verdict(3, 1000), file())).toBe("3..1000");
  expect(judgedRange(verdict(1, 1000), file({ last_measured_event: 999 }))).toBe("1..1000");
  expect(judgedRange(verdict(1, 1000), file({ first_event: 4 }))).toBe("4..1000");
});

test("there is none where stacks are not known over the events", () => {
  expect(judgedRange(null, file())).toBeNull();
  expect(judgedRange(verdict(1, 9), null)).toBeNull();
  expect(judgedRange(verdict(1, 9), file({ has: { changes: false } as FileAbout["has"] }))).toBeNull();
  expect(judgedRange(verdict(1, 9), file({ first_event: null }))).toBeNull();
  expect(judgedRange(verdict(5, 5), file({ last_measured_event: 4 }))).toBeNull();
});

test("accused are those with a share of the growth", () => {
  expect(accused(verdict(1, 9, [0.7, null, 0.3])).map(({ stack }) => stack)).toEqual([0, 2]);
  expect(accused(null)).toEqual([]);
});
