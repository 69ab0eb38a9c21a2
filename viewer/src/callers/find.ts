// The key of a function that is known by its name.

import type { CounterName } from "../answers";
import { ask, type Parameters } from "../ask";
import { exactPattern } from "../stacks/path";

export interface FoundFunction {
  key: string;
  /** One that the function has something of. */
  counter: CounterName;
}

/** Null where no function of this name has live memory or, without a range, calls. */
export async function findFunction(name: string, selection: Parameters): Promise<FoundFunction | null> {
  const counters: CounterName[] = selection["events"] ? ["live", "live-blocks"] : ["live", "calls"];
  for (const counter of counters) {
    const answer = await ask("functions", {
      ...selection,
      counter,
      sort: "cumulative",
      focus: exactPattern(name),
      limit: 200,
    });
    const found = answer.rows.find((row) => row.function === name);
    if (found) return { key: found.key, counter };
  }
  return null;
}
