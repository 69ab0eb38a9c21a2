// The flame graph in the whole window: zoomed by wheel, drag and keys, searched, taken apart
// by the menu of a box, and one function between its callers and callees.

import assert from "node:assert/strict";
import { boxesOf, boxNamed, pointAt, rootIs } from "./kit/flame.mjs";
import { eventually } from "./kit/visit.mjs";

async function reportOf(t, ...parts) {
  const { file } = await t.lab.detector();
  return t.lab.json("report", file, "--top", "all", "--min-percent", "0", ...parts);
}

/** Presses the right button on a box and chooses from its menu. */
async function choose(visit, name, words) {
  const { position } = await pointAt(visit, name);
  await visit.page.locator(".flame-canvas").first().click({ position, button: "right" });
  await visit.page.getByRole("menuitem", { name: words }).click();
}

const spanOf = async (visit) => (await visit.place()).span?.split("..").map(Number) ?? null;

export const tests = {
  async "verdict and timeline fold into a strip, and the graph fills the window"(t) {
    const visit = await t.openDetector("stacks");
    await visit.page.getByRole("tab", { name: "Flame graph" }).click();
    await visit.placed({ view: "flame", full: "1" });
    const canvas = await visit.page.locator(".flame-canvas").boundingBox();
    assert.ok(canvas.height > 400 && canvas.y + canvas.height <= 800, JSON.stringify(canvas));
    assert.match(await visit.text(".page-strip"), /LEAK/);
    assert.equal(await visit.page.locator(".timeline").count(), 0);
    await visit.page.keyboard.press("f");
    await visit.placed({ full: undefined });
    await visit.page.locator(".head-line").first().waitFor();
    // It is remembered.
    await visit.page.keyboard.press("1");
    await visit.page.keyboard.press("2");
    await visit.placed({ view: "flame", full: undefined });
  },

  async "the wheel zooms around the pointer, a drag to what it goes over"(t) {
    const visit = await t.openDetector("flame?full=1");
    const { box, position } = await pointAt(visit, "propagate");
    const whole = (await boxesOf(visit))[0];
    await visit.page.mouse.wheel(0, -300);
    await visit.page.mouse.wheel(0, -300);
    await eventually(async () => assert.ok(await spanOf(visit)));
    const wide = await boxNamed(visit, "propagate");
    assert.ok(wide.width > 2 * box.width, `${box.width} became ${wide.width}`);
    // What is under the pointer stays there, and no number has changed.
    assert.ok(position.x >= wide.x && position.x <= wide.x + wide.width);
    assert.equal(wide.value, box.value);
    const [left, right] = await spanOf(visit);
    assert.ok(right - left < whole.value / 2 && right <= whole.value);
    // The same by a pasted address.
    const { span } = await visit.place();
    await visit.go(`flame?full=1&span=${span}`);
    const pasted = await boxNamed(visit, "propagate");
    assert.ok(Math.abs(pasted.width - wide.width) < 2, `${pasted.width} and ${wide.width}`);
    await visit.page.getByRole("button", { name: "Show the whole width" }).click();
    await visit.placed({ span: undefined });
    const edges = await visit.page.locator(".flame-canvas").boundingBox();
    const from = await boxNamed(visit, "propagate");
    const y = edges.y + from.y + from.height / 2;
    await visit.page.mouse.move(edges.x + from.x + 1, y);
    await visit.page.mouse.down();
    await visit.page.mouse.move(edges.x + from.x + from.width - 1, y, { steps: 4 });
    await visit.page.mouse.up();
    await eventually(async () => assert.ok(await spanOf(visit)));
    const filled = await boxNamed(visit, "propagate");
    assert.ok(filled.width > 0.95 * edges.width, `${filled.width} of ${edges.width}`);
    // A drag is no click.
    await visit.placed({ root: undefined });
    await visit.page.locator(".flame-canvas").focus();
    await visit.page.keyboard.press("Backspace");
    await visit.placed({ span: undefined });
    await visit.page.keyboard.press("+");
    await eventually(async () => assert.ok(await spanOf(visit)));
  },

  async "matches are counted and walked through"(t) {
    const visit = await t.openDetector("flame?full=1&highlight=keepphoton%7C^hits::make$");
    const count = visit.page.locator(".flame-match-count");
    await eventually(async () => assert.equal(await count.innerText(), "2 found"));
    await visit.page.locator("[data-search]").focus();
    await visit.page.keyboard.press("Enter");
    await eventually(async () => assert.equal(await count.innerText(), "1 of 2"));
    const said = () => visit.page.locator(".flame-described").innerText();
    const first = await said();
    await visit.page.getByRole("button", { name: "Next match" }).click();
    await eventually(async () => assert.equal(await count.innerText(), "2 of 2"));
    const second = await said();
    assert.deepEqual([first, second].map((words) => words.split(",")[0]).sort(), ["Hits::make", "SEvt::keepPhoton"]);
    // It can be read where it is.
    const shown = await boxNamed(visit, second.split(",")[0]);
    assert.ok(shown.width > 60, `${shown.width} pixels`);
    await visit.page.keyboard.press("Shift+Enter");
  },

  async "the menu shows a function alone, and everything without it"(t) {
    const { truths } = await t.lab.detector();
    const live = truths.get("SEvt::keepPhoton.live");
    const { selection } = await reportOf(t, "--view", "summary");
    const visit = await t.openDetector("flame?full=1");
    await choose(visit, "SEvt::keepPhoton", "Only stacks with it");
    await visit.placed({ focus: "^SEvt::keepPhoton$" });
    await rootIs(visit, "everything", live);
    await visit.go("flame?full=1");
    await choose(visit, "SEvt::keepPhoton", "Without stacks with it");
    await visit.placed({ ignore: "^SEvt::keepPhoton$" });
    const without = await reportOf(t, "--view", "summary", "--ignore", "^SEvt::keepPhoton$");
    assert.equal(without.selection.whole, selection.whole - live);
    await rootIs(visit, "everything", without.selection.whole);
    // Other views say so, and take it back.
    await visit.page.keyboard.press("1");
    await visit.page.getByRole("button", { name: "Show stacks with ^SEvt::keepPhoton$ again" }).click();
    await visit.placed({ ignore: undefined });
    await visit.go("flame?full=1");
    await choose(visit, "propagate", "Callers and callees as tables");
    await visit.placed({ view: "callers" });
    await eventually(async () => assert.equal(await visit.text(".callers-middle h2"), "propagate"));
  },

  async "a function stands between all its callers and all its callees"(t) {
    const { callers } = await reportOf(t, "--view", "callers");
    const live = callers.functions.find((one) => one.function === "main").cumulative;
    const visit = await t.openDetector("flame?full=1");
    await choose(visit, "main", "Sandwich");
    await eventually(async () => assert.equal(await visit.text(".flame-middle h2"), "main"));
    assert.equal(await visit.number(".flame-middle"), live);
    const half = (what) =>
      eventually(async () => {
        const canvas = visit.page.locator(`.flame-half-${what} .flame-canvas`);
        assert.equal(await canvas.getAttribute("aria-busy"), "false");
        const boxes = await canvas.evaluate((element) => element.boxes);
        assert.ok(boxes.length > 1);
        return boxes;
      });
    const [above, below] = [await half("callers"), await half("callees")];
    for (const boxes of [above, below]) assert.ok(boxes.some((box) => box.name === "main" && box.value === live));
    // Its callers grow upwards from it, its callees downwards.
    const row = (boxes, name) => boxes.find((box) => box.name === name).y;
    assert.ok(row(above, "__libc_start_call_main") < row(above, "main"));
    assert.ok(row(below, "process") > row(below, "main"));
    assert.ok(!above.some((box) => box.name === "process"));
    await visit.page.locator(".flame-half-callees .flame-canvas").focus();
    await visit.page.keyboard.press("ArrowDown");
    await visit.page.keyboard.press("Escape");
    await visit.placed({ sandwich: undefined });
    await rootIs(visit, "everything", (await reportOf(t, "--view", "summary")).selection.whole);
  },
};
