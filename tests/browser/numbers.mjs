// Every view shows the numbers that the command line gives of the same recording.

import assert from "node:assert/strict";
import { suspect, suspectsOf } from "./kit/suspects.mjs";
import { chooseFunction, endsOf, functionsOf, groupsOf, sorted, stacksOf } from "./kit/tables.mjs";

const UNITS = { B: 1, KiB: 1024, MiB: 1024 ** 2 };

/** `1.21 .. 1.22 KiB` in bytes, and how far off rounding may be. */
function intervalOf(text) {
  const [, low, lowUnit, high, highUnit] = /95 %: (\S+)( \w+)? \.\. (\S+) (\w+)/.exec(text);
  const scale = (unit) => UNITS[unit.trim()];
  return {
    low: Number(low) * scale(lowUnit ?? highUnit),
    high: Number(high) * scale(highUnit),
    off: 0.006 * scale(highUnit) * 10 ** (String(Math.trunc(Number(high))).length - 1),
  };
}

/** The parts of an account that are drawn, with the signs they are drawn with. */
function drawnParts(account) {
  const { rss, program_rss, ...parts } = account.bytes_per_event;
  parts.untouched = -parts.untouched;
  const largest = Math.max(...Object.values(parts).map(Math.abs));
  return Object.fromEntries(Object.entries(parts).filter(([, value]) => Math.abs(value) >= largest / 1000));
}

/** `4..8 KiB` as its first size in bytes. */
function firstSize(text) {
  const [, from, unit] = /^(\d+)(?:\.\.\d+)? (\w+)/.exec(text);
  return Number(from) * UNITS[unit];
}

