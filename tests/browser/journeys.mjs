// From opening to the answer, once for each kind of it: who is guilty stands on the first screen with
// file and line, without a click, and every action on it leads to something of it.

import assert from "node:assert/strict";
import { follow, suspect, suspectsOf } from "./kit/suspects.mjs";
import { stacksOf } from "./kit/tables.mjs";
import { eventually } from "./kit/visit.mjs";

/** Nothing stands in the address. */
const NOWHERE = "";

/** As the reader sees it: inside the window, without scrolling. */
async function isOnFirstScreen(locator) {
  const { top, bottom, left, right, width, height } = await locator.evaluate((one) => {
    const { top, bottom, left, right } = one.getBoundingClientRect();
    return { top, bottom, left, right, width: innerWidth, height: innerHeight };
  });
  assert.ok(top >= 0 && bottom <= height && left >= 0 && right <= width, `at ${left},${top}..${right},${bottom} of ${width} x ${height}`);
}

/** `name`: what the page calls the function; `place`: its file and line. Of libc's own lines not every
    machine knows. */
async function journey(t, file, { role, name, place, inTable = true }) {
  const visit = await t.open(await t.lab.served(file), NOWHERE);
  await suspect(visit).waitFor();
  assert.equal(await visit.page.evaluate(() => scrollY), 0);
  assert.equal(await visit.page.locator(".head .suspects").getAttribute("data-role"), role);
  const [first] = await suspectsOf(visit);
  assert.ok(first.isOpen);
  assert.match(first.function, name);
  assert.match(first.place, place);
  await isOnFirstScreen(suspect(visit).locator(".suspect-name strong"));
  await isOnFirstScreen(suspect(visit).locator(".suspect-place"));
  await isOnFirstScreen(suspect(visit).locator(".suspect-actions"));

  await follow(visit, "Stack");
  await visit.placed({ view: "stacks", stack: String(first.stack) });
  const panel = visit.page.locator(".stacks-panel");
  await panel.locator(".stacks-panel-columns").waitFor();
  await eventually(async () => {
    const frames = await panel.locator(".stacks-frame-function").allTextContents();
    assert.ok(frames.some((one) => one.includes(first.function)), first.function);
  });
  if (inTable) assert.ok((await stacksOf(visit)).some(({ key }) => key === String(first.stack)));

  await follow(visit, "Flame graph");
  await visit.placed({ view: "flame" });
  await visit.settled();
  assert.ok((await visit.number(".flame-shown")) > 0);

  await follow(visit, "Callers");
  await visit.placed({ view: "callers" });
  await visit.settled();
  assert.ok((await visit.number(".callers-middle .callers-cumulative")) > 0);
  return { visit, first };
}

/** The line is marked among those around it, and in the file that a click opens. */
async function hasSource(visit, first) {
  const line = Number(first.place.split(":")[1]);
  assert.equal(await suspect(visit).locator(".suspect-source [aria-current]").getAttribute("value"), String(line));
  await follow(visit, "Source");
  await visit.placed({ view: "callers", line: String(line) });
  await visit.page.locator(`.callers-source tr[data-key="${line}"]`).waitFor();
}

async function ofShape(t, shape, role) {
  const { file } = await t.lab.shape(shape);
  const name = new RegExp(`^site_${shape.replaceAll("-", "_")}$`);
  const { visit, first } = await journey(t, file, { role, name, place: /^shapes_\w+\.hpp:\d+$/ });
  await hasSource(visit, first);
  return { visit, first, leaks: await t.lab.json("leaks", file) };
}

