import { expect, test } from "vitest";
import type { View } from "../address";
import { actionOf, nextTab, type Pressed } from "./keys";

const VIEWS: View[] = ["stacks", "flame", "callers", "stages", "sizes", "compare"];

function press(key: string, other: Partial<Pressed> = {}) {
  return actionOf({ key, hasModifier: false, isTyping: false, isDialogOpen: false, ...other }, VIEWS);
}

test("digits open the views in their order", () => {
  expect(press("1")).toEqual({ kind: "view", view: "stacks" });
  expect(press("6")).toEqual({ kind: "view", view: "compare" });
  expect(press("7")).toBeNull();
  expect(press("0")).toBeNull();
});

test("search, help and clearing have a key each", () => {
  expect(press("/")).toEqual({ kind: "search" });
  expect(press("?")).toEqual({ kind: "help" });
  expect(press("Escape")).toEqual({ kind: "clear-range" });
  expect(press("e")).toEqual({ kind: "range" });
  expect(press("f")).toEqual({ kind: "fold" });
  expect(press("x")).toBeNull();
});

test("keys belong to the field, the dialog or the browser that has them", () => {
  for (const key of ["1", "/", "?", "Escape"]) {
    expect(press(key, { isTyping: true })).toBeNull();
    expect(press(key, { isDialogOpen: true })).toBeNull();
    expect(press(key, { hasModifier: true })).toBeNull();
  }
});

test("arrows go round the tabs", () => {
  expect(nextTab("ArrowRight", 0, 6)).toBe(1);
  expect(nextTab("ArrowRight", 5, 6)).toBe(0);
  expect(nextTab("ArrowLeft", 0, 6)).toBe(5);
  expect(nextTab("Home", 3, 6)).toBe(0);
  expect(nextTab("End", 3, 6)).toBe(5);
  expect(nextTab("Enter", 3, 6)).toBeNull();
});
