import { expect, test } from "vitest";
import { made, madeDeep, madeLarge } from "./made";
import { below, isWithin, libraryOf, nameOf, pathTo, rowsFrom, stepFrom, treeOf, unsentOf, widest } from "./tree";

const tree = treeOf(made());

test("children stand side by side from the left edge of their parent", () => {
  expect([...tree.start]).toEqual([0, 0, 0, 0, 50, 80, 80]);
  expect([...tree.depth]).toEqual([0, 1, 2, 3, 2, 1, 2]);
  expect([...tree.deepest]).toEqual([3, 3, 3, 3, 2, 2, 2]);
  expect(tree.rows).toEqual([[0], [1, 5], [2, 4, 6], [3]]);
});

test("rows are ordered by place when boxes come widest first", () => {
  // The child of the second box comes before the child of the first.
  const mixed = treeOf(
    made({ key: ["", "a", "b", "x", "y"], parent: [-1, 0, 0, 2, 1], weight: [10, 6, 4, 4, 1] }),
  );
  expect(mixed.rows).toEqual([[0], [1, 2], [4, 3]]);
  expect([...mixed.start]).toEqual([0, 0, 6, 6, 0]);
});

test("names, and the root that is no function", () => {
  expect(nameOf(tree, 0)).toBe("everything");
  expect(nameOf(tree, 3)).toBe("fit<A & B>");
  expect(libraryOf(tree, 5)).toBe("libc.so.6");
  const ofThread = treeOf(made(), { rootName: "thread main", isBaseLater: false, turn: "event" });
  expect(nameOf(ofThread, 0)).toBe("thread main");
});

test("paths, parts and sums of rows", () => {
  expect(pathTo(tree, 3)).toEqual([1, 2, 3]);
  expect(pathTo(tree, 0)).toEqual([]);
  expect(rowsFrom(tree, 0)).toBe(4);
  expect(rowsFrom(tree, 5)).toBe(2);
  expect(below(tree, 1)).toEqual([1, 2, 3, 4]);
  expect(isWithin(tree, 6, 5)).toBe(true);
  expect(isWithin(tree, 6, 1)).toBe(false);
  expect(widest(tree, 0, 3)).toEqual([1, 2, 3]);
  expect(widest(tree, 1, 100)).toEqual([2, 3, 4]);
});

test("what is too small to be sent has its place beside what was sent", () => {
  expect([0, 1, 2, 3, 4, 5, 6].map((box) => unsentOf(tree, box))).toEqual([0, 0, 0, 0, 0, 0, 0]);
  // `main` has 10 of its own, `run` and `load` are 70: without `load` 20 are missing.
  const cut = treeOf(
    made({ key: ["", "m", "r"], parent: [-1, 0, 1], weight: [100, 80, 50], value: [100, 80, 50], own: [0, 10, 50] }),
  );
  expect([0, 1, 2].map((box) => unsentOf(cut, box))).toEqual([20, 20, 0]);
  expect([...cut.filled]).toEqual([80, 50, 0]);
  expect(unsentOf(treeOf(made({ own: [0, 0, 0, 0, 0, 0, 0], base: [0, 0, 0, 0, 0, 0, 0] })), 3)).toBe(0);
});

test("steps of the keyboard", () => {
  expect(stepFrom(tree, 1, "in", 0)).toBe(2);
  expect(stepFrom(tree, 3, "in", 0)).toBe(3);
  expect(stepFrom(tree, 3, "out", 0)).toBe(2);
  expect(stepFrom(tree, 0, "out", 0)).toBe(0);
  expect(stepFrom(tree, 2, "right", 0)).toBe(4);
  expect(stepFrom(tree, 4, "right", 0)).toBe(6);
  // Not beyond the root that is shown.
  expect(stepFrom(tree, 4, "right", 1)).toBe(4);
  expect(stepFrom(tree, 4, "left", 1)).toBe(2);
  expect(stepFrom(tree, 1, "out", 1)).toBe(1);
});

test("four thousand boxes take far less than a frame", () => {
  const answer = madeLarge(4000);
  treeOf(answer);
  const times = Array.from({ length: 9 }, () => {
    const began = performance.now();
    treeOf(answer);
    return performance.now() - began;
  });
  expect(Math.min(...times)).toBeLessThan(5);
  const large = treeOf(answer);
  expect(large.rows.map((row) => row.length)).toEqual([1, 10, 100, 1000, 2889]);
});

test("hundreds of rows", () => {
  const deep = treeOf(madeDeep(900));
  expect(rowsFrom(deep, 0)).toBe(900);
  expect(pathTo(deep, 899)).toHaveLength(899);
  expect([...deep.start].every((start) => start === 0)).toBe(true);
});
