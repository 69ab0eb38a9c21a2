import { expect, test } from "vitest";
import type { PinnedStack } from "../answers";
import { csvLine } from "../download";
import { blocksText, growthText, PINS_HEAD, pinsRows, sizesText, worthShowing } from "./words";

const ROW: PinnedStack = {
  stack: 3, blocks: 2000, used_bytes: 160_000, free_bytes: 8_000_000, pages: 2071, alone_pages: 2071, alone_free_bytes: 8_000_000,
  smallest: 64, largest: 64, first_birth: 1, last_birth: 100, path: ["main", "remember"], shown: "main > remember", place: null,
  growth: { since_event: 50, bytes_per_event: 81_600 },
};

test("a stack is told as by the command", () => {
  expect(blocksText(ROW, "event")).toBe("2\u202f000 blocks of 64 B, born in events 1..100");
  expect(growthText(ROW, "event")).toBe("+79.7 KiB/event since 50");
  expect(growthText({ ...ROW, growth: null }, "event")).toBe("");
  expect(sizesText({ from_bytes: 33, to_bytes: 64 })).toBe("33 B to 64 B");
  expect(PINS_HEAD.length).toBe(pinsRows([ROW])[0]!.length);
  expect(csvLine(pinsRows([{ ...ROW, growth: null }])[0]!)).toMatch(/^3,8000000,.*,100,,,main;remember$/);
});

test("classes that keep next to nothing are left out", () => {
  const rows = [{ free_bytes: 0 }, { free_bytes: 4 }, { free_bytes: 5 }, { free_bytes: 900 }];
  expect(worthShowing(rows, 1000)).toEqual([{ free_bytes: 5 }, { free_bytes: 900 }]);
  expect(worthShowing(rows, 10)).toEqual(rows.slice(1));
});
