// The flame graph: its numbers, its directions, and the ways through it.

import assert from "node:assert/strict";
import { RANGE } from "./kit/lab.mjs";
import { boxesOf, boxNamed, crumbsOf, pointAt, pressBox, rootIs } from "./kit/flame.mjs";
import { sorted } from "./kit/tables.mjs";
import { eventually } from "./kit/visit.mjs";

async function reportOf(t, ...parts) {
  const { file } = await t.lab.detector();
  return t.lab.json("report", file, "--top", "all", "--min-percent", "0", ...parts);
}

/** Boxes next to the root, as names with values. */
async function outermost(visit) {
  return (await boxesOf(visit)).filter((box) => box.depth === 1).map((box) => [box.name, box.value]);
}

/** A field of the toolbar, by its words. */
const field = (visit, words) =>
  visit.page.locator(".flame-toolbar label", { hasText: new RegExp(`^${words}`) }).locator("input, select");

export const tests = {
  async "boxes hold what residue report says"(t) {
    const { tree, selection } = await reportOf(t, "--view", "tree");
    const visit = await t.openDetector("flame");
    const shown = await boxesOf(visit);
    const calls = tree.rows.filter((row) => row.what === "call" && row.value > 0);
    // What is narrower than a pixel is not drawn.
    const width = shown.find((box) => box.depth === 0).width;
    const isSeen = ({ value }) => (value / selection.whole) * width >= 2;
    assert.deepEqual(
      sorted(shown.filter((box) => box.depth > 0 && isSeen(box)).map((box) => [box.name, box.value])),
      sorted(calls.filter(isSeen).map((row) => [row.function, row.value])),
    );
    assert.equal(shown.find((box) => box.depth === 0).value, selection.sums.live);
    await visit.page.getByText("Boxes as a table").click();
    const cells = { value: "td:nth-child(3)", own: "td:last-child" };
    const table = await visit.rows(".flame-table", cells, { name: ".flame-table-zoom" });
    const named = (row) => JSON.stringify([row.function ?? row.name, row.value]);
    const sent = new Set(table.map(named));
    assert.deepEqual(sorted(table.map(named)), sorted(calls.filter((row) => sent.has(named(row))).map(named)));
    // What is too small to be sent is missing at the edges of what was, and from nowhere else.
    const isSent = (at) => at === null || sent.has(named(tree.rows[at]));
    const missing = calls.filter((row) => !sent.has(named(row)) && isSent(row.parent));
    assert.ok(missing.every((row) => !isSeen(row)), JSON.stringify(missing));
    const sum = (rows, key) => rows.reduce((before, row) => before + row[key], 0);
    assert.equal(sum(table, "own") + sum(missing, "value"), selection.sums.live);
  },

  async "a click zooms, crumbs and keys lead back"(t) {
    const { callers, selection } = await reportOf(t, "--view", "callers");
    const live = (name) => callers.functions.find((one) => one.function === name).cumulative;
    const visit = await t.openDetector("flame");
    const box = await pressBox(visit, "process");
    assert.equal(box.value, live("process"));
    await visit.placed({ root: box.key });
    await rootIs(visit, "process", live("process"));
    await pressBox(visit, "propagate");
    await rootIs(visit, "propagate", live("propagate"));
    assert.deepEqual((await crumbsOf(visit)).slice(-4), ["__libc_start_call_main", "main", "process", "propagate"]);
    await visit.page.locator(".flame-crumb", { hasText: /^process$/ }).click();
    await rootIs(visit, "process", live("process"));
    await visit.page.goBack();
    await rootIs(visit, "propagate", live("propagate"));
    await visit.page.locator(".flame-canvas").focus();
    await visit.page.keyboard.press("Backspace");
    await rootIs(visit, "process", live("process"));
    await visit.page.locator(".flame-crumb", { hasText: /^everything$/ }).click();
    await visit.placed({ root: undefined });
    await rootIs(visit, "everything", selection.sums.live);
    // The same by a pasted address.
    await visit.go(`flame?root=${box.key}`);
    await rootIs(visit, "process", live("process"));
  },

  async "arrows move between boxes, Enter makes one the root"(t) {
    const visit = await t.openDetector("flame");
    const canvas = visit.page.locator(".flame-canvas");
    const said = () => visit.page.locator(".flame-described").innerText();
    await canvas.focus();
    await visit.page.keyboard.press("Home");
    await eventually(async () => assert.match(await said(), /^everything, /));
    await visit.page.keyboard.press("ArrowDown");
    // The widest: everything that was allocated in the scope.
    await eventually(async () => assert.match(await said(), /^\[geometry\], 1\.91 MiB, 78\.4 % of everything$/));
    await visit.page.keyboard.press("ArrowRight");
    await eventually(async () => assert.match(await said(), /^_start, /));
    await visit.page.keyboard.press("ArrowLeft");
    await visit.page.keyboard.press("Enter");
    await rootIs(visit, "[geometry]", 2_000_000);
  },

  async "the tooltip is exact"(t) {
    const { truths } = await t.lab.detector();
    const visit = await t.openDetector("flame");
    await pointAt(visit, "SEvt::keepPhoton");
    const tip = visit.page.locator(".flame-tip");
    await tip.waitFor();
    const words = (await tip.innerText()).replaceAll("\u202f", "");
    assert.ok(words.startsWith("SEvt::keepPhoton"), words);
    assert.ok(words.includes(`${truths.get("SEvt::keepPhoton.live")} bytes`), words);
    assert.ok(words.includes("detector"), words);
  },

  async "inverted, the functions that allocate come first"(t) {
    const { self } = await reportOf(t, "--view", "self");
    const visit = await t.openDetector("flame");
    await field(visit, "inverted").check();
    await visit.placed({ inverted: "1" });
    const expected = self.rows.map((row) => [row.function, row.self_live]);
    await eventually(async () => {
      const shown = new Map(await outermost(visit));
      for (const [name, value] of expected.filter(([, value]) => value > 1000)) assert.equal(shown.get(name), value, name);
    });
  },

  async "boxes can be libraries, scopes and threads"(t) {
    const visit = await t.openDetector("flame");
    const choose = async (by) => {
      await field(visit, "by").selectOption(by);
      await visit.placed({ by });
    };
    const { libraries } = await reportOf(t, "--view", "library");
    await visit.go("flame?inverted=1");
    await choose("module");
    await eventually(async () => {
      const shown = new Map(await outermost(visit));
      for (const row of libraries.rows.filter((row) => row.self_live > 1000)) assert.equal(shown.get(row.library), row.self_live);
    });
    const { scopes } = await reportOf(t, "--view", "scope", "--counter", "calls");
    await visit.go("flame?counter=calls");
    await choose("scope");
    await eventually(async () => {
      const shown = (await outermost(visit)).map(([name, value]) => [name.replace(/^\[(.*)\]$/, "$1"), value]);
      assert.deepEqual(sorted(shown), sorted(scopes.map((row) => [row.scope, row.calls])));
    });
    const { threads } = await reportOf(t, "--view", "thread", "--counter", "calls");
    await choose("thread");
    await eventually(async () => {
      const expected = threads.map((row) => [`${row.name} (${row.tid})`, row.calls]);
      assert.deepEqual(sorted(await outermost(visit)), sorted(expected));
    });
    // Into a thread, and there only its own.
    const worker = threads.find((row) => row.name === "worker");
    await pressBox(visit, `worker (${worker.tid})`);
    await visit.placed({ thread: String(worker.tid) });
    await eventually(async () => {
      assert.equal(await visit.number(".flame-shown"), worker.calls);
      const names = (await boxesOf(visit)).map((box) => box.name);
      assert.ok(names.includes("Worker::work") && !names.includes("propagate"), names.join());
    });
  },

  async "boxes by line tell the lines apart"(t) {
    const { top } = await reportOf(t, "--view", "stacks", "--counter", "total");
    const places = top.flatMap((stack) => stack.frames ?? []).flatMap((frame) => frame.places ?? []);
    const linesOf = (name) => [...new Set(places.filter((one) => one.function === name).map((one) => one.line))];
    const visit = await t.openDetector("flame?by=line&counter=calls");
    const names = (await boxesOf(visit)).map((box) => box.name);
    for (const name of ["SEvt::keepPhoton", "Digitiser::scratch"]) {
      const [line, ...others] = linesOf(name);
      assert.ok(line > 0 && others.length === 0, name);
      const shown = names.find((one) => one.startsWith(name));
      assert.ok(shown.includes(`detector.cpp:${line}`), `${shown} tells line ${line}`);
    }
    // It calls from several lines.
    assert.ok(linesOf("main").length > 1);
    for (const line of linesOf("main").slice(0, 2)) {
      assert.ok(names.some((one) => one.startsWith("main") && one.includes(`:${line}`)), `main, line ${line}`);
    }
  },

  async "what is searched for is marked and summed up"(t) {
    const { truths } = await t.lab.detector();
    const live = (name) => truths.get(`${name}.live`);
    const visit = await t.openDetector("flame");
    await field(visit, "find").fill("keepphoton|^hits::make$");
    await visit.placed({ highlight: "keepphoton|^hits::make$" });
    const sum = live("SEvt::keepPhoton") + live("Hits::make");
    await eventually(async () => assert.equal(await visit.number(".flame-matched"), sum));
    await field(visit, "only stacks with").fill("Hits::make");
    await visit.placed({ focus: "Hits::make" });
    await rootIs(visit, "everything", live("Hits::make"));
    assert.equal(await visit.number(".flame-matched"), live("Hits::make"));
    visit.expectRefusals();
    await field(visit, "find").fill("[");
    await visit.page.locator(".view-flame .trouble[role=alert]").waitFor();
  },

  async "two ranges are compared"(t) {
    const { file } = await t.lab.detector();
    const against = { first: 11, last: 44 };
    const events = `${RANGE.first}..${RANGE.last}`;
    const of = async ({ first, last }) => {
      const report = await t.lab.json("report", `${file}@${first}..${last + 1}`, "--view", "cumulative", "--top", "all");
      return new Map(report.cumulative.rows.map((row) => [row.function, row.cumulative_live]));
    };
    const [before, after] = [await of(against), await of(RANGE)];
    const visit = await t.openDetector(`flame?events=${events}`);
    await field(visit, "compared with").selectOption("range");
    await visit.placed({ events, against: `${against.first}..${against.last}` });
    await visit.page.getByText("Boxes as a table").click();
    await eventually(async () => {
      const cells = { before: "td:nth-child(3)", after: "td:nth-child(4)", difference: "td:nth-child(5)" };
      const rows = await visit.rows(".flame-table", cells, { name: ".flame-table-zoom" });
      for (const name of ["main", "process", "propagate", "SEvt::keepPhoton", "Writer::append"]) {
        const [from, to] = [before.get(name) ?? 0, after.get(name) ?? 0];
        const row = rows.find((one) => one.name === name);
        assert.deepEqual([row?.before, row?.after, row?.difference], [from, to, to - from], name);
      }
    });
    await pointAt(visit, "propagate");
    const tip = (await visit.page.locator(".flame-tip").innerText()).replaceAll("\u202f", "");
    assert.ok(tip.includes(`${before.get("propagate")} bytes`) && tip.includes(`${after.get("propagate")} bytes`), tip);
    // The timeline names both ranges, and takes the other one away again.
    await visit.page.getByRole("button", { name: "Do not compare with events 11..44" }).click();
    await visit.placed({ against: undefined, events });
  },

  async "two recordings are compared"(t) {
    const { before, after } = await t.lab.releases();
    const visit = await t.open(await t.lab.served(before.file, after.file), "compare");
    await visit.page.getByRole("button", { name: "Differential flame graph" }).click();
    await visit.placed({ view: "flame", side: "b", against: "a" });
    await visit.page.getByText("Boxes as a table").click();
    const truth = ({ truths }, name) => truths.get(`${name}.live`) ?? 0;
    await eventually(async () => {
      const cells = { before: "td:nth-child(3)", after: "td:nth-child(4)", difference: "td:nth-child(5)" };
      const rows = await visit.rows(".flame-table", cells, { name: ".flame-table-zoom" });
      for (const name of ["leave_trace", "fill_cache", "make_geometry"]) {
        const [from, to] = [truth(before, name), truth(after, name)];
        // It may be called from elsewhere in the later build.
        const found = rows.filter((one) => one.name === name);
        const sum = (cell) => found.reduce((sum, row) => sum + row[cell], 0);
        assert.deepEqual([sum("before"), sum("after"), sum("difference")], [from, to, to - from], name);
      }
    });
  },

  async "the root is on top or at the bottom"(t) {
    const visit = await t.openDetector("flame");
    const edges = async () => {
      const [root, leaf] = [await boxNamed(visit, "everything"), await boxNamed(visit, "SEvt::keepPhoton")];
      return root.y - leaf.y;
    };
    assert.ok((await edges()) < 0, "icicle");
    await visit.page.getByRole("button", { name: "flame", exact: true }).click();
    await visit.placed({ layout: "flame" });
    await eventually(async () => assert.ok((await edges()) > 0, "flame"));
    const box = await pressBox(visit, "propagate");
    await rootIs(visit, "propagate", box.value);
    await visit.page.getByRole("button", { name: "icicle", exact: true }).click();
    await visit.placed({ layout: undefined, root: box.key });
  },
};
