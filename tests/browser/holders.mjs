// Who holds what is live: the same as `residue holders` and the workload say, and a walk from blocks to
// their holders and back.

import assert from "node:assert/strict";
import { pathToFileURL } from "node:url";
import { boxNamed, crumbsOf } from "./kit/flame.mjs";
import { eventually } from "./kit/visit.mjs";

const sum = (...parts) => parts.reduce((all, { bytes, blocks }) => ({ bytes: all.bytes + bytes, blocks: all.blocks + blocks }));
const lostOf = (of) => sum(of.lost, of.lost_in_cycle, of.held_by_lost);
const heldOf = (of) => sum(of.held, of.held_inside);

/** The page by a server and in a file. */
async function openBoth(t, file, place) {
  const alone = await t.lab.selfContained("held.html", file);
  return [await t.open(await t.lab.served(file), place), await t.open(pathToFileURL(alone).href, place)];
}

async function rowsOf(visit) {
  const numbers = { lost: ".holders-lost", held: ".holders-held", blocks: ".holders-blocks" };
  return visit.rows(".holders-table", numbers, { words: ".holders-words" });
}

const expectedRows = (stacks) =>
  stacks.map((row) => ({
    key: String(row.stack), lost: lostOf(row).bytes, held: heldOf(row).bytes, blocks: lostOf(row).blocks + heldOf(row).blocks,
    words: row.words ?? "",
  }));

/** The stack that allocates in a function, of those with so many blocks. */
const stackIn = (stacks, name, blocks) =>
  stacks.find((row) => row.path.includes(name) && lostOf(row).blocks + heldOf(row).blocks === blocks);

const panelOf = (visit) => visit.page.locator(".holders-panel");

/** Waits until the panel is of a stack. */
const panelIs = (visit, row) =>
  eventually(async () => assert.ok((await panelOf(visit).locator(".toolbar strong").innerText()).includes(row.path.at(-1))));

