import { expect, test } from "vitest";
import type { HeapMap, PinsDocument } from "../answers";
import { beginsArea, cellAt, edgesOf, factsOf, rowsOf } from "./cells";
import { age, colourOf, FREE, OTHER_STACKS, STACKS } from "./colours";

const path = { path: ["main", "keep"], shown: "main > keep", place: null };
const MAP: HeapMap = {
  cell_pages: 2,
  start: [0x1000, 0x3000, 0x9000, 0xb000],
  pages: [2, 2, 2, 1],
  resident_pages: [2, 2, 0, 1],
  pinned_pages: [1, 0, 0, 1],
  used_bytes: [4096, 0, 0, 3072],
  stack: [7, null, null, 9],
  birth: [50, null, null, 0],
  stacks: [{ stack: 3, cells: 5, resident_bytes: 1, ...path }, { stack: 7, cells: 1, resident_bytes: 1, ...path }],
};
const OF = { unit: "event", stacks: [] as PinsDocument["stacks"] } as PinsDocument;

test("colours are those of residue plot", () => {
  const of = (cell: number, by: "fullness" | "age" | "stack") => colourOf(MAP, cell, by, 100);
  expect([0, 1, 2, 3].map((cell) => of(cell, "fullness"))).toEqual(["#F0E442", FREE, null, "#78AB7A"]);
  expect([0, 3].map((cell) => of(cell, "age"))).toEqual(["#CC79A7", "#0072B2"]);
  expect([0, 3].map((cell) => of(cell, "stack"))).toEqual([STACKS[1], OTHER_STACKS]);
  expect(age(7, 0)).toBe("#F0E442");
});

test("cells lie in rows", () => {
  const long = { ...MAP, start: Array.from({ length: 300 }, (_, at) => at) };
  expect([rowsOf(MAP), rowsOf(long)]).toEqual([1, 3]);
  expect([cellAt(MAP, 0, 0, 1280), cellAt(MAP, 15, 7, 1280), cellAt(MAP, 45, 0, 1280)]).toEqual([0, 1, null]);
  expect([cellAt(long, 1279, 0, 1280), cellAt(long, 0, 8, 1280), cellAt(long, 0, 99, 1280)]).toEqual([127, 128, null]);
  expect(edgesOf(129, 1280)).toEqual({ left: 10, right: 20 });
  expect([0, 1, 2, 3].map((cell) => beginsArea(MAP, cell))).toEqual([false, false, true, false]);
});

test("a tooltip says all of a cell", () => {
  expect(factsOf(OF, MAP, 0)).toEqual({
    address: "0x1000",
    lines: [
      "2 pages, 2 in RAM", "4.00 KiB in live blocks (50.0 %)", "0 B free on pages that they keep",
      "4.00 KiB on pages without a live block", "half of it made in event 50 or before",
    ],
    stack: "main > keep",
  });
  expect(factsOf(OF, MAP, 2)).toEqual({ address: "0x9000", lines: ["2 pages, 0 in RAM"], stack: null });
  expect(factsOf(OF, MAP, 3).stack).toBe("stack 9");
  expect(factsOf(OF, MAP, 3).lines.at(-1)).toBe("half of it made before the first event");
});
