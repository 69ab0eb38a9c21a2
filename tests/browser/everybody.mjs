// The page for everybody: the rules of WCAG that a program can check, small windows and large
// letters, the keyboard alone, and a server that has ended.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { eventually } from "./kit/visit.mjs";

const AXE = createRequire(import.meta.url).resolve("axe-core/axe.min.js");
const LEVELS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"];
const PLACES = [
  "stacks", "stacks?events=45..78&stack=5", "flame", "flame?full=1", "callers?sort=cumulative", "stages", "time", "churn", "holders",
  "pins", "sizes",
];

/** What breaks a rule of level A or AA, each with where it stands. */
async function violations(visit, rules) {
  if (!(await visit.page.evaluate(() => "axe" in window))) await visit.page.evaluate(rules);
  const found = await visit.page.evaluate(
    (values) => window.axe.run(document, { runOnly: { type: "tag", values }, resultTypes: ["violations"] }),
    LEVELS,
  );
  return found.violations.flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.target.join(" ")}: ${node.html.slice(0, 120)}`));
}

async function checkAll(visit, colorScheme, places) {
  const rules = await readFile(AXE, "utf8");
  const all = [];
  await visit.page.emulateMedia({ colorScheme });
  for (const place of places) {
    await visit.go(place);
    all.push(...(await violations(visit, rules)).map((one) => `${place}: ${one}`));
  }
  assert.deepEqual(all, []);
}

async function checkComparison(t, colorScheme) {
  const { before, after } = await t.lab.releases();
  await checkAll(await t.open(await t.lab.served(before.file, after.file), "compare"), colorScheme, ["compare"]);
  const { file } = await t.lab.holders();
  await checkAll(await t.open(await t.lab.served(file), "holders"), colorScheme, ["holders", "pins"]);
}

const sideways = (visit) => visit.page.evaluate(() => document.documentElement.scrollWidth - innerWidth);

export const tests = {
  // One test for each theme: all rules on all views take their time.
  async "no view breaks a rule of WCAG when it is light"(t) {
    await checkAll(await t.openDetector("stacks"), "light", PLACES);
  },

  async "no view breaks a rule of WCAG when it is dark"(t) {
    await checkAll(await t.openDetector("stacks"), "dark", PLACES);
  },

  async "a comparison and the chains of holders break no rule either"(t) {
    for (const colorScheme of ["light", "dark"]) await checkComparison(t, colorScheme);
  },

  async "a narrow window and one of twice the size are not scrolled sideways"(t) {
    // 640 pixels are what 200 % leaves of 1280.
    for (const width of [390, 640]) {
      const visit = await t.openDetector("stacks", { viewport: { width, height: 800 } });
      for (const place of PLACES) {
        await visit.go(place);
        assert.ok((await sideways(visit)) <= 0, `${place} at ${width}: ${await sideways(visit)} pixels too wide`);
      }
    }
  },

  async "letters are as large as the reader has chosen"(t) {
    const visit = await t.openDetector("stacks");
    const size = () => visit.page.evaluate(() => Number.parseFloat(getComputedStyle(document.body).fontSize));
    const usual = await size();
    const session = await visit.context.newCDPSession(visit.page);
    await session.send("Page.setFontSizes", { fontSizes: { standard: 24 } });
    await visit.go("stacks");
    await eventually(async () => assert.equal(await size(), 1.5 * usual));
    assert.ok((await sideways(visit)) <= 0);
  },

  async "a range is chosen by the keyboard alone"(t) {
    const visit = await t.openDetector("flame?full=1");
    await visit.page.keyboard.press("e");
    await visit.placed({ full: undefined });
    await eventually(async () => assert.ok(await visit.page.evaluate(() => document.activeElement.matches(".range-first"))));
    await visit.page.keyboard.type("45");
    await visit.page.keyboard.press("Tab");
    await visit.page.keyboard.type("78");
    await visit.page.keyboard.press("Enter");
    await visit.placed({ events: "45..78" });
  },

  async "the first key leads past the head to the view, and headings name the parts"(t) {
    const visit = await t.openDetector("stacks");
    await visit.page.keyboard.press("Tab");
    const link = visit.page.getByRole("link", { name: "Skip to the view" });
    assert.ok(await link.evaluate((element) => element === document.activeElement));
    await visit.page.keyboard.press("Enter");
    assert.equal(await visit.page.evaluate(() => document.activeElement.id), "view");
    assert.equal((await visit.place()).view, "stacks");
    assert.equal(await visit.page.locator("main h1").count(), 1);
    const headings = await visit.page.$$eval("main h2", (found) => found.map((one) => one.textContent));
    for (const name of ["Verdict", "Timeline", "Stacks"]) assert.ok(headings.includes(name), headings.join());
  },

  async "a server that has ended is said in words, with the command that starts it again"(t) {
    const visit = await t.openDetector("stacks");
    await visit.page.route("**/api/**", (route) => route.abort("connectionrefused"));
    const before = visit.troubles.length;
    await visit.page.keyboard.press("2");
    const said = visit.page.locator(".page-gone");
    await said.waitFor();
    assert.match(await said.innerText(), /server of this page does not answer/);
    const { file } = await t.lab.detector();
    const command = await visit.page.locator(".page-gone code").last().innerText();
    assert.ok(command.startsWith(`residue view ${file.split("/").at(-1)} --at '`) && command.includes("flame"), command);
    await visit.page.unroute("**/api/**");
    await visit.page.getByRole("button", { name: "Try again" }).click();
    await eventually(async () => assert.equal(await said.count(), 0));
    // That requests fail is what this is about.
    visit.troubles.splice(before);
  },
};
