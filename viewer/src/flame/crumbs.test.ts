import { expect, test } from "vitest";
import { crumbsOf } from "./crumbs";
import { made } from "./made";
import { treeOf } from "./tree";

test("everything alone", () => {
  const out = { root: undefined, thread: undefined };
  expect(crumbsOf(treeOf(made()), 0, null)).toEqual([{ name: "everything", value: 100, steps: out }]);
});

test("the way goes on through boxes of the answer that is there", () => {
  const breadcrumbs = [{ key: "o", name: "_start", value: 90 }, { key: "k", name: "outer", value: 85 }];
  const tree = treeOf(made({ breadcrumbs, key: ["k", "m", "r", "f", "l", "t", "w"] }));
  const crumbs = crumbsOf(tree, 2, null);
  expect(crumbs.map((crumb) => crumb.name)).toEqual(["everything", "_start", "outer", "main", "run"]);
  expect(crumbs.map((crumb) => crumb.value)).toEqual([100, 90, 85, 80, 50]);
  expect(crumbs[4]!.steps).toEqual({ root: "r" });
});

test("a thread is a step of its own", () => {
  const thread = { tid: "7", name: "thread main" };
  const crumbs = crumbsOf(treeOf(made()), 1, thread);
  expect(crumbs.map((crumb) => crumb.name)).toEqual(["everything", "thread main", "main"]);
  expect(crumbs[1]!.steps).toEqual({ root: undefined, thread: "7" });
  // Zoomed to before the answer for it came: not told twice.
  const threads = treeOf(made({ key: ["", "thread:7", "r", "f", "l", "thread:8", "w"] }));
  expect(crumbsOf(threads, 1, thread).map((crumb) => crumb.steps)).toEqual([
    { root: undefined, thread: undefined },
    { root: undefined, thread: "7" },
  ]);
});
