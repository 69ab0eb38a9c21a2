import { expect, test } from "vitest";
import { changeOf, isPerEvent, signOf } from "./difference";
import { made } from "./made";
import { treeOf } from "./tree";

const compared = { base: [90, 80, 25, 25, 40, 0, 20], base_whole: 90 };

test("nothing is compared without a base", () => {
  expect(isPerEvent(made())).toBe(false);
  expect(changeOf(treeOf(made()), 0)).toBeNull();
});

test("plain values where both sides have as many events", () => {
  const answer = made({ ...compared, base_events: 10 });
  const tree = treeOf(answer);
  expect(isPerEvent(answer)).toBe(false);
  expect(changeOf(tree, 0)).toEqual({
    before: 90, after: 100, difference: 10, relative: 0.1, rate: { before: 9, after: 10, difference: 1 },
  });
  expect(changeOf(tree, 1)!.relative).toBe(0);
  expect(changeOf(tree, 2)!.relative).toBe(0.5);
  expect(changeOf(tree, 4)!.relative).toBe(-0.5);
  expect(changeOf(tree, 5)!.relative).toBe(1);
});

test("rates where they have not", () => {
  const answer = made({ ...compared, base_events: 20 });
  expect(isPerEvent(answer)).toBe(true);
  expect(changeOf(treeOf(answer), 1)).toEqual({
    before: 80, after: 80, difference: 0, relative: 0.5, rate: { before: 4, after: 8, difference: 4 },
  });
});

test("no rates without events on both sides", () => {
  const answer = made({ ...compared, base_events: 0 });
  expect(isPerEvent(answer)).toBe(false);
  expect(changeOf(treeOf(answer), 2)!.rate).toBeNull();
  expect(changeOf(treeOf(made({ ...compared, base_events: null })), 2)!.rate).toBeNull();
});

test("the first of two files is what was before", () => {
  const answer = made({ ...compared, base_events: 20 });
  const tree = treeOf(answer, { rootName: "everything", isBaseLater: true, turn: "event" });
  expect(changeOf(tree, 0)).toMatchObject({ before: 100, after: 90, difference: -10 });
  expect(changeOf(tree, 0)!.rate).toEqual({ before: 10, after: 4.5, difference: -5.5 });
  expect(changeOf(tree, 5)!.relative).toBe(-1);
});

test("signs", () => {
  expect([signOf(0.1), signOf(-2), signOf(0)]).toEqual(["+", "\u2212", ""]);
});
