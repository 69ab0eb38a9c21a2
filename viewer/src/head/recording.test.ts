import { expect, test } from "vitest";
import type { FileAbout, RecorderStats } from "../answers";
import { NO_STATS } from "../file/made";
import * as text from "./recording";

const file = (warnings: string[], recorder: Partial<RecorderStats>) =>
  ({ warnings, recorder: { ...NO_STATS, ...recorder } }) as FileAbout;

test("every end has its words", () => {
  expect(text.endText({ kind: "exited", code: 3 })).toBe("exited with status 3");
  expect(text.endText({ kind: "killed", signal: 9 })).toBe("killed by signal 9");
  expect(text.endText({ kind: "running" })).toBe("still running");
  expect(text.endText({ kind: "exec" })).toBe("replaced by another program (exec)");
  expect(text.endText({ kind: "unknown" })).toBe("end unknown");
  const well = (end: FileAbout["end"]) => text.endedWell(end);
  expect([well({ kind: "exited", code: 0 }), well({ kind: "running" })]).toEqual([true, true]);
  expect([well({ kind: "exited", code: 1 }), well({ kind: "killed", signal: 9 })]).toEqual([false, false]);
});

test("whole is what lost nothing and has no note", () => {
  expect(text.wholeness(file([], { dropped: 0, unknown_frees: 3 }))).toBe("whole");
  expect(text.wholeness(file(["a sentence"], {}))).toBe("noted");
  for (const name of ["dropped", "missed_frees", "paused_calls", "verify_differences"]) {
    expect(text.wholeness(file([], { [name]: 1 }))).toBe("lossy");
  }
});

test("the recorder's memory is both parts of it", () => {
  expect(text.recorderBytes(file([], { arena_bytes: 1388464, private_bytes: 210416 }))).toBe(1598880);
  expect(text.recorderBytes(file([], {}))).toBe(0);
});

test("a command can be given to a shell again", () => {
  expect(text.commandLine(["./server", "--port=80", "a b", "it's", ""])).toBe(
    String.raw`./server --port=80 'a b' 'it'\''s' ''`,
  );
});

test("a date has two digits for each part", () => {
  const noon = new Date(2026, 0, 5, 12, 3, 9).getTime();
  expect(text.dateText(noon * 1e6)).toBe("2026-01-05 12:03:09");
});
