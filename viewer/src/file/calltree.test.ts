import { expect, test } from "vitest";
import { CallTree, ROOT_LABEL } from "./calltree";
import { LabelTable } from "./trees";

const labels = ["", "f", "g", "h"].map((name) => ({ ...ROOT_LABEL, name }));

test("paths share what they begin with", () => {
  const tree = new CallTree(labels, [[1, 2], [1, 2, 1, 3], [1], [2, 1], []]);
  expect(tree.ends).toEqual([2, 4, 1, 6, 0]);
  expect(tree.parent).toEqual([0, 0, 1, 2, 3, 0, 5]);
  expect([...tree.cumulative(Float64Array.of(1, 2, 3, 4, 5, 6, 7))]).toEqual([28, 14, 12, 9, 5, 13, 7]);
  // The second f on a path lies within the first.
  expect([...tree.isOutermost()]).toEqual([0, 1, 1, 0, 1, 1, 1]);
  expect([...tree.nodesIn((label) => label === 2)]).toEqual([0, 0, 1, 1, 1, 1, 1]);
  expect([tree.child(0, 2), tree.child(0, 3)]).toEqual([5, null]);
});

test("labels that read the same are one, and a framework's only if all are", () => {
  const table = new LabelTable();
  const label = (name: string, library: string, framework: boolean) => table.number({ name, library, framework });
  expect([label("f", "a", true), label("f", "b", true), label("f", "a", false)]).toEqual([1, 2, 1]);
  expect(table.labels.map((one) => one.framework)).toEqual([false, false, true]);
});
