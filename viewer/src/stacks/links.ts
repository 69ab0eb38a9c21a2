// Where the links of a stack lead: to views in which there is something of it.

import type { CounterName, Kind, StackNumbers } from "../answers";

/** The choice of kinds that a stack's memory is under: what is pooled is of the heap. */
export function kindOf(kind: string): Kind {
  return kind === "mapping" || kind === "reported" ? kind : "heap";
}

/** The kind that is chosen, where it shows the stack too; otherwise the stack's own. As the
    address has it: nothing for the heap. */
export function kindShowing(chosen: string, kind: string): string {
  const own = kindOf(kind);
  if (chosen === "all" || (chosen || "heap") === own) return chosen;
  return own;
}

/** Events and counter of which the stack has something: what grew in the range that is chosen,
    else what is live at the end, was live at the peak, or was ever allocated. */
export function partWith(numbers: StackNumbers, events: string): { events: string; counter: CounterName } {
  if (events !== "" && numbers.growth_bytes > 0) return { events, counter: "live" };
  const counter = numbers.live_bytes > 0 ? "live" : numbers.at_peak_bytes > 0 ? "at-peak" : "total";
  return { events: "", counter };
}
