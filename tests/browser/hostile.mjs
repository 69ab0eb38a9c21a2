// Names that would be markup: of functions, files, scopes, stamps, counters, snapshots,
// threads, the program and the profile. They are shown as they are, and nothing runs.

import assert from "node:assert/strict";
import { pathToFileURL } from "node:url";
import { csvOf, svgOf } from "./kit/files.mjs";
import { boxesOf, pointAt } from "./kit/flame.mjs";
import { NASTY_FILE } from "./kit/lab.mjs";
import { eventually } from "./kit/visit.mjs";

const markup = (what) => `<script>nasty('${what}')</script><img src=x onerror="nasty('${what}')">`;
const FUNCTION = `<script>nasty('function')</script>"&`;
const THREAD = `<b onclick=1>"'`;
const STAMP = `</td></tr></table>"'&amp;`;

/** Whoever is taken in calls this. */
const record = () => {
  window.taken = [];
  window.nasty = (what) => window.taken.push(what);
};

/** Every way to make the browser run or load something, beside the page's own script. */
function traces() {
  const scripts = [...document.scripts].filter((one) => one.type !== "module" && one.id !== "residue-data");
  const handlers = [...document.querySelectorAll("*")].filter((one) => [...one.attributes].some(({ name }) => /^on/i.test(name)));
  const loading = document.querySelectorAll(
    "img, iframe, object, embed, base, form, [style*='url('], link[rel=stylesheet]:not([href$='page.css'])",
  );
  return {
    taken: window.taken,
    scripts: scripts.map((one) => one.outerHTML),
    modules: [...document.scripts].filter((one) => one.type === "module").length,
    handlers: handlers.map((one) => one.outerHTML.slice(0, 100)),
    loading: [...loading].map((one) => one.outerHTML.slice(0, 100)),
  };
}

async function clean(visit, where) {
  await visit.page.$$eval("details", (found) => found.forEach((one) => (one.open = true)));
  await visit.settled();
  const found = await visit.page.evaluate(traces);
  assert.deepEqual(found, { taken: [], scripts: [], modules: 1, handlers: [], loading: [] }, where);
}

/** Waits until these texts are seen, letter by letter. */
async function shows(visit, where, ...texts) {
  await eventually(async () => {
    const seen = await visit.page.evaluate(() => document.body.textContent.replaceAll("→", "->"));
    for (const text of texts) assert.ok(seen.includes(text), `${where} shows ${text}`);
  }, 5000);
  await clean(visit, where);
}

const BY = ["function", "module", "scope"];

/** All views with everything open that can be opened. */
async function lookEverywhere(visit, boxesBy) {
  await visit.go("stacks");
  await shows(visit, "stacks", FUNCTION, NASTY_FILE, markup("counter"));
  const row = visit.page.locator(".stacks-table tr[data-key]", { hasText: FUNCTION });
  await row.click();
  await visit.page.locator(".stacks-panel-columns").waitFor();
  await shows(visit, "an open stack", markup("scope"), THREAD, `"'&.c:`);
  const titles = await visit.page.$$eval("[title]", (found) => found.map((one) => one.title).join("\n"));
  assert.ok(titles.includes(`<script>nasty('file')</script>"'&.c`), "the whole name of the file");
  await visit.page.locator(".timeline-chart").hover({ position: { x: 640, y: 40 } });
  await clean(visit, "the timeline");
  for (const by of boxesBy) {
    await visit.go(`flame?by=${by}&counter=calls`);
    const [box] = (await boxesOf(visit)).filter(({ name }) => /nasty|onclick/.test(name));
    assert.ok(box, `a box by ${by}`);
    await pointAt(visit, box.name);
    await shows(visit, `the flame graph by ${by}`, box.name);
    assert.ok((await visit.text(".flame-tip")).startsWith(box.name));
  }
  await visit.go(`flame?highlight=nasty&focus=nasty`);
  await clean(visit, "a search in the flame graph");
  await visit.go("callers?sort=cumulative&counter=calls");
  await visit.page.locator(".callers-functions tr", { hasText: FUNCTION }).first().click();
  await visit.page.locator(".callers-middle h2", { hasText: FUNCTION }).waitFor();
  await shows(visit, "callers", FUNCTION);
  for (const value of ["live", "rss", "vm", "time"]) {
    await visit.go(`stages?value=${value}`);
    await visit.page.locator(".stages-canvas").hover({ position: { x: 200, y: 40 } });
    await shows(visit, `stages by ${value}`, markup("stamp"), STAMP);
  }
  await visit.go("churn?kind=all");
  await shows(visit, "churn", FUNCTION);
  await visit.go("holders");
  await shows(visit, "holders", FUNCTION);
  await visit.page.locator(".holders-table tr[data-key]", { hasText: FUNCTION }).first().click();
  await visit.page.locator(".holders-parts").waitFor();
  await shows(visit, "an open holder", FUNCTION);
  await visit.go("pins");
  await shows(visit, "pins", FUNCTION);
  await visit.go("sizes");
  await clean(visit, "sizes");
  // An address may hold anything, too.
  const nasty = encodeURIComponent(markup("address"));
  for (const place of ["stacks", "flame", "callers", "sizes"]) {
    await visit.go(`${place}?focus=${nasty}&highlight=${nasty}`);
    await clean(visit, `${place} with a nasty address`);
  }
}

