import { expect, test } from "vitest";
import type { Account, Verdict } from "../answers";
import { bar, isWorthDrawing } from "./account";
import { accountSvg } from "./accountsvg";

const NOTHING = {
  rss: 0, program_rss: 0, live_heap: 0, untouched: 0, heap_metadata: 0, allocator_slack: 0,
  mapped: 0, thread_stacks: 0, files: 0, recorder: 0, unexplained: 0,
};

function account(parts: Partial<Account["bytes_per_event"]>): Account {
  return {
    from_event: 1, to_event: 9, accounts: 3, explained_share: 1, fragmentation: false, untouched: false,
    reasons: [], reason_codes: [], bytes_per_event: { ...NOTHING, ...parts },
  };
}

test("parts that add stand one after the other from zero", () => {
  const { parts, zero, absent } = bar(account({ live_heap: 600, allocator_slack: 300, recorder: 100 }));
  expect(zero).toBe(0);
  expect(parts.map((part) => [part.label, part.bytes_per_event, part.start, part.width])).toEqual([
    ["live heap", 600, 0, 0.6],
    ["allocator slack", 300, 0.6, 0.3],
    ["recorder", 100, expect.closeTo(0.9, 12), 0.1],
  ]);
  expect(absent).toEqual(["heap metadata", "mapped", "thread stacks", "files", "unexplained"]);
});

test("parts that take off stand left of zero, the first of them next to it", () => {
  const { parts, zero } = bar(account({ live_heap: 600, allocator_slack: -300, unexplained: -100 }));
  expect(zero).toBeCloseTo(0.4, 12);
  const place = (index: number) => [parts[index]!.name, parts[index]!.start, parts[index]!.width];
  expect(place(0)).toEqual(["live_heap", expect.closeTo(0.4, 12), 0.6]);
  expect(place(1)).toEqual(["allocator_slack", expect.closeTo(0.1, 12), 0.3]);
  expect(place(2)).toEqual(["unexplained", expect.closeTo(0, 12), 0.1]);
});

test("live memory that was never written is taken off", () => {
  const { parts } = bar(account({ live_heap: 1000, untouched: 250 }));
  expect(parts.map((part) => [part.label, part.bytes_per_event])).toEqual([
    ["live heap", 1000],
    ["never written", -250],
  ]);
  const late = bar(account({ live_heap: 1000, untouched: -250 }));
  expect(late.parts[1]).toMatchObject({ label: "allocated earlier, first touched now", bytes_per_event: 250 });
});

test("the parts add up to the resident size", () => {
  const real = account({
    rss: 83562.5100448072, program_rss: 65804.83311946483, live_heap: 65536, untouched: -12.833119464837917,
    heap_metadata: 256, allocator_slack: 1.1088019391536363e-11, recorder: 17757.676925342366,
    unexplained: -1.0913936421275139e-11,
  });
  const { parts } = bar(real);
  expect(parts.map((part) => part.name)).toEqual(["live_heap", "heap_metadata", "recorder"]);
  expect(parts.reduce((sum, part) => sum + part.width, 0)).toBeCloseTo(1, 12);
  const shown = parts.reduce((sum, part) => sum + part.bytes_per_event, 0);
  expect(Math.abs(real.bytes_per_event.rss - shown)).toBeLessThan(65536 / 1000);
});

test("an account of nothing has no parts", () => {
  expect(bar(account({}))).toMatchObject({ parts: [], zero: 0 });
});

test("noise is not drawn", () => {
  const verdict = (kind: Verdict["verdict"], rss: string, of: Account | null) =>
    ({ verdict: kind, account: of, series: { rss: { outcome: rss } } }) as unknown as Verdict;
  const grown = account({ program_rss: 500, live_heap: 500 });
  expect(isWorthDrawing(verdict("leak", "no-growth", grown))).toBe(true);
  expect(isWorthDrawing(verdict("leak", "no-growth", null))).toBe(false);
  expect(isWorthDrawing(verdict("leak", "growing", account({ program_rss: 0.5 })))).toBe(false);
  expect(isWorthDrawing(verdict("no-growth", "no-growth", grown))).toBe(false);
  expect(isWorthDrawing(verdict("undetermined", "growing", grown))).toBe(true);
});

test("the drawing has every part once and escapes its title", () => {
  const svg = accountSvg("a < b", bar(account({ live_heap: 750, mapped: -250 })), (name) => `C${name}`);
  expect(svg).toContain("a &lt; b");
  expect(svg.match(/<pattern /g)).toHaveLength(2);
  // The edge is 16 and the bar 928 wide: 0.25 of it left of zero.
  expect(svg).toContain('<rect x="248.00" y="44" width="696.00" height="28" fill="url(#live_heap)"');
  expect(svg).toContain('<rect x="16.00" y="44" width="232.00" height="28" fill="url(#mapped)"');
  expect(svg).toContain(">+750 B<");
  expect(svg).toContain(">-250 B<");
});
