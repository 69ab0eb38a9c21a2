// api/stack: everything about one row of the table of stacks. Of the first rows the file
// holds all of it; of the others what their rows tell.

import type { FrameDetail, StackDetail, StackRow } from "../answers";
import type { Question } from "./question";
import type { Recording } from "./recording";
import { rowOf, seriesOf } from "./rows";

export function stack(recording: Recording, question: Question): StackDetail {
  const number = question.number("stack");
  if (number === null) throw new Error("stack: none is named");
  const events = question.events("events");
  const index = rowOfStack(recording, number);
  const row = rowOf(recording, index, events);
  const places = events ? recording.places(events) : { first: 0, last: recording.data.begins.length - 1 };
  const known = recording.data.details[row.stack];
  if (known && events === null) return known;
  const series = seriesOf(recording, index, places);
  // Of its single lines, and of its shape, it is not known how they were in a range.
  if (known) return { ...known, row, series, members: [], reason: null, agreement: null };
  return { ...fromRow(recording, index, row), series };
}

/** The row that a stack is part of. */
function rowOfStack({ rows, data }: Recording, number: number): number {
  const details = Object.values(data.details);
  const whole = details.find((detail) => detail.members.some((member) => member.stack === number));
  const named = whole?.row.stack ?? number;
  const index = rows.findIndex(({ row }) => row.stack === named);
  if (index < 0) throw new Error(`stack ${number} is not in this file`);
  return index;
}

/** All but the course of its memory. */
function fromRow(recording: Recording, index: number, row: StackRow): Omit<StackDetail, "series"> {
  const path = recording.pathOf(index);
  const [only] = path;
  const isText = path.length === 1 && only!.library === "" && only!.name.startsWith("[");
  const noPath = isText ? only!.name : null;
  const frame = ({ name, library, framework }: (typeof path)[number]): FrameDetail => ({
    function: name,
    symbol: null,
    library: library || null,
    address: null,
    framework,
    places: [],
    // The file knows functions, not frames.
    by_frame_pointer: false,
  });
  return {
    row,
    frames: noPath === null ? path.map(frame).reverse() : [],
    no_path: noPath,
    members: [],
    reason: null,
    agreement: null,
    sizes_total: [],
    sizes_live: [],
    ...birthsOf(row, recording.about.events),
    deferral: null,
    freed_at: null,
    threads: [],
  };
}

/** The births of a row are in equal parts of the recording; the file does not say how many
    blocks they are. */
export function birthsOf(row: StackRow, events: number): Pick<StackDetail, "births" | "births_width"> {
  const parts = row.births.length;
  const births = row.births.map((bytes, part) => ({
    event: Math.ceil((part * events) / parts) + 1,
    bytes,
    blocks: 0,
  }));
  return {
    births_width: parts === 0 ? 1 : Math.max(1, Math.ceil(events / parts)),
    births: births.filter((birth) => birth.bytes > 0),
  };
}
