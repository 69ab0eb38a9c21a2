// How fluent the page is on a large profile: how soon it can be used, how long a selected
// range and a zoom take until they are drawn, and what page and server need.
//
//   node benches/page.mjs RESIDUE PROFILE [REPEATS=7]
//
// Times are what a person waits, medians of the repeats, each of which starts anew from an
// empty browser; ranges and boxes are different ones each time, so that no answer is known.

import { spawn } from "node:child_process";
import { readFile, readdir } from "node:fs/promises";
import { createRequire } from "node:module";
import { createInterface } from "node:readline";

const { chromium } = createRequire(new URL("../tests/browser/", import.meta.url))("playwright-core");
const [residue, profile, repeats = "7"] = process.argv.slice(2);
if (!profile) {
  console.error("usage: node benches/page.mjs RESIDUE PROFILE [REPEATS]");
  process.exit(2);
}
const FLAGS = [
  "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
  "--disable-component-update", "--disable-sync",
];
const MIB = 1 << 20;

async function kibOf(pid, field) {
  const status = await readFile(`/proc/${pid}/status`, "utf8");
  return Number(new RegExp(`^${field}:\\s+(\\d+)`, "m").exec(status)?.[1] ?? 0);
}

/** The renderer of the page: the child of this browser that holds most. */
async function rendererBytes(browserPid) {
  const below = async (pid) => {
    const tasks = await readdir(`/proc/${pid}/task`).catch(() => []);
    const lists = await Promise.all(
      tasks.map((task) => readFile(`/proc/${pid}/task/${task}/children`, "utf8").catch(() => "")),
    );
    const children = lists.join(" ").split(" ").filter(Boolean).map(Number);
    return [...children, ...(await Promise.all(children.map(below))).flat()];
  };
  const sizes = await Promise.all(
    (await below(browserPid)).map(async (pid) => {
      const command = await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "");
      if (!command.includes("--type=renderer")) return 0;
      const rollup = await readFile(`/proc/${pid}/smaps_rollup`, "utf8").catch(() => "");
      return 1024 * Number(/^Pss:\s+(\d+)/m.exec(rollup)?.[1] ?? 0);
    }),
  );
  return Math.max(0, ...sizes);
}

function medianOf(values) {
  const sorted = [...values].sort((one, other) => one - other);
  return sorted[Math.floor(sorted.length / 2)];
}

/** Waits in the page, frame by frame, until something is true; milliseconds since `from`. */
function framesUntil(page, condition, argument) {
  return page.evaluate(
    ([text, argument]) =>
      new Promise((resolve) => {
        const isTrue = new Function("argument", `return (${text})(argument)`);
        const giveUp = performance.now() + 20_000;
        const look = () => {
          if (isTrue(argument)) resolve(performance.now() - window.begun);
          else if (performance.now() > giveUp) resolve(NaN);
          else requestAnimationFrame(look);
        };
        look();
      }),
    [condition.toString(), argument],
  );
}

/** Where something was given up on, that is said, and nothing is measured. */
function measured(values) {
  if (values.length === 0 || values.some(Number.isNaN)) {
    console.error("the page did not show what was asked for within 20 seconds");
    process.exit(1);
  }
  return values;
}

const seen = { usable: [], range: [], flame: [], zoom: [], page: [], heap: [], server: [], up: [] };

