// Functions with those that call them and those that they call, and lines of the source.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { follow } from "./kit/suspects.mjs";
import { chooseFunction, endsOf, functionsOf, sorted } from "./kit/tables.mjs";
import { eventually } from "./kit/visit.mjs";

const heading = (visit) => visit.page.locator(".callers-middle h2").innerText();
const end = (visit, table, name) =>
  visit.page.locator(`table[aria-label=${table}] tr`).filter({ has: visit.page.getByText(name, { exact: true }) });
const shows = (visit, name) => eventually(async () => assert.equal(await heading(visit), name));

/** Lines of the source with a number. */
async function numberedLines(visit) {
  const rows = await visit.rows(
    ".callers-lines",
    { self: ".callers-self", cumulative: ".callers-cumulative" },
    { text: ".callers-line-text" },
  );
  return rows
    .filter((row) => row.self || row.cumulative)
    .map((row) => ({ line: Number(row.key), self: row.self ?? 0, cumulative: row.cumulative ?? 0, text: row.text }));
}

/** What `residue list` says of all functions of the workload, by line. */
async function listedLines(t, ...parts) {
  const { file } = await t.lab.detector();
  const listed = await t.lab.json("list", file, "*", ...parts);
  const lines = listed.functions.filter((one) => one.file?.endsWith("/detector.cpp")).flatMap((one) => one.lines);
  return { listed, lines };
}

