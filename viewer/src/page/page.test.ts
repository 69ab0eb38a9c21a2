import { expect, test } from "vitest";
import type { About, FileAbout } from "../answers";
import { liveText } from "./livetext";
import { chosenFile } from "./side";
import { isChoice, themeOf } from "./theme";
import { HOW_TO_COMPARE, readiness } from "./viewnames";

function file(side: "a" | "b", stages: boolean): FileAbout {
  return { side, has: { stages } } as FileAbout;
}
const one = { files: [file("a", true)] } as About;
const two = { files: [file("a", true), file("b", false)] } as About;

test("the side of the address is shown, or the first file", () => {
  expect(chosenFile(null, "a")).toBeNull();
  expect(chosenFile(one, "b")?.side).toBe("a");
  expect(chosenFile(two, "b")?.side).toBe("b");
  expect(chosenFile(two, "nonsense")?.side).toBe("a");
});

test("comparing needs two files, which is said", () => {
  expect(readiness("compare", one, one.files[0]!)).toEqual({ isDisabled: true, why: HOW_TO_COMPARE });
  expect(readiness("compare", two, two.files[0]!)).toEqual({ isDisabled: false, why: null });
  expect(readiness("compare", null, null)).toEqual({ isDisabled: false, why: null });
});

test("stages are of the chosen file, and can be opened without any", () => {
  expect(readiness("stages", two, two.files[0]!).why).toBeNull();
  expect(readiness("stages", two, two.files[1]!)).toEqual({
    isDisabled: false,
    why: "No stages were marked in this recording",
  });
});

test("the system decides on colours until the reader does", () => {
  expect(themeOf("system", true)).toBe("dark");
  expect(themeOf("system", false)).toBe("light");
  expect(themeOf("light", true)).toBe("light");
  expect(themeOf("dark", false)).toBe("dark");
  expect(isChoice("system")).toBe(true);
  expect(isChoice("blue")).toBe(false);
  expect(isChoice(null)).toBe(false);
});

test("a running program says how old its data are", () => {
  const running = { ended: false, trouble: null, changed_unix_ms: 10_000 };
  expect(liveText(running, 13_400)).toBe("running, updated 3 s ago");
  expect(liveText(running, 9_000)).toBe("running, updated 0 s ago");
  expect(liveText({ ...running, ended: true }, 13_400)).toBe("the program has ended; this is its last reading");
  expect(liveText({ ...running, trouble: "no room" }, 13_400)).toBe("no room");
});
