import { expect, test } from "vitest";
import type { Growers } from "../answers";
import { bandsOf, nearestTo, outline } from "./bands";

const grower = (stack: number, bytes: number[]): Growers["stacks"][number] => ({
  stack, kind: "heap", function: "f", place: null, is_accused: false, growth_bytes: bytes.at(-1)! - bytes[0]!, bytes,
});

const ANSWER: Growers = {
  event: [1, 2, 3], time_ns: [1, 2, 3], stacks: [grower(4, [0, 10, 20]), grower(5, [7, 5, 9])], rest: [100, 100, 90],
  rest_stacks: 3, highest: 2,
};

test("bands lie on one another and end at the sum", () => {
  const { bands, highest } = bandsOf(ANSWER, false);
  expect(bands.map(({ place, low, high }) => [place, low, high])).toEqual([
    [0, [0, 0, 0], [0, 10, 20]],
    [1, [0, 10, 20], [7, 15, 29]],
    [-1, [7, 15, 29], [107, 115, 119]],
  ]);
  expect(highest).toBe(119);
});

test("growth begins at nothing, and what fell is not drawn", () => {
  const { bands, highest } = bandsOf(ANSWER, true);
  expect(bands.map(({ high }) => high)).toEqual([[0, 10, 20], [0, 10, 22], [0, 10, 22]]);
  expect(highest).toBe(22);
});

test("an outline goes forth above and back below", () => {
  const { bands } = bandsOf(ANSWER, false);
  expect(outline(bands[1]!, [0, 5, 10], (value) => 30 - value)).toBe("M0 23L5 15L10 1L10 10L5 20L0 30Z");
  expect(outline(bands[1]!, [], (value) => value)).toBe("");
  expect(nearestTo([0, 5, 10], 7.6)).toBe(2);
});
