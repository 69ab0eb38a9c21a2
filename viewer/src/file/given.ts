// Questions whose answers stand in the file as they are, and those it has no answer to.

import type { About, ChurnAnswer, Compare, Growers, PinsAnswer, Sizes, SourceLines, StagesAnswer, Status, SuspectsAnswer, TimeAnswer, VerdictAnswer } from "../answers";
import type { Question } from "./question";
import type { Recording } from "./recording";
import { unitOf } from "./selection";

/** What threads did is in no file, so it cannot be asked for. */
export function about({ data }: Recording): About {
  const totals = data.allocated_at.length > 1;
  const files = data.about.files.map((file) => ({ ...file, has: { ...file.has, threads: false, totals } }));
  return { ...data.about, files };
}

export function status({ data }: Recording): Status {
  return { generation: data.about.generation, live: false, ended: true, trouble: null };
}

export function verdict({ data }: Recording, question: Question): VerdictAnswer {
  if (question.events("events") === null) return data.verdict;
  const words = ["Verdicts of ranges are not in this file; use `residue view`."];
  return { verdict: null, words, missing: null };
}

/** Of the whole recording alone, as the verdict. */
export function suspects({ data }: Recording, question: Question): SuspectsAnswer {
  if (question.events("events") !== null) throw new Error("verdicts of ranges are not in this file: `residue view` shows them");
  return data.suspects;
}

export function time({ data }: Recording): TimeAnswer {
  return data.time;
}

export function growers({ data }: Recording): Growers {
  return data.growers;
}

/** Of the whole recording, which a range of all events is too. */
export function churn(recording: Recording, question: Question): ChurnAnswer {
  if (question.isFiltered()) {
    throw new Error("churn of single functions is not in this file: `residue view` shows it");
  }
  const events = question.events("events");
  if (events !== null && !recording.isWhole(events)) {
    throw new Error("churn of ranges of events is not in this file: `residue view` shows it");
  }
  return recording.data.churn[question.kind()];
}

export function pins({ data }: Recording): PinsAnswer {
  return data.pins;
}

/** Without a value, the first of rss, vm and live that stamps have. */
export function stages({ data }: Recording, question: Question): StagesAnswer {
  const value = question.word("value", ["", "rss", "vm", "live", "time"]);
  if (value !== "") return data.stages[value];
  const { rss, vm, live } = data.stages;
  return [rss, vm, live].find((one) => one.missing === null) ?? rss;
}

export function sizes({ data }: Recording, question: Question): Sizes {
  if (question.isFiltered()) {
    throw new Error("sizes of single functions are not in this file: `residue view` shows them");
  }
  return data.sizes[question.kind()];
}

export function source(_: Recording, question: Question): SourceLines {
  return { file: "", missing: "Source text is not in this file.", lines: [], unit: unitOf(question.counter()) };
}

export function compare(): Compare {
  throw new Error("only one profile is in this file");
}
