// The flame graph as tests read and press it.

import assert from "node:assert/strict";
import { eventually } from "./visit.mjs";

/** The boxes that are drawn, once the drawing rests: key, name, value and place of each,
    with its depth and the box that it is in. */
export function boxesOf(visit) {
  return eventually(async () => {
    const canvas = visit.page.locator(".flame-canvas");
    assert.equal(await canvas.getAttribute("data-settled"), "true", "the drawing rests");
    assert.equal(await canvas.getAttribute("aria-busy"), "false");
    const boxes = await canvas.evaluate((element) => element.boxes);
    assert.ok(boxes.length > 0, "there are boxes");
    const rows = [...new Set(boxes.map((box) => box.y))].sort((one, other) => one - other);
    const depths = (await visit.place()).layout === "flame" ? rows.reverse() : rows;
    return boxes.map((box) => ({ ...box, depth: depths.indexOf(box.y) }));
  });
}

export async function boxNamed(visit, name) {
  return eventually(async () => {
    const found = (await boxesOf(visit)).find((box) => box.name === name);
    assert.ok(found, `a box ${name}`);
    return found;
  });
}

/** Puts the mouse on the middle of a box; once more where what stands above grew meanwhile and
    moved the graph away under it. */
export function pointAt(visit, name) {
  return eventually(async () => {
    const box = await boxNamed(visit, name);
    const canvas = visit.page.locator(".flame-canvas");
    await canvas.scrollIntoViewIfNeeded();
    const position = { x: box.x + box.width / 2, y: box.y + box.height / 2 };
    await canvas.hover({ position });
    const pointed = await visit.page.locator(".flame-tip-name").textContent({ timeout: 1000 });
    assert.equal(pointed, name);
    return { box, position };
  });
}

export async function pressBox(visit, name) {
  const { box, position } = await pointAt(visit, name);
  await visit.page.locator(".flame-canvas").click({ position });
  return box;
}

/** Names on the way to the root that is shown. */
export function crumbsOf(visit) {
  return visit.page.$$eval(".flame-crumb", (found) => found.map((one) => one.textContent));
}

/** Waits until a box of this name and value is the root. */
export function rootIs(visit, name, value) {
  return eventually(async () => {
    assert.equal((await crumbsOf(visit)).at(-1), name);
    assert.equal(await visit.number(".flame-shown"), value);
    const root = (await boxesOf(visit)).find((box) => box.depth === 0);
    assert.deepEqual([root.name, root.value], [name, value]);
  });
}
