// Pictures of the page for the documents, always of the same things under the same names.

import assert from "node:assert/strict";
import { copyFile, mkdir, rm, stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import { boxesOf } from "./kit/flame.mjs";
import { RANGE, SOURCES } from "./kit/lab.mjs";
import { chooseFunction, stacksOf } from "./kit/tables.mjs";
import { Test } from "./kit/test.mjs";
import { dragEvents } from "./kit/timeline.mjs";
import { eventually } from "./kit/visit.mjs";

/** Paths are seen in the pictures: these are the same wherever they are taken. */
const HOME = "/tmp/detector";
const MOST_BYTES = 250_000;
/** For pictures of the head, the timeline and the rows below in one. */
const WHOLE = { viewport: { width: 1280, height: 980 } };
const LAST_LIVE_EVENT = 3000;

/** Builds the program in a folder of its own and records it from there. */
async function prepare(lab) {
  for (const file of ["detector.cpp", "truth.h", "../include/residue.h"]) {
    await copyFile(join(SOURCES, file), join(HOME, file.split("/").at(-1)));
  }
  const inside = lab.movedTo(HOME);
  const options = ["-O2", "-g", "-U_FORTIFY_SOURCE", "-pthread", "-std=gnu++17"];
  await inside.command("g++", ...options, "-o", "detector", "detector.cpp", "-ldl");
  await inside.record("detector.residue", "./detector", 120, RANGE.first, RANGE.last, 10_000);
  return inside;
}

/** A page of that recording. */
async function open(t, place, options) {
  return t.open(await t.lab.served("detector.residue"), place, options);
}

/** Brings what is below the timeline into view. */
const belowTimeline = (visit) => visit.page.locator(".page-tabs").evaluate((tabs) => tabs.scrollIntoView({ block: "start" }));

const SHOTS = {
  async stacks(t) {
    return open(t, "", WHOLE);
  },
  async range(t) {
    const visit = await open(t, "stacks", WHOLE);
    await dragEvents(visit, RANGE.first, RANGE.last);
    await visit.page.mouse.move(0, 0);
    await visit.page.locator(".head-range [data-verdict]").waitFor();
    return visit;
  },
  async stack(t) {
    const visit = await open(t, "stacks");
    const leaking = (await stacksOf(visit)).find((row) => row.shape === "leak");
    await visit.go(`stacks?stack=${leaking.key}`);
    await visit.page.locator(".stacks-row-open").evaluate((row) => {
      row.scrollIntoView({ block: "start" });
      // The bar and the heads of the columns stay in view.
      scrollBy(0, -120);
    });
    return visit;
  },
  async flame(t) {
    const visit = await open(t, "flame?counter=total");
    await boxesOf(visit);
    await belowTimeline(visit);
    return visit;
  },
  async difference(t) {
    const visit = await open(t, `flame?events=${RANGE.first}..${RANGE.last}&against=1..20`);
    await boxesOf(visit);
    await belowTimeline(visit);
    return visit;
  },
  async callers(t) {
    const visit = await open(t, "callers?sort=cumulative");
    await chooseFunction(visit, "propagate");
    await belowTimeline(visit);
    return visit;
  },
  async stages(t) {
    const visit = await open(t, "stages");
    await belowTimeline(visit);
    return visit;
  },
  async time(t) {
    const visit = await open(t, "time");
    await belowTimeline(visit);
    return visit;
  },
  async churn(t) {
    const visit = await open(t, "churn");
    await belowTimeline(visit);
    return visit;
  },
  async holders(t) {
    const { file } = await t.lab.holders();
    const { stacks } = await t.lab.json("holders", file);
    const held = stacks.find(({ chains }) => chains.some(({ words }) => words.includes("hash map")));
    const visit = await t.open(await t.lab.served(file), `holders?stack=${held.stack}`);
    await belowTimeline(visit);
    return visit;
  },
  async pins(t) {
    const { file } = await t.lab.pinned();
    const visit = await t.open(await t.lab.served(file), "pins");
    await belowTimeline(visit);
    return visit;
  },
  async sizes(t) {
    const visit = await open(t, "sizes");
    await belowTimeline(visit);
    return visit;
  },
  async compare(t) {
    const { before, after } = await t.lab.releases();
    const visit = await t.open(await t.lab.served(before.file, after.file), "compare");
    await belowTimeline(visit);
    return visit;
  },
  async dark(t) {
    return open(t, "", { colorScheme: "dark" });
  },
  async live(t) {
    const program = await t.lab.run("live.residue", "./detector", LAST_LIVE_EVENT, 1, 1, 10_000);
    const visit = await t.open(await t.lab.served("--pid", String(program.pid)), "");
    await eventually(async () => {
      const fact = visit.page.locator(".head-fact", { hasText: "events" }).locator("[data-value]");
      const events = await fact.getAttribute("data-value");
      assert.ok(Number(events) > 150, `${events} events`);
    });
    // Between two readings, when all is of the same one.
    await visit.page.locator(".stacks-scroll:not(.stacks-stale) .stacks-table").waitFor();
    visit.end = program.end;
    return visit;
  },
};

async function take(name, show, lab, browser, folder) {
  const test = new Test(lab, browser);
  try {
    const visit = await show(test);
    const path = join(folder, `page-${name}.png`);
    // The page of a running program never rests.
    if (name !== "live") await visit.settled();
    await visit.page.screenshot({ path, animations: "disabled" });
    await visit.end?.();
    const { size } = await stat(path);
    const troubles = test.visits.flatMap((one) => one.troubles);
    if (size > MOST_BYTES) troubles.push(`${size} bytes are more than ${MOST_BYTES}`);
    console.log([`page-${name}.png: ${size} bytes`, ...troubles].join("\n    "));
    return troubles.length === 0;
  } finally {
    await test.close();
  }
}

/** All pictures, or those whose name holds `wanted`; false where one came out wrong. */
export async function takeShots(lab, browser, folder, wanted) {
  await mkdir(folder, { recursive: true });
  await mkdir(HOME);
  try {
    const inside = await prepare(lab);
    let isRight = true;
    for (const [name, show] of Object.entries(SHOTS).filter(([name]) => name.includes(wanted))) {
      isRight = (await take(name, show, inside, browser, resolve(folder))) && isRight;
    }
    return isRight;
  } finally {
    await rm(HOME, { recursive: true });
  }
}
