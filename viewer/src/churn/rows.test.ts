import { expect, test } from "vitest";
import type { ChurnHeads, ChurnRow } from "../answers";
import { csvLine } from "../download";
import { CHURN_HEAD, churnRows, freedOf } from "./rows";

const ROW: ChurnRow = {
  stack: 7, calls: 200, bytes: 819_200, calls_per_event: 10, bytes_per_event: 40_960, temporaries: 150,
  freed_in_event: 200, path: ["main", "run<a, b>", "buffer_site"],
};
const heads = (isFreedInEvent: boolean) => ({ is_freed_in_event: isFreedInEvent }) as ChurnHeads;

test("the last column is of what its head says, and may not have been recorded", () => {
  expect([freedOf(ROW, heads(true)), freedOf(ROW, heads(false))]).toEqual([200, 150]);
  const part = { ...ROW, freed_in_event: null };
  expect([freedOf(part, heads(true)), freedOf(part, heads(false))]).toEqual([null, 150]);
});

test("CSV is that of the command, and empty where a number was not recorded", () => {
  expect(csvLine(CHURN_HEAD)).toBe("stack,calls,bytes,calls_per_event,bytes_per_event,temporaries,freed_in_event,path");
  const lines = (row: ChurnRow) => csvLine(churnRows([row])[0]!);
  expect(lines(ROW)).toBe('7,200,819200,10,40960,150,200,"main;run<a, b>;buffer_site"');
  expect(lines({ ...ROW, calls_per_event: null, bytes_per_event: null, temporaries: null, freed_in_event: null, path: ["main"] })).toBe(
    "7,200,819200,,,,,main",
  );
});
