// What the page shows before anybody has chosen anything, and where the links of the verdict lead.

import assert from "node:assert/strict";
import { pathToFileURL } from "node:url";
import { follow, suspectsOf } from "./kit/suspects.mjs";
import { stacksOf } from "./kit/tables.mjs";
import { eventually } from "./kit/visit.mjs";

/** Nothing stands in the address. */
const NOWHERE = "";

async function opened(t, file) {
  const visit = await t.open(await t.lab.served(file), NOWHERE);
  return { visit, leaks: await t.lab.json("leaks", file) };
}

/** The rows that the verdict accuses, as they are marked. */
const accused = (visit) =>
  visit.page.$$eval(".stacks-table tbody tr[data-accused]", (rows) => rows.map((row) => Number(row.dataset.key)));

const pressed = (visit) =>
  visit.page.$$eval(".stacks-shown [aria-pressed=true]", (found) => found.map((one) => one.dataset.shown));

/** The first row is what the verdict accuses, and all rows are of its events. */
async function showsTheVerdict(visit, leaks) {
  await visit.placed({ view: "stacks", kind: "all", events: `${leaks.first_event}..${leaks.last_event}` });
  await visit.settled();
  const guilty = leaks.stacks.filter((stack) => stack.share !== null).map((stack) => stack.stack);
  assert.ok(guilty.length > 0);
  assert.deepEqual(await accused(visit), guilty);
  const [first] = await stacksOf(visit);
  assert.equal(first.key, String(guilty[0]));
  assert.ok(first.growth > 0);
  assert.equal(first.rate, leaks.stacks[0].rate_bytes_per_event);
  assert.deepEqual(await pressed(visit), ["grew"]);
}

async function isInView(locator) {
  const { top, bottom, height } = await locator.evaluate((one) => {
    const box = one.getBoundingClientRect();
    return { top: box.top, bottom: box.bottom, height: innerHeight };
  });
  // As much of it as there is room for.
  return top < height && bottom > 0 && (bottom <= height + 1 || top <= height / 2);
}

