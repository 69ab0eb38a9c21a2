import { expect, test } from "vitest";
import { made } from "./made";
import { placesOf } from "./places";

const of = (from: number, to: number, begins = [1, 4, 7], last = 9) => {
  const data = made();
  data.about.files = [{ ...data.about.files[0]!, last_event: last }];
  return placesOf({ ...data, begins }, { from, to });
};

test("a range is widened to the begins that are there", () => {
  expect(of(4, 6)).toEqual({ first: 1, last: 1, events: 3 });
  expect(of(5, 5)).toEqual({ first: 1, last: 1, events: 3 });
  expect(of(3, 4)).toEqual({ first: 0, last: 1, events: 6 });
  expect(of(1, 99)).toEqual({ first: 0, last: 2, events: 9 });
  expect(of(8, 8)).toEqual({ first: 2, last: 2, events: 3 });
});

test("before the first begin there is nothing, after the last event no range", () => {
  expect(of(1, 2, [3, 4])).toEqual({ first: 0, last: -1, events: 0 });
  expect(of(1, 3, [3, 4])).toEqual({ first: 0, last: 0, events: 1 });
  expect(() => of(10, 12)).toThrow("there is no event 10; the last is 4");
  expect(() => of(1, 2, [])).toThrow("there is no event 1; the last is 4");
});

test("the last tick ends where it begins", () => {
  const data = made();
  data.about.files = [{ ...data.about.files[0]!, unit: "tick" }];
  expect(placesOf(data, { from: 2, to: 4 })).toEqual({ first: 1, last: 3, events: 2 });
  expect(placesOf(data, { from: 2, to: 3 })).toEqual({ first: 1, last: 2, events: 2 });
  expect(() => placesOf(data, { from: 5, to: 6 })).toThrow("there is no tick 5; the last is 4");
});
