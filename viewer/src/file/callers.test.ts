import { expect, test } from "vitest";
import { callers } from "./callers";
import { asked } from "./made";

const of = (query: string) => asked(callers, query);
const ends = (all: { function: string; value: number; recursive: number }[]) =>
  all.map((end) => [end.function, end.value, end.recursive]);

test("calls within the called function are said to be recursive", () => {
  const run = of("function=2&counter=total");
  expect([run.function.self, run.function.cumulative, run.begun, run.whole]).toEqual([0, 170, 0, 227]);
  expect(ends(run.callers)).toEqual([["main", 170, 0], ["run", 30, 30]]);
  expect(ends(run.callees)).toEqual([["grow", 170, 0], ["run", 30, 30]]);
  expect([run.callers_found, run.callees_found, run.file, run.file_id]).toEqual([2, 2, null, null]);
});

test("what began with a function was called by nobody", () => {
  const main = of("function=1&counter=total&focus=new");
  expect([main.begun, main.callers, ends(main.callees)]).toEqual([140, [], [["run", 140, 0]]]);
});

test("of a range", () => {
  const grow = of("function=3&events=2..3&kind=all");
  expect(ends(grow.callers)).toEqual([["[load]", 4096, 0], ["run", 20, 0]]);
  expect(ends(grow.callees)).toEqual([["new", 20, 0]]);
});

test("a function that is not there is refused", () => {
  for (const key of ["0", "99", "", "x", "1.5"]) {
    expect(() => of(`function=${key}`)).toThrow("this file has no such function");
  }
});