for (let turn = 0; turn < Number(repeats); turn += 1) {
  // The browser is there already, as a person's is.
  const browser = await chromium.launchServer({ executablePath: "/usr/bin/chromium", args: FLAGS });
  const client = await chromium.connect(browser.wsEndpoint());
  const page = await client.newPage({ viewport: { width: 1280, height: 900 }, reducedMotion: "reduce" });
  const begun = performance.now();
  const server = spawn(residue, ["view", profile, "--no-browser"], { stdio: ["ignore", "pipe", "ignore"] });
  const address = await new Promise((resolve) => createInterface(server.stdout).once("line", resolve));
  const up = performance.now();
  seen.up.push(up - begun);
  await page.goto(address);
  await page.waitForSelector(".stacks-table tbody tr[data-key]");
  await page.waitForSelector(".timeline-chart[data-points]");
  seen.usable.push(performance.now() - up);
  seen.server.push(1024 * (await kibOf(server.pid, "VmHWM")));
  // The verdict, which nothing waits for, must not be measured with the ranges.
  await page.waitForSelector(".head [data-value]");

  const chart = page.locator(".timeline-chart");
  const [left, width, first, last] = await chart.evaluate((element) =>
    ["plotLeft", "plotWidth", "firstEvent", "lastEvent"].map((name) => Number(element.dataset[name])),
  );
  for (let again = 0; again < 5; again += 1) {
    const from = Math.round(first + (last - first) * (0.1 + 0.1 * again + 0.01 * turn));
    const to = Math.round(from + (last - first) * 0.15);
    const before = await page.locator(".stacks-table").innerText();
    const box = await chart.boundingBox();
    const x = (event) => box.x + left + ((event - first + 0.5) / (last - first + 1)) * width;
    await page.mouse.move(x(from), box.y + box.height / 2);
    await page.mouse.down();
    await page.mouse.move(x((from + to) / 2), box.y + box.height / 2);
    await page.mouse.move(x(to), box.y + box.height / 2);
    await page.evaluate(() => {
      addEventListener("pointerup", () => (window.begun = performance.now()), { once: true, capture: true });
      addEventListener("mouseup", () => (window.begun ??= performance.now()), { once: true, capture: true });
      window.begun = undefined;
    });
    await page.mouse.up();
    seen.range.push(
      await framesUntil(
        page,
        (before) =>
          window.begun !== undefined &&
          /events=/.test(location.hash) &&
          document.querySelector(".stacks-table") !== null &&
          document.querySelector(".stacks-table").innerText !== before,
        before,
      ),
    );
  }

  await page.evaluate(() => (window.begun = performance.now()));
  await page.getByRole("tab", { name: "Flame graph" }).click();
  seen.flame.push(await framesUntil(page, () => document.querySelector(".flame-canvas")?.dataset.settled === "true"));
  for (let again = 0; again < 5; again += 1) {
    const canvas = page.locator(".flame-canvas");
    const target = await canvas.evaluate((element, skip) => {
      const root = Math.min(...element.boxes.map((one) => one.y));
      const below = element.boxes.filter((one) => one.y > root && one.width > 8);
      return below[Math.min(skip, below.length - 1)] ?? null;
    }, turn % 3);
    if (!target) break;
    const rootBefore = await canvas.getAttribute("data-root-key");
    await page.evaluate(() => {
      window.begun = undefined;
      addEventListener("click", () => (window.begun = performance.now()), { once: true, capture: true });
    });
    await canvas.click({ position: { x: target.x + target.width / 2, y: target.y + target.height / 2 } });
    seen.zoom.push(
      await framesUntil(
        page,
        (before) => {
          const drawn = document.querySelector(".flame-canvas")?.dataset;
          const isBusy = document.querySelector(".flame-canvas")?.getAttribute("aria-busy") === "true";
          return drawn?.rootKey !== before && drawn?.settled === "true" && !isBusy;
        },
        rootBefore,
      ),
    );
  }
  seen.page.push(await rendererBytes(browser.process().pid));
  seen.heap.push(await page.evaluate(() => performance.memory.usedJSHeapSize));
  seen.server.push(1024 * (await kibOf(server.pid, "VmHWM")));
  await client.close();
  await browser.close();
  server.kill("SIGINT");
  await new Promise((resolve) => server.once("exit", resolve));
}

const text = (values, unit) =>
  `${medianOf(measured(values)).toFixed(0)} ${unit} (${Math.min(...values).toFixed(0)} to ${Math.max(...values).toFixed(0)}, ${values.length} times)`;
const mib = (values) => values.map((value) => value / MIB);
console.log(`server up after               ${text(seen.up, "ms")}`);
console.log(`page usable after the server  ${text(seen.usable, "ms")}`);
console.log(`range selected, stacks drawn  ${text(seen.range, "ms")}`);
console.log(`flame graph of a range        ${text(seen.flame, "ms")}`);
console.log(`flame graph zoomed            ${text(seen.zoom, "ms")}`);
console.log(`page, whole process           ${text(mib(seen.page), "MiB")}`);
console.log(`page, its own heap            ${text(mib(seen.heap), "MiB")}`);
console.log(`server, highest               ${mib([Math.max(...seen.server)])[0].toFixed(0)} MiB`);
