// Events that are selected: what all views then show is what these events left behind.

import assert from "node:assert/strict";
import { pathToFileURL } from "node:url";
import { RANGE } from "./kit/lab.mjs";
import { leftByDetector, sorted, stacksOf, truthOfRange } from "./kit/tables.mjs";
import { eventually } from "./kit/visit.mjs";
import { dragEvents } from "./kit/timeline.mjs";

async function checkRange(visit, truths) {
  const expected = truthOfRange(truths);
  assert.deepEqual(expected.map(({ name }) => name), ["SEvt::keepPhoton", "Writer::append"]);
  const [bytes, blocks] = ["bytes", "blocks"].map((what) => expected.reduce((sum, one) => sum + one[what], 0));
  const events = RANGE.last - RANGE.first + 1;
  await eventually(async () => {
    assert.deepEqual(sorted(await leftByDetector(visit)), sorted(expected));
    assert.deepEqual(
      [await visit.number(".range-bytes"), await visit.number(".range-per-event"), await visit.number(".range-blocks")],
      [bytes, bytes / events, blocks],
    );
  });
  return { bytes, blocks };
}

/** As it is typed: the key between the two takes over what stands in the first. */
async function typeRange(visit, first, last) {
  await visit.page.locator(".range-first").focus();
  await visit.page.keyboard.type(first);
  await visit.page.keyboard.press("Tab");
  await visit.page.keyboard.type(last);
  await visit.page.keyboard.press("Enter");
}

const place = `${RANGE.first}..${RANGE.last}`;

