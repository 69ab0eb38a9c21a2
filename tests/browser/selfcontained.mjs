// The page in one file, opened from disk: no server, no request, the same numbers.

import assert from "node:assert/strict";
import { stat } from "node:fs/promises";
import { pathToFileURL } from "node:url";
import { RANGE } from "./kit/lab.mjs";
import { boxesOf } from "./kit/flame.mjs";
import { chooseFunction, endsOf, functionsOf, leftByDetector, sorted, stacksOf, truthOfRange } from "./kit/tables.mjs";
import { dragEvents } from "./kit/timeline.mjs";
import { eventually } from "./kit/visit.mjs";

/** A report goes into an issue or a message. */
const MOST_BYTES = 12 << 20;

async function openFile(t, place) {
  const { file } = await t.lab.detector();
  const page = await t.lab.selfContained("detector.html", file);
  return t.open(pathToFileURL(page).href, place);
}

/** What a reading gives on both pages. */
async function onBoth(t, place, reading) {
  const [alone, served] = [await openFile(t, place), await t.openDetector(place)];
  const expected = await reading(served);
  await eventually(async () => assert.deepEqual(await reading(alone), expected, place));
  assert.equal(alone.requests.length, 1, `it asks nobody: ${alone.requests}`);
  return alone;
}

export const tests = {
  async "its numbers are those of the served page"(t) {
    const rows = async (visit) => sorted((await stacksOf(visit)).map(({ key: _, ...row }) => row));
    await onBoth(t, "stacks", rows);
    await onBoth(t, "stacks", (visit) => visit.numbers(".head"));
    await onBoth(t, "stages", (visit) => visit.numbers(".stages-table"));
    await onBoth(t, "sizes", (visit) => visit.numbers(".sizes-table"));
    await onBoth(t, "callers?sort=cumulative", async (visit) => {
      await chooseFunction(visit, "process");
      const named = ({ function: name, library, self, cumulative, value }) => [name, library, self, cumulative, value];
      const ends = [...(await endsOf(visit, "Callers")), ...(await endsOf(visit, "Callees"))];
      return sorted([...(await functionsOf(visit)), ...ends].map(named));
    });
    await onBoth(t, "flame", async (visit) => sorted((await boxesOf(visit)).map((box) => [box.name, box.value, box.depth])));
  },

  async "ranges can be selected in it"(t) {
    const { truths } = await t.lab.detector();
    const visit = await openFile(t, "stacks");
    await dragEvents(visit, RANGE.first, RANGE.last);
    await visit.placed({ events: `${RANGE.first}..${RANGE.last}` });
    await eventually(async () => {
      const rows = await leftByDetector(visit);
      assert.deepEqual(sorted(rows), sorted(truthOfRange(truths)));
      assert.equal(await visit.number(".range-bytes"), rows.reduce((sum, row) => sum + row.bytes, 0));
    });
    const left = await visit.number(".range-bytes");
    await visit.page.getByRole("tab", { name: "Flame graph" }).click();
    await eventually(async () => {
      const root = (await boxesOf(visit)).find((box) => box.depth === 0);
      assert.equal(root.value, left);
    });
    assert.equal(visit.requests.length, 1);
  },

  async "an open row, a search and a wrong one work in it"(t) {
    const visit = await openFile(t, "stacks");
    const [row] = (await stacksOf(visit)).filter(({ path }) => path.includes("Hits::make"));
    await visit.page.locator(`.stacks-table tr[data-key="${row.key}"]`).click();
    await visit.page.locator('.stacks-frames[aria-label="Stack of a late free"]', { hasText: "Hits::release" }).waitFor();
    const field = visit.page.getByLabel("Search stacks by function");
    await field.fill("hits::");
    await eventually(async () => assert.deepEqual((await stacksOf(visit)).map((one) => one.key), [row.key]));
    await field.fill("hits(");
    await visit.page.locator(".view-stacks .trouble[role=alert]").waitFor();
    assert.equal(visit.requests.length, 1);
  },

  async "what it does not hold is said"(t) {
    const visit = await openFile(t, "stacks");
    assert.match(await visit.text(".page-left-out"), /threads/);
    for (const by of ["line", "thread"]) {
      await visit.go(`flame?by=${by}`);
      const words = await visit.text(".view-flame .trouble[role=alert]");
      assert.ok(words.includes("not in this file"), words);
    }
    assert.equal(new Set(visit.requests.map((url) => url.split("#")[0])).size, 1);
  },

  async "of very many stacks it holds the top, and says so"(t) {
    const { file, truths } = await t.lab.manyStacks();
    const page = await t.lab.selfContained("many.html", file);
    const { size } = await stat(page);
    assert.ok(size < MOST_BYTES, `${size} bytes`);
    const visit = await t.open(pathToFileURL(page).href, "stacks");
    const note = await visit.text(".page-left-out");
    assert.match(note, /\d/);
    // Nothing is lost from the sums: what is not there is one row.
    const report = await t.lab.json("report", file);
    const { sums } = report.selection;
    const [live, blocks, total, , calls] = await visit.numbers(".stacks-sums");
    assert.deepEqual([live, blocks, total, calls], [sums.live, sums.live_blocks, sums.total, sums.calls]);
    assert.ok(truths.size > 0);
    await visit.page.getByRole("tab", { name: "Flame graph" }).click();
    await eventually(async () => assert.equal(await visit.number(".flame-shown"), sums.live));
    assert.equal(visit.requests.length, 1);
  },
};
