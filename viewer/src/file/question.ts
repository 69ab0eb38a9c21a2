// The parameters of a question, read into what they mean: the same words as the server's,
// and the same sentences for what is wrong with one.

import { COUNTERS, type CounterName, type Kind } from "../answers";
import type { Window } from "./boxes";

/** Both included. */
export interface EventRange {
  from: number;
  to: number;
}

const KINDS: Kind[] = ["heap", "mapping", "reported", "cpu", "all"];

export class Question {
  private readonly parameters: URLSearchParams;

  constructor(query: string) {
    this.parameters = new URLSearchParams(query);
  }

  /** A parameter that is given and not empty. */
  text(name: string): string | null {
    return this.parameters.get(name) || null;
  }

  /** Whether only stacks through some functions are meant. */
  isFiltered(): boolean {
    return this.text("focus") !== null || this.text("ignore") !== null;
  }

  isSet(name: string): boolean {
    return this.text(name) === "1";
  }

  number(name: string): number | null {
    const text = this.text(name);
    if (text === null) return null;
    if (!/^-?\d+$/.test(text)) throw new Error(`${name}: \`${text}\` is not a number`);
    return Number(text);
  }

  /** Numbers with commas between them. */
  numbers(name: string): number[] {
    const parts = (this.text(name) ?? "").split(",").filter(Boolean);
    const wrong = parts.find((part) => !/^\d+$/.test(part));
    if (wrong !== undefined) throw new Error(`${name}: \`${wrong}\` is not the number of a stack`);
    return parts.map(Number);
  }

  /** A number of rows or boxes within bounds. */
  limit(name: string, usual: number, most: number): number {
    const given = this.number(name) ?? usual;
    if (given < 0) throw new Error(`${name}: \`${given}\` is negative`);
    return Math.min(given, most);
  }

  /** `51..100`, both included; null for the whole recording. */
  events(name: string): EventRange | null {
    const text = this.text(name);
    if (text === null) return null;
    const found = /^(\d+)\.\.(\d+)$/.exec(text);
    const range = { from: Number(found?.[1]), to: Number(found?.[2]) };
    if (found && range.from <= range.to) return range;
    throw new Error(`${name}: \`${text}\` is not a range of events such as 51..100`);
  }

  /** `0..4096`, a part of a width. */
  span(name: string): Window | null {
    const text = this.text(name);
    if (text === null) return null;
    const found = /^(\d+)\.\.(\d+)$/.exec(text);
    const window = { left: Number(found?.[1]), right: Number(found?.[2]) };
    if (found && window.left < window.right) return window;
    throw new Error(`${name}: \`${text}\` is not a part of a width such as 0..4096`);
  }

  kind(): Kind {
    return this.oneOf("kind", KINDS) ?? "heap";
  }

  counter(): CounterName {
    return this.oneOf("counter", COUNTERS) ?? "live";
  }

  /** A regular expression; case is ignored unless it has a capital letter, as by the command. */
  pattern(name: string): RegExp | null {
    const text = this.text(name);
    if (text === null) return null;
    try {
      return new RegExp(text, hasCapital(text) ? "" : "i");
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      throw new Error(`${name}: \`${text}\` is not a regular expression: ${why}`);
    }
  }

  /** One of some words; the first where none is given. */
  word<W extends string>(name: string, words: readonly [W, ...W[]]): W {
    const text = this.text(name);
    if (text === null) return words[0];
    const word = words.find((one) => one === text);
    if (word === undefined) throw new Error(`${name}: \`${text}\` is not one of ${words.join(", ")}`);
    return word;
  }

  private oneOf<W extends string>(name: string, words: readonly W[]): W | null {
    const text = this.text(name);
    if (text === null) return null;
    const word = words.find((one) => one === text);
    if (word === undefined) throw new Error(`${name}: there is no \`${text}\``);
    return word;
  }
}

/** Whether a letter that is meant as one is upper-case: `\W` and `\p{Lu}` are no letters. */
function hasCapital(pattern: string): boolean {
  return /\p{Lu}/u.test(pattern.replace(/\\[pP]\{[^}]*\}|\\./g, ""));
}