export const tests = {
  async "names are texts in every view"(t) {
    const { file } = await t.lab.nasty();
    const visit = await t.open(await t.lab.served(file), "stacks", { prepare: record });
    assert.ok((await visit.page.title()).includes(NASTY_FILE));
    await lookEverywhere(visit, [...BY, "line", "thread"]);
  },

  async "names are texts in a comparison"(t) {
    const { file } = await t.lab.nasty();
    const { file: other } = await t.lab.detector();
    const visit = await t.open(await t.lab.served(other, file), "compare", { prepare: record });
    for (const by of ["function", "stack", "library"]) {
      await visit.go(`compare?by=${by}&counter=calls`);
      await shows(visit, `a comparison by ${by}`, by === "library" ? NASTY_FILE : FUNCTION, NASTY_FILE);
      const row = visit.page.locator(".compare-table tr[aria-expanded]", { hasText: "nasty" });
      if (by === "stack") await row.first().click();
      await clean(visit, `an open row by ${by}`);
    }
    await visit.go("flame?side=b&against=a");
    await clean(visit, "a differential flame graph");
  },

  async "names are texts in a self-contained file"(t) {
    const { file } = await t.lab.nasty();
    const page = await t.lab.selfContained("nasty.html", file);
    const visit = await t.open(pathToFileURL(page).href, "stacks", { prepare: record });
    await lookEverywhere(visit, BY);
    assert.equal(new Set(visit.requests.map((url) => url.split("#")[0])).size, 1);
  },

  async "names are texts in files that are saved"(t) {
    const { file, truths } = await t.lab.nasty();
    const visit = await t.open(await t.lab.served(file), "flame?counter=calls", { prepare: record });
    await boxesOf(visit);
    const press = (part, name) => visit.download(visit.page.locator(part).getByRole("button", { name, exact: true }).first());
    const drawn = await svgOf(visit.page, (await press(".flame-toolbar", "SVG")).content);
    assert.ok(drawn.words.some((text) => text.includes(FUNCTION)));
    const boxes = csvOf((await press(".flame-toolbar", "CSV")).content);
    const own = boxes.find((row) => row.name === FUNCTION);
    assert.equal(own.value, String(truths.get("nasty_function.calls")));
    await visit.go("stages");
    const [head] = csvOf((await press(".view-stages .toolbar", "CSV")).content).map(Object.keys);
    assert.ok(head.some((name) => name.includes(markup("stamp"))), head.join());
    await visit.go("stacks?sort=calls");
    const stacks = csvOf((await press(".stacks-toolbar", "CSV")).content);
    assert.ok(stacks.some((row) => row.path.includes(FUNCTION)));
    await visit.page.locator(".stacks-table tr[data-key]", { hasText: FUNCTION }).click();
    await visit.page.locator(".stacks-panel-columns").waitFor();
    await svgOf(visit.page, (await press(".stacks-chart", "SVG")).content);
    await clean(visit, "after all downloads");
  },
};
