// Questions and answers. The page asks for what it shows; who answers is the server, or
// in a self-contained file the page itself.

import { signal } from "@preact/signals";
import { useEffect, useState } from "preact/hooks";
import type { Answers } from "./answers";

export type Question = keyof Answers;
export type Parameters = Record<string, string | number | undefined>;

/** Somebody who answers. */
export interface Source {
  ask<Q extends Question>(question: Q, query: string, stop: AbortSignal): Promise<Answers[Q]>;
}

/** The server was asked and nobody was there. */
export const isServerGone = signal(false);

class Server implements Source {
  async ask<Q extends Question>(question: Q, query: string, stop: AbortSignal) {
    const response = await fetch(`api/${question}?${query}`, { signal: stop }).catch((error: unknown) => {
      if (stop.aborted) throw error;
      isServerGone.value = true;
      throw new Error("the server of this page does not answer");
    });
    isServerGone.value = false;
    const answer: unknown = await response.json().catch(() => null);
    if (!response.ok) {
      const why = (answer as { error?: string } | null)?.error;
      throw new Error(why ?? `the server answered ${response.status}`);
    }
    return answer as Answers[Q];
  }
}

let source: Source = new Server();
/** Hands the answering to somebody else: to the data inside a self-contained file. */
export function answerBy(other: Source): void {
  source = other;
}

/** Counts up when the data have changed; every answer before is then out of date. */
export const generation = signal(0);
/** The questions that are waiting for their answer. */
export const waiting = signal<readonly Question[]>([]);

const MOST_KEPT = 40;
let kept = new Map<string, unknown>();
let keptGeneration = -1;

const retried = signal(0);

/** Asks everything once more that is shown, whatever is known already. */
export function askAgain(): void {
  kept = new Map();
  retried.value += 1;
}

export function queryOf(parameters: Parameters): string {
  const given = Object.entries(parameters).filter(([, value]) => value !== undefined && value !== "");
  return new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString();
}

export async function ask<Q extends Question>(
  question: Q,
  parameters: Parameters,
  stop: AbortSignal = new AbortController().signal,
): Promise<Answers[Q]> {
  const now = generation.peek();
  if (keptGeneration !== now) {
    kept = new Map();
    keptGeneration = now;
  }
  const query = queryOf(parameters);
  const key = `${question}?${query}`;
  const known = kept.get(key);
  if (known !== undefined) return known as Answers[Q];
  waiting.value = [...waiting.peek(), question];
  try {
    const answer = await source.ask(question, query, stop);
    if (keptGeneration === now && question !== "status") {
      if (kept.size >= MOST_KEPT) kept.delete(kept.keys().next().value!);
      kept.set(key, answer);
    }
    return answer;
  } finally {
    const left = [...waiting.peek()];
    left.splice(left.indexOf(question), 1);
    waiting.value = left;
  }
}

/** What a component shows of an answer. The answer before stays while the next is awaited. */
export interface Asked<T> {
  answer: T | null;
  error: string | null;
  isLoading: boolean;
}

/** Asks when parameters or data change. A null for parameters asks nothing. */
export function useAnswer<Q extends Question>(
  question: Q,
  parameters: Parameters | null,
): Asked<Answers[Q]> {
  const query = parameters === null ? null : queryOf(parameters);
  const now = generation.value;
  const times = retried.value;
  const [asked, setAsked] = useState<Asked<Answers[Q]>>({ answer: null, error: null, isLoading: query !== null });
  useEffect(() => {
    if (query === null || parameters === null) {
      setAsked({ answer: null, error: null, isLoading: false });
      return;
    }
    const stop = new AbortController();
    setAsked((before) => ({ ...before, isLoading: true }));
    ask(question, parameters, stop.signal).then(
      (answer) => {
        if (!stop.signal.aborted) setAsked({ answer, error: null, isLoading: false });
      },
      (error: unknown) => {
        if (stop.signal.aborted) return;
        const why = error instanceof Error ? error.message : String(error);
        setAsked((before) => ({ answer: before.answer, error: why, isLoading: false }));
      },
    );
    return () => stop.abort();
  }, [question, query, now, times]);
  return asked;
}
