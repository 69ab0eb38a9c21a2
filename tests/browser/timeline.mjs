// The timeline: what stands beside its charts, and what its counters say.

import assert from "node:assert/strict";
import { eventually } from "./kit/visit.mjs";

/** Whether anything is drawn at the left edge of a canvas: a label that is cut off is. */
function inkAtEdge(canvas) {
  const copy = new OffscreenCanvas(canvas.width, canvas.height).getContext("2d", { willReadFrequently: true });
  copy.drawImage(canvas, 0, 0);
  const { data } = copy.getImageData(0, 0, 1, canvas.height);
  return data.some((value, at) => at % 4 === 3 && value > 0);
}

export const tests = {
  async "labels on the left are whole"(t) {
    const { file } = await t.lab.detector();
    const visit = await t.open(await t.lab.served(file), "stacks");
    // As of a large process: far from zero and nearly the same, so that labels have many digits.
    await visit.page.route("**/api/timeline?*", async (route) => {
      const response = await route.fetch();
      const answer = await response.json();
      answer.series.rss = answer.series.rss.map((_, at) => 27.1 * 2 ** 40 + 3000 * at);
      await route.fulfill({ response, json: answer });
    });
    for (const place of ["stacks", "stacks?hide=live,mapped", "stacks?hide=live,mapped&zoom=60..70"]) {
      await visit.go(place);
      const canvases = visit.page.locator(".timeline-chart canvas");
      const edges = await eventually(async () => {
        const found = await canvases.evaluateAll((all, source) => all.map(new Function(`return ${source}`)()), inkAtEdge.toString());
        assert.ok(found.length >= 2);
        return found;
      });
      assert.deepEqual(edges, edges.map(() => false), place);
      // Plots stand below each other.
      const lefts = await visit.page.$$eval(".timeline-chart .u-over", (all) => all.map((one) => Math.round(one.getBoundingClientRect().left)));
      assert.equal(new Set(lefts).size, 1, lefts.join());
    }
  },

  async "a counter of thinned events is a mean, and says of what"(t) {
    const { file } = await t.lab.manyEvents();
    const visit = await t.open(await t.lab.served(file), "stacks");
    await visit.page.locator(".timeline-thinned").waitFor();
    const key = visit.page.locator('.timeline-key[data-series="counter:photons"]');
    const chart = visit.page.locator(".timeline-chart");
    const box = await chart.boundingBox();
    const sums = new Set();
    for (let part = 0.2; part < 0.9; part += 0.01) {
      await visit.page.mouse.move(box.x + box.width * part, box.y + 60);
      const sum = await key.getAttribute("data-sum");
      if (sum === null) continue;
      const [, events, counted] = /^sum over (\d+) events: ([\d\u202f]+)$/.exec(sum);
      const mean = await key.locator("[data-value]").evaluate((one) => Number(one.dataset.value));
      assert.ok(Math.abs(mean * Number(events) - Number(counted.replaceAll("\u202f", ""))) < 1e-6, `${sum}: ${mean}`);
      assert.match(await key.innerText(), /per event$/);
      // One event has some twenty photons, however many are drawn as one.
      assert.ok(mean > 10 && mean < 40, `${mean}`);
      sums.add(sum);
    }
    assert.ok(sums.size > 3, [...sums].join());
  },
};
