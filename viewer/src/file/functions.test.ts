import { expect, test } from "vitest";
import { functions } from "./functions";
import { asked } from "./made";

const rows = (query: string) =>
  asked(functions, query).rows.map((row) => [row.key, row.function, row.self, row.cumulative]);

test("a function that calls itself counts once", () => {
  expect(rows("counter=total")).toEqual([
    ["3", "grow", 30, 170], ["1", "main", 0, 170], ["2", "run", 0, 170], ["4", "new", 140, 140],
    ["7", "[3 call paths not in this file]", 50, 50], ["6", "[pooled: small blocks]", 7, 7],
  ]);
  expect(rows("counter=total&sort=self&kind=all&limit=2")).toEqual([["3", "grow", 4126, 4266], ["4", "new", 140, 140]]);
});

test("a pattern chooses functions and not stacks", () => {
  const answer = asked(functions, "counter=total&focus=new&offset=0");
  expect([answer.found, answer.whole, answer.unit]).toEqual([1, 227, "bytes"]);
  expect(answer.rows[0]).toEqual({
    key: "4", function: "new", library: "libc.so", framework: true, self: 140, cumulative: 140,
  });
});

test("a range counts what it left", () => {
  expect(rows("events=4..4")).toEqual([
    ["3", "grow", 0, 10], ["1", "main", 0, 10], ["4", "new", 10, 10], ["2", "run", 0, 10],
    ["7", "[3 call paths not in this file]", 5, 5],
  ]);
});
