import { expect, test } from "vitest";
import { MOST_BOXES, widest, type Candidate } from "./boxes";

const box = (weight: number, label = 0): Candidate<number> => ({
  place: weight, label, width: { value: weight, own: 0, base: 0, weight },
});
/** Everything splits into three unequal parts. */
const split = (weight: number) => [2, 4, 8].map((part, label) => box(Math.floor(weight / part), label));

test("the widest come first, parents before children", () => {
  const { drawn, leftOut } = widest(box(16), 99, split);
  const weights = drawn.map((one) => one.width.weight);
  expect(weights).toEqual([16, 8, 4, 4, 2, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1]);
  expect(drawn.every((one, index) => one.parent < index)).toBe(true);
  expect([drawn[0]!.parent, leftOut]).toEqual([-1, 0]);
});

test("what is too narrow, too deep or too much is not drawn", () => {
  const { drawn, leftOut } = widest(box(4000 * 8), 99, split);
  // Less than 8 is too narrow; 15 halves to 7.
  expect(Math.min(...drawn.map((one) => one.width.weight))).toBe(15);
  expect(leftOut).toBe(2209);
  expect(widest(box(16), 1, split).drawn.map((one) => one.width.weight)).toEqual([16, 8, 4, 2]);
  const many = widest(box(10_000), 1, () => Array.from({ length: 10_000 }, (_, label) => box(2, label)));
  expect([many.drawn.length, many.leftOut]).toEqual([MOST_BOXES, 10_001 - MOST_BOXES]);
  // Those that are equally wide stay in their order.
  expect(many.drawn.slice(1, 4).map((one) => one.label)).toEqual([0, 1, 2]);
});