export const tests = {
  async "a plain leak"(t) {
    const { first, leaks } = await ofShape(t, "leak", "guilty");
    assert.equal(first.amount, leaks.stacks[0].rate_bytes_per_event);
    assert.equal(first.share, leaks.stacks[0].share);
  },

  async "freed at exit"(t) {
    await ofShape(t, "exit-freed", "guilty");
  },

  async "a mapping leak"(t) {
    const { first } = await ofShape(t, "mmap", "guilty");
    assert.equal(first.kind, "mapping");
  },

  async "a small leak beside a large set-up"(t) {
    const { file, truths } = await t.lab.detector();
    const { visit, first } = await journey(t, file, { role: "guilty", name: /^SEvt::newPhoton$/, place: /^detector\.cpp:\d+$/ });
    assert.ok(truths.size > 0);
    await hasSource(visit, first);
    // What need not have been allocated is told here, too.
    const { churn } = await t.lab.json("leaks", file);
    const advice = await visit.page.locator(".suspects-advice li").allTextContents();
    assert.ok(churn.length > 0 && advice[0].startsWith(`${churn[0].action} ${churn[0].words}`), advice[0]);
  },

  async "fragmentation"(t) {
    const { file } = await t.lab.recordWith(["--holders"], "journey-fragmented.residue", t.lab.workload("shapes"), "fragmentation", 300, 3);
    const { visit, first } = await journey(t, file, { role: "pins", name: /^lay_fence$/, place: /^shapes_fragmentation\.hpp:\d+$/, inTable: false });
    await hasSource(visit, first);
    const { stacks, advice } = await t.lab.json("pins", file);
    assert.equal(first.amount, stacks[0].free_bytes);
    const told = (await visit.page.locator(".suspects-advice li").allTextContents()).join("\n");
    for (const { words } of advice.slice(0, 3)) assert.ok(told.includes(words), words);
  },

  async "a cache that fills"(t) {
    await ofShape(t, "fills-300", "guilty");
  },

  async "a deferred free"(t) {
    const { file } = await t.lab.shape("deferred-5");
    const visit = await t.open(await t.lab.served(file), NOWHERE);
    await suspect(visit).waitFor();
    // A table that is freed at the end may stand before it; all that are shown are on the first screen.
    const place = (await suspectsOf(visit)).findIndex((one) => one.function === "site_deferred_5");
    assert.ok(place >= 0);
    await isOnFirstScreen(suspect(visit, place).locator(".suspect-name strong"));
    await isOnFirstScreen(suspect(visit, place).locator(".suspect-place"));
    if (place > 0) await suspect(visit, place).locator(".suspect-name").click();
    await eventually(async () => assert.match(await suspect(visit, place).innerText(), /freed in a later event by .*free_all/));
  },

  async "no events"(t) {
    const { file } = await t.lab.withoutEvents();
    const { visit, first } = await journey(t, file, { role: "largest", name: /^(_IO_file_doallocate|main)$/, place: /^(filedoalloc|hello)\.c:\d+$/ });
    const { top } = await t.lab.json("report", file, "--kind", "all", "--counter", "at-peak", "--view", "stacks");
    assert.equal(first.amount, Math.max(...top.map(({ counters }) => counters.at_peak_bytes)));
    assert.ok(await visit.page.locator(".head-missing").isVisible());
    // The next one is a press away.
    await suspect(visit, 1).locator(".suspect-name").click();
    await eventually(async () => assert.deepEqual((await suspectsOf(visit)).slice(0, 2).map(({ isOpen }) => isOpen), [false, true]));
  },

  async "what the verdict rests on is one press away"(t) {
    const { file } = await t.lab.detector();
    const visit = await t.open(await t.lab.served(file), NOWHERE);
    await visit.page.locator(".head-evidence > summary").click();
    const leaks = await t.lab.json("leaks", file);
    const values = await visit.page.$$eval(".head-evidence tbody th[scope=row]", (rows) =>
      rows.map((row) => [row.textContent, Number(row.parentElement.querySelector("[data-value]").dataset.value)]),
    );
    const names = { live: "live memory", rss: "RSS", vm: "VM" };
    const expected = Object.entries(names).filter(([key]) => leaks.series[key]).map(([key, name]) => [name, leaks.series[key].rate]);
    assert.deepEqual(values, expected);
    const said = await visit.page.locator(".head-evidence li").allTextContents();
    for (const sentence of leaks.account?.reasons ?? []) assert.ok(said.includes(sentence), sentence);
  },
};
