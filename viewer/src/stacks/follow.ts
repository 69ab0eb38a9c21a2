// From a stack to the flame graph and the callers, at where its path ends in the tree of calls.

import { useState } from "preact/hooks";
import { go, parameter } from "../address";
import type { CounterName, Kind } from "../answers";
import { ask } from "../ask";
import { beginTrail } from "../callers/trail";

/** A stack, and of which of its numbers there is something to see. */
export interface Followed {
  stack: number;
  kind: Kind;
  part: { events: string; counter: CounterName };
}

/** `said` is why it did not work, or what else was done. */
export function useFollow() {
  const [said, setSaid] = useState("");
  const follow = async ({ stack, kind, part }: Followed, lead: (box: { root: string; function: string }) => Record<string, string>) => {
    try {
      const found = await ask("flame", { side: parameter("side"), kind, ...part, stack, depth: 0 });
      const steps = lead({ root: found.key[0]!, function: found.function[0]! });
      const counter = part.counter === "live" ? "" : part.counter;
      go({ kind: kind === "heap" ? "" : kind, events: part.events, counter, focus: "", ...steps });
    } catch (error) {
      setSaid(error instanceof Error ? error.message : String(error));
    }
  };
  const toFlame = (of: Followed) =>
    follow(of, ({ root }) => ({ view: "flame", root, by: "", inverted: "", thread: "", against: "", highlight: "" }));
  const toCallers = (of: Followed) =>
    follow(of, (box) => {
      beginTrail();
      return { view: "callers", function: box.function, file: "", line: "" };
    });
  return { said, setSaid, toFlame, toCallers };
}
