import { expect, test } from "vitest";
import type { About } from "../answers";
import { commandFor } from "./command";

const known = (names: string[], live = false) => ({ live, files: names.map((name) => ({ name, pid: 47 })) }) as unknown as About;
const at = "flame?events=51..100&focus=it%27s";

test("the command opens the same view of the same files", () => {
  expect(commandFor(known(["a.residue"]), "stacks")).toBe("residue view a.residue --at stacks");
  expect(commandFor(known(["a b", "c"]), at)).toBe("residue view 'a b' c --at 'flame?events=51..100&focus=it%27s'");
  expect(commandFor(known(["x"], true), "stacks")).toBe("residue view --pid 47 --at stacks");
  expect(commandFor(null, "sizes")).toBe("residue view FILE --at sizes");
  expect(commandFor(known(["it's"]), "stacks")).toBe("residue view 'it'\\''s' --at stacks");
});
