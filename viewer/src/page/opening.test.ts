import { expect, test } from "vitest";
import type { FileAbout, Verdict, VerdictAnswer } from "../answers";

// The address is read when it is first imported.
Object.assign(globalThis, { location: { hash: "" }, addEventListener: () => {} });
const { comparisonOf, firstLook, openingOf } = await import("./opening");

const answer = (verdict: Partial<Verdict> | null) =>
  ({ verdict: verdict && { first_event: 2, last_event: 9, ...verdict }, words: [], missing: null }) as VerdictAnswer;
const file = (parts: Partial<FileAbout> = {}) =>
  ({
    first_event: 1, last_event: 9, last_measured_event: 9, has: { changes: true, peak: true },
    heap: { live_bytes: 5 }, ...parts,
  }) as FileAbout;
const without = (changes: boolean, peak: boolean) => ({ has: { changes, peak } as FileAbout["has"] });

test("the page opens on what the verdict speaks of", () => {
  expect(openingOf(answer({}), file(), false)).toEqual({ view: "stacks", kind: "all", events: "2..9" });
  expect(openingOf(answer({}), file(without(false, true)), false)).toEqual({ view: "stacks", kind: "all" });
});

test("all events are shown until there is a verdict", () => {
  expect(firstLook(file())).toEqual({ view: "stacks", kind: "all", events: "1..9" });
  expect(firstLook(file(without(false, true)))).toBeNull();
  expect(firstLook(file({ first_event: null, last_event: null, last_measured_event: null }))).toBeNull();
  expect(firstLook(file({ last_measured_event: 1 }))).toBeNull();
});

test("without a verdict it opens at the peak, where that is known", () => {
  expect(openingOf(answer(null), file(), false)).toEqual({ view: "flame", counter: "at-peak" });
  expect(openingOf(answer(null), file(without(true, false)), false)).toEqual({ view: "flame", counter: undefined });
  const freed = { ...without(true, false), heap: { live_bytes: 0 } as FileAbout["heap"] };
  expect(openingOf(answer(null), file(freed), false)).toEqual({ view: "flame", counter: "total" });
  expect(openingOf(answer(null), file(), true)).toEqual({ view: "stacks", kind: "all" });
});

test("two recordings open on what differs between them", () => {
  expect(comparisonOf({ files: [file(), file()] })).toEqual({ view: "compare", kind: "all" });
  expect(comparisonOf({ files: [file()] })).toBeNull();
});
