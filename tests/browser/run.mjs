// The page of `residue view` in a real browser.
//
//   node tests/browser/run.mjs RESIDUE WORKLOADS [--shots FOLDER] [--only NAME]
//
// Runs all tests, or those whose name holds NAME; exit status 1 when one fails. A test is a
// function in an object `tests` of one of the files below: it is given what `kit/test.mjs`
// describes. With `--shots` nothing is tested: the pictures for the documents are taken.

import { parseArgs } from "node:util";
import { chromium } from "playwright-core";
import { Lab } from "./kit/lab.mjs";
import { runTest } from "./kit/test.mjs";

const FILES = [
  "live", "selfcontained", "numbers", "opening", "ranges", "timeline", "time", "churn", "holders", "pins", "stacks", "flame", "flamewindow", "callers", "downloads", "look", "everybody", "hostile", "origins",
];
/** Tests wait for programs and pages most of the time. */
const AT_ONCE = 3;

/** Chromium without the window that nobody looks at: the same pages for half of the processor's time. */
const BROWSER = {
  executablePath: "/usr/bin/chromium-headless-shell",
  args: [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
  ],
};

async function collected(wanted) {
  const all = [];
  for (const file of FILES) {
    const { tests } = await import(`./${file}.mjs`);
    for (const [name, test] of Object.entries(tests)) all.push({ name: `${file}: ${name}`, test });
  }
  return all.filter(({ name }) => name.includes(wanted));
}

async function runAll(tests, lab, browser) {
  const waiting = [...tests];
  let failed = 0;
  const work = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const began = Date.now();
      const complaint = await runTest(next.test, lab, browser);
      const seconds = ((Date.now() - began) / 1000).toFixed(1);
      console.log(`${complaint ? "FAILED" : "passed"} ${next.name} (${seconds} s)`);
      if (complaint) {
        failed += 1;
        console.log(String(complaint).replace(/^/gm, "    "));
      }
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  console.log(`${tests.length - failed} of ${tests.length} tests passed`);
  return failed === 0 && tests.length > 0;
}

async function main() {
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: { shots: { type: "string" }, only: { type: "string", default: "" } },
  });
  if (positionals.length !== 2) {
    console.error("usage: node run.mjs RESIDUE WORKLOADS [--shots FOLDER] [--only NAME]");
    return 2;
  }
  const [residue, workloads] = positionals;
  const lab = await Lab.open(residue, workloads);
  const browser = await chromium.launch(BROWSER);
  try {
    if (values.shots) {
      const { takeShots } = await import("./shots.mjs");
      return (await takeShots(lab, browser, values.shots, values.only)) ? 0 : 1;
    }
    return (await runAll(await collected(values.only), lab, browser)) ? 0 : 1;
  } finally {
    await browser.close();
    await lab.close();
  }
}

process.exitCode = await main();
