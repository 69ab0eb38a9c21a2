// Files of what the views show: tables as CSV with the exact numbers, drawings as SVG that
// is well formed, pictures as PNG.

import assert from "node:assert/strict";
import { csvOf, pngOf, svgOf } from "./kit/files.mjs";
import { boxesOf } from "./kit/flame.mjs";
import { chooseFunction, endsOf, functionsOf, sorted, stacksOf } from "./kit/tables.mjs";

/** The button of these words in a part of the page. */
const button = (visit, part, name) => visit.page.locator(part).getByRole("button", { name, exact: true });

async function csv(visit, part, name) {
  const saved = await visit.download(button(visit, part, "CSV"));
  assert.match(saved.name, name);
  return csvOf(saved.content);
}

async function svg(visit, part, name) {
  const saved = await visit.download(button(visit, part, "SVG"));
  assert.match(saved.name, name);
  return svgOf(visit.page, saved.content);
}

async function png(visit, part, name) {
  const saved = await visit.download(button(visit, part, "PNG"));
  assert.match(saved.name, name);
  return pngOf(saved.content);
}

export const tests = {
  async "the timeline"(t) {
    const { file } = await t.lab.detector();
    const { timeline } = await t.lab.json("dump", file);
    const visit = await t.openDetector("stacks");
    const rows = await csv(visit, ".timeline-head", /timeline\.csv$/);
    const known = timeline.moments.filter((moment) => moment.kind === "begin" || moment.kind === "end");
    const shown = rows.filter((row) => row.moment === "begin" || row.moment === "end");
    assert.deepEqual(
      shown.map((row) => [row.event, row.moment, row.time_ns, row.rss_bytes, row.live_bytes, row.mapped_bytes].join()),
      known.map((one) => [one.event, one.kind, one.time_ns, one.rss_bytes, one.live_bytes, one.mapped_bytes].join()),
    );
    await png(visit, ".timeline-head", /timeline\.png$/);
  },

  async "the account of the growth"(t) {
    const visit = await t.openDetector("stacks");
    const { words } = await svg(visit, ".head-account", /\.svg$/);
    assert.ok(words.includes("live heap"), words.join());
  },

  async "stacks, and all of one stack"(t) {
    const visit = await t.openDetector("stacks?events=45..78");
    const shown = await stacksOf(visit);
    const rows = await csv(visit, ".stacks-toolbar", /stacks\.csv$/);
    const columns = ["stack", "growth_bytes", "growth_blocks", "total_bytes", "calls", "bytes_per_event", "shape", "path"];
    assert.deepEqual(
      rows.map((row) => columns.map((name) => row[name])),
      shown.map((row) =>
        [row.key, row.growth, row.blocks, row.total, row.calls, row.rate, row.shape, row.path.join(";")].map(String),
      ),
    );
    await visit.go(`stacks?stack=${shown[0].key}`);
    const charts = visit.page.locator(".stacks-chart");
    const titles = await charts.locator("h4").allInnerTexts();
    assert.deepEqual(titles, ["Live bytes", "Live blocks", "Survivors by birth"]);
    for (const title of titles) {
      const saved = await visit.download(charts.filter({ hasText: title }).getByRole("button", { name: "SVG" }));
      const { names } = await svgOf(visit.page, saved.content);
      assert.ok(names.includes(title === "Survivors by birth" ? "rect" : "path"));
    }
    const { truths } = await t.lab.detector();
    const fact = (title) => visit.page.locator(".stacks-fact", { hasText: title }).getByRole("button", { name: "CSV" });
    const [size] = csvOf((await visit.download(fact("Blocks by size"))).content);
    assert.equal(size.blocks, String(truths.get("SEvt::keepPhoton.calls")));
    const [thread] = csvOf((await visit.download(fact("Threads"))).content);
    assert.equal(thread.total_bytes, String(truths.get("SEvt::keepPhoton.total")));
  },

  async "the flame graph"(t) {
    const { truths } = await t.lab.detector();
    const visit = await t.openDetector("flame");
    const boxes = await boxesOf(visit);
    const rows = await csv(visit, ".flame-toolbar", /flame\.csv$/);
    const byKey = new Map(rows.map((row) => [row.key, row]));
    for (const box of boxes) assert.equal(byKey.get(box.key).value, String(box.value));
    const keep = rows.find((row) => row.name === "SEvt::keepPhoton");
    assert.equal(keep.value, String(truths.get("SEvt::keepPhoton.live")));
    assert.ok(keep.path.endsWith("main;process;propagate;SEvt::keepPhoton"));
    const { names, words } = await svg(visit, ".flame-toolbar", /flame\.svg$/);
    assert.ok(names.filter((name) => name === "rect").length > boxes.length);
    const title = words.find((text) => text.startsWith("SEvt::keepPhoton")).replaceAll("\u202f", "");
    assert.ok(title.includes(`${truths.get("SEvt::keepPhoton.live")} bytes`), title);
    await png(visit, ".flame-toolbar", /flame\.png$/);
  },

  async "functions, callers, callees and source"(t) {
    const visit = await t.openDetector("callers?sort=cumulative");
    await chooseFunction(visit, "propagate");
    const listed = await csv(visit, ".callers-list-foot", /functions\.csv$/);
    assert.deepEqual(
      sorted(listed.map((row) => [row.function, row.self, row.cumulative])),
      sorted((await functionsOf(visit)).map((row) => [row.function, String(row.self), String(row.cumulative)])),
    );
    for (const heading of ["Callers", "Callees"]) {
      const part = visit.page.locator(".callers-ends", { has: visit.page.locator(`table[aria-label=${heading}]`) });
      const saved = await visit.download(part.getByRole("button", { name: "CSV" }));
      assert.equal(saved.name, `${heading.toLowerCase()}.csv`);
      assert.deepEqual(
        csvOf(saved.content).map((row) => [row.function, row.value]),
        (await endsOf(visit, heading)).map((end) => [end.function, String(end.value)]),
      );
    }
    const lines = await csv(visit, ".callers-source", /source\.csv$/);
    const { truths } = await t.lab.detector();
    const own = lines.find((row) => row.text.includes("void SEvt::keepPhoton()"));
    assert.equal(own.cumulative, String(truths.get("SEvt::keepPhoton.live")));
  },

  async "stages"(t) {
    const { file } = await t.lab.detector();
    const { stages } = await t.lab.json("stages", file, "--value", "live");
    const visit = await t.openDetector("stages");
    const rows = await csv(visit, ".view-stages .toolbar", /stages\.live\.csv$/);
    assert.equal(rows.length, stages.rows.length);
    stages.rows.forEach((row, at) => {
      const steps = row.cells.slice(1).map((cell, column) => cell - row.cells[column]);
      const [event, , ...values] = Object.values(rows[at]).map(Number);
      assert.deepEqual([event, ...values.slice(0, steps.length)], [row.event, ...steps]);
    });
    await png(visit, ".view-stages .toolbar", /stages\.live\.png$/);
  },

  async "churn"(t) {
    const { file } = await t.lab.churn();
    const visit = await t.open(await t.lab.served(file), "churn");
    const saved = await visit.download(button(visit, ".view-churn .toolbar", "CSV"));
    assert.match(saved.name, /churn\.csv$/);
    const told = await t.lab.command(t.lab.residue, "report", file, "--view", "churn", "--csv");
    assert.deepEqual(csvOf(saved.content), csvOf(told));
  },

  async "sizes"(t) {
    const visit = await t.openDetector("sizes");
    const shown = await visit.rows(".sizes-table", { total: ".sizes-total", live: ".sizes-live" });
    const rows = await csv(visit, ".view-sizes .toolbar", /sizes\.csv$/);
    assert.deepEqual(
      rows.map((row) => [row.from_bytes, row.total_blocks, row.live_blocks]),
      shown.map((row) => [row.key, String(row.total), String(row.live)]),
    );
    const { words } = await svg(visit, ".view-sizes .toolbar", /sizes\.svg$/);
    assert.ok(words.some((text) => text.includes("32–63 B")), words.join());
  },

  async "a comparison"(t) {
    const { before, after } = await t.lab.releases();
    const diff = await t.lab.json("diff", before.file, after.file, "--by", "function");
    const visit = await t.open(await t.lab.served(before.file, after.file), "compare");
    const rows = await csv(visit, ".compare-list", /compare\.csv$/);
    assert.deepEqual(
      sorted(rows.map((row) => [row.function, row.class, row.before_bytes, row.after_bytes, row.change_bytes_per_event])),
      sorted(diff.rows.map((row) => [row.name, row.class, String(row.before), String(row.after), String(row.rate_delta)])),
    );
  },
};
