// The tables of the views as tests read them, and the same from what the command line says.

import assert from "node:assert/strict";

const STACK_NUMBERS = {
  growth: ".stacks-growth", blocks: ".stacks-blocks", live: ".stacks-live", peak: ".stacks-peak", total: ".stacks-total",
  churn: ".stacks-churn", calls: ".stacks-calls", rate: ".stacks-rate",
  largest: ".stacks-largest",
};

/** The shown stacks, each with its path, root first. */
export async function stacksOf(visit) {
  const rows = await visit.rows(".stacks-table", STACK_NUMBERS, { shape: ".stacks-shape" });
  const paths = await visit.page.$$eval(".stacks-table tbody tr[data-key] .stacks-stack-text", (cells) =>
    cells.map((cell) => cell.title.split("\n< ").join("\u0000").split("\n")[0].split("\u0000").reverse()),
  );
  assert.equal(paths.length, rows.length);
  return rows.map((row, at) => ({ ...row, path: paths[at] }));
}

/** The functions of `detector` that allocate: of each it says what it left. */
export const DETECTOR_FUNCTIONS = [
  "SEvt::keepPhoton", "Calibration::load", "Hits::make", "Writer::append", "Digitiser::scratch", "Worker::work",
  "Geometry::build",
];

/** The shown stacks as what functions of `detector` left; a row of anything else is wrong. */
export async function leftByDetector(visit) {
  return (await stacksOf(visit)).map(({ path, growth, blocks }) => {
    const name = DETECTOR_FUNCTIONS.find((one) => path.includes(one));
    assert.ok(name, `a row of nothing that the workload made: ${path.join(" > ")}`);
    return { name, bytes: growth, blocks };
  });
}

/** What the workload says was left in the range; functions that left nothing have no row. */
export function truthOfRange(truths) {
  const left = DETECTOR_FUNCTIONS.map((name) => {
    const [bytes, blocks] = ["bytes", "blocks"].map((what) => truths.get(`${name}.range.${what}`));
    assert.ok(bytes !== undefined && blocks !== undefined, name);
    return { name, bytes, blocks };
  });
  return left.filter(({ bytes, blocks }) => bytes !== 0 || blocks !== 0);
}

/** Stacks through the same functions are one row of the page. */
export function groupsOf(top) {
  const groups = new Map();
  for (const { path, counters } of top) {
    const key = path.join(";");
    const sums = groups.get(key) ?? { live: 0, blocks: 0, total: 0, calls: 0, largest: 0 };
    sums.live += counters.live_bytes;
    sums.blocks += counters.live_blocks;
    sums.total += counters.total_bytes;
    sums.calls += counters.calls;
    sums.largest = Math.max(sums.largest, counters.largest_bytes);
    groups.set(key, sums);
  }
  return groups;
}

/** Functions with their own and their cumulative numbers. */
export function functionsOf(visit) {
  return visit.rows(
    ".callers-functions",
    { self: ".callers-self", cumulative: ".callers-cumulative" },
    { function: ".callers-function", library: "small" },
  );
}

/** Callers or callees: `which` is the heading of the table. */
export function endsOf(visit, which) {
  return visit.rows(
    `table[aria-label=${which}]`,
    { value: ".callers-value", recursive: ".callers-recursive" },
    { function: ".callers-function", library: ".callers-library" },
  );
}

/** Presses a row of the list of functions. */
export async function chooseFunction(visit, name) {
  await visit.page.locator(".callers-functions tr").filter({ has: visit.page.getByText(name, { exact: true }) }).click();
  await visit.page.locator(".callers-middle h2", { hasText: name }).waitFor();
  await visit.settled();
}

/** In an order that does not depend on where they came from. */
export function sorted(rows) {
  return rows.map((row) => JSON.stringify(row)).sort();
}