export const tests = {
  async "a drag over the timeline shows what these events left"(t) {
    const { file, truths } = await t.lab.detector();
    const visit = await t.openDetector("stacks");
    await dragEvents(visit, RANGE.first, RANGE.last);
    await visit.placed({ events: place, view: "stacks" });
    const { bytes, blocks } = await checkRange(visit, truths);
    const report = await t.lab.json("report", `${file}@${RANGE.first}..${RANGE.last + 1}`);
    assert.deepEqual([bytes, blocks], [report.selection.sums.live, report.selection.sums.live_blocks]);
    assert.deepEqual((await visit.numbers(".stacks-sums")).slice(0, 2), [bytes, blocks]);
  },

  async "shape, rate and verdict of a range are shown"(t) {
    const { file } = await t.lab.detector();
    const visit = await t.openDetector(`stacks?events=${place}`);
    const rows = await stacksOf(visit);
    const leaking = rows.find(({ path }) => path.includes("SEvt::keepPhoton"));
    const swinging = rows.find(({ path }) => path.includes("Writer::append"));
    assert.equal(leaking.shape, "leak");
    assert.equal(swinging.shape, "sawtooth");
    const leaks = await t.lab.json("leaks", `${file}@${RANGE.first}..${RANGE.last + 1}`);
    const [guilty] = leaks.stacks;
    assert.equal(leaking.rate, guilty.rate_bytes_per_event);
    const interval = await visit.page
      .locator(`.stacks-table tr[data-key="${leaking.key}"] .stacks-rate [data-low]`)
      .evaluate((cell) => [Number(cell.dataset.low), Number(cell.dataset.high)]);
    assert.deepEqual(interval, [guilty.low, guilty.high]);
    await eventually(async () => {
      assert.equal(await visit.page.locator(".head-range [data-verdict]").getAttribute("data-verdict"), leaks.verdict);
      assert.equal(await visit.number(".head-range .head-rate"), leaks.rate_bytes_per_event);
    });
  },

  async "the flame graph of a range is what residue report says"(t) {
    const { file } = await t.lab.detector();
    const { selection } = await t.lab.json("report", `${file}@${RANGE.first}..${RANGE.last + 1}`);
    const visit = await t.openDetector("flame");
    await dragEvents(visit, RANGE.first, RANGE.last);
    await visit.placed({ events: place, view: "flame" });
    await eventually(async () => {
      assert.equal(await visit.number(".flame-shown"), selection.sums.live);
      assert.equal(await visit.page.locator(".flame-canvas").getAttribute("data-root-value"), String(selection.sums.live));
    });
    await visit.go(`flame?events=${place}&counter=live-blocks`);
    assert.equal(await visit.number(".flame-shown"), selection.sums.live_blocks);
  },

  async "the functions of a range are those of residue report"(t) {
    const { file } = await t.lab.detector();
    const address = `${file}@${RANGE.first}..${RANGE.last + 1}`;
    const report = await t.lab.json("report", address, "--view", "cumulative", "--top", "all");
    const visit = await t.openDetector(`callers?events=${place}&sort=cumulative`);
    const shown = await visit.rows(".callers-functions", { cumulative: ".callers-cumulative" }, { name: ".callers-function" });
    assert.deepEqual(
      sorted(shown.map(({ name, cumulative }) => [name, cumulative])),
      sorted(report.cumulative.rows.map((row) => [row.function, row.cumulative_live])),
    );
  },

  async "a range can be typed and cleared"(t) {
    const { file } = await t.lab.detector();
    const visit = await t.openDetector("stacks");
    const whole = await visit.number(".range-bytes");
    await typeRange(visit, "5", "12");
    await visit.placed({ events: "5..12" });
    // Some stacks fell: what is shown is net.
    const { change } = await t.lab.json("diff", `${file}@5`, `${file}@13`);
    await eventually(async () => assert.equal(await visit.number(".range-bytes"), change.delta));
    const chart = visit.page.locator(".timeline-chart");
    assert.equal(await visit.page.locator(".timeline-handle").count(), 2);
    // Another one, by the keyboard: the handle at its end moves by one event.
    await visit.page.locator(".timeline-handle-last").press("ArrowRight");
    await visit.placed({ events: "5..13" });
    const wider = await t.lab.json("diff", `${file}@5`, `${file}@14`);
    await eventually(async () => assert.equal(await visit.number(".range-bytes"), wider.change.delta));
    await chart.focus();
    await visit.page.keyboard.press("Shift+ArrowRight");
    await visit.placed({ events: "14..22" });
    await visit.page.getByRole("button", { name: "all events" }).click();
    await visit.placed({ events: undefined });
    await eventually(async () => assert.equal(await visit.number(".range-bytes"), whole));
    // What lies beyond the recording is brought inside it.
    await typeRange(visit, "110", "9999");
    await visit.placed({ events: "110..120" });
    await chart.focus();
    await visit.page.keyboard.press("Escape");
    await visit.placed({ events: undefined });
    await visit.page.goBack();
    await visit.placed({ events: "110..120" });
  },

  async "the number of events is the same everywhere, and whole-run numbers say what they are"(t) {
    const visit = await t.openDetector("stacks?events=11..50");
    assert.match(await visit.text(".timeline-sentence"), /^Events 11\.\.50 \(40 events\)/);
    assert.equal(await visit.text(".stacks-events"), "events 11..50 (40)");
    const whole = await visit.page.$$eval(".stacks-table thead tr:first-child th", (cells) =>
      cells.filter((cell) => cell.querySelector(".stacks-whole")).map((cell) => cell.querySelector("button, span").textContent),
    );
    assert.deepEqual(whole, ["Survivors", "Live", "Total", "Calls"]);
    await visit.go("stacks");
    assert.equal(await visit.page.locator(".stacks-whole").count(), 0);
  },

  async "where nothing was measured the reason is said, in one file too"(t) {
    const { file } = await t.lab.ticks();
    const page = pathToFileURL(await t.lab.selfContained("ticks.html", file)).href;
    const reasons = [];
    for (const address of [await t.lab.served(file), page]) {
      const visit = await t.open(address, "stacks?kind=all");
      visit.expectRefusals();
      const last = Number(await visit.page.locator(".range-last").getAttribute("max"));
      await visit.go(`stacks?kind=all&events=${last}..${last}`);
      const said = await visit.text(".timeline-trouble");
      assert.match(said, /nothing was measured between the two/);
      assert.ok((await visit.text(".view-stacks .trouble")).includes(said));
      assert.equal(await visit.page.locator(".stacks-table").count(), 0);
      reasons.push(said);
      // A range that only ends there is of what was measured, and of as many ticks as it says. On a busy machine
      // any tick may be missing, the first and the last ones too.
      await visit.go(`stacks?kind=all&events=1..${last}`);
      const [, first] = /^Ticks (\d+)\.\./.exec(await visit.text(".timeline-sentence")) ?? [];
      await visit.go(`stacks?kind=all&events=${first}..${last}`);
      const sentence = await visit.text(".timeline-sentence");
      const end = Number(/^Ticks \d+\.\.(\d+)/.exec(sentence)?.[1]);
      assert.ok(end < last, sentence);
      const covered = `${first}..${end}`;
      const count = end - first + 1;
      assert.ok(
        sentence.startsWith(`Ticks ${covered} (${count} ticks; the end of tick ${end + 1} was not recorded)`),
        sentence,
      );
      assert.ok(sentence.includes("per tick") && !sentence.includes("event"), sentence);
      assert.equal(await visit.text(".stacks-events"), `ticks ${covered} (${count})`);
    }
    assert.equal(reasons[0], reasons[1]);
  },

  async "a pasted address shows the same"(t) {
    const { truths } = await t.lab.detector();
    const first = await t.openDetector("stacks");
    await dragEvents(first, RANGE.first, RANGE.last);
    await first.placed({ events: place });
    await checkRange(first, truths);
    const rows = await stacksOf(first);
    await first.page.locator(`.stacks-table tr[data-key="${rows[0].key}"]`).click();
    await first.placed({ stack: rows[0].key });
    await first.settled();
    const { hash } = new URL(first.page.url());
    const second = await t.openDetector(hash.slice(1));
    await checkRange(second, truths);
    assert.deepEqual(await second.place(), await first.place());
    assert.deepEqual(await stacksOf(second), rows);
    const panel = (visit) => visit.page.locator(".stacks-panel").innerText();
    assert.equal(await panel(second), await panel(first));
  },

  async "zooming shows a part of the timeline and selects nothing"(t) {
    const visit = await t.openDetector("stacks");
    const chart = visit.page.locator(".timeline-chart");
    const all = [await chart.getAttribute("data-first-event"), await chart.getAttribute("data-last-event")];
    assert.deepEqual(all, ["1", "120"]);
    await chart.focus();
    await visit.page.keyboard.press("+");
    await eventually(async () => assert.match((await visit.place()).zoom ?? "", /^\d+\.\.\d+$/));
    const { zoom, events } = await visit.place();
    assert.equal(events, undefined);
    const [from, to] = zoom.split("..").map(Number);
    assert.ok(from > 1 && to < 120 && to - from > 50 && to - from < 80, zoom);
    await visit.settled();
    // Pixels mean other events now.
    await dragEvents(visit, from + 3, from + 9);
    await visit.placed({ events: `${from + 3}..${from + 9}`, zoom });
    await visit.page.getByRole("button", { name: "reset zoom" }).click();
    await visit.placed({ zoom: undefined, events: `${from + 3}..${from + 9}` });
  },
};
