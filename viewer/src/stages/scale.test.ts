import { expect, test } from "vitest";
import { colourOf, css, mix, parseColour, quantile, scaleOf, strength, type Palette } from "./scale";

const PALETTE: Palette = { shrunk: [0, 100, 200], neutral: [240, 240, 240], grown: [200, 80, 0] };

test("a quantile lies between the two values around it", () => {
  const values = [0, 10, 20, 30, 40];
  expect(quantile(values, 0)).toBe(0);
  expect(quantile(values, 0.5)).toBe(20);
  expect(quantile(values, 0.625)).toBe(25);
  expect(quantile(values, 1)).toBe(40);
  expect(quantile([7], 0.95)).toBe(7);
  expect(quantile([], 0.95)).toBe(0);
});

test("one outlier does not set the scale", () => {
  const values = [...Array.from({ length: 99 }, () => 1000), 1e9];
  expect(scaleOf(values)).toEqual({ limit: 1000, hasFall: false, hasGrowth: true, isCut: true });
});

test("zeros and missing values do not count, signs do not matter to the limit", () => {
  expect(scaleOf([0, null, -8, 8, 0, 0])).toEqual({ limit: 8, hasFall: true, hasGrowth: true, isCut: false });
  expect(scaleOf([0, 0, null])).toEqual({ limit: 0, hasFall: false, hasGrowth: false, isCut: false });
  expect(scaleOf([])).toEqual({ limit: 0, hasFall: false, hasGrowth: false, isCut: false });
});

test("strength is cut at both ends", () => {
  expect(strength(50, 100)).toBe(0.5);
  expect(strength(-300, 100)).toBe(-1);
  expect(strength(300, 100)).toBe(1);
  expect(strength(5, 0)).toBe(0);
});

test("colours go from the neutral one to either side", () => {
  expect(colourOf(0, 10, PALETTE)).toEqual([240, 240, 240]);
  expect(colourOf(10, 10, PALETTE)).toEqual([200, 80, 0]);
  expect(colourOf(5, 10, PALETTE)).toEqual([220, 160, 120]);
  expect(colourOf(-5, 10, PALETTE)).toEqual([120, 170, 220]);
  expect(colourOf(-99, 10, PALETTE)).toEqual([0, 100, 200]);
  expect(mix([0, 0, 0], [255, 255, 255], 0.5)).toEqual([128, 128, 128]);
});

test("colours are read from style sheets and written for canvases", () => {
  expect(parseColour(" #c44e00")).toEqual([196, 78, 0]);
  expect(parseColour("rgb(1, 22, 133)")).toEqual([1, 22, 133]);
  expect(parseColour("rgb(1 22 133 / 50%)")).toEqual([1, 22, 133]);
  expect(parseColour("tomato")).toEqual([128, 128, 128]);
  expect(css([1, 22, 133])).toBe("rgb(1, 22, 133)");
});
