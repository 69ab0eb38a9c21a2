// The table of stacks: searched, filtered, sorted, opened, by mouse and by keyboard alone.

import assert from "node:assert/strict";
import { stacksOf } from "./kit/tables.mjs";
import { eventually } from "./kit/visit.mjs";

const LEAK = "SEvt::keepPhoton";

/** Opens the row of a function of the workload. */
async function openRow(visit, name) {
  const row = (await stacksOf(visit)).find(({ path }) => path.includes(name));
  await visit.page.locator(`.stacks-table tr[data-key="${row.key}"]`).click();
  await visit.placed({ stack: row.key });
  await visit.page.locator(".stacks-panel-columns").waitFor();
  await visit.settled();
  return row;
}

/** Lines of a call stack on the page. */
function framesOf(visit, label) {
  return visit.page.$$eval(`.stacks-frames[aria-label="${label}"] li`, (lines) =>
    lines.map((line) => ({
      function: line.querySelector(".stacks-frame-function").textContent,
      isInlined: line.querySelector(".chip")?.textContent === "inlined",
      place: line.querySelector(".stacks-frame-where .mono")?.textContent ?? "",
    })),
  );
}

/** The same from `residue report --json`. */
function expectedFrames(frames) {
  return frames.flatMap(({ function: name, places = [] }) => {
    if (places.length === 0) return [{ function: name, isInlined: false, place: "" }];
    return places.map((place, at) => ({
      function: place.function,
      isInlined: at < places.length - 1,
      place: place.file === null ? "" : `${place.file.split("/").at(-1)}:${place.line}`,
    }));
  });
}

async function stackOf(t, name) {
  const { file } = await t.lab.detector();
  const report = await t.lab.json("report", file, "--view", "stacks", "--counter", "total", "--top", "all");
  return report.top.find(({ path }) => path.includes(name));
}

