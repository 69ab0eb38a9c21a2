// Values of stages as text and as rows of a file.

import type { StagesAnswer } from "../answers";
import type { Cell } from "../download";
import { bytes, duration } from "../format";
import { rangeOfColumn, type Columns } from "./columns";

export const VALUES = ["live", "rss", "vm", "time"] as const;
export type Value = (typeof VALUES)[number];

export const VALUE_NAMES: Record<Value, string> = {
  live: "Live heap",
  rss: "Resident size",
  vm: "Virtual size",
  time: "Time",
};

/** The value that is asked for; live where it is none of these. */
export function valueOf(text: string): Value {
  return VALUES.find((value) => value === text) ?? "live";
}

/** The same with its rows in the order of their events: those of loops that run side by
    side may end in another. */
export function inOrder(answer: StagesAnswer): StagesAnswer {
  const order = answer.rows.map((_, index) => index);
  order.sort((one, other) => answer.rows[one]!.event - answer.rows[other]!.event);
  return {
    ...answer,
    rows: order.map((index) => answer.rows[index]!),
    start_to_start: order.map((index) => answer.start_to_start[index] ?? null),
  };
}

/** `+1.00 KiB`, `-3.20 ms`: always with its sign, as each is a change. A span of time has
    none, unless it is negative. */
export function changeText(value: number, unit: StagesAnswer["unit"]): string {
  if (value === 0) return "0";
  const size = unit === "bytes" ? bytes(Math.abs(value)) : duration(Math.abs(value));
  if (value < 0) return `-${size}`;
  return unit === "bytes" ? `+${size}` : size;
}

/** `begin → middle`. */
export function stageText(name: string): string {
  return name.replaceAll(" -> ", " → ");
}

/** `event 7`, `events 11 to 15`. */
export function columnText(columns: Columns, column: number, last: number, unit: string): string {
  const { from, to } = rangeOfColumn(columns, column, last);
  return from === to ? `${unit} ${from}` : `${unit}s ${from} to ${to}, their sum`;
}

/** The matrix: a line an event, a column a stage. */
export function matrixHead(answer: StagesAnswer): string[] {
  const unit = answer.unit === "bytes" ? "bytes" : "ns";
  return ["event", "events", ...answer.intervals.map((one) => `${one.name} (${unit})`), `start to start (${unit})`];
}

export function matrixRows(answer: StagesAnswer, columns: Columns, last: number): Cell[][] {
  return answer.rows.map((row, index) => {
    const { from, to } = rangeOfColumn(columns, index, last);
    return [row.event, to - from + 1, ...row.values, answer.start_to_start[index] ?? null];
  });
}
