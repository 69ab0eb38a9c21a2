// Answers the page's questions from the data of a self-contained file.

import type { Answers, FileData } from "../answers";
import type { Question as Name, Source } from "../ask";
import { callers } from "./callers";
import { flame } from "./flame";
import { functions } from "./functions";
import { about, churn, compare, growers, pins, sizes, source, stages, status, suspects, time, verdict } from "./given";
import { holder, holders } from "./holders";
import { Question } from "./question";
import { Recording } from "./recording";
import { stack } from "./stack";
import { stacks } from "./stacks";
import { timeline } from "./timeline";

type Answering = { [N in Name]: (recording: Recording, question: Question) => Answers[N] };

const ANSWERING: Answering = {
  about, status, verdict, suspects, time, churn, holders, holder, pins, timeline, growers, stacks, stack, flame, functions, callers, source, stages, sizes, compare,
};

export class FileSource implements Source {
  private readonly recording: Recording;

  constructor(data: FileData) {
    this.recording = new Recording(data);
  }

  async ask<N extends Name>(name: N, query: string): Promise<Answers[N]> {
    const question = new Question(query);
    if (question.text("side") === "b") throw new Error("only one profile is in this file");
    return ANSWERING[name](this.recording, question);
  }
}

/** The data inside the page, where it is a self-contained file. */
export function sourceInPage(): Source | null {
  const element = document.getElementById("residue-data");
  if (element === null) return null;
  const data = JSON.parse(element.textContent ?? "") as FileData;
  // Megabytes of text that nobody reads again.
  element.remove();
  return new FileSource(data);
}
