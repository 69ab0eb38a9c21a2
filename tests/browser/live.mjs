// A program that runs while it is looked at.

import assert from "node:assert/strict";
import { leftByDetector, sorted, truthOfRange } from "./kit/tables.mjs";
import { eventually } from "./kit/visit.mjs";

const EVENTS = 1500;
const [FIRST, LAST] = [5, 20];
const PAUSE_US = 10_000;
const LONG_MS = 45_000;

const eventsOf = (visit) =>
  visit.page.locator(".head-fact", { hasText: "events" }).locator("[data-value]").evaluate((one) => Number(one.dataset.value));

export const tests = {
  async "numbers rise without a reload, the range stays, the end is seen"(t) {
    const program = await t.lab.run("live.residue", t.lab.workload("detector"), EVENTS, FIRST, LAST, PAUSE_US);
    const visit = await t.open(await t.lab.served("--pid", String(program.pid)));
    const state = visit.page.locator(".page-live");
    assert.equal(await state.getAttribute("data-live"), "running");
    assert.match(await state.innerText(), /running, updated \d+ s ago/);
    await visit.page.evaluate(() => (window.isTheSamePage = true));
    const events = await eventsOf(visit);
    assert.ok(events < EVENTS);

    // What the range left is known once its last event is over, and does not change again.
    await eventually(async () => assert.ok((await eventsOf(visit)) > LAST + 5));
    await visit.page.locator(".range-first").focus();
    await visit.page.keyboard.type(String(FIRST));
    await visit.page.keyboard.press("Tab");
    await visit.page.keyboard.type(String(LAST));
    await visit.page.keyboard.press("Enter");
    await visit.placed({ events: `${FIRST}..${LAST}` });
    // All rows of the range, once table and sentence are of the same answer.
    const rowsAt = () =>
      eventually(async () => {
        assert.equal(await visit.text(".timeline-sentence strong"), `Events ${FIRST}..${LAST}`);
        const rows = await leftByDetector(visit);
        assert.equal(rows.reduce((sum, row) => sum + row.bytes, 0), await visit.number(".range-bytes"));
        return sorted(rows);
      });
    const seen = await rowsAt();
    const later = (await eventsOf(visit)) + 50;
    const calls = await visit.number(".head-items");
    await eventually(async () => {
      assert.ok((await eventsOf(visit)) >= later);
      assert.ok((await visit.number(".head-items")) > calls);
    });
    await visit.placed({ events: `${FIRST}..${LAST}` });
    assert.deepEqual(await rowsAt(), seen);

    await eventually(async () => assert.equal(await state.getAttribute("data-live"), "ended"), LONG_MS);
    assert.match(await state.innerText(), /the program has ended/);
    // It is said once, and nothing else is said of it.
    const words = await visit.page.locator("body").innerText();
    assert.equal(words.match(/ended|still running|exited/g).length, 1);
    const truths = await program.truths();
    // What is shown is the last reading before the end.
    const last = await eventsOf(visit);
    assert.ok(last >= later && last <= truths.get("events"), `${later}, ${last}, ${truths.get("events")}`);
    await visit.placed({ events: `${FIRST}..${LAST}` });
    assert.equal(await visit.page.evaluate(() => window.isTheSamePage), true);
    const expected = sorted(truthOfRange(truths));
    assert.deepEqual(await rowsAt(), expected);
    assert.deepEqual(seen, expected, "they were right while it ran");
  },
};
