import { expect, test } from "vitest";
import { withColours } from "./picture";

test("variables become values that an attribute can hold", () => {
  const values: Record<string, string> = { "--ink": "#16181d", "--sans": 'system-ui, "Segoe UI"' };
  const svg = '<text fill="var(--ink)" font-family="var(--sans)">var(x)</text>';
  expect(withColours(svg, (name) => values[name] ?? "")).toBe(
    `<text fill="#16181d" font-family="system-ui, 'Segoe UI'">var(x)</text>`,
  );
});