export const tests = {
  async "a small leak beside a large set-up comes first"(t) {
    const { file } = await t.lab.detector();
    const { visit, leaks } = await opened(t, file);
    await showsTheVerdict(visit, leaks);
    const rows = await stacksOf(visit);
    assert.ok(rows.some((row) => row.growth > rows[0].growth), "something else grew by more");
    // What it shows is what the page in one file shows.
    const page = await t.lab.selfContained("detector.html", file);
    const alone = await t.open(pathToFileURL(page).href, NOWHERE);
    await showsTheVerdict(alone, leaks);
    const numbers = (row) => [row.path, row.growth, row.blocks, row.live, row.shape];
    assert.deepEqual((await stacksOf(alone)).map(numbers), rows.map(numbers));
  },

  async "what is freed at exit and what is mapped is on the screen that accuses it"(t) {
    for (const [shape, verdict] of [["exit-freed", "freed-at-exit"], ["mmap", "leak"]]) {
      const { file } = await t.lab.shape(shape);
      const { visit, leaks } = await opened(t, file);
      assert.equal(leaks.verdict, verdict);
      await showsTheVerdict(visit, leaks);
      const [first] = await suspectsOf(visit);
      const [guilty] = leaks.stacks;
      assert.deepEqual([first.stack, first.place], [guilty.stack, guilty.place]);
      assert.ok(guilty.shown.endsWith(first.function), first.function);
    }
  },

  async "what grew, what is live at the end and what was at the peak is a switch"(t) {
    const { file } = await t.lab.detector();
    const { visit, leaks } = await opened(t, file);
    const whole = await t.lab.json("report", file, "--kind", "all", "--counter", "at-peak");
    const button = (name) => visit.page.locator(`.stacks-shown [data-shown=${name}]`);
    await button("end").click();
    await visit.placed({ events: undefined, at: undefined, kind: "all" });
    await eventually(async () => assert.equal((await visit.numbers(".stacks-sums"))[0], whole.selection.sums.live));
    await button("peak").click();
    await visit.placed({ events: undefined, at: "peak" });
    await eventually(async () => {
      assert.equal((await visit.numbers(".stacks-sums"))[0], whole.selection.sums.at_peak);
      const values = await visit.rows(".stacks-table", { at: ".stacks-at-peak" });
      assert.deepEqual(values.map(({ at }) => at), values.map(({ at }) => at).sort((one, other) => other - one));
    });
    assert.deepEqual(await pressed(visit), ["peak"]);
    await button("grew").click();
    await showsTheVerdict(visit, leaks);
  },

  async "without events the reason is said, and the flame graph is at the peak"(t) {
    const { file } = await t.lab.withoutEvents();
    const said = await t.lab.complaint("leaks", file);
    const visit = await t.open(await t.lab.served(file), NOWHERE);
    await visit.placed({ view: "flame", counter: "at-peak" });
    await visit.settled();
    const [reason, advice] = await visit.page.locator(".head-missing p").allInnerTexts();
    assert.ok(said.includes(`${reason}; ${advice.replace(/^Try: /, "")}`), `${said}: ${reason} ${advice}`);
    const { selection } = await t.lab.json("report", file, "--counter", "at-peak");
    assert.equal(await visit.number(".flame-shown"), selection.sums.at_peak);
  },

  async "two recordings open on what differs between them"(t) {
    const { before, after } = await t.lab.releases();
    const visit = await t.open(await t.lab.served(before.file, after.file), NOWHERE);
    await visit.placed({ view: "compare", kind: "all" });
    await visit.settled();
    const { rows } = await t.lab.json("diff", before.file, after.file, "--kind", "all", "--by", "function");
    const shown = await visit.rows(".compare-table", { delta: ".compare-delta" });
    assert.ok(rows.length > 0 && shown.length > 0);
    // What somebody chose stays.
    const chosen = await t.open(await t.lab.served(before.file, after.file), "stacks");
    assert.equal((await chosen.place()).view, "stacks");
  },

  async "the links of what is accused lead to it"(t) {
    for (const shape of ["mmap", "exit-freed"]) {
      const { file } = await t.lab.shape(shape);
      const visit = await t.open(await t.lab.served(file), "sizes");
      const leaks = await t.lab.json("leaks", file);
      const [guilty] = leaks.stacks;
      const kind = guilty.kind === "mapping" ? "mapping" : undefined;
      const events = `${leaks.first_event}..${leaks.last_event}`;
      await follow(visit, "Stack");
      await visit.placed({ view: "stacks", stack: String(guilty.stack), kind, events });
      await visit.settled();
      const [row] = (await stacksOf(visit)).filter(({ key }) => key === String(guilty.stack));
      await visit.page.getByRole("button", { name: "Flame graph of this stack" }).click();
      await visit.placed({ view: "flame", kind, events, focus: undefined });
      await visit.settled();
      assert.equal(await visit.number(".flame-shown"), row.growth);
      const crumbs = await visit.page.locator(".flame-crumbs li, .flame-over nav li").allInnerTexts();
      assert.ok(crumbs.at(-1).includes(row.path.at(-1)), crumbs.join());
      await visit.page.goBack();
      await visit.placed({ view: "stacks" });
      await visit.page.getByRole("button", { name: "Callers", exact: true }).click();
      await visit.placed({ view: "callers", kind, events });
      await visit.settled();
      assert.equal(await visit.text(".callers-middle h2"), row.path.at(-1));
      assert.equal(await visit.number(".callers-middle .callers-cumulative"), row.growth);
    }
  },

  async "what a click opens is brought into view"(t) {
    const { file } = await t.lab.detector();
    const visit = await t.open(await t.lab.served(file), "stacks?kind=all", { viewport: { width: 1280, height: 700 } });
    const panel = visit.page.locator(".stacks-panel");
    await visit.page.locator(".stacks-table tbody tr[data-key]").last().click();
    await panel.locator(".stacks-panel-columns").waitFor();
    await eventually(async () => assert.ok(await isInView(panel)));
    assert.ok(await panel.evaluate((one) => one === document.activeElement), "it has the focus");
    await visit.page.evaluate(() => scrollTo(0, 0));
    await follow(visit, "Stack");
    await visit.settled();
    await eventually(async () => {
      assert.ok(await isInView(panel));
      assert.ok(await panel.evaluate((one) => one === document.activeElement));
    });
    await panel.locator(".stacks-frames .stacks-link").first().click();
    await visit.placed({ view: "callers" });
    const source = visit.page.locator(".callers-source");
    await source.locator("table").waitFor();
    await eventually(async () => {
      assert.ok(await isInView(source));
      assert.ok(await source.evaluate((one) => one === document.activeElement));
    });
  },

  async "growth by fragmentation says who keeps the pages, by a server and in a file"(t) {
    const { file } = await t.lab.recordWith(["--holders"], "fragmented.residue", t.lab.workload("shapes"), "fragmentation", 300);
    const { pinned } = await t.lab.json("leaks", file);
    assert.match(pinned[1], / kept by .* > lay_fence /);
    const alone = await t.lab.selfContained("fragmented.html", file);
    for (const address of [await t.lab.served(file), pathToFileURL(alone).href]) {
      const visit = await t.open(address, "stacks");
      assert.deepEqual(await visit.page.locator(".head-pinned p").allTextContents(), pinned);
    }
  },
};
