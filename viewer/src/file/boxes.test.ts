import { expect, test } from "vitest";
import { MOST_BOXES, widest, type Candidate } from "./boxes";

const box = (weight: number, label = 0): Candidate<number> => ({
  place: weight, label, width: { value: weight, own: 0, base: 0, weight },
});
/** Everything splits into three unequal parts. */
const split = (weight: number) => [2, 4, 8].map((part, label) => box(Math.floor(weight / part), label));

test("the widest come first, parents before children", () => {
  const { drawn, leftOut } = widest(box(16), 99, null, split);
  const weights = drawn.map((one) => one.width.weight);
  expect(weights).toEqual([16, 8, 4, 4, 2, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1]);
  expect(drawn.every((one, index) => one.parent < index)).toBe(true);
  expect([drawn[0]!.parent, leftOut]).toEqual([-1, 0]);
});

test("what is too narrow, too deep or too much is not drawn", () => {
  const { drawn, leftOut } = widest(box(4000 * 8), 99, null, split);
  // Less than 8 is too narrow; 15 halves to 7.
  expect(Math.min(...drawn.map((one) => one.width.weight))).toBe(15);
  expect(leftOut).toBe(2209);
  expect(widest(box(16), 1, null, split).drawn.map((one) => one.width.weight)).toEqual([16, 8, 4, 2]);
  const many = widest(box(10_000), 1, null, () => Array.from({ length: 10_000 }, (_, label) => box(2, label)));
  expect([many.drawn.length, many.leftOut]).toEqual([MOST_BOXES, 10_001 - MOST_BOXES]);
  // Those that are equally wide stay in their order.
  expect(many.drawn.slice(1, 4).map((one) => one.label)).toEqual([0, 1, 2]);
});

test("a part of the width has narrower boxes, and none has moved", () => {
  const whole = 4000 * 64;
  const all = widest(box(whole), 99, null, split).drawn;
  const window = { left: whole / 2, right: whole / 2 + whole / 64 };
  const part = widest(box(whole), 99, window, split).drawn;
  const narrowest = (boxes: typeof all) => Math.min(...boxes.map((one) => one.width.weight));
  expect(narrowest(part)).toBeLessThan(narrowest(all));
  const wide = (boxes: typeof all) =>
    boxes.filter((one) => one.width.weight >= whole / 8).map((one) => `${one.width.weight} at ${one.start}`).sort();
  expect(wide(part)).toEqual(wide(all));
  expect(wide(all)).toContain(`${whole / 4} at ${whole / 2}`);
});