export const tests = {
  async "a walk from a function to its caller and back"(t) {
    const visit = await t.openDetector("callers?sort=cumulative");
    await chooseFunction(visit, "SEvt::keepPhoton");
    await end(visit, "Callers", "propagate").click();
    await shows(visit, "propagate");
    await end(visit, "Callers", "process").focus();
    await visit.page.keyboard.press("Enter");
    await shows(visit, "process");
    const steps = () => visit.page.$$eval(".callers-trail li", (found) => found.map((one) => one.textContent));
    assert.deepEqual(await steps(), ["SEvt::keepPhoton", "propagate", "process"]);
    await visit.settled();
    assert.deepEqual(
      (await endsOf(visit, "Callees")).map((one) => one.function).sort(),
      ["generate", "propagate"],
    );
    await visit.page.locator(".callers-trail").getByRole("button", { name: "propagate" }).click();
    await shows(visit, "propagate");
    await end(visit, "Callees", "SEvt::keepPhoton").click();
    await shows(visit, "SEvt::keepPhoton");
    await visit.page.goBack();
    await shows(visit, "propagate");
    // On to other views, which show the same function alone.
    await visit.page.locator(".callers-middle").getByRole("button", { name: "Stacks" }).click();
    await visit.placed({ view: "stacks", focus: "^propagate$" });
    await visit.settled();
    assert.equal(await visit.page.locator(".stacks-table tbody tr[data-key]").count(), 2);
  },

  async "a function is found by its name, in either order"(t) {
    const visit = await t.openDetector("callers");
    for (const sort of ["self", "cumulative"]) {
      await visit.go(sort === "self" ? "callers" : `callers?sort=${sort}`);
      await visit.page.keyboard.press("/");
      await visit.page.keyboard.type("^propagate$");
      await visit.placed({ focus: "^propagate$" });
      await eventually(async () => {
        const found = (await functionsOf(visit)).map((row) => row.function);
        assert.deepEqual(found, ["propagate"], `in the order of ${sort}`);
      }, 5000);
    }
  },

  async "a stack leads to its function, a line to its source"(t) {
    const visit = await t.openDetector("stacks");
    await follow(visit, "Stack");
    await visit.page.locator(".stacks-panel-columns").waitFor();
    await visit.page.locator(".stacks-panel-actions").getByRole("button", { name: "Callers" }).click();
    await visit.placed({ view: "callers" });
    await shows(visit, "SEvt::newPhoton");
    await visit.page.goBack();
    const line = visit.page.locator(".stacks-frame", { hasText: "SEvt::keepPhoton" }).locator("button.stacks-link");
    const place = await line.innerText();
    await line.click();
    await visit.placed({ view: "callers", line: place.split(":")[1] });
    const marked = visit.page.locator(".callers-lines tr.chosen");
    await eventually(async () => assert.ok((await marked.innerText()).includes("SEvt::keepPhoton()")));
  },

  async "source lines have the numbers of residue list"(t) {
    for (const counter of ["live", "total"]) {
      const { lines, listed } = await listedLines(t, "--counter", counter, "--context", "0");
      const expected = new Map();
      for (const line of lines) {
        const sum = expected.get(line.line) ?? { line: line.line, self: 0, cumulative: 0, text: line.text };
        sum.self += line.self[counter];
        sum.cumulative += line.cumulative[counter];
        expected.set(line.line, sum);
      }
      const numbered = [...expected.values()].filter((line) => line.self || line.cumulative);
      assert.ok(numbered.length > 6 && listed.functions.length > 6);
      const visit = await t.openDetector(`callers?sort=cumulative&counter=${counter}`);
      await chooseFunction(visit, "SEvt::keepPhoton");
      const shown = await numberedLines(visit);
      assert.deepEqual(sorted(shown), sorted(numbered), counter);
      // The text is the file's, and the line of the function is among them.
      const path = await visit.page.locator(".callers-file").getAttribute("title");
      const source = (await readFile(path, "utf8")).split("\n");
      for (const { line, text } of shown) assert.equal(text, source[line - 1]);
      const own = shown.find((line) => line.text.includes("void SEvt::keepPhoton()"));
      const { truths } = await t.lab.detector();
      assert.equal(own.cumulative, truths.get(`SEvt::keepPhoton.${counter}`));
    }
  },

  async "without a choice it begins at the function that the verdict names"(t) {
    const visit = await t.openDetector("callers?kind=all");
    await shows(visit, "SEvt::newPhoton");
    await visit.page.getByText("The function that the verdict names.").waitFor();
    const marked = visit.page.locator(".callers-lines tr.chosen");
    await eventually(async () => assert.match(await marked.innerText(), /new/));
    // Another choice takes its place.
    await visit.go("callers?kind=all&sort=cumulative");
    await chooseFunction(visit, "propagate");
    await shows(visit, "propagate");
    assert.equal(await visit.page.getByText("The function that the verdict names.").count(), 0);
  },

  async "a line has what it allocated and what it left"(t) {
    const numbersOf = async (counter) => {
      const { lines } = await listedLines(t, "--counter", counter, "--context", "0");
      const sums = new Map();
      for (const { line, cumulative } of lines) sums.set(line, (sums.get(line) ?? 0) + cumulative[counter]);
      return sums;
    };
    const [total, live] = [await numbersOf("total"), await numbersOf("live")];
    const visit = await t.openDetector("callers?sort=cumulative&counter=calls");
    await chooseFunction(visit, "SEvt::keepPhoton");
    await eventually(async () => {
      const rows = await visit.rows(".callers-lines", { allocated: ".callers-allocated", left: ".callers-left" });
      const shown = rows.filter((row) => row.allocated || row.left);
      assert.ok(shown.length > 6);
      for (const { key, allocated, left } of shown) {
        assert.deepEqual([allocated ?? 0, left ?? 0], [total.get(Number(key)) ?? 0, live.get(Number(key)) ?? 0], `line ${key}`);
      }
    });
  },

  async "an editor is chosen once, and lines open in it"(t) {
    const visit = await t.openDetector("callers?sort=cumulative");
    await chooseFunction(visit, "SEvt::keepPhoton");
    const link = visit.page.locator(".callers-source .editor-link");
    await visit.page.locator(".callers-file").waitFor();
    assert.equal(await link.count(), 0);
    await visit.page.getByLabel("Editor").selectOption("VS Code");
    const path = await visit.page.locator(".callers-file").getAttribute("title");
    await eventually(async () => assert.ok((await link.getAttribute("href")).startsWith(`vscode://file${encodeURI(path)}:`)));
    await visit.go("stacks");
    await follow(visit, "Stack");
    await eventually(async () => assert.ok((await visit.page.locator(".stacks-frame .editor-link").count()) > 0));
  },

  async "source lines of a range are those of the range"(t) {
    const { truths } = await t.lab.detector();
    const visit = await t.openDetector("callers?sort=cumulative&events=45..78");
    await chooseFunction(visit, "SEvt::keepPhoton");
    const own = (await numberedLines(visit)).find((line) => line.text.includes("void SEvt::keepPhoton()"));
    assert.equal(own.cumulative, truths.get("SEvt::keepPhoton.range.bytes"));
  },
};
