import { expect, test } from "vitest";
import type { Compare, CompareRow } from "../answers";
import { allRows } from "./everything";

const row = (name: string): CompareRow => ({
  class: "new", before: 0, after: 1, delta: 1, rate_before: null, rate_after: null, rate_delta: null,
  share: 0, name, path: null,
});

function pages(found: number, held: number) {
  const asked: number[] = [];
  const askPage = async (offset: number, limit: number): Promise<Compare> => {
    asked.push(offset);
    const names = Array.from({ length: Math.max(0, Math.min(limit, held - offset)) }, (_, index) => row(`f${offset + index}`));
    return { found, offset, rows: names } as Compare;
  };
  return { asked, askPage };
}

test("pages are asked for until all rows are there", async () => {
  const { asked, askPage } = pages(450, 450);
  const rows = await allRows(askPage);
  expect(rows.length).toBe(450);
  expect(rows[449]?.name).toBe("f449");
  expect(asked).toEqual([0, 200, 400]);
});

test("an answer that holds less than it says ends the asking", async () => {
  const { asked, askPage } = pages(450, 200);
  expect((await allRows(askPage)).length).toBe(200);
  expect(asked).toEqual([0, 200]);
});

test("nothing found is one question", async () => {
  const { asked, askPage } = pages(0, 0);
  expect(await allRows(askPage)).toEqual([]);
  expect(asked).toEqual([0]);
});
