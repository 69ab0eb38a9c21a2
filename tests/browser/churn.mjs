// Who allocates most in each event, and could stop: the same as `residue report` and the workload say.

import assert from "node:assert/strict";
import { pathToFileURL } from "node:url";
import { eventually } from "./kit/visit.mjs";

const EVENTS = 20;

/** What `residue report` says of it, or of a part of it. */
const told = (t, file, ...options) => t.lab.json("report", file, "--view", "churn,advice", "--top", "10", ...options);

/** What the view says, in the terms of `--json`. */
async function shown(visit) {
  const numbers = { bytes: ".churn-bytes", calls: ".churn-calls", freed: ".churn-freed" };
  const rows = await visit.rows(".churn-table", numbers, { path: ".churn-path", share: ".churn-share" });
  const advice = await visit.page.$$eval(".churn-advice", (all) =>
    all.map((one) => ({
      stack: Number(one.dataset.key),
      action: one.dataset.action,
      words: one.querySelector(".churn-sentence").textContent,
    })),
  );
  return { title: await visit.text(".churn-words"), rows, advice };
}

function expectedOf({ churn, advice }) {
  return {
    title: `churn: ${churn.words}`,
    rows: churn.rows.map((row) => ({ key: String(row.stack), bytes: row.bytes_per_event, calls: row.calls_per_event })),
    advice: advice.map(({ stack, action, words }) => ({ stack, action, words })),
  };
}

const withoutText = ({ rows, ...rest }) => ({ ...rest, rows: rows.map(({ key, bytes, calls }) => ({ key, bytes, calls })) });
const rowOf = (rows, name) => rows.find(({ path }) => path.includes(name));

/** The page by a server and in a file. */
async function openBoth(t, file, place) {
  const alone = await t.lab.selfContained("churn.html", file);
  return [await t.open(await t.lab.served(file), place), await t.open(pathToFileURL(alone).href, place)];
}

export const tests = {
  async "churn and advice are what the command and the workload say"(t) {
    const { file, truths } = await t.lab.churn();
    const expected = expectedOf(await told(t, file));
    for (const visit of await openBoth(t, file, "churn")) {
      const seen = await shown(visit);
      assert.deepEqual(withoutText(seen), expected);
      const buffers = rowOf(seen.rows, "buffer_site");
      assert.deepEqual([buffers.bytes, buffers.calls, buffers.freed], [40_960, 10, 10 * EVENTS]);
      assert.equal(truths.get("buffer_site.calls") - truths.get("buffers_in_setup"), 10 * EVENTS);
      const later = rowOf(seen.rows, "later_site");
      assert.deepEqual([later.bytes, later.calls, later.freed], [2000, 1, 0]);
      const heads = await visit.page.$$eval(".churn-table th", (all) => all.map((one) => one.textContent));
      assert.deepEqual(heads, ["bytes/event", "%", "calls/event", "freed in event", "stack"]);
      const reserve = seen.advice.find(({ action }) => action === "reserve");
      const saved = (truths.get("table_buckets") - truths.get("table_reserved")) * EVENTS;
      const digits = String(saved).replace(/\B(?=(\d{3})+$)/g, " ");
      assert.ok(reserve.words.endsWith(`(${digits} bytes)`), reserve.words);
      assert.ok(seen.advice.some(({ action, words }) => action === "reuse" && words.includes("230 times (10/event)")));
    }
  },

  async "a range has rates of its own, and advice of the whole run"(t) {
    const { file } = await t.lab.churn();
    const [whole, part] = [expectedOf(await told(t, file)), expectedOf(await told(t, `${file}@11..16`))];
    const [served, alone] = await openBoth(t, file, "churn?events=11..15");
    const seen = await shown(served);
    assert.deepEqual(withoutText(seen), { ...part, advice: whole.advice });
    assert.equal((await served.text(".churn-events")).trim(), "events 11..15");
    assert.equal(await served.text(".view-churn .stacks-whole"), "whole run");
    const buffers = rowOf(seen.rows, "buffer_site");
    assert.deepEqual([buffers.bytes, buffers.calls, buffers.freed], [40_960, 10, 50]);
    const head = served.page.locator(".churn-table th").nth(3);
    assert.equal(await head.textContent(), "temporary");
    // The file says that it does not have it, and leads to what it has.
    assert.match(await alone.text(".view-churn .trouble"), /churn of ranges of events is not in this file/);
    await alone.page.getByRole("button", { name: "Show the whole recording" }).click();
    await alone.placed({ events: undefined });
    await eventually(async () => assert.deepEqual(withoutText(await shown(alone)), whole));
    await served.go("churn?focus=mixed_site");
    await eventually(async () => assert.equal(await served.text(".churn-words"), `churn: 1 stack by bytes allocated per event, ${EVENTS} events`));
    assert.equal(await served.text(".churn-advice-words"), "advice: none");
  },

  async "rows and advice lead to their stacks, by pointer and by keys"(t) {
    const { file } = await t.lab.churn();
    const visit = await t.open(await t.lab.served(file), "churn");
    const { rows, advice } = await shown(visit);
    await visit.page.locator(".churn-table tbody tr").first().focus();
    await visit.page.keyboard.press("ArrowDown");
    await visit.page.keyboard.press("Enter");
    await visit.placed({ view: "stacks", stack: rows[1].key });
    await visit.page.locator(".stacks-panel-columns").waitFor();
    // The largest block of a stack is among its numbers.
    const largest = visit.page.locator(".stacks-numbers > div", { hasText: "largest block" }).locator("[data-value]");
    const { top } = await t.lab.json("report", file, "--view", "stacks", "--counter", "largest", "--top", "all");
    const { counters } = top.find(({ stack }) => String(stack) === rows[1].key);
    assert.equal(Number(await largest.getAttribute("data-value")), counters.largest_bytes);
    await visit.page.goBack();
    await visit.page.locator(`.churn-advice[data-key="${advice[0].stack}"] button`).click();
    await visit.placed({ view: "stacks", stack: String(advice[0].stack) });
    await visit.page.locator(".stacks-panel-columns").waitFor();
    await visit.page.keyboard.press("6");
    await visit.placed({ view: "churn" });
  },

  async "the table of stacks is sorted by largest blocks, on both pages"(t) {
    const { file } = await t.lab.churn();
    const { top, selection } = await t.lab.json("report", file, "--view", "stacks", "--counter", "largest", "--top", "all");
    const byPath = new Map();
    for (const { path, value } of top) byPath.set(path.join("\n"), Math.max(value, byPath.get(path.join("\n")) ?? 0));
    const expected = [...byPath.values()].sort((one, other) => other - one);
    for (const visit of await openBoth(t, file, "stacks")) {
      await visit.page.getByRole("button", { name: "Largest" }).click();
      await visit.placed({ sort: "largest" });
      await eventually(async () => assert.deepEqual(await visit.numbers(".stacks-table tbody .stacks-largest"), expected));
      assert.equal(await visit.number(".stacks-sums .stacks-largest"), selection.whole);
    }
  },
};
