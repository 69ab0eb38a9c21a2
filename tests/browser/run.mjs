// The page of `residue view` in real browsers: every test in Chromium, the journeys in Firefox, too.
//
//   node tests/browser/run.mjs RESIDUE WORKLOADS [--shots FOLDER] [--only NAME] [--browser NAME]
//
// Runs all tests, or those whose name holds NAME, in all browsers or in one; exit status 1 when one fails. A test is a
// function in an object `tests` of one of the files below: it is given what `kit/test.mjs`
// describes. With `--shots` nothing is tested: the pictures for the documents are taken.

import { parseArgs } from "node:util";
import { chromium, firefox } from "playwright-core";
import { Lab } from "./kit/lab.mjs";
import { runTest } from "./kit/test.mjs";

const FILES = [
  "live", "selfcontained", "numbers", "opening", "journeys", "ranges", "timeline", "time", "churn", "holders", "pins", "stacks", "flame", "flamewindow", "callers", "downloads", "look", "everybody", "hostile", "origins",
];
/** Tests wait for programs and pages most of the time. */
const AT_ONCE = 3;

/** By name: how each is started, and which files of tests it is for; absent: all. */
const BROWSERS = {
  /** Without the window that nobody looks at: the same pages for half of the processor's time. */
  chromium: {
    launch: () =>
      chromium.launch({
        executablePath: "/usr/bin/chromium-headless-shell",
        args: [
          "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
          "--disable-component-update", "--disable-sync",
        ],
      }),
  },
  /** The distribution's own, over the protocol that it speaks without changes. */
  firefox: {
    launch: () => firefox.launch({ channel: "moz-firefox", executablePath: "/usr/bin/firefox-esr" }),
    files: ["journeys"],
  },
};

async function collected(browsers, wanted) {
  const all = [];
  for (const browser of browsers) {
    for (const file of BROWSERS[browser].files ?? FILES) {
      const { tests } = await import(`./${file}.mjs`);
      const suffix = browser === "chromium" ? "" : ` (${browser})`;
      for (const [name, test] of Object.entries(tests)) all.push({ name: `${file}: ${name}${suffix}`, test, browser });
    }
  }
  return all.filter(({ name }) => name.includes(wanted));
}

/** Each started when a test first asks for it. */
class Started {
  #started = new Map();

  of(name) {
    if (!this.#started.has(name)) this.#started.set(name, BROWSERS[name].launch());
    return this.#started.get(name);
  }

  async close() {
    for (const started of this.#started.values()) await (await started).close();
  }
}

async function runAll(tests, lab, started) {
  const waiting = [...tests];
  let failed = 0;
  const work = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const began = Date.now();
      const complaint = await runTest(next.test, lab, await started.of(next.browser));
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
    options: { shots: { type: "string" }, only: { type: "string", default: "" }, browser: { type: "string" } },
  });
  const browsers = values.browser === undefined ? Object.keys(BROWSERS) : [values.browser];
  if (positionals.length !== 2 || !browsers.every((name) => name in BROWSERS)) {
    console.error("usage: node run.mjs RESIDUE WORKLOADS [--shots FOLDER] [--only NAME] [--browser chromium|firefox]");
    return 2;
  }
  const [residue, workloads] = positionals;
  const lab = await Lab.open(residue, workloads);
  const started = new Started();
  try {
    if (values.shots) {
      const { takeShots } = await import("./shots.mjs");
      return (await takeShots(lab, await started.of("chromium"), values.shots, values.only)) ? 0 : 1;
    }
    return (await runAll(await collected(browsers, values.only), lab, started)) ? 0 : 1;
  } finally {
    await started.close();
    await lab.close();
  }
}

process.exitCode = await main();
