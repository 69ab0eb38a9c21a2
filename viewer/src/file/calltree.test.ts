import { expect, test } from "vitest";
import { CallTree, ROOT_LABEL } from "./calltree";

const labels = ["", "f", "g", "h"].map((name) => ({ ...ROOT_LABEL, name }));

test("paths share what they begin with", () => {
  const tree = new CallTree(labels, [[2, 1], [1, 2, 1, 3], [1], [1, 2], []]);
  expect(tree.ends).toEqual([6, 4, 1, 2, 0]);
  expect(tree.label).toEqual([0, 1, 2, 1, 3, 2, 1]);
  expect(tree.parent).toEqual([0, 0, 1, 2, 3, 0, 5]);
  expect(tree.end).toEqual([7, 5, 5, 5, 5, 7, 7]);
  expect([tree.children(0), tree.children(2), tree.children(4)]).toEqual([[1, 5], [3], []]);
  expect([...tree.cumulative(Float64Array.of(1, 2, 3, 4, 5, 6, 7))]).toEqual([28, 14, 12, 9, 5, 13, 7]);
  // The second f on a path lies within the first.
  expect([...tree.isOutermost()]).toEqual([0, 1, 1, 0, 1, 1, 1]);
  expect([...tree.nodesIn([false, false, true, false])]).toEqual([0, 0, 1, 1, 1, 1, 1]);
});

test("there may be no paths, or only empty ones", () => {
  expect(new CallTree(labels, []).end).toEqual([1]);
  const tree = new CallTree(labels, [[], []]);
  expect([tree.size, tree.ends]).toEqual([1, [0, 0]]);
});
