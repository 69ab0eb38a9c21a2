import { expect, test } from "vitest";
import type { EventsAbout, Verdict } from "../answers";
import * as text from "./verdict";

const EVENTS: EventsAbout = {
  source: "marks", events: 1000, streams: 1, stride: 1, birth_bin_events: 1, tick_ns: 0, late_lines: 0,
  misuse: {
    end_without_begin: 0, begin_inside_event: 0, end_of_another: 0, scope_end_without_begin: 0, no_room: 0,
  },
  search: { functions: [], line: null, functions_matched: null, functions_hooked: 0, jit_functions_matched: 0 },
};

function verdict(parts: Partial<Verdict>): Verdict {
  return {
    format: "residue-leaks", version: 1, program: "made", about: EVENTS, churn: [], pinned: [],
    verdict: "leak",
    headline: { name: "LEAK", before: "", bytes_per_event: 50_850, unit: "event", after: "  (95 %: exact, events 1..1000)" },
    basis: "stacks", unit: "event", events: 1000, rate_bytes_per_event: 50_850, low: 48_870,
    high: 52_830, first_event: 1, last_event: 1000, warm_up_events: 0, smallest_visible_bytes_per_event: 12,
    needs_events: null, reasons: [], reason_codes: [], counter: null, series: { live: null, rss: null, vm: null }, account: null,
    stacks: [], ...parts,
  };
}

test("what the headline says is not said again", () => {
  const words = ["LEAK  146 B/event", "  The increments repeat.", ""];
  expect(text.otherWords(words, verdict({}))).toEqual(["The increments repeat."]);
  expect(text.otherWords(["Too few events."], null)).toEqual(["Too few events."]);
});
