// Pages of other places cannot read what is served, nor show it in a frame.

import assert from "node:assert/strict";
import { createServer } from "node:http";

export const tests = {
  async "the address in the browser holds no secret, and is of use to this browser alone"(t) {
    const { file } = await t.lab.detector();
    const address = await t.lab.served(file);
    const visit = await t.open(address, "flame");
    const [, secret] = new URL(address).pathname.split("/");
    const copied = visit.page.url();
    assert.ok(!copied.includes(secret), copied);
    assert.ok(copied.endsWith("#flame"), copied);
    assert.equal(await visit.page.evaluate(() => document.cookie), "", "no script can read it");
    // The same browser, with the address typed.
    const again = await visit.context.newPage();
    assert.equal((await again.goto(copied)).status(), 200);
    await again.waitForSelector("#page > main");
    // Another one.
    const other = await t.browser.newContext();
    try {
      const refused = await (await other.newPage()).goto(copied);
      assert.equal(refused.status(), 403);
    } finally {
      await other.close();
    }
  },

  async "a page of another port reads nothing"(t) {
    const { file } = await t.lab.detector();
    const address = await t.lab.served(file);
    const html = "<!doctype html><title>elsewhere</title><p>elsewhere";
    const server = createServer((_, answer) => answer.writeHead(200, { "content-type": "text/html" }).end(html));
    await new Promise((done) => server.listen(0, "127.0.0.1", done));
    const context = await t.browser.newContext();
    try {
      const page = await context.newPage();
      const statuses = [];
      page.on("response", (response) => response.url().startsWith(address) && statuses.push(response.status()));
      await page.goto(`http://127.0.0.1:${server.address().port}/`);
      const told = await page.evaluate(async (address) => {
        const said = async (options) => {
          try {
            await fetch(`${address}api/about`, options);
            return "answered";
          } catch (error) {
            return error.name;
          }
        };
        return [await said({}), await said({ mode: "no-cors" })];
      }, address);
      assert.deepEqual(told, ["TypeError", "TypeError"]);
      assert.deepEqual(statuses.filter((status) => status === 200), [], "it is not even answered");
      const framed = await page.evaluate(
        (address) =>
          new Promise((done) => {
            const frame = document.createElement("iframe");
            frame.src = address;
            // The document of another place cannot be reached, nor can that of an error.
            frame.onload = () => done(frame.contentDocument === null);
            document.body.append(frame);
          }),
        address,
      );
      assert.equal(framed, true);
      const shown = await page.frames()[1].evaluate(() => document.querySelector("#page"));
      assert.equal(shown, null, "it is not shown in a frame");
    } finally {
      await context.close();
      await new Promise((done) => server.close(done));
    }
  },
};
