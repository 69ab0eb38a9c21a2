// Slow events: marked on the timeline, listed in a view, and the same as `residue slow` says.

import assert from "node:assert/strict";
import { pathToFileURL } from "node:url";
import { boxesOf } from "./kit/flame.mjs";
import { eventually } from "./kit/visit.mjs";

/** Every 20th of 200 events takes twice as long. */
const PLANTED = Array.from({ length: 10 }, (_, at) => 20 * (at + 1));

/** Events with a mark, by measure. */
const marked = (visit) =>
  visit.page.$$eval(".timeline-slow", (all) => {
    const events = {};
    for (const { dataset } of all) (events[dataset.measure] ??= []).push(Number(dataset.event));
    return events;
  });

/** What the view says, in the terms of `--json`. */
const listed = (visit) =>
  visit.page.$$eval(".time-slow", (all) =>
    all.map((one) => ({
      measure: one.dataset.measure,
      words: one.querySelector(".time-slow-words").textContent,
      functions: [...one.querySelectorAll(".time-path")].map((path) => path.textContent),
      causes: [...one.querySelectorAll("p.time-cause")].map((cause) => cause.textContent),
      events: [...one.querySelectorAll("tr[data-key]")].map((row) => ({
        event: Number(row.dataset.key),
        values: [...row.querySelectorAll("[data-value]")].map((value) => Number(value.dataset.value)),
      })),
    })),
  );

const expectedOf = (told) =>
  told.slow.map(({ measure, words, functions, stages, allocations, no_cause: none, events }) => ({
    measure,
    words,
    functions: functions.map(({ shown, place }) => [shown, place].filter(Boolean).join(" ")),
    causes: [...[...stages, ...allocations].map((one) => one.words), ...(none ? [none] : [])],
    events: events.map(({ event, value_ns, expected_ns }) => ({ event, values: [value_ns, expected_ns, value_ns - expected_ns] })),
  }));

/** The page of the recording of slow events, by a server and in a file. */
async function openBoth(t, place) {
  const { file } = await t.lab.slowEvents();
  const alone = await t.lab.selfContained("slow.html", file);
  return [await t.open(await t.lab.served(file), place), await t.open(pathToFileURL(alone).href, place)];
}

export const tests = {
  async "slow events are marked and listed as the command says"(t) {
    const { told } = await t.lab.slowEvents();
    for (const visit of await openBoth(t, "time")) {
      const verdict = visit.page.locator(".view-time .time-headline");
      assert.equal((await verdict.innerText()).replace(/\s+/g, " "), told.headline.replace(/\s+/g, " "));
      assert.deepEqual(await listed(visit), expectedOf(told));
      const measures = told.measures.flatMap((one) => [one.mean_ns, one.median_ns, one.quantile_95_ns, one.longest_ns]);
      assert.deepEqual(await visit.numbers(".time-measures"), measures);
      for (const limit of told.limits) assert.ok((await visit.text(".view-time")).includes(limit), limit);
      const { cpu } = await marked(visit);
      // The slowest first. Of two that are next to each other, on a busy machine, only the slower is drawn.
      const known = told.slow.find(({ measure }) => measure === "cpu").events.map(({ event }) => event);
      const drawn = [];
      for (const event of known) if (drawn.every((other) => Math.abs(other - event) > 1)) drawn.push(event);
      assert.deepEqual(cpu.toSorted((a, b) => a - b), drawn.toSorted((a, b) => a - b));
      assert.deepEqual(PLANTED.filter((event) => !known.includes(event)), [], "every 20th event is told");
    }
  },

  async "a mark says its event by pointer and by keys, and chooses it"(t) {
    const { file } = await t.lab.slowEvents();
    const visit = await t.open(await t.lab.served(file), "stacks");
    const { cpu } = await eventually(async () => {
      const found = await marked(visit);
      assert.ok(found.cpu);
      return found;
    });
    // Not the first one, over which a handle of the range will be.
    const event = PLANTED.findLast((one) => one < 200 && cpu.includes(one));
    const mark = visit.page.locator(`.timeline-slow[data-measure="cpu"][data-event="${event}"]`);
    const text = /^event \d+: CPU time [\d.]+ \S+, [\d.]+ \S+ more than expected$/;
    const label = await mark.getAttribute("aria-label");
    assert.match(label, text);
    assert.ok(label.startsWith(`event ${event}:`), label);
    await mark.hover();
    const note = visit.page.locator(".timeline-note");
    await eventually(async () => assert.equal((await note.innerText()).split("\n")[0], label));
    await visit.page.mouse.move(0, 0);
    // All marks are one stop; arrows lead from one to the next.
    assert.equal(await visit.page.locator('.timeline-slow[tabindex="0"]').count(), 1);
    await visit.page.locator('.timeline-slow[tabindex="0"]').focus();
    await visit.page.keyboard.press("End");
    await visit.page.keyboard.press("Home");
    const first = await visit.page.evaluate(() => document.activeElement.dataset.event);
    await eventually(async () => assert.ok((await note.innerText()).startsWith(`event ${first}:`)));
    await visit.page.keyboard.press("Enter");
    await visit.placed({ events: `${first}..${first}` });
    await mark.click();
    await visit.placed({ events: `${event}..${event}` });
    // Pressing its name in the legend hides a kind of marks, and the address says so.
    await visit.page.locator('.timeline-key[data-slow="cpu"]').click();
    await visit.placed({ hide: "slow:cpu" });
    await eventually(async () => assert.equal((await marked(visit)).cpu, undefined));
  },

  async "a slow event that is chosen from the list has its own CPU time"(t) {
    const { file, told } = await t.lab.slowEvents();
    const { events } = told.slow.find(({ measure }) => measure === "cpu");
    const sampled = async (event) =>
      (await t.lab.json("report", `${file}@${event}..${event + 1}`, "--view", "summary", "--counter", "cpu")).selection.whole;
    let slowest, whole = 0;
    for (const { event } of events) {
      // The last one has none after it, and one that a busy machine made slow may have no sample.
      if (whole === 0 && event < told.last_event) [slowest, whole] = [event, await sampled(event)];
    }
    assert.ok(whole > 0, "a slow event has samples");
    for (const visit of await openBoth(t, "time")) {
      await visit.page.locator(`.time-slow[data-measure="cpu"] tr[data-key="${slowest}"] button`).click();
      await visit.placed({ events: `${slowest}..${slowest}` });
      await visit.go(`flame?events=${slowest}..${slowest}&counter=cpu`);
      const root = await eventually(async () => (await boxesOf(visit)).find((box) => box.depth === 0));
      assert.equal(root.value, whole);
    }
  },

  async "where times are not known the page says why"(t) {
    const { file } = await t.lab.record("ticks.residue", t.lab.workload("slow_leak"), 300);
    const why = (await t.lab.complaint("slow", file)).trim().replace(/^residue: \S+: /, "");
    const visit = await t.open(await t.lab.served(file), "time");
    assert.equal(await visit.text(".time-missing"), why);
    assert.match(why, /^no event times: /);
    assert.deepEqual(await marked(visit), {});
  },
};
