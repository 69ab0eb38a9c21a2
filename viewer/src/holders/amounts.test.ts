import { expect, test } from "vitest";
import type { HeldStack } from "../answers";
import { csvLine } from "../download";
import { amountText, bornText, heldOf, HOLDERS_HEAD, holdersRows, lostOf, partsOf } from "./amounts";

const of = (blocks: number, bytes: number) => ({ blocks, bytes });
const ROW: HeldStack = {
  stack: 7, path: ["main", "fill"], shown: "main > fill", place: "a.cpp:3", words: "held by variable a, b",
  lost: of(1, 10), lost_in_cycle: of(2, 20), held_by_lost: of(0, 0), held: of(4, 40), held_inside: of(8, 80),
  lost_births: [1, 9], held_births: [3, 3], chains: [],
};

test("parts add up, and those that are not there are not told", () => {
  expect(lostOf(ROW)).toEqual(of(3, 30));
  expect(heldOf(ROW)).toEqual(of(12, 120));
  expect(partsOf(ROW).map(({ state }) => state)).toEqual(["lost", "lost_in_cycle", "held", "held_inside"]);
});

test("amounts and births in words", () => {
  expect(amountText(of(1, 2048))).toBe("2.00 KiB in 1 block");
  expect(bornText(ROW.lost_births, "event")).toBe("born in events 1..9");
  expect(bornText(ROW.held_births, "tick")).toBe("born in tick 3");
  expect(bornText(null, "event")).toBeNull();
});

test("CSV has every part", () => {
  expect(HOLDERS_HEAD.length).toBe(holdersRows([ROW])[0]!.length);
  expect(csvLine(holdersRows([ROW])[0]!)).toBe('7,10,1,20,2,0,0,40,4,80,8,"held by variable a, b",main;fill');
});
