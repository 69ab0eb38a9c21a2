// Who keeps mostly empty pages resident: the same as `residue pins` and the workload say.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { pathToFileURL } from "node:url";
import { csvOf, pngOf } from "./kit/files.mjs";
import { eventually } from "./kit/visit.mjs";

/** The page by a server and in a file. */
async function openBoth(t, file, place) {
  const alone = await t.lab.selfContained("pinned.html", file);
  return [await t.open(await t.lab.served(file), place), await t.open(pathToFileURL(alone).href, place)];
}

/** Classes that keep next to nothing are not shown. */
const seen = (rows, all) => rows.filter((row) => row.free_bytes > 0 && row.free_bytes >= Math.floor(all / 200));

export const tests = {
  async "pins are what the command and the workload say"(t) {
    const { file, truths } = await t.lab.pinned();
    const told = await t.lab.json("pins", file);
    for (const visit of await openBoth(t, file, "pins")) {
      assert.equal(await visit.number(".pins-resident"), told.resident_bytes);
      assert.deepEqual(await visit.numbers(".pins-parts"), [told.used_bytes, told.free_bytes, told.free_page_bytes]);
      const rows = await visit.rows(".pins-table", { free: ".pins-free", pages: ".pins-pages", alone: ".pins-alone" });
      assert.deepEqual(
        rows,
        told.stacks.map((row) => ({ key: String(row.stack), free: row.free_bytes, pages: row.pages, alone: row.alone_pages })),
      );
      assert.equal(rows[0].alone, truths.get("remember.pages"));
      for (const [kind, name] of [["sizes", "to_bytes"], ["ages", "last_birth"]]) {
        assert.deepEqual(
          await visit.rows(`.pins-${kind}`, { free: ".pins-free", used: ".pins-used" }),
          seen(told[kind], told.free_bytes).map((row) => ({ key: String(row[name]), free: row.free_bytes, used: row.used_bytes })),
        );
      }
      assert.deepEqual(
        await visit.rows(".pins-freed", { peak: ".pins-peak", live: ".pins-live" }),
        told.freed.map((row) => ({ key: String(row.stack), peak: row.at_peak_bytes, live: row.live_bytes })),
      );
      const advice = await visit.page.$$eval(".pins-advice", (all) =>
        all.map((one) => ({ action: one.dataset.action, words: one.querySelector(".pins-sentence").textContent })),
      );
      assert.deepEqual(advice, told.advice.map(({ action, words }) => ({ action, words })));
      const text = await visit.text(".view-pins");
      for (const line of told.about) assert.ok(text.includes(line), line);
      assert.match(text, new RegExp(`blocks of 64 B, born in events 1\\.\\.100`));
      assert.match(text, /\/event since 50/);
    }
  },

  async "the map of the heap has the colours of residue plot, and tells of every cell"(t) {
    const { file } = await t.lab.pinned();
    const { map } = await t.lab.json("pins", file);
    for (const [colour, panel] of [["fullness", "heap"], ["age", "heap-age"], ["stack", "heap-stack"]]) {
      const drawing = t.lab.path(`${panel}.svg`);
      await t.lab.command(t.lab.residue, "plot", file, "--what", panel, "-o", drawing);
      const drawn = new Map();
      for (const [, fill, from, to] of (await readFile(drawing, "utf8")).matchAll(/fill="(#\w+)" data-cells="(\d+)\.\.(\d+)"/g)) {
        for (let cell = Number(from); cell <= Number(to); cell += 1) drawn.set(cell, fill);
      }
      const resident = map.resident_pages.flatMap((pages, cell) => (pages > 0 ? [cell] : []));
      assert.deepEqual([...drawn.keys()], resident);
      for (const visit of await openBoth(t, file, `pins?colour=${colour}`)) {
        await eventually(async () => {
          const painted = await visit.page.evaluate((cells) => {
            const canvas = document.querySelector(".pins-canvas");
            const copy = new OffscreenCanvas(canvas.width, canvas.height).getContext("2d", { willReadFrequently: true });
            copy.drawImage(canvas, 0, 0);
            const { data } = copy.getImageData(0, 0, canvas.width, canvas.height);
            const hex = (value) => value.toString(16).padStart(2, "0");
            return cells.map((cell) => {
              const x = Math.floor(((cell % 128) + 0.5) * (canvas.width / 128));
              const at = 4 * ((Math.floor(cell / 128) * 8 + 3) * canvas.width + x);
              const [red, green, blue] = data.slice(at, at + 3);
              return `#${hex(red)}${hex(green)}${hex(blue)}`.toUpperCase();
            });
          }, resident);
          assert.deepEqual(painted, resident.map((cell) => drawn.get(cell)));
        });
      }
    }
    const visit = await t.open(await t.lab.served(file), "pins");
    const cell = map.stack.findIndex((stack) => stack !== null);
    const canvas = visit.page.locator(".pins-canvas");
    const { width } = await canvas.boundingBox();
    const position = { x: ((cell % 128) + 0.5) * (width / 128), y: Math.floor(cell / 128) * 8 + 3 };
    await canvas.hover({ position });
    const tip = await visit.text(".pins-tip");
    assert.ok(tip.startsWith(`0x${map.start[cell].toString(16)}\n`), tip);
    assert.ok(tip.includes(`, ${map.resident_pages[cell]} in RAM`), tip);
    const saved = await visit.download(visit.page.locator(".pins-map").getByRole("button", { name: "PNG" }));
    assert.match(saved.name, /heap\.png$/);
    pngOf(saved.content);
    await visit.page.getByRole("button", { name: "Age", exact: true }).click();
    await visit.placed({ colour: "age" });
    await canvas.click({ position });
    await visit.placed({ view: "stacks", stack: String(map.stack[cell]) });
  },

  async "pins lead to their stacks, and are saved"(t) {
    const { file } = await t.lab.pinned();
    const { stacks } = await t.lab.json("pins", file);
    const visit = await t.open(await t.lab.served(file), "pins");
    const saved = await visit.download(visit.page.locator(".view-pins .toolbar").getByRole("button", { name: "CSV" }));
    assert.match(saved.name, /pins\.csv$/);
    assert.deepEqual(
      csvOf(saved.content).map((row) => [row.stack, row.free_bytes, row.used_bytes, row.path].join()),
      stacks.map((row) => [row.stack, row.free_bytes, row.used_bytes, row.path.join(";")].join()),
    );
    await visit.page.locator(".pins-row").first().focus();
    await visit.page.keyboard.press("Enter");
    await visit.placed({ view: "stacks", stack: String(stacks[0].stack) });
    await visit.page.locator(".stacks-panel-columns").waitFor();
    await visit.page.keyboard.press("8");
    await visit.placed({ view: "pins" });
  },

  async "where nothing is known of pages it is said how to record it"(t) {
    const { file } = await t.lab.churn();
    const visit = await t.open(await t.lab.served(file), "pins");
    const said = await visit.text(".pins-missing");
    assert.equal(said, "no picture of its memory was taken; record with `residue run --holders`");
    // The tenth view has the key behind the nine.
    await visit.page.keyboard.press("9");
    await visit.placed({ view: "sizes" });
  },
};