export const tests = {
  async "the head is the verdict of residue leaks"(t) {
    const { file } = await t.lab.detector();
    const leaks = await t.lab.json("leaks", file);
    assert.equal(leaks.verdict, "leak");
    const visit = await t.openDetector("stacks");
    assert.equal(await visit.page.locator("[data-verdict]").getAttribute("data-verdict"), "leak");
    assert.equal(await visit.number(".head-rate"), leaks.rate_bytes_per_event);
    const after = await visit.text(".head-after");
    const { low, high, off } = intervalOf(after);
    assert.ok(Math.abs(low - leaks.low) <= off, `${after}: ${leaks.low}`);
    assert.ok(Math.abs(high - leaks.high) <= off, `${after}: ${leaks.high}`);
    assert.ok(after.includes(`events ${leaks.first_event}..${leaks.last_event}`), after);
    const [guilty] = leaks.stacks;
    await suspect(visit).waitFor();
    const [first] = await suspectsOf(visit);
    assert.deepEqual(
      [first.stack, first.kind, first.amount, first.share, first.place],
      [guilty.stack, guilty.kind, guilty.rate_bytes_per_event, guilty.share, guilty.place],
    );
    const words = await suspect(visit).innerText();
    for (const said of [guilty.shown, guilty.reason, `per photon (counter "${guilty.counter.name}"`]) assert.ok(words.includes(said), said);
  },

  async "the account of the growth is that of residue leaks"(t) {
    const { file } = await t.lab.detector();
    const { account } = await t.lab.json("leaks", file);
    assert.ok(account, "the recording is long enough for accounts");
    const visit = await t.openDetector("stacks");
    const parts = await visit.page.$$eval(".head-account-part", (found) =>
      Object.fromEntries(found.map((one) => [one.dataset.part, Number(one.dataset.value)])),
    );
    assert.deepEqual(parts, drawnParts(account));
    assert.deepEqual(await visit.numbers(".head-legend"), Object.values(parts));
    const { rss, program_rss } = account.bytes_per_event;
    assert.deepEqual(await visit.numbers(".head-account-title"), [rss, program_rss]);
  },

  async "the facts of the recording are those of residue report"(t) {
    const { file, truths } = await t.lab.detector();
    const report = await t.lab.json("report", file);
    const visit = await t.openDetector("stacks");
    const facts = await visit.page.$$eval(".head-fact", (found) =>
      Object.fromEntries(
        found.map((one) => {
          const number = one.querySelector("[data-value]");
          const told = number ? Number(number.dataset.value) : one.querySelector("dd").textContent;
          return [one.querySelector("dt").textContent, told];
        }),
      ),
    );
    assert.equal(facts.events, truths.get("events"));
    assert.equal(facts.stacks, report.stacks);
    assert.equal(facts.lasted, report.meta.duration_ns);
    assert.equal(facts["peak heap"], report.heap.peak_bytes);
    assert.equal(facts["highest RSS"], report.meta.max_rss_bytes ?? undefined);
    assert.equal(facts.allocator, report.meta.allocator);
    assert.equal(await visit.number(".head-items"), report.heap.calls);
    assert.equal(await visit.number("[data-recorder=dropped]"), 0);
    assert.equal(await visit.page.locator("[data-wholeness]").getAttribute("data-wholeness"), "whole");
    assert.ok((await visit.text("[data-end]")).includes("exited with status 0"));
  },

  async "stacks are those of residue report"(t) {
    const { file, truths } = await t.lab.detector();
    const report = await t.lab.json("report", file, "--view", "stacks", "--counter", "total", "--top", "all");
    const groups = groupsOf(report.top);
    const visit = await t.openDetector("stacks");
    const shown = await stacksOf(visit);
    const numbers = ({ live, blocks, total, calls, largest }) => ({ live, blocks, total, calls, largest });
    assert.deepEqual(
      sorted(shown.map((row) => ({ path: row.path, ...numbers(row) }))),
      sorted([...groups].map(([path, sums]) => ({ path: path.split(";"), ...numbers(sums) }))),
    );
    for (const row of shown) {
      assert.equal(row.growth, row.live);
      assert.equal(row.churn, row.total - row.live);
    }
    // The workload says the same of its own functions.
    for (const name of ["SEvt::keepPhoton", "Calibration::load", "Hits::make", "Digitiser::scratch", "Geometry::build"]) {
      const row = shown.find(({ path }) => path.includes(name));
      const truth = (what) => truths.get(`${name}.${what}`);
      assert.deepEqual(
        [row.live, row.blocks, row.total, row.calls],
        [truth("live"), truth("live_blocks"), truth("total"), truth("calls")],
        name,
      );
    }
    const { sums } = report.selection;
    assert.deepEqual(
      await visit.numbers(".stacks-sums"),
      [sums.live, sums.live_blocks, sums.total, sums.total - sums.live, sums.calls, sums.largest],
    );
    const rates = (await t.lab.json("leaks", file)).stacks;
    const leaking = shown.find(({ path }) => path.includes("SEvt::keepPhoton"));
    assert.equal(leaking.rate, rates[0].rate_bytes_per_event);
    assert.equal(leaking.shape, "leak");
  },

  async "functions are those of residue report"(t) {
    const { file } = await t.lab.detector();
    const visit = await t.openDetector("callers");
    for (const counter of ["live", "total", "calls", "live-blocks"]) {
      const report = await t.lab.json("report", file, "--view", "cumulative", "--counter", counter, "--top", "all");
      const key = counter.replace("-", "_");
      const expected = report.cumulative.rows.map((row) => ({
        self: row[`self_${key}`], cumulative: row[`cumulative_${key}`], function: row.function, library: row.library,
      }));
      await visit.go(`callers?counter=${counter}&sort=cumulative`);
      const shown = (await functionsOf(visit)).map(({ key: _, ...row }) => row);
      assert.deepEqual(sorted(shown), sorted(expected), counter);
      assert.ok(shown.length > 10);
      const values = shown.map((row) => row.cumulative);
      assert.deepEqual(values, [...values].sort((one, other) => other - one), "the highest first");
    }
  },

  async "callers and callees are those of residue report"(t) {
    const { file } = await t.lab.detector();
    const parts = ["--view", "callers", "--min-percent", "0", "--top", "all"];
    const visit = await t.openDetector("callers");
    for (const counter of ["live", "calls"]) {
      const report = await t.lab.json("report", file, ...parts, "--counter", counter);
      await visit.go(`callers?counter=${counter}&sort=cumulative`);
      for (const name of ["propagate", "process", "Hits::make", "main"]) {
        const expected = report.callers.functions.find((one) => one.function === name);
        await chooseFunction(visit, name);
        assert.equal(await visit.number(".callers-middle .callers-self"), expected.self);
        assert.equal(await visit.number(".callers-middle .callers-cumulative"), expected.cumulative);
        for (const [heading, ends] of [["Callers", expected.callers], ["Callees", expected.callees]]) {
          const shown = (await endsOf(visit, heading)).map((end) => [end.function, end.library, end.value, end.recursive ?? 0]);
          const told = ends.map((end) => [end.function, end.library, end.value, end.recursive]);
          assert.deepEqual(sorted(shown), sorted(told), `${heading} of ${name} by ${counter}`);
        }
      }
    }
  },

  async "sizes are those of residue report"(t) {
    const { file } = await t.lab.detector();
    const { sizes } = await t.lab.json("report", file, "--view", "size");
    const visit = await t.openDetector("sizes");
    const shown = await visit.rows(".sizes-table", { calls: ".sizes-total", live: ".sizes-live" });
    const used = shown.filter((row) => row.calls > 0 || row.live > 0);
    assert.deepEqual(
      used.map((row) => [Number(row.key), row.calls, row.live]),
      sizes.map((row) => [firstSize(row.size), row.calls, row.live_blocks]),
    );
    const sum = (key) => sizes.reduce((before, row) => before + row[key], 0);
    assert.deepEqual(await visit.numbers(".sizes-table tfoot"), [sum("calls"), sum("live_blocks")]);
  },

  async "stages are those of residue stages"(t) {
    const { file } = await t.lab.detector();
    const visit = await t.openDetector("stages");
    for (const value of ["live", "rss", "vm", "time"]) {
      const { stages } = await t.lab.json("stages", file, "--value", value);
      await visit.go(`stages?value=${value}`);
      const shown = await visit.rows(".stages-table", { mean: ".stages-mean" }, { share: ".stages-share" });
      assert.equal(shown.length, stages.intervals.length);
      stages.intervals.forEach((interval, line) => {
        const row = shown[line];
        assert.ok(row.key.includes(interval.from) && row.key.includes(interval.to), row.key);
        assert.equal(row.mean, interval.mean, `${value}: ${row.key}`);
        if (interval.share === null) return;
        assert.ok(Math.abs(Number.parseFloat(row.share) - 100 * interval.share) <= 0.06, `${row.share}: ${interval.share}`);
      });
      const guilty = await visit.page.$$eval(".stages-table [aria-current=true]", (rows) => rows.map((row) => row.dataset.key));
      const expected = stages.guilty === null ? [] : [shown[stages.guilty.interval].key];
      assert.deepEqual(guilty, expected, `guilty by ${value}`);
      const jumps = await visit.rows(".stages-jumps", { part: "td:nth-child(2)" });
      // Those of time are no jumps of memory.
      assert.deepEqual(
        jumps.map((jump) => [Number(jump.key), jump.part]),
        value === "time" ? [] : stages.jumps.map((jump) => [jump.event, jump.part]),
      );
    }
  },

  async "a comparison is that of residue diff"(t) {
    const { before, after } = await t.lab.releases();
    const visit = await t.open(await t.lab.served(before.file, after.file), "compare");
    const cells = {
      before: ".compare-before", after: ".compare-after", delta: ".compare-delta", rate_before: ".compare-rate-before",
      rate_after: ".compare-rate-after", rate_delta: ".compare-rate-delta",
    };
    for (const by of ["function", "stack", "library"]) {
      for (const counter of ["live", "calls"]) {
        const diff = await t.lab.json("diff", before.file, after.file, "--by", by, "--counter", counter);
        await visit.go(`compare?by=${by}&counter=${counter}`);
        const shown = await visit.rows(".compare-table", cells, { class: ".compare-class" });
        const expected = diff.rows.map((row) => ({
          key: row.name ?? [...row.frames].reverse().join(";"),
          before: row.before, after: row.after, delta: row.delta,
          rate_before: row.rate_before, rate_after: row.rate_after, rate_delta: row.rate_delta, class: row.class,
        }));
        for (const row of shown) row.class = row.class.trim().split(" ").at(-1);
        assert.ok(expected.length > 0);
        assert.deepEqual(sorted(shown), sorted(expected), `${by}, ${counter}`);
        const cards = await visit.numbers(".compare-head");
        const { total: totalBefore, events: eventsBefore } = diff.before;
        const { total: totalAfter, events: eventsAfter } = diff.after;
        assert.deepEqual(cards, [
          totalBefore, eventsBefore, totalBefore / eventsBefore, totalAfter, eventsAfter, totalAfter / eventsAfter,
          diff.change.delta, totalAfter / eventsAfter - totalBefore / eventsBefore, diff.growth, diff.fall,
        ]);
        const changed = diff.rows_new + diff.rows_grown + diff.rows_shrunk + diff.rows_gone;
        assert.deepEqual(await visit.numbers(".compare-chips"), [
          changed, diff.rows_new, diff.rows_grown, diff.rows_shrunk, diff.rows_gone, diff.rows_unchanged,
        ]);
      }
    }
    // A class alone, and the truth of the workload about what is new.
    await visit.go("compare?class=new");
    const [row, ...others] = await visit.rows(".compare-table", cells);
    assert.deepEqual([others.length, row.key, row.before], [0, "leave_trace", 0]);
    assert.equal(row.after, after.truths.get("leave_trace.live"));
  },
};
