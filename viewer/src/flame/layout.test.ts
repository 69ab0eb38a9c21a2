import { expect, test } from "vitest";
import { between, boxAt, eachSeen, noteAt, rectangleOf, scrollTo, sightOf, unsentRectangle, type Area } from "./layout";
import { made, madeDeep, madeLarge } from "./made";
import { treeOf, type Tree } from "./tree";

const tree = treeOf(made());
const icicle: Area = { width: 1000, height: 80, rowHeight: 20, direction: "icicle", scrolled: 0 };
const flame: Area = { ...icicle, direction: "flame" };
const all = sightOf(tree, 0);

function seen(of: Tree, sight = sightOf(of, 0), area = icicle): number[] {
  const boxes: number[] = [];
  eachSeen(of, sight, area, (box) => boxes.push(box));
  return boxes;
}

test("rectangles with the root at the top and at the bottom", () => {
  expect(rectangleOf(tree, 0, all, icicle)).toEqual({ x: 0, y: 0, width: 1000, height: 20 });
  expect(rectangleOf(tree, 4, all, icicle)).toEqual({ x: 500, y: 40, width: 200, height: 20 });
  expect(rectangleOf(tree, 0, all, flame)).toEqual({ x: 0, y: 60, width: 1000, height: 20 });
  expect(rectangleOf(tree, 4, all, flame)).toEqual({ x: 500, y: 20, width: 200, height: 20 });
  expect(rectangleOf(tree, 4, all, { ...icicle, scrolled: 30 }).y).toBe(10);
  expect(rectangleOf(tree, 4, all, { ...flame, scrolled: 30 }).y).toBe(50);
});

test("a box that is zoomed to fills the width", () => {
  const sight = sightOf(tree, 1);
  expect(sight).toEqual({ left: 0, right: 80, depth: 1 });
  expect(rectangleOf(tree, 1, sight, icicle)).toEqual({ x: 0, y: 0, width: 1000, height: 20 });
  expect(rectangleOf(tree, 4, sight, icicle)).toEqual({ x: 625, y: 20, width: 250, height: 20 });
  expect(seen(tree, sight)).toEqual([1, 2, 4, 3]);
});

test("only what can be seen is visited", () => {
  expect(seen(tree)).toEqual([0, 1, 5, 2, 4, 6, 3]);
  expect(seen(tree, sightOf(tree, 5))).toEqual([5, 6]);
  const deep = treeOf(madeDeep(900));
  expect(seen(deep)).toEqual([0, 1, 2, 3]);
  expect(seen(deep, undefined, { ...icicle, scrolled: 500 * 20 })).toEqual([500, 501, 502, 503]);
  expect(seen(deep, undefined, { ...icicle, scrolled: 500 * 20 + 5 })).toEqual([500, 501, 502, 503, 504]);
  expect(seen(deep, undefined, { ...flame, scrolled: 500 * 20 })).toEqual([500, 501, 502, 503]);
  expect(seen(treeOf(made({ weight: [0, 0, 0, 0, 0, 0, 0] })))).toEqual([]);
});

test("the place of what is too small to be sent", () => {
  const cut = treeOf(
    made({ key: ["", "m", "r"], parent: [-1, 0, 1], weight: [100, 80, 50], value: [100, 80, 50], own: [0, 10, 50] }),
  );
  expect(unsentRectangle(cut, 1, all, icicle)).toEqual({ x: 500, y: 40, width: 200, height: 20 });
  expect(unsentRectangle(cut, 1, all, flame)).toEqual({ x: 500, y: 20, width: 200, height: 20 });
  expect(unsentRectangle(cut, 2, all, icicle)).toBeNull();
});

test("the box at a point", () => {
  expect(boxAt(tree, all, icicle, 0, 0)).toBe(0);
  expect(boxAt(tree, all, icicle, 799, 20)).toBe(1);
  expect(boxAt(tree, all, icicle, 800, 39.9)).toBe(5);
  expect(boxAt(tree, all, icicle, 699, 40)).toBe(4);
  // The own part of a function, below which nothing is.
  expect(boxAt(tree, all, icicle, 700, 40)).toBe(-1);
  expect(boxAt(tree, all, icicle, 1000, 0)).toBe(-1);
  expect(boxAt(tree, all, icicle, 10, 80)).toBe(-1);
  expect(boxAt(tree, all, flame, 10, 60)).toBe(0);
  expect(boxAt(tree, all, flame, 10, 59)).toBe(1);
  expect(boxAt(tree, all, flame, 600, 20)).toBe(4);
});

test("what is drawn at a point is what is found there", () => {
  const large = treeOf(madeLarge(4000));
  for (const area of [icicle, flame, { ...icicle, scrolled: 13 }, { ...flame, scrolled: 13 }]) {
    for (const root of [0, 3, 17]) {
      const sight = sightOf(large, root);
      eachSeen(large, sight, area, (box, x, y, width) => {
        const middle = y + area.rowHeight / 2;
        if (middle < 0 || middle >= area.height) return;
        expect(boxAt(large, sight, area, x + width / 2, middle)).toBe(box);
      });
    }
  }
});

test("all boxes are laid out and looked through in well under five milliseconds", () => {
  const answer = madeLarge(4000);
  const tall = { ...icicle, height: 2000 };
  const once = () => {
    const began = performance.now();
    expect(seen(treeOf(answer), undefined, tall)).toHaveLength(4000);
    return performance.now() - began;
  };
  once();
  expect(Math.min(...Array.from({ length: 9 }, once))).toBeLessThan(5);
});

test("halfway of a zoom the box is halfway on the screen", () => {
  const box = sightOf(tree, 4);
  const half = between(all, box, 0.5);
  // From 500..700 to 0..1000.
  const { x, width } = rectangleOf(tree, 4, half, icicle);
  expect(x).toBeCloseTo(250, 9);
  expect(width).toBeCloseTo(600, 9);
  expect(half.depth).toBe(1);
  expect(between(all, box, 1)).toEqual(box);
  const start = between(all, box, 0);
  expect(start.left).toBeCloseTo(0, 9);
  expect(start.right).toBeCloseTo(100, 9);
  // The way out is the way in.
  const back = between(box, all, 0.5);
  expect(back.left).toBeCloseTo(half.left, 9);
  expect(back.right).toBeCloseTo(half.right, 9);
});

test("scrolls no further than needed", () => {
  const deep = treeOf(madeDeep(900));
  const sight = sightOf(deep, 0);
  expect(scrollTo(deep, 3, sight, icicle)).toBe(0);
  expect(scrollTo(deep, 4, sight, icicle)).toBe(20);
  expect(scrollTo(deep, 100, sight, { ...icicle, scrolled: 3000 })).toBe(2000);
  expect(scrollTo(deep, 150, sight, { ...icicle, scrolled: 3000 })).toBe(3000);
});

test("the note stays in the window", () => {
  const size = { width: 200, height: 100 };
  const window = { width: 1280, height: 800 };
  expect(noteAt({ x: 100, y: 100 }, size, window)).toEqual({ left: 114, top: 114 });
  expect(noteAt({ x: 1200, y: 750 }, size, window)).toEqual({ left: 986, top: 636 });
  expect(noteAt({ x: 100, y: 100 }, { width: 1270, height: 790 }, window)).toEqual({ left: 6, top: 6 });
});
