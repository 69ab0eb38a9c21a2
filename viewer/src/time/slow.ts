// Slow events in words: which, how long, and by how much longer than it ought to be.

import type { SlowEvent, TimeMeasure, TimeVerdict } from "../answers";
import { duration } from "../format";

/** What slow events are slow by. */
export const SLOW_BY: Record<TimeMeasure, string> = {
  cpu: "slow by CPU time",
  wall: "slow by wall time",
  waited: "slow by waiting",
};

/** `event 20: CPU time 20.9 ms, 10.5 ms more than expected`. */
export function slowText(measure: TimeMeasure, { event, value_ns, expected_ns }: SlowEvent): string {
  const [value, more] = [duration(value_ns), duration(value_ns - expected_ns)];
  switch (measure) {
    case "cpu":
      return `event ${event}: CPU time ${value}, ${more} more than expected`;
    case "wall":
      return `event ${event}: wall time ${value}, ${more} more than expected`;
    case "waited":
      return `event ${event}: waits ${value}, ${more} longer than others`;
  }
}

/** The headline as its word in capitals and what follows it. */
export function headlineParts({ headline }: TimeVerdict): { word: string; rest: string } {
  const at = headline.indexOf("  ");
  return at < 0 ? { word: headline, rest: "" } : { word: headline.slice(0, at), rest: headline.slice(at + 2) };
}

/** Reasons that the headline does not give. */
export function otherReasons({ headline, reasons }: TimeVerdict): string[] {
  return reasons.filter((reason) => !headline.includes(reason));
}
