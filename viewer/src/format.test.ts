import { expect, test } from "vitest";
import { bytes, count, counted, duration, eventsText, mean, share, signedBytes } from "./format";

test("sizes are those that the command prints", () => {
  // The examples of crates/profile/src/units.rs.
  const expected: [number, string][] = [
    [0, "0 B"],
    [1, "1 B"],
    [1023, "1023 B"],
    [1024, "1.00 KiB"],
    [10_234, "9.99 KiB"],
    [10_239, "10.0 KiB"],
    [102_348, "99.9 KiB"],
    [102_399, "100 KiB"],
    [1_048_063, "1023 KiB"],
    [1_048_064, "1.00 MiB"],
    [2_296_381, "2.19 MiB"],
    [512 * 2 ** 20, "512 MiB"],
    [2 ** 40, "1.00 TiB"],
    [2 ** 64 - 1, "16.0 EiB"],
  ];
  for (const [size, text] of expected) expect(bytes(size)).toBe(text);
  expect([bytes(63.99999999), bytes(1e-9), bytes(-0.001)]).toEqual(["64 B", "0 B", "~0 B"]);
});

test("changes have signs, rates may be parts of a byte", () => {
  expect(["-64 B", "-1.50 KiB"]).toEqual([-64, -1536].map(bytes));
  expect([0.25, 63.94, 48.0000001, -1e-9, 146.4, 1023.6].map(bytes)).toEqual(["0.25 B", "63.9 B", "48 B", "0 B", "146 B", "1.00 KiB"]);
  expect([1536, 0, -1].map(signedBytes)).toEqual(["+1.50 KiB", "0 B", "-1 B"]);
});

test("times are those that the command prints", () => {
  const expected: [number, string][] = [
    [0, "0 ns"],
    [999, "999 ns"],
    [1_500, "1.50 µs"],
    [999_499, "999 µs"],
    [999_500, "1.00 ms"],
    [38_240_000, "38.2 ms"],
    [999_600_000, "1.00 s"],
    [59_900_000_000, "59.9 s"],
    [59_960_000_000, "1 min 0 s"],
    [125_000_000_000, "2 min 5 s"],
    [3_599_600_000_000, "1 h 0 min"],
    [11_520_000_000_000, "3 h 12 min"],
    [183_600_000_000_000, "2 d 3 h"],
  ];
  for (const [nanoseconds, text] of expected) expect(duration(nanoseconds)).toBe(text);
});

test("shares and means of tables are those that the command prints", () => {
  // Only all is 100 %, and only nothing 0 %.
  const shares: [number, number][] = [[0, 9], [5, 0], [7, 7], [1, 3], [1, 100_000], [99_999, 100_000]];
  expect(shares.map(([part, whole]) => share(part, whole))).toEqual(["0 %", "0 %", "100 %", "33.3 %", "<0.1 %", "99.9 %"]);
  expect([13, 9.585, 0.025, 5_001_622.4, 999.7].map(mean)).toEqual(["13", "9.59", "0.025", "5\u202f001\u202f622", "1\u202f000"]);
});

test("one thing is not several", () => {
  expect(count(5_001_622)).toBe("5\u202f001\u202f622");
  expect([counted(1, "block"), counted(36_180, "block"), counted(0, "box", "boxes")]).toEqual([
    "1 block", "36\u202f180 blocks", "0 boxes",
  ]);
  expect([eventsText("tick", 7, 7), eventsText("event", 51, 100)]).toEqual(["tick 7", "events 51..100"]);
});
