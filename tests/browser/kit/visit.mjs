// One visit of a test to a page. Whatever goes wrong on it that the test did not announce
// is a failure: errors, failed requests, and requests to anybody but the page's own server.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";

/** So long a page may take until it shows what it should. */
export const PATIENCE_MS = 15_000;
const STEP_MS = 25;

/** Waits until the check passes; its last complaint is the failure. */
export async function eventually(check, patience_ms = PATIENCE_MS) {
  const end = Date.now() + patience_ms;
  for (;;) {
    try {
      return await check();
    } catch (complaint) {
      if (Date.now() > end) throw complaint;
    }
    await new Promise((next) => setTimeout(next, STEP_MS));
  }
}

export class Visit {
  /** What went wrong. */
  troubles = [];
  /** Addresses that were asked for, the page itself first. */
  requests = [];
  #asked = new Set();
  #refusals = 0;

  constructor(context, page, address) {
    this.context = context;
    this.page = page;
    this.address = address;
    // Behind the address that lets in, the page has another one.
    const server = address.startsWith("file:") ? address : `${new URL(address).origin}/`;
    const trouble = (kind, text) => this.troubles.push(`${kind}: ${text}`);
    page.on("pageerror", (error) => trouble("error in the page", error.stack ?? error));
    page.on("crash", () => trouble("the page", "crashed"));
    page.on("console", (message) => {
      if (message.type() !== "error" && message.type() !== "warning") return;
      if (/status of 400/.test(message.text()) && this.#refusals > 0) return;
      trouble(`console ${message.type()}`, message.text());
    });
    page.on("request", (request) => {
      const url = request.url();
      if (/^(data|blob):/.test(url)) return;
      this.requests.push(url);
      // `goto` waits for the page itself. Its request may seem unanswered for ever: where another process shows the
      // new page, the end of the answer can be told to the old one.
      if (!request.isNavigationRequest()) this.#asked.add(request);
      const isOwn = address.startsWith("file:") ? url.split("#")[0] === address : url.startsWith(server);
      if (!isOwn) trouble("request to another place", url);
    });
    page.on("requestfinished", (request) => this.#asked.delete(request));
    page.on("requestfailed", (request) => {
      this.#asked.delete(request);
      const why = request.failure()?.errorText ?? "";
      // An answer that is out of date before it comes is not waited for.
      if (["net::ERR_ABORTED", "NS_BINDING_ABORTED"].includes(why) && request.url().startsWith(server) && request.url().includes("/api/")) return;
      trouble("failed request", `${request.url()}: ${why}`);
    });
    page.on("response", (response) => {
      const isRefusal = response.status() === 400 && this.#refusals > 0;
      if (response.status() >= 400 && !isRefusal) trouble("answer", `${response.status()} ${response.url()}`);
    });
  }

  /** From here on the test asks for things that are refused. */
  expectRefusals() {
    this.#refusals += 1;
  }

  /** Opens what stands after `#`, in a page that is loaded anew. */
  async go(place) {
    await this.page.goto("about:blank");
    await this.page.goto(`${this.address}#${place}`);
    await this.settled();
  }

  /** What stands after `#` now. */
  async place() {
    const hash = new URL(this.page.url()).hash;
    const [view, query = ""] = hash.slice(1).split("?");
    return { view, ...Object.fromEntries(new URLSearchParams(query)) };
  }

  /** Waits until the address holds these parameters; undefined stands for none. */
  placed(expected) {
    return eventually(async () => {
      const place = await this.place();
      for (const [name, value] of Object.entries(expected)) assert.equal(place[name], value, `${name} in the address`);
    });
  }

  /** Waits until nothing is asked for and nothing is said to be loading. */
  settled() {
    return eventually(async () => {
      // What a change leads to is asked for after the next frames.
      const restless = await this.page.evaluate(async () => {
        const frame = () => new Promise((next) => requestAnimationFrame(() => setTimeout(next)));
        await frame();
        await frame();
        if (document.querySelector("#page > main") === null) return `there is no page: ${document.body.innerText}`;
        return document.querySelector("[aria-busy=true], .waiting[role=status]") ? "something is loading" : null;
      });
      assert.equal(restless, null);
      assert.deepEqual([...this.#asked].map((request) => request.url()), [], "unanswered requests");
    });
  }

  /** Exact values of all numbers below a selector, in their order. */
  numbers(selector) {
    return this.page.$$eval(`${selector} [data-value]`, (found) => found.map((one) => Number(one.dataset.value)));
  }

  async number(selector) {
    const found = await this.numbers(selector);
    assert.ok(found.length >= 1, `no number in ${selector}`);
    return found[0];
  }

  /** Rows of a table with a key: the first exact number in each of these cells, or null,
      and the text of others. */
  rows(table, numbers, texts = {}) {
    return this.page.$$eval(
      `${table} tbody tr[data-key]`,
      (rows, [numbers, texts]) =>
        rows.map((row) => {
          const told = { key: row.dataset.key };
          for (const [name, selector] of Object.entries(numbers)) {
            const found = row.querySelector(selector)?.querySelector("[data-value]");
            told[name] = found ? Number(found.dataset.value) : null;
          }
          for (const [name, selector] of Object.entries(texts)) told[name] = row.querySelector(selector)?.textContent ?? null;
          return told;
        }),
      [numbers, texts],
    );
  }

  text(selector) {
    return this.page.locator(selector).first().innerText();
  }

  /** Presses a button and gives the file that is saved. */
  async download(button) {
    const [saved] = await Promise.all([this.page.waitForEvent("download"), button.click()]);
    return { name: saved.suggestedFilename(), content: await readFile(await saved.path()) };
  }
}
