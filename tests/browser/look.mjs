// How the page looks, and how it is for those who do not see it or have no mouse: both
// themes, contrast, names, the ring around what has the focus, small and large windows.

import assert from "node:assert/strict";
import { eventually } from "./kit/visit.mjs";

const PLACES = ["stacks", "stacks?events=45..78&stack=5", "flame", "callers?sort=cumulative", "stages", "time", "churn", "holders", "pins", "sizes"];
const LEAST_CONTRAST = 4.5;

/** Everything with a text of its own whose colour is too near to what lies behind it. */
function poorContrasts(least) {
  const parse = (text) => {
    const context = (window.colourReader ??= document.createElement("canvas").getContext("2d", { willReadFrequently: true }));
    context.clearRect(0, 0, 1, 1);
    context.fillStyle = text;
    context.fillRect(0, 0, 1, 1);
    const [r, g, b, a] = context.getImageData(0, 0, 1, 1).data;
    return { rgb: [r, g, b], a: a / 255 };
  };
  const over = (top, below) => top.rgb.map((value, at) => value * top.a + below[at] * (1 - top.a));
  const behind = (element) => {
    const layers = [];
    for (let at = element; at; at = at.parentElement) layers.push(parse(getComputedStyle(at).backgroundColor));
    return layers.reverse().reduce((below, layer) => over(layer, below), [255, 255, 255]);
  };
  const luminance = (rgb) => {
    const linear = (part) => (part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
    const [r, g, b] = rgb.map((value) => linear(value / 255));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const poor = new Set();
  let looked = 0;
  for (const element of document.querySelectorAll("body *")) {
    const hasText = [...element.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.textContent.trim());
    const isExempt = element.closest("svg, :disabled, [aria-disabled=true], [aria-hidden=true], option, .visually-hidden");
    if (!hasText || isExempt) continue;
    if (!element.checkVisibility({ opacityProperty: true, visibilityProperty: true })) continue;
    const style = getComputedStyle(element);
    const ground = behind(element);
    let opacity = 1;
    for (let at = element; at; at = at.parentElement) opacity *= Number(getComputedStyle(at).opacity);
    const colour = parse(style.color);
    const ink = over({ ...colour, a: colour.a * opacity }, ground);
    const [light, dark] = [luminance(ink), luminance(ground)].sort((one, other) => other - one);
    const contrast = (light + 0.05) / (dark + 0.05);
    looked += 1;
    const text = element.textContent.trim().slice(0, 30);
    if (contrast < least) poor.add(`${element.tagName.toLowerCase()}.${element.className}: ${contrast.toFixed(2)} "${text}"`);
  }
  return { looked, poor: [...poor] };
}

/** What can be used and has no name. */
function nameless() {
  const words = (element) => {
    const ids = element.getAttribute("aria-labelledby")?.split(" ") ?? [];
    const labelled = ids.map((id) => document.getElementById(id)?.textContent ?? "");
    const label = element.labels && [...element.labels].map((one) => one.textContent);
    const own = /^(INPUT|SELECT|TEXTAREA|CANVAS)$/.test(element.tagName) ? "" : element.textContent;
    return [element.getAttribute("aria-label"), ...labelled, ...(label ?? []), own].join(" ").trim();
  };
  const roles = ["slider", "img", "dialog", "group", "application", "treegrid", "grid", "tablist"].map((role) => `[role=${role}]`);
  const used = ["button", "a[href]", "input", "select", "textarea", "summary", "canvas[tabindex]", "section", ...roles];
  const found = [...document.querySelectorAll(used.join())];
  const title = (element) => element.getAttribute("title") ?? "";
  return {
    looked: found.length,
    without: found.filter((one) => !words(one) && !title(one)).map((one) => one.outerHTML.slice(0, 120)),
    repeated: [...document.querySelectorAll("[id]")].map((one) => one.id).filter((id, at, all) => all.indexOf(id) !== at),
    lists: [...document.querySelectorAll("img:not([alt])")].length,
  };
}

async function themeOf(visit) {
  return visit.page.evaluate(() => {
    const [r, g, b] = getComputedStyle(document.body).backgroundColor.match(/\d+/g).map(Number);
    return { theme: document.documentElement.dataset.theme, isDark: r + g + b < 200 };
  });
}

export const tests = {
  async "the theme is the system's, or the one that is chosen"(t) {
    const visit = await t.openDetector("stacks");
    assert.deepEqual(await themeOf(visit), { theme: "light", isDark: false });
    await visit.page.emulateMedia({ colorScheme: "dark" });
    await eventually(async () => assert.deepEqual(await themeOf(visit), { theme: "dark", isDark: true }));
    await visit.page.getByRole("button", { name: "Light", exact: true }).click();
    await eventually(async () => assert.deepEqual(await themeOf(visit), { theme: "light", isDark: false }));
    await visit.page.getByRole("button", { name: "Dark", exact: true }).click();
    await visit.page.emulateMedia({ colorScheme: "light" });
    await eventually(async () => assert.deepEqual(await themeOf(visit), { theme: "dark", isDark: true }));
    await visit.go("stacks");
    assert.deepEqual(await themeOf(visit), { theme: "dark", isDark: true }, "it is kept");
    assert.equal(await visit.page.getByRole("button", { name: "Dark", exact: true }).getAttribute("aria-pressed"), "true");
  },

  async "drawings follow the theme"(t) {
    const visit = await t.openDetector("flame");
    const brightness = (selector) =>
      visit.page.locator(selector).first().evaluate((canvas) => {
        const copy = new OffscreenCanvas(canvas.width, canvas.height).getContext("2d", { willReadFrequently: true });
        copy.drawImage(canvas, 0, 0);
        const { data } = copy.getImageData(0, 0, canvas.width, canvas.height);
        let sum = 0;
        let seen = 0;
        for (let at = 0; at < data.length; at += 4) {
          if (data[at + 3] < 128) continue;
          sum += data[at] + data[at + 1] + data[at + 2];
          seen += 3;
        }
        return sum / seen;
      });
    const light = await brightness(".flame-canvas");
    await visit.page.getByRole("button", { name: "Dark", exact: true }).click();
    await eventually(async () => assert.ok((await brightness(".flame-canvas")) < light - 40));
  },

  async "text can be read in both themes"(t) {
    const visit = await t.openDetector("stacks");
    const poor = [];
    for (const colorScheme of ["light", "dark"]) {
      await visit.page.emulateMedia({ colorScheme });
      for (const place of PLACES) {
        await visit.go(place);
        const found = await visit.page.evaluate(poorContrasts, LEAST_CONTRAST);
        assert.ok(found.looked > 40, place);
        poor.push(...found.poor.map((one) => `${colorScheme}, ${place}: ${one}`));
      }
    }
    assert.deepEqual(poor, []);
  },

  async "text of a comparison can be read in both themes"(t) {
    const { before, after } = await t.lab.releases();
    const visit = await t.open(await t.lab.served(before.file, after.file), "compare");
    for (const colorScheme of ["light", "dark"]) {
      await visit.page.emulateMedia({ colorScheme });
      await visit.go("compare");
      const { looked, poor } = await visit.page.evaluate(poorContrasts, LEAST_CONTRAST);
      assert.ok(looked > 40);
      assert.deepEqual(poor, [], colorScheme);
    }
  },

  async "a picture of the memory can be read in both themes, and all of it has a name"(t) {
    const { file } = await t.lab.holders();
    const { stacks } = await t.lab.json("holders", file);
    const held = stacks.find(({ chains }) => chains.some(({ steps }) => steps.length > 0));
    const visit = await t.open(await t.lab.served(file));
    for (const colorScheme of ["light", "dark"]) {
      await visit.page.emulateMedia({ colorScheme });
      for (const place of [`holders?stack=${held.stack}`, "pins", "pins?colour=stack"]) {
        await visit.go(place);
        const { looked, poor } = await visit.page.evaluate(poorContrasts, LEAST_CONTRAST);
        assert.ok(looked > 40, place);
        assert.deepEqual(poor, [], `${colorScheme}, ${place}`);
        const { without, repeated } = await visit.page.evaluate(nameless);
        assert.deepEqual({ without, repeated }, { without: [], repeated: [] }, place);
      }
    }
  },

  async "whatever can be used has a name"(t) {
    const visit = await t.openDetector("stacks");
    for (const place of PLACES) {
      await visit.go(place);
      await visit.page.$$eval("details", (found) => found.forEach((one) => (one.open = true)));
      const { looked, without, repeated, lists } = await visit.page.evaluate(nameless);
      assert.ok(looked > 20, place);
      assert.deepEqual({ without, repeated, lists }, { without: [], repeated: [], lists: 0 }, place);
    }
  },

  async "what has the focus has a ring"(t) {
    const visit = await t.openDetector("stacks");
    for (const place of PLACES) {
      await visit.go(place);
      const seen = new Set();
      const without = [];
      for (let presses = 0; presses < 70; presses += 1) {
        await visit.page.keyboard.press("Tab");
        const told = await visit.page.evaluate(() => {
          const element = document.activeElement;
          if (!element || element === document.body) return null;
          element.focusNumber ??= window.focusCount = (window.focusCount ?? 0) + 1;
          const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(element);
          const isRinged = (outlineStyle !== "none" && Number.parseFloat(outlineWidth) > 0) || boxShadow !== "none";
          return { number: element.focusNumber, isRinged, html: element.outerHTML.slice(0, 100) };
        });
        if (told === null || seen.has(told.number)) break;
        seen.add(told.number);
        if (!told.isRinged) without.push(told.html);
      }
      assert.ok(seen.size >= 15, `${place}: ${seen.size}`);
      assert.deepEqual(without, [], place);
    }
  },

  async "nothing reaches beyond the window"(t) {
    const { before, after } = await t.lab.releases();
    const compared = await t.lab.served(before.file, after.file);
    const { file } = await t.lab.detector();
    for (const viewport of [{ width: 1280, height: 800 }, { width: 3840, height: 2160 }]) {
      const check = async (visit, place) => {
        const [wide, window] = await visit.page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
        assert.ok(wide <= window, `${place} at ${viewport.width}: ${wide} pixels`);
        const text = await visit.page.evaluate(() => Number.parseFloat(getComputedStyle(document.body).fontSize));
        assert.ok(text >= 12, `letters of ${text} pixels`);
      };
      const visit = await t.open(await t.lab.served(file), "stacks", { viewport });
      for (const place of PLACES) {
        await visit.go(place);
        await check(visit, place);
      }
      const comparison = await t.open(compared, "compare", { viewport });
      await check(comparison, "compare");
      await comparison.go("compare?by=stack");
      await check(comparison, "compare by stack");
    }
  },
};
