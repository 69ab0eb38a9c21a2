import { expect, test } from "vitest";
import type { EventsAbout, Followed, StackVerdict, Verdict } from "../answers";
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

const stack = (id: number, share: number | null) => ({ stack: id, share, counter: null }) as StackVerdict;

test("guilty is who has a share of the growth", () => {
  const some = verdict({ stacks: [stack(4, 0.66), stack(7, 0.34), stack(1, null)] });
  expect(text.moreGuiltyText(some)).toBe("1 more stack leaks");
  const none = verdict({ stacks: [stack(1, null)] });
  expect(text.moreGuiltyText(none)).toBeNull();
  const many = (count: number) => verdict({ stacks: Array.from({ length: count }, (_, id) => stack(id, 0.1)) });
  expect(text.moreGuiltyText(many(1))).toBeNull();
  expect(text.moreGuiltyText(many(5))).toBe("4 more stacks leak");
  expect(text.moreGuiltyText(many(100))).toBe("99 or more stacks leak");
});

test("counters are told by one of what they count", () => {
  expect(["photons", "hits", "mass", "s", "as", "glass"].map(text.singular)).toEqual([
    "photon", "hit", "mass", "s", "as", "glass",
  ]);
  const counter: Followed = {
    name: "photons", bytes_per_unit: 1229, bytes_per_unit_low: 1200, bytes_per_unit_high: 1250, constant_bytes: 512,
    constant_bytes_low: 500, constant_bytes_high: 524, correlation: 0.9987, r_squared: 0.9974, explained_share: 0.97,
    dependence: "proportional", events: 1000, chance: 0,
  };
  expect(text.followedText(counter, "event")).toBe(
    'per photon (counter "photons", r² = 1.00; accounts for 97 % of the rate)',
  );
  expect(text.followedText({ ...counter, dependence: "both" }, "event")).toBe(
    'per photon + 512 B/event (counter "photons", r² = 1.00; accounts for 97 % of the rate)',
  );
  expect(text.followed(verdict({ counter }))).toBe(counter);
  expect(text.followed(verdict({ counter: { ...counter, dependence: "per-event" } }))).toBeNull();
  expect(text.followed(verdict({}))).toBeNull();
  const ofStack = verdict({ stacks: [{ ...stack(4, 1), counter }] });
  expect(text.followed(ofStack)).toBe(counter);
});

test("what the headline says is not said again", () => {
  const words = ["LEAK  146 B/event", "  The increments repeat.", ""];
  expect(text.otherWords(words, verdict({}))).toEqual(["The increments repeat."]);
  expect(text.otherWords(["Too few events."], null)).toEqual(["Too few events."]);
});
