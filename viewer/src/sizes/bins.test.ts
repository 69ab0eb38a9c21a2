import { expect, test } from "vitest";
import { csvRows, sizeRows, sizeText, sum } from "./bins";

const bin = (from_bytes: number, blocks: number) => ({ from_bytes, to_bytes: 2 * from_bytes - 1, blocks });

test("bins of both lists meet, and holes are filled with zeros", () => {
  const rows = sizeRows({ total: [bin(64, 1000), bin(512, 100)], live: [bin(512, 100), bin(1024, 1)] });
  expect(rows).toEqual([
    { from: 64, to: 127, total: 1000, live: 0 },
    { from: 128, to: 255, total: 0, live: 0 },
    { from: 256, to: 511, total: 0, live: 0 },
    { from: 512, to: 1023, total: 100, live: 100 },
    { from: 1024, to: 2047, total: 0, live: 1 },
  ]);
  expect(sum(rows, "total")).toBe(1100);
  expect(sum(rows, "live")).toBe(101);
  expect(csvRows(rows)[3]).toEqual([512, 1023, 100, 100]);
});

test("empty bins at the ends are left out, and a list that is not known stays so", () => {
  expect(sizeRows({ total: [bin(1, 0), bin(8, 3), bin(16, 0)], live: null })).toEqual([
    { from: 8, to: 15, total: 3, live: null },
  ]);
  expect(sizeRows({ total: null, live: null })).toEqual([]);
});

test("the bin of nothing is followed by that of one byte", () => {
  const zero = { from_bytes: 0, to_bytes: 0, blocks: 2 };
  expect(sizeRows({ total: [zero, bin(4, 1)], live: [] }).map((row) => row.from)).toEqual([0, 1, 2, 4]);
});

test("sizes read as in the command's texts", () => {
  const text = (from: number) => sizeText({ from, to: 2 * from - 1 });
  expect(sizeText({ from: 0, to: 0 })).toBe("0 B");
  expect(text(1)).toBe("1 B");
  expect(text(2)).toBe("2–3 B");
  expect(text(64)).toBe("64–127 B");
  expect(text(512)).toBe("512–1023 B");
  expect(text(1024)).toBe("1–2 KiB");
  expect(text(512 * 1024)).toBe("512–1024 KiB");
  expect(text(1 << 20)).toBe("1–2 MiB");
  expect(sizeText({ from: 2 ** 30, to: 2 ** 64 })).toBe("1 GiB or more");
});

test("the last bin has no upper end", () => {
  const open = { from: 2 ** 30, to: 2 ** 64, total: 2, live: 1 };
  expect(csvRows([open])).toEqual([[2 ** 30, null, 2, 1]]);
});