export const tests = {
  async "holders are what the command and the workload say"(t) {
    const { file, truths } = await t.lab.holders();
    const told = await t.lab.json("holders", file);
    for (const visit of await openBoth(t, file, "holders")) {
      assert.deepEqual(await rowsOf(visit), expectedRows(told.stacks));
      const all = (which) => visit.page.locator(`.holders-all-${which}`).getAttribute("data-value");
      assert.deepEqual([Number(await all("lost")), Number(await all("held"))], [lostOf(told.all).bytes, heldOf(told.all).bytes]);
      const retained = await visit.rows(".holders-retained", { bytes: ".holders-bytes" }, { words: ".holders-words" });
      assert.deepEqual(
        retained,
        told.retained.map(({ stack, bytes, holder }) => ({ key: String(stack), bytes, words: holder.words })),
      );
      const text = await visit.text(".view-holders");
      for (const line of told.about) assert.ok(text.includes(line), line);
      await visit.go("holders?which=lost");
      const lost = await rowsOf(visit);
      assert.deepEqual(lost.map(({ key }) => Number(key)), told.stacks.filter((row) => lostOf(row).blocks > 0).map(({ stack }) => stack));
      const dropped = stackIn(told.stacks, "drop", truths.get("drop.lost"));
      assert.ok(lost.find(({ key }) => key === String(dropped.stack)).words.endsWith("lost: nothing points to it"));
      await visit.page.getByRole("button", { name: "Held", exact: true }).click();
      await visit.placed({ which: "held" });
      await eventually(async () => {
        const held = (await rowsOf(visit)).map((row) => row.held);
        assert.ok(held.every((bytes) => bytes > 0), held.join());
        assert.deepEqual(held, [...held].sort((one, other) => other - one));
      });
    }
  },

  async "a walk from blocks to their holder and back"(t) {
    const { file, truths } = await t.lab.holders();
    const { stacks } = await t.lab.json("holders", file);
    // The elements of the vector, and its buffer.
    const elements = stackIn(stacks, "fill_vector", truths.get("fill_vector.held") - 1);
    const [chain] = elements.chains;
    const buffer = stacks.find(({ stack }) => stack === chain.steps[0].stack);
    for (const visit of await openBoth(t, file, "holders")) {
      await visit.page.locator(`.holders-row[data-key="${elements.stack}"]`).click();
      await visit.placed({ view: "holders", stack: String(elements.stack) });
      await panelIs(visit, elements);
      const panel = panelOf(visit);
      const root = panel.locator(".holders-root");
      assert.equal(await root.locator(".holders-root-words").innerText(), chain.holder.words);
      assert.match(chain.holder.words, /^variable names in who_holds \(who_holds\.cpp:\d+\)$/);
      assert.equal(await root.getAttribute("data-kind"), "module");
      const step = panel.locator(".holders-step");
      assert.equal(await step.count(), 1);
      assert.equal(await step.locator(".holders-step-words").innerText(), "an array of 100 pointers");
      assert.ok((await panel.locator(".holders-end").innerText()).endsWith(" in 100 blocks"));
      await step.click();
      await visit.placed({ stack: String(buffer.stack) });
      await panelIs(visit, buffer);
      const held = await visit.rows(".holders-holds", { bytes: ".holders-bytes", blocks: ".holders-blocks" });
      assert.deepEqual(held, [{ key: String(elements.stack), bytes: heldOf(elements).bytes, blocks: 100 }]);
      await panel.locator(".holders-holds button").click();
      await visit.placed({ stack: String(elements.stack) });
      await visit.page.goBack();
      await visit.placed({ stack: String(buffer.stack) });
      await panelIs(visit, buffer);
      // The address alone leads there, too.
      await visit.go(`holders?stack=${elements.stack}`);
      await panelIs(visit, elements);
      await panel.getByRole("button", { name: "Close the stack" }).click();
      await visit.placed({ stack: undefined });
      await eventually(async () => assert.equal(await panelOf(visit).count(), 0));
    }
  },

  async "holders lead to stacks, the flame graph and callers, and stacks to holders"(t) {
    const { file } = await t.lab.holders();
    const { stacks } = await t.lab.json("holders", file);
    const row = stackIn(stacks, "keep_in_array", 100);
    const visit = await t.open(await t.lab.served(file), `holders?stack=${row.stack}`);
    const press = (name) => panelOf(visit).getByRole("button", { name, exact: true }).click();
    await press("Flame graph");
    await visit.placed({ view: "flame" });
    await boxNamed(visit, "keep_in_array");
    assert.equal((await crumbsOf(visit)).at(-1), "keep_in_array");
    await visit.page.goBack();
    await press("Callers");
    await visit.placed({ view: "callers" });
    await visit.page.locator(".callers-middle h2", { hasText: "keep_in_array" }).waitFor();
    await visit.page.goBack();
    await press("Stack");
    await visit.placed({ view: "stacks", stack: String(row.stack) });
    await visit.page.locator(".stacks-panel-columns").waitFor();
    await visit.page.locator(".stacks-panel").getByRole("button", { name: "Holders" }).click();
    await visit.placed({ view: "holders", stack: String(row.stack) });
    await panelIs(visit, row);
  },

  async "a search and keys choose stacks"(t) {
    const { file } = await t.lab.holders();
    const visit = await t.open(await t.lab.served(file), "holders?focus=fill_list");
    const [only, ...others] = await rowsOf(visit);
    assert.deepEqual(others, []);
    assert.match(only.words, /^held by variable items .*: nodes of a doubly linked list$/);
    await visit.page.locator(".holders-row").first().focus();
    await visit.page.keyboard.press("Enter");
    await visit.placed({ stack: only.key });
    await visit.page.keyboard.press("1");
    await visit.placed({ view: "stacks" });
    await visit.page.keyboard.press("7");
    await visit.placed({ view: "holders" });
  },

  async "where there is no picture it is said how to record one"(t) {
    const { file } = await t.lab.churn();
    const alone = await t.lab.selfContained("churn.html", file);
    for (const address of [await t.lab.served(file), pathToFileURL(alone).href]) {
      const visit = await t.open(address, "holders");
      const said = await visit.text(".holders-missing");
      assert.equal(said, "no picture of its memory was taken; record with `residue run --holders`");
    }
  },
};
