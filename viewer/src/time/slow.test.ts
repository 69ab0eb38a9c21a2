import { expect, test } from "vitest";
import type { TimeVerdict } from "../answers";
import { headlineParts, otherReasons, slowText } from "./slow";

const slow = { event: 20, id: 20, value_ns: 20_900_000, expected_ns: 10_400_000 };

test("an event says how long it takes, and how much of it is too much", () => {
  expect(slowText("cpu", slow)).toBe("event 20: CPU time 20.9 ms, 10.5 ms more than expected");
  expect(slowText("wall", slow)).toBe("event 20: wall time 20.9 ms, 10.5 ms more than expected");
  expect(slowText("waited", slow)).toBe("event 20: waits 20.9 ms, 10.5 ms longer than others");
});

test("a headline is its word and the rest, and says why it is undetermined", () => {
  const verdict = {
    headline: "UNDETERMINED  needs about 90 events, has 20: too noisy; CPU time so far +1 ns  (95 %: unknown)",
    reasons: ["too noisy", "event 1 excluded as warm-up"],
  } as TimeVerdict;
  expect(headlineParts(verdict).word).toBe("UNDETERMINED");
  expect(headlineParts(verdict).rest).toMatch(/^needs about 90 .*unknown\)$/);
  expect(otherReasons(verdict)).toEqual(["event 1 excluded as warm-up"]);
});
