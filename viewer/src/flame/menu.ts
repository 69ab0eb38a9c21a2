// What can be done with a box: the menu of the right button.

import { go } from "../address";
import type { MenuItem } from "../parts/Menu";
import { copyText } from "../parts/copy";
import { reveal } from "../parts/reveal";
import { exactPattern } from "../stacks/path";
import { byOf, type Given } from "./question";
import { isEverything, nameOf, pathTo, type Tree } from "./tree";

/** The name of a box's function: where lines are told apart, without the line. */
export function functionName(tree: Tree, box: number, given: Given): string {
  const name = nameOf(tree, box);
  return byOf(given) === "line" ? name.replace(/ {2}\S+:\d+$/, "") : name;
}

/** The way to a box as a call stack, the innermost function first. */
export function pathText(tree: Tree, box: number, isInverted: boolean): string {
  const outwards = [
    ...tree.answer.breadcrumbs.map((crumb) => crumb.name),
    ...(isEverything(tree, 0) || tree.answer.breadcrumbs.length > 0 ? [] : [nameOf(tree, 0)]),
    ...pathTo(tree, box).map((one) => nameOf(tree, one)),
  ];
  if (!isInverted) outwards.reverse();
  return outwards.map((name, place) => `#${place} ${name}`).join("\n");
}

/** Why a box is no function to ask about. */
function whyNoFunction(tree: Tree, box: number, given: Given): string | null {
  const by = byOf(given);
  if (by === "module") return "a library, not a function";
  return tree.answer.function[box] ? null : "not a function";
}

export interface Deeds {
  enter: () => void;
  out: (() => void) | null;
}

export function menuOf(tree: Tree, box: number, given: Given, isInverted: boolean, deeds: Deeds): MenuItem[] {
  const key = tree.answer.function[box]!;
  const whyNot = whyNoFunction(tree, box, given);
  const name = functionName(tree, box, given);
  const items: MenuItem[] = [
    { words: "Zoom to it", key: "Enter", act: deeds.enter, whyNot: isEverything(tree, box) ? "everything is shown" : null },
  ];
  if (deeds.out) items.push({ words: "Zoom out", key: "Backspace", act: deeds.out });
  items.push(
    { words: "Only stacks with it", whyNot, act: () => go({ focus: exactPattern(name), root: "", span: "" }) },
    { words: "Without stacks with it", whyNot, act: () => go({ ignore: exactPattern(name), root: "", span: "" }) },
    { words: "Sandwich: callers above, callees below", key: "s", whyNot: whyNot ?? whyNoSandwich(given), act: () => openSandwich(key) },
    { words: "Callers and callees as tables", key: "c", whyNot, act: () => go({ view: "callers", function: key, file: "", line: "" }) },
    {
      words: "Source",
      whyNot,
      act: () => {
        reveal("source", "click");
        go({ view: "callers", function: key, file: "", line: "" });
      },
    },
    { words: "Find all like it", whyNot: isEverything(tree, box) ? "everything is shown" : null, act: () => go({ highlight: exactPattern(name) }) },
    { words: "Copy the name", act: () => void copyText(name) },
    { words: "Copy the path", act: () => void copyText(pathText(tree, box, isInverted)) },
  );
  return items;
}

/** Of one thread alone, and between files, calls are not put together by function. */
export function whyNoSandwich(given: Given): string | null {
  return byOf(given) === "thread" && !given["thread"] ? "threads are not functions" : null;
}

export function openSandwich(key: string): void {
  go({ sandwich: key, root: "", span: "" });
}