export const tests = {
  async "a search is a regular expression"(t) {
    const visit = await t.openDetector("stacks");
    const all = await stacksOf(visit);
    const field = visit.page.getByLabel("Search stacks by function");
    // Without a capital letter case is ignored.
    const pattern = "keepphoton$|calibration::l.ad";
    await visit.page.keyboard.press("/");
    await visit.page.keyboard.type(pattern);
    await visit.placed({ focus: pattern });
    const expected = all.filter(({ path }) => path.some((name) => new RegExp(pattern, "i").test(name)));
    assert.equal(expected.length, 2);
    await eventually(async () => assert.deepEqual(await stacksOf(visit), expected));
    assert.equal((await visit.numbers(".stacks-sums"))[0], expected[0].live + expected[1].live);
    await field.fill("KEEPphoton$");
    await eventually(async () => assert.ok((await visit.text(".stacks-none")).includes("No stack passes")));
    await field.fill("no such function");
    await eventually(async () => assert.ok((await visit.text(".stacks-none")).includes("No stack passes")));
    await field.fill("");
    await visit.placed({ focus: undefined });
    await eventually(async () => assert.deepEqual(await stacksOf(visit), all));
  },

  async "letters typed while a search begins are kept"(t) {
    const visit = await t.openDetector("stacks");
    for (const [view, name] of [["stacks", "focus"], ["flame", "highlight"]]) {
      await visit.go(view);
      await visit.page.evaluate(() => {
        const field = document.querySelector("#view [data-search]");
        const type = (letters) => {
          field.value += letters;
          field.dispatchEvent(new InputEvent("input", { bubbles: true }));
        };
        const frame = () => new Promise(requestAnimationFrame);
        // The next letters come with the first frames after the address has changed.
        const { replaceState } = history;
        history.replaceState = function (...parts) {
          history.replaceState = replaceState;
          replaceState.apply(this, parts);
          void frame().then(() => type(":")).then(frame).then(frame).then(frame).then(() => type(":make"));
        };
        type("Hits");
      });
      await visit.placed({ [name]: "Hits::make" });
      assert.equal(await visit.page.locator("#view [data-search]").inputValue(), "Hits::make");
    }
  },

  async "a wrong regular expression is said to be one"(t) {
    const visit = await t.openDetector("stacks");
    visit.expectRefusals();
    const field = visit.page.getByLabel("Search stacks by function");
    await field.fill("Hits::(");
    await field.press("Enter");
    const trouble = visit.page.locator(".view-stacks .trouble[role=alert]");
    await trouble.waitFor();
    assert.ok((await trouble.innerText()).length > 20);
    assert.equal(await field.getAttribute("aria-invalid"), "true");
    await field.fill("Hits::");
    await field.press("Enter");
    await trouble.waitFor({ state: "detached" });
    await eventually(async () => assert.equal((await stacksOf(visit)).length, 1));
    assert.equal(await field.getAttribute("aria-invalid"), "false");
  },

  async "kinds and shapes can be chosen"(t) {
    const { file } = await t.lab.detector();
    const { selection } = await t.lab.json("report", file, "--kind", "mapping");
    const visit = await t.openDetector("stacks");
    await visit.page.getByLabel("Kind").selectOption("mapping");
    await visit.placed({ kind: "mapping" });
    await eventually(async () => {
      const rows = await stacksOf(visit);
      assert.equal(rows.reduce((sum, row) => sum + row.live, 0), selection.sums.live);
      assert.ok(rows.some(({ path }) => path.includes("Mapper::map_region")));
      assert.equal(await visit.number(".range-bytes"), selection.sums.live);
    });
    await visit.page.getByLabel("Kind").selectOption("heap");
    for (const [shape, name] of [["leak", LEAK], ["sawtooth", "Writer::append"], ["deferred", "Hits::make"]]) {
      await visit.page.getByLabel("Shape").selectOption(shape);
      await visit.placed({ shape, kind: undefined });
      await eventually(async () => {
        const rows = await stacksOf(visit);
        assert.deepEqual(rows.map((row) => [row.shape, row.path.includes(name)]), [[shape, true]]);
      });
    }
  },

  async "every column with a number sorts"(t) {
    const visit = await t.openDetector("stacks");
    const columns = {
      stacks: { Live: "growth", "Live blocks": "blocks", Peak: "peak", Total: "total", Churn: "churn", Calls: "calls", Largest: "largest" },
      "stacks?events=3..57": {
        Growth: "growth", Blocks: "blocks", Live: "live", Peak: "peak", Total: "total", Churn: "churn", Calls: "calls",
        Largest: "largest",
      },
    };
    for (const [place, cells] of Object.entries(columns)) {
      await visit.go(place);
      assert.deepEqual(await visit.page.locator(".stacks-sort").allTextContents(), Object.keys(cells));
      const rows = (await stacksOf(visit)).length;
      for (const [heading, cell] of Object.entries(cells)) {
        const button = visit.page.locator(".stacks-sort", { hasText: new RegExp(`^${heading}$`) });
        // The usual order is there already: a press turns it.
        if ((await button.getAttribute("data-sort")) === null) await button.click();
        for (const direction of ["descending", "ascending"]) {
          await eventually(async () => {
            assert.equal(await button.getAttribute("data-sort"), direction);
            const values = (await stacksOf(visit)).map((row) => row[cell]);
            const expected = [...values].sort((one, other) => (direction === "ascending" ? one - other : other - one));
            assert.equal(values.length, rows);
            assert.deepEqual(values, expected, `${heading}, ${direction}`);
          });
          assert.equal(await visit.page.locator(`th[aria-sort=${direction}]`).count(), 1);
          if (direction === "descending") await button.click();
        }
      }
    }
  },

  async "an open row shows the whole stack, with what was inlined"(t) {
    const visit = await t.openDetector("stacks");
    const { frames, counters, stack } = await stackOf(t, LEAK);
    const row = await openRow(visit, LEAK);
    assert.equal(row.key, String(stack));
    const shown = await framesOf(visit, "Call stack");
    assert.deepEqual(shown, expectedFrames(frames));
    const [make, keep] = shown;
    assert.deepEqual([make.function, make.isInlined], ["SEvt::newPhoton", true]);
    assert.deepEqual([keep.function, keep.isInlined], [LEAK, false]);
    assert.match(make.place, /^detector\.cpp:\d+$/);
    assert.match(keep.place, /^detector\.cpp:\d+$/);
    assert.deepEqual(await visit.numbers(".stacks-numbers"), [
      counters.live_bytes, counters.live_blocks, counters.peak_bytes, counters.at_peak_bytes, counters.largest_bytes,
      counters.total_bytes, counters.calls, counters.frees, counters.temporaries, counters.reallocs_in_place + counters.reallocs_moved,
    ]);
    await visit.page.getByRole("button", { name: "leaf first" }).click();
    await eventually(async () => assert.deepEqual(await framesOf(visit, "Call stack"), [...shown].reverse()));
    await visit.page.getByRole("button", { name: "Close the detail" }).click();
    await visit.placed({ stack: undefined });
    assert.equal(await visit.page.locator(".stacks-panel").count(), 0);
  },

  async "blocks that are freed late show who freed them"(t) {
    const { file, truths } = await t.lab.detector();
    const visit = await t.openDetector("stacks");
    await openRow(visit, "Hits::make");
    const leaks = await t.lab.json("leaks", file, "--top", "100");
    const late = leaks.stacks.find(({ path }) => path.includes("Hits::make"));
    const freed = await framesOf(visit, "Stack of a late free");
    const own = freed.filter((line) => !line.isInlined);
    assert.deepEqual(freed.map((line) => line.function).reverse(), late.freed_at);
    assert.equal(own[0].function, "Hits::release");
    assert.match(own[0].place, /^detector\.cpp:\d+$/);
    // All that were freed at all were freed in the next event.
    const fact = visit.page.locator(".stacks-fact", { hasText: "Late frees" });
    const numbers = await fact.locator("[data-value]").evaluateAll((found) => found.map((one) => Number(one.dataset.value)));
    assert.deepEqual(numbers, [truths.get("Hits::make.frees"), 1, 1]);
  },

  async "sizes and threads of a stack are told"(t) {
    const { truths } = await t.lab.detector();
    const visit = await t.openDetector("stacks");
    const fact = (title) => visit.page.locator(".stacks-fact", { hasText: title });
    const numbersOf = (title) =>
      fact(title).locator("tbody [data-value]").evaluateAll((found) => found.map((one) => Number(one.dataset.value)));
    await openRow(visit, "Worker::work");
    const made = (what) => truths.get(`Worker::work.${what}`);
    assert.deepEqual(await numbersOf("Threads"), [made("calls"), made("total"), made("frees"), made("live"), 512]);
    assert.ok((await fact("Threads").innerText()).includes("worker"));
    assert.deepEqual(await numbersOf("Blocks by size"), [made("calls"), made("live_blocks")]);
    assert.ok((await fact("Blocks by size").innerText()).includes("512 B"));
  },

  async "the keyboard alone is enough"(t) {
    const visit = await t.openDetector("stacks");
    const { keyboard } = visit.page;
    const focused = () =>
      visit.page.evaluate(() => document.activeElement?.closest(".stacks-table tbody tr")?.dataset.key ?? null);
    const keys = (await stacksOf(visit)).map((row) => row.key);
    let presses = 0;
    while ((await focused()) === null) {
      await keyboard.press("Tab");
      presses += 1;
      assert.ok(presses < 100, "the rows are reached by the tab key");
    }
    assert.equal(await focused(), keys[0]);
    await keyboard.press("ArrowDown");
    await keyboard.press("ArrowDown");
    assert.equal(await focused(), keys[2]);
    await keyboard.press("Enter");
    await visit.placed({ stack: keys[2] });
    const row = visit.page.locator(`.stacks-table tr[data-key="${keys[2]}"]`);
    await eventually(async () => assert.equal(await row.getAttribute("aria-expanded"), "true"));
    await visit.page.locator(".stacks-panel-columns").waitFor();
    await keyboard.press("Enter");
    await visit.placed({ stack: undefined });
    await keyboard.press("End");
    assert.equal(await focused(), keys.at(-1));
    await keyboard.press("Home");
    assert.equal(await focused(), keys[0]);
    // Digits open views, arrows go from tab to tab, a question mark helps.
    await keyboard.press("5");
    await visit.placed({ view: "time" });
    await visit.page.locator("#tab-time").focus();
    await keyboard.press("ArrowLeft");
    await visit.placed({ view: "stages" });
    await keyboard.press("?");
    await visit.page.getByRole("dialog").waitFor();
    await keyboard.press("Escape");
    await visit.page.getByRole("dialog").waitFor({ state: "hidden" });
    await visit.placed({ view: "stages" });
  },
};
