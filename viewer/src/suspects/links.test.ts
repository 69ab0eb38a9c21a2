import { expect, test } from "vitest";
import type { SuspectCard } from "../answers";

// The address is read when it is first imported.
Object.assign(globalThis, { location: { hash: "" }, addEventListener: () => {} });
const { cardText, followedOf } = await import("./links");

const card = (parts: Partial<SuspectCard>, numbers: Partial<SuspectCard["numbers"]>) =>
  ({
    stack: 4, kind: "heap", function: "make", at: "a.cpp:7", file: "/src/a.cpp", line: 7, shown: "main > make",
    why: "2 blocks/event", doubt: null, follows: null, held: null, freed_by: null, ...parts,
    numbers: { growth_bytes: 0, live_bytes: 0, at_peak_bytes: 0, ...numbers },
  }) as SuspectCard;

test("links lead to where there is something of it", () => {
  expect(followedOf(card({}, { growth_bytes: 5 }), "2..9")).toEqual({ stack: 4, kind: "heap", part: { events: "2..9", counter: "live" } });
  expect(followedOf(card({ kind: "mapping" }, { live_bytes: 5 }), "2..9")).toEqual({
    stack: 4, kind: "mapping", part: { events: "", counter: "live" },
  });
  expect(followedOf(card({}, { at_peak_bytes: 5 }), "").part).toEqual({ events: "", counter: "at-peak" });
  expect(followedOf(card({}, {}), "").part).toEqual({ events: "", counter: "total" });
});

test("a card as text has its whole place and all that is said", () => {
  expect(cardText(card({ held: "lost: nothing points to it", follows: "8 B per hit" }, {}))).toBe(
    "make  /src/a.cpp:7\nmain > make\n2 blocks/event\nfollows 8 B per hit\nlost: nothing points to it",
  );
  expect(cardText(card({ file: null, line: null }, {}))).toBe("make\nmain > make\n2 blocks/event");
});
