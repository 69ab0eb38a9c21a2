// Whether the recording is whole, and the facts about it, in words.

import type { FileAbout, RecorderStats } from "../answers";

export function endText(end: FileAbout["end"]): string {
  switch (end.kind) {
    case "running":
      return "still running";
    case "exited":
      return `exited with status ${end.code}`;
    case "killed":
      return `killed by signal ${end.signal}`;
    case "exec":
      return "replaced by another program (exec)";
    case "unknown":
      return "end unknown";
  }
}

/** It ended as programs should, or has not ended yet. */
export function endedWell(end: FileAbout["end"]): boolean {
  return end.kind === "running" || (end.kind === "exited" && end.code === 0);
}

export type Wholeness = "whole" | "noted" | "lossy";

/** What the recorder counts when something is missing from the numbers. */
const LOSSES: (keyof RecorderStats)[] = ["dropped", "missed_frees", "paused_calls", "verify_differences"];

/** `lossy` where numbers are less than exact, `noted` where there is something to read. */
export function wholeness(file: FileAbout): Wholeness {
  if (LOSSES.some((name) => file.recorder[name] > 0)) return "lossy";
  return file.warnings.length > 0 ? "noted" : "whole";
}

/** The recorder's own memory, shared and inside the program. */
export function recorderBytes(file: FileAbout): number {
  return file.recorder.arena_bytes + file.recorder.private_bytes;
}

/** A command as it could be given to a shell. */
export function commandLine(words: string[]): string {
  const quote = (word: string) =>
    /^[\p{L}\p{N}_@%+=:,./-]+$/u.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
  return words.map(quote).join(" ");
}

/** `2026-11-15 14:05:14` in the reader's own time. */
export function dateText(unix_ns: number): string {
  const date = new Date(unix_ns / 1e6);
  const two = (value: number) => String(value).padStart(2, "0");
  const day = [date.getFullYear(), two(date.getMonth() + 1), two(date.getDate())].join("-");
  return `${day} ${[date.getHours(), date.getMinutes(), date.getSeconds()].map(two).join(":")}`;
}
