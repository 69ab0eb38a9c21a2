import { expect, test } from "vitest";
import { asked, made } from "./made";
import { birthsOf, stack } from "./stack";

const of = (query: string) => asked(stack, query);

test("of the first rows all is known", () => {
  expect(of("stack=10")).toEqual(made().details["10"]);
  // Another line of the same row.
  expect(of("stack=11").row.stack).toBe(10);
});

test("of a range the course, and nothing that is of the whole", () => {
  const detail = of("stack=10&events=2..3");
  expect(detail.series).toEqual({ event: [2, 3], bytes: [110, 120], blocks: [2, 3] });
  expect([detail.row.growth_bytes, detail.row.shape]).toEqual([20, null]);
  expect([detail.members, detail.reason, detail.agreement]).toEqual([[], null, null]);
});

test("of other rows what their rows tell", () => {
  const detail = of("stack=20");
  expect(detail.frames.map((frame) => [frame.function, frame.library])).toEqual([
    ["grow", "libgrow.so"], ["run", "app"], ["run", "app"], ["main", "app"],
  ]);
  expect(detail.series).toEqual({ event: [1, 2, 3, 4], bytes: [0, 30, 30, 0], blocks: [0, 1, 1, 0] });
  expect([detail.no_path, detail.row.path]).toEqual([null, ["main", "run", "run", "grow"]]);
  const pooled = of("stack=40");
  expect([pooled.no_path, pooled.frames]).toEqual(["[pooled: small blocks]", []]);
  expect(of("stack=-1").no_path).toBe("[3 call paths not in this file]");
});

test("births are parts of the recording", () => {
  const row = { ...made().rows[0]!.row, births: [0, 20, 80] };
  expect(birthsOf(row, 9)).toEqual({
    births_width: 3, births: [{ event: 4, bytes: 20, blocks: 0 }, { event: 7, bytes: 80, blocks: 0 }],
  });
  expect(birthsOf({ ...row, births: [] }, 9)).toEqual({ births_width: 1, births: [] });
});

test("a stack that is not there is refused", () => {
  expect(() => of("stack=99")).toThrow("stack 99 is not in this file");
  expect(() => of("")).toThrow("stack: none is named");
});
