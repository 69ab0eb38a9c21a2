import { expect, test } from "vitest";
import {
  columnOfEvent, columnsOf, eventAtX, eventTicks, parseRange, rangeOfColumn, rangeText, spanOf, wholeRange,
  xOfEvent,
} from "./columns";

test("a column an event", () => {
  const columns = columnsOf([1, 2, 3, 4, 6], 1);
  expect(columns).toEqual({ starts: [1, 2, 3, 4, 6], width: 1, held: 1 });
  expect(wholeRange(columns, null)).toEqual({ from: 1, to: 6 });
  expect(rangeOfColumn(columns, 4, 6)).toEqual({ from: 6, to: 6 });
});

test("a column for several events ends with the last event", () => {
  const columns = columnsOf([1, 6, 11], 5);
  expect(wholeRange(columns, null)).toEqual({ from: 1, to: 15 });
  expect(wholeRange(columns, 13)).toEqual({ from: 1, to: 13 });
  expect(wholeRange(columns, 9)).toEqual({ from: 1, to: 11 });
  expect(rangeOfColumn(columns, 0, 13)).toEqual({ from: 1, to: 5 });
  expect(rangeOfColumn(columns, 2, 13)).toEqual({ from: 11, to: 13 });
});

test("one event in eight is drawn over eight and stands for one", () => {
  const columns = columnsOf([1, 9, 17, 25], 1);
  expect(columns.width).toBe(8);
  expect(rangeOfColumn(columns, 1, 32)).toEqual({ from: 9, to: 9 });
  expect(columnOfEvent(columns, 16)).toBe(1);
  expect(columnOfEvent(columns, 32)).toBe(3);
  expect(columnOfEvent(columns, 33)).toBe(-1);
});

test("a gap has no column", () => {
  const columns = columnsOf([1, 2, 3, 4, 6], 1);
  expect([0, 1, 4, 5, 6, 7].map((event) => columnOfEvent(columns, event))).toEqual([-1, 0, 3, -1, 4, -1]);
});

test("nothing and one event have columns too", () => {
  expect(columnsOf([], 1)).toEqual({ starts: [], width: 1, held: 1 });
  expect(wholeRange(columnsOf([], 1), null)).toEqual({ from: 1, to: 1 });
  expect(wholeRange(columnsOf([7], 1), 7)).toEqual({ from: 7, to: 7 });
});

test("events and positions are each other's inverse", () => {
  const shown = { from: 51, to: 100 };
  expect(xOfEvent(51, shown, 500)).toBe(0);
  expect(xOfEvent(76, shown, 500)).toBe(250);
  expect(xOfEvent(101, shown, 500)).toBe(500);
  expect(eventAtX(0, shown, 500)).toBe(51);
  expect(eventAtX(9.9, shown, 500)).toBe(51);
  expect(eventAtX(10, shown, 500)).toBe(52);
  expect(eventAtX(-40, shown, 500)).toBe(51);
  expect(eventAtX(900, shown, 500)).toBe(100);
});

test("ticks are round, and the first event is one where there is room", () => {
  expect(eventTicks({ from: 1, to: 100 }, 10)).toEqual([1, 10, 20, 30, 40, 50, 60, 70, 80, 90, 100]);
  expect(eventTicks({ from: 1, to: 5 }, 10)).toEqual([1, 2, 3, 4, 5]);
  expect(eventTicks({ from: 95, to: 250 }, 4)).toEqual([100, 150, 200, 250]);
  expect(eventTicks({ from: 1, to: 100000 }, 5)).toEqual([1, 20000, 40000, 60000, 80000, 100000]);
});

test("ranges as they stand in the address", () => {
  expect(parseRange("51..100")).toEqual({ from: 51, to: 100 });
  expect(parseRange("100..51")).toBeNull();
  expect(parseRange("51..")).toBeNull();
  expect(parseRange("")).toBeNull();
  expect(rangeText({ from: 3, to: 9 })).toBe("3..9");
  expect(spanOf({ from: 11, to: 15 }, { from: 1, to: 5 })).toEqual({ from: 1, to: 15 });
});
