// What a test is given: the lab, and a way to open pages, which are closed after it.

import assert from "node:assert/strict";
import { PATIENCE_MS, Visit } from "./visit.mjs";

/** No test may take longer. */
const LIMIT_MS = 90_000;
const VIEWPORT = { width: 1280, height: 800 };

export class Test {
  visits = [];

  constructor(lab, browser) {
    this.lab = lab;
    this.browser = browser;
  }

  /** A fresh browser's page of an address, at a place; options are those of a new context. */
  async open(address, place = "stacks", options = {}) {
    const { prepare, ...rest } = options;
    const context = await this.browser.newContext({ viewport: VIEWPORT, locale: "en-US", colorScheme: "light", ...rest });
    context.setDefaultTimeout(PATIENCE_MS);
    const page = await context.newPage();
    if (prepare) await page.addInitScript(prepare);
    const visit = new Visit(context, page, address);
    this.visits.push(visit);
    await page.goto(`${address}#${place}`);
    await visit.settled();
    return visit;
  }

  /** A page of the recording of `detector`. */
  async openDetector(place, options) {
    const { file } = await this.lab.detector();
    return this.open(await this.lab.served(file), place, options);
  }

  async close() {
    await Promise.all(this.visits.map((visit) => visit.context.close()));
  }
}

/** Null when it passed, otherwise why it failed. */
export async function runTest(body, lab, browser) {
  const test = new Test(lab, browser);
  let timer;
  const late = new Promise((_, fail) => {
    timer = setTimeout(() => fail(new Error(`not over after ${LIMIT_MS / 1000} s`)), LIMIT_MS);
  });
  try {
    await Promise.race([body(test), late]);
    for (const visit of test.visits) assert.deepEqual(visit.troubles, []);
    return null;
  } catch (complaint) {
    const troubles = test.visits.flatMap((visit) => visit.troubles);
    return [complaint.stack ?? complaint, ...troubles].join("\n");
  } finally {
    clearTimeout(timer);
    await test.close().catch(() => {});
  }
}
