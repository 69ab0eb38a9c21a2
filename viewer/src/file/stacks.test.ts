import { expect, test } from "vitest";
import type { Verdict } from "../answers";
import { asked, made } from "./made";
import { Question } from "./question";
import { Recording } from "./recording";
import { stacks } from "./stacks";

const of = (query: string) => asked(stacks, query);
const order = (query: string) => of(query).rows.map((row) => row.stack);

test("the whole recording, with what is left out as one row", () => {
  const answer = of("");
  expect(answer.rows.map((row) => [row.stack, row.growth_bytes])).toEqual([[10, 100], [40, 7], [-1, 5], [20, 0]]);
  expect([answer.found, answer.events, answer.fallen_bytes, answer.looked_at]).toEqual([4, 4, 0, null]);
  expect(answer.sums).toEqual({
    growth_bytes: 112, growth_blocks: 12, live_bytes: 112, live_blocks: 12, total_bytes: 227, calls: 22,
    frees: 10, churn_bytes: 115, temporaries: 0, reallocs: 0, peak_bytes: 0, at_peak_bytes: 112,
    largest_bytes: 30,
  });
  expect(answer.rows[0]).toMatchObject({ path: ["main", "run", "grow", "new"], shape: "leak", spark: [1, 2] });
});

test("a range tells what it left and what it took", () => {
  const answer = of("events=2..3");
  const growth = answer.rows.map((row) => [row.stack, row.growth_bytes, row.growth_blocks]);
  expect(growth).toEqual([[10, 20, 2], [20, -30, -1]]);
  expect([answer.found, answer.events, answer.fallen_bytes]).toEqual([2, 2, 30]);
  expect([answer.first_event, answer.last_event, of("").first_event]).toEqual([2, 3, null]);
  expect([answer.sums.growth_bytes, answer.sums.growth_blocks, answer.sums.live_bytes]).toEqual([-10, 1, 112]);
  expect(answer.rows[0]).toMatchObject({
    shape: null, confidence: null, rate: null, low: null, high: null, counter: null, spark: [110, 120], live_bytes: 100,
  });
  const single = of("events=4..4").rows.map((row) => [row.stack, row.growth_bytes, row.spark]);
  expect(single).toEqual([[10, 10, []], [-1, 5, []]]);
  expect(() => of("events=5..6")).toThrow("there is no event 5; the last is 4");
  expect(() => of("events=1..2&shape=leak")).toThrow("shapes of single ranges are not in this file");
});

test("of the verdict's own events shapes are known", () => {
  const data = made();
  data.verdict = { ...data.verdict, verdict: { first_event: 2, last_event: 3 } as Verdict };
  const answer = stacks(new Recording(data), new Question("events=2..3&shape=leak"));
  expect(answer.rows[0]).toMatchObject({ stack: 10, shape: "leak", rate: 10, growth_bytes: 20 });
  expect(() => stacks(new Recording(data), new Question("events=1..3&shape=leak"))).toThrow("not in this file");
});

test("rows are ordered, filtered and paged", () => {
  expect(order("kind=all&sort=total")).toEqual([30, 10, -1, 20, 40]);
  expect(order("kind=all&sort=live&ascending=1")).toEqual([20, -1, 40, 10, 30]);
  expect(order("kind=all&sort=at-peak")).toEqual([30, 10, 40, -1, 20]);
  expect(order("kind=all&sort=total&first=40,20,999")).toEqual([40, 20, 30, 10, -1]);
  expect(() => of("first=x")).toThrow("first: `x` is not the number of a stack");
  expect(order("sort=churn")).toEqual([-1, 10, 20, 40]);
  expect(order("kind=mapping")).toEqual([30]);
  expect(order("kind=reported")).toEqual([]);
  expect(order("offset=1&limit=2")).toEqual([40, -1]);
  expect(() => of("sort=age")).toThrow("sort: `age` is not one of growth, growth-blocks");
});

test("the largest block is a maximum, and where it was not recorded no number", () => {
  const largest = (query: string) => of(query).rows.map((row) => [row.stack, row.largest_bytes]);
  expect(largest("kind=all&sort=largest")).toEqual([[30, 4096], [20, 30], [10, 28], [-1, 6], [40, 1]]);
  expect(of("kind=all").sums.largest_bytes).toBe(4096);
  // Of the whole recording, of a range too.
  expect(largest("events=2..3&sort=largest")).toEqual([[20, 30], [10, 28]]);
  const older = made();
  for (const { row } of older.rows) row.largest_bytes = null;
  const ask = (query: string) => stacks(new Recording(older), new Question(query));
  expect([ask("").sums.largest_bytes, ask("").rows[0]!.largest_bytes]).toEqual([null, null]);
  expect(() => ask("sort=largest")).toThrow("`largest` was not recorded: the file is from an earlier version of residue");
});

test("functions and shapes are looked for, but not in what is left out", () => {
  expect(order("focus=grow|call&kind=all")).toEqual([30, 10, 20]);
  expect(of("focus=run").sums.total_bytes).toBe(170);
  const leaks = of("shape=leak");
  expect([leaks.found, leaks.looked_at, leaks.rows[0]!.stack]).toEqual([1, 4, 10]);
  expect(leaks.sums.live_bytes).toBe(112);
  expect(() => of("focus=(")).toThrow("focus: `(` is not a regular expression");
});
