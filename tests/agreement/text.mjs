// What people read: the numbers and names that stand in the text of the command.

import { path, smallestSize } from "./names.mjs";
import { Sheet, shown } from "./sheet.mjs";
import { Refusal } from "./surfaces.mjs";
import { bytes, count, countRate, exact, inUnit, mean, part, percent, signed } from "./units.mjs";

const reported = (recording, span, ...parts) =>
  recording.command("report", recording.at(span), "--kind", "all", "--top", "all", "--max-frames", "0", ...parts);

const HEADLINES = {
  LEAK: "leak", "FREED AT EXIT": "freed-at-exit", FRAGMENTATION: "fragmentation", GROWS: "growth",
  FILLING: "filling", "GROWTH SLOWS": "slowing",
  "NO GROWTH": "no-growth", UNDETERMINED: "undetermined",
};
const INTERVAL = /95 %: (?:(exact)|(unknown)|(\S+ \w+) \.\. (\S+ \w+)), /;
const EVENTS = /(event|tick)s (\d+)\.\.(\d+)(?:, warm-up ([\d ]*\d))?/;

const leaks = async (recording, span) =>
  (await recording.command("leaks", recording.at(span), "--top", "100000")).trimEnd().split("\n");

export async function verdict(recording, span) {
  const lines = await leaks(recording, span);
  const [head] = lines;
  const headline = Object.keys(HEADLINES).find((one) => head.startsWith(`${one}  `));
  const [, unit, first, last, warmUp = "0"] = EVENTS.exec(head);
  const where = { "NO GROWTH": "detection limit ", UNDETERMINED: "; so far " }[headline] ?? "";
  const [, amount] = new RegExp(`${where}((?:-|~)?[\\d.]+ \\w+)/(?:event|tick)`).exec(head);
  const [, isExact, isUnknown, low, high] = INTERVAL.exec(head) ?? [];
  const isFlat = headline === "NO GROWTH";
  return new Sheet().set("verdict", {
    headline: HEADLINES[headline],
    unit,
    // What was not seen has a limit in place of a rate.
    [isFlat ? "visible" : "rate"]: shown(amount, bytes),
    ...(low ? { low: shown(low, bytes), high: shown(high, bytes) } : {}),
    ...(isExact ? { low: shown(amount, bytes), high: shown(amount, bytes) } : {}),
    ...(isUnknown ? { low: null } : {}),
    first: Number(first),
    last: Number(last),
    warm_up: exact(warmUp),
    words: shown(lines.map((line) => line.trim()).join("\n"), (words) => beginningOf(lines, words)),
  });
}

const SLOW = { "use more CPU time": "cpu", "take longer": "wall", "wait longer": "waited" };

/** The verdict of time, its table, and what is said below each kind of slow events. */
export async function time(recording) {
  const lines = (await recording.command("slow", recording.file)).trimEnd().split("\n");
  const sheet = new Sheet().set("verdict", { headline: lines[0] });
  sheet.isPartial = true;
  lines.forEach((line, at) => {
    const [, name, course] = /^(CPU time|wall time|waiting) (?: *[\d.]+ \S+){4} {3}(.*)$/.exec(line) ?? [];
    if (name) sheet.set(name, { course });
    const [, how] = /^[\d ]+ of [\d ]+ events (use more CPU time|take longer|wait longer) /.exec(line) ?? [];
    if (!how) return;
    const rest = lines.slice(at + 1);
    const end = rest.findIndex((later) => !later.startsWith("  "));
    const causes = rest.slice(0, end < 0 ? rest.length : end).map((cause) => cause.trim());
    sheet.set(`slow by ${SLOW[how]}`, { words: line, causes: causes.join("\n") });
  });
  return sheet;
}

/** The table of churn, and the advice below it. */
export async function churn(recording, span, rows) {
  const views = ["--kind", "all", "--top", String(rows), "--view", "churn,advice"];
  const text = await recording.command("report", recording.at(span), ...views);
  const [title] = text.split("\n");
  const sheet = new Sheet().set("churn", { title });
  const found = title.startsWith("churn: n") ? [] : table(text, "stack");
  found.forEach(({ numbers }, index) => {
    const [bytesHead, share, callsHead, freed] = Object.keys(numbers);
    sheet.set(`#${index + 1}`, {
      bytes: shown(numbers[bytesHead], bytes),
      share: shown(numbers[share], part),
      calls: shown(numbers[callsHead], mean),
      freed: shown(numbers[freed], part),
    });
  });
  const advice = text.split("\n").flatMap((line) => /^  (reserve|reuse) +(.*)$/.exec(line)?.slice(1).join(" ") ?? []);
  advice.forEach((words, index) => sheet.set(`advice #${index + 1}`, { words }));
  return sheet;
}

/** `8.59 KiB in 100 blocks`, and what comes after. */
const AMOUNT = /^ *(?:(?:LOST|HELD)  )?(\S+ \w+) in ([\d ]+) blocks?(?:  (.*)| \(.*\))?$/;

/** What is lost comes first, then what variables retain, then what is held. */
export async function holders(recording) {
  const text = await recording.command("holders", recording.file, "--top", "100000", "--chains", "100");
  const lines = text.trimEnd().split("\n");
  const heads = ["LOST", "HELD"].map((head) => lines.findIndex((line) => line.startsWith(head) || line === `NOTHING ${head}`));
  const amount = (line) => {
    const [, size, blocks, words] = AMOUNT.exec(line) ?? [null, "0 B", "0"];
    return { bytes: shown(size, bytes), blocks: exact(blocks), words };
  };
  const [lost, held] = heads.map((at) => amount(lines[at]));
  const sheet = new Sheet().set("holders", {
    about: lines.slice(0, heads[0]).join("\n"), lost: lost.bytes, lost_blocks: lost.blocks, held: held.bytes, held_blocks: held.blocks,
  });
  // The steps of chains are told by words alone.
  sheet.isPartial = true;
  const counts = { lost: 0, held: 0, retained: 0 };
  const next = (kind) => `${kind} #${(counts[kind] += 1)}`;
  lines.forEach((line, at) => {
    const [, retained, words] = /^  (\S+ \w+)  retained by (.*)$/.exec(line) ?? [];
    if (retained !== undefined) sheet.set(next("retained"), { bytes: shown(retained, bytes), words });
    // A path stands below the amount of its stack.
    if (!/^ {2}\S/.test(line) || !/^ {6}\S/.test(lines[at + 1] ?? "")) return;
    const { bytes: size, blocks } = amount(line);
    const below = { line: lines[at + 1].trim(), bytes: size, blocks };
    if (at < heads[1]) sheet.set(next("lost"), below);
    else {
      const end = lines.findIndex((later, place) => place > at + 1 && !/^ {6}\S/.test(later));
      const chains = lines.slice(at + 2, end < 0 ? undefined : end).map((chain) => amount(chain).words);
      sheet.set(next("held"), { ...below, chains: chains.join("\n") });
    }
  });
  return sheet;
}

/** The heap's parts, then stacks, sizes, ages, what was freed, and advice, each below its head. */
export async function pins(recording) {
  const lines = (await recording.command("pins", recording.file, "--top", "100000")).trimEnd().split("\n");
  const head = lines.findIndex((line) => line.startsWith("RESIDENT HEAP"));
  const [used, free, freePages] = lines.slice(head + 1).map((line) => /^  (\S+ \w+) \(/.exec(line)?.[1]);
  const sheet = new Sheet().set("pins", {
    about: lines.slice(0, head).join("\n"), resident: shown(/  (.*)$/.exec(lines[head])[1], bytes), used: shown(used, bytes),
    free: shown(free, bytes), free_pages: shown(freePages, bytes),
  });
  // There is no map in text.
  sheet.isPartial = true;
  let part = "";
  const counts = {};
  const next = (kind) => `${kind}#${(counts[kind] = (counts[kind] ?? 0) + 1)}`;
  lines.forEach((line, at) => {
    if (/^[A-Z]/.test(line)) part = line;
    const below = lines[at + 1]?.trim();
    const [, stackFree] = /^  (\S+ \w+) \(.*\) free on /.exec(line) ?? [];
    if (part === "KEPT BY" && stackFree) sheet.set(next(""), { line: below, free: shown(stackFree, bytes) });
    const [, classFree, classUsed] = /^  (\S+ \w+) free, kept by (\S+ \w+) of blocks /.exec(line) ?? [];
    const kind = { "BY SIZE OF BLOCK": "size ", "BY AGE OF BLOCK": "age " }[part];
    if (kind && classFree) sheet.set(next(kind), { free: shown(classFree, bytes), used: shown(classUsed, bytes) });
    const [, peak, live] = /^  (\S+ \w+), now (.*)$/.exec(line) ?? [];
    if (peak) sheet.set(next("freed "), { line: below, peak: shown(peak, bytes), live: shown(live, bytes) });
    const [, action, words] = /^  (pool|trim) +(.*)$/.exec(line) ?? [];
    if (action) sheet.set(next("advice "), { words: `${action} ${words}` });
  });
  return sheet;
}

/** As much of the text as the words of another surface are long. */
function beginningOf(lines, words) {
  const text = lines.map((line) => line.trim()).join("\n");
  return text.startsWith(words) ? text : words;
}

export async function guilty(recording, span) {
  const lines = await leaks(recording, span);
  const sheet = new Sheet();
  lines.forEach((line, at) => {
    const [, rank, amount] = /^  (#\d+)  (\S+ \w+)\/(?:event|tick)  /.exec(line) ?? [];
    if (rank === undefined) return;
    const [, share] = /([\d.]+ %) of the growth$/.exec(line) ?? [];
    const [, mapped, path] = /^ {6}(mapped: )?(.*)$/.exec(lines[at + 1]);
    sheet.set(rank, {
      rate: shown(amount, bytes),
      share: shown(share, percent),
      line: path,
      ...(mapped ? { kind: "mapping" } : {}),
    });
  });
  return sheet;
}

export async function suspects(recording, span) {
  const lines = await leaks(recording, span);
  const sheet = await guilty(recording, span);
  lines.forEach((line, at) => {
    const [, rank] = /^  (#\d+)  /.exec(line) ?? [];
    if (rank !== undefined) sheet.set(rank, { why: lines[at + 2].trim() });
  });
  const advice = lines.flatMap((line, at) => {
    const [, action, words] = /^  (reserve|reuse) +(.*)$/.exec(line) ?? [];
    return action ? [{ action, words, line: lines[at + 1].trim() }] : [];
  });
  advice.forEach((one, index) => sheet.set(`advice ${index + 1}`, one));
  return sheet;
}

const TITLE = /^ *\d+\. {2}(.*) (?:live|total|calls), [<\d.]+ %$/;
const FRAME = /^ {8}(?:#\d+ )?(.*)$/;
const WHOLE = /together (?:\S+) % of (.*)$/;

/** The stacks with anything of a counter, and what all of them have. */
async function highest(recording, span, counter) {
  const lines = (await reported(recording, span, "--view", "stacks", "--counter", counter)).split("\n");
  const whole = lines[0].startsWith("stacks: no ") ? 0 : exact(WHOLE.exec(lines[0])[1]);
  const rows = [];
  lines.forEach((line, at) => {
    const title = TITLE.exec(line);
    if (title === null) return;
    const end = lines.findIndex((later, place) => place > at && later === "");
    const frames = lines.slice(at + 1, end).flatMap((one) => FRAME.exec(one)?.[1] ?? []);
    // A name, its library, its place, and whether it was inlined, two blanks apart.
    const names = frames.map((frame) => frame.split("  ")[0]);
    const [, innermost] = /  (\S+:\d+)(?:  \(inlined\))?$/.exec(frames[0]) ?? [];
    rows.push({ path: path(names.reverse()), value: exact(title[1]), numbers: lines[at + 1], place: innermost });
  });
  return { whole, rows };
}

export async function stacks(recording, span) {
  const sheet = new Sheet();
  for (const { path, value, numbers, place } of (await highest(recording, span, "live")).rows) {
    const [, blocks] = / live in ([\d ]+) blocks?/.exec(numbers);
    sheet.add(path, { live: value, blocks: exact(blocks), place });
  }
  return sheet;
}

export async function flame(recording, span, counter) {
  const { whole, rows } = await highest(recording, span, counter);
  const sheet = new Sheet().set("root", { value: whole });
  for (const { path, value } of rows) sheet.add(path, { value });
  return sheet;
}

/** Of mappings only the whole of what is there, and that rounded. */
export async function totals(recording) {
  const text = await reported(recording, null, "--view", "summary");
  const line = (heading) => new RegExp(`^${heading.padEnd(10)} (.*)$`, "m").exec(text)[1];
  const [, calls, total] = /^([\d ]+) allocations?, (.*) in total$/.exec(line("heap"));
  const [, live, blocks] = /^(.*) in ([\d ]+) blocks?$/.exec(line("  live"));
  const [, frees, temporaries] = /^([\d ]+); ([\d ]+) temporary/.exec(line("  frees"));
  const heap = {
    calls: exact(calls), total: exact(total), live: exact(live), blocks: exact(blocks),
    peak: exact(line("  peak")), frees: exact(frees), temporaries: exact(temporaries),
  };
  return new Sheet().set("heap", heap).set("mappings", mappings(line("mappings")));
}

function mappings(text) {
  if (text === "none") return { calls: 0, live: 0 };
  const [, calls, total, live, pieces, peak] =
    /^([\d ]+) calls?, (.*) in total, live (.*) in ([\d ]+) pieces?, peak (.*) \(/.exec(text);
  return {
    calls: exact(calls), total: shown(total, bytes), live: shown(live, bytes), blocks: exact(pieces),
    peak: shown(peak, bytes),
  };
}

/** A table by its heads: of each line the cells, and the names that stand at its end. */
function table(text, lastHead) {
  const cells = (line) => line.trim().split(/ {2,}/);
  const lines = text.split("\n");
  const at = lines.findIndex((line) => line.includes(` ${lastHead}`) && line.startsWith("  "));
  if (at < 0) return [];
  const heads = cells(lines[at]);
  const columns = heads.indexOf(lastHead);
  const end = lines.findIndex((line, place) => place > at && line === "");
  return lines.slice(at + 1, end < 0 ? undefined : end).map((line) => {
    const found = cells(line);
    const numbers = Object.fromEntries(heads.slice(0, columns).map((head, column) => [head, found[column]]));
    return { numbers, names: found.slice(columns) };
  });
}

export async function functions(recording, span, counter) {
  const rule = counter === "live" || counter === "total" ? bytes : count;
  const views = ["--view", "cumulative", "--counter", counter, "--counters", "calls"];
  const sheet = new Sheet();
  for (const { numbers, names } of table(await reported(recording, span, ...views), "function")) {
    const { self, cumulative, calls } = numbers;
    const beside = calls === undefined ? {} : { calls: shown(calls, count) };
    sheet.set(names.join("  "), { self: shown(self, rule), cumulative: shown(cumulative, rule), ...beside });
  }
  return sheet;
}

const CALL = /^ *\S+ %(?: +\S+ %)? +(\S+ \w+) +(-|\d[\d ]*?)  (?: {4}|\[\d+\] )(.*)$/;

/** A block for each function: its callers, itself under a number, its callees. */
export async function callers(recording, span) {
  const text = await reported(recording, span, "--view", "callers", "--min-percent", "0", "--counters", "calls");
  const sheet = new Sheet();
  for (const block of text.split(/\n-+\n/).slice(1)) {
    const lines = block.split("\n").filter((line) => CALL.test(line));
    const at = lines.findIndex((line) => /  \[\d+\] /.test(line));
    const own = CALL.exec(lines[at])[3];
    lines.forEach((line, place) => {
      const [, value, calls, name] = CALL.exec(line);
      const other = name.replace(" (recursive)", "");
      if (other === "(itself)") sheet.set(own, { self: shown(value, bytes) });
      else {
        const row = place === at ? own : place < at ? `${own} by ${other}` : `${own} calls ${other}`;
        sheet.set(row, { value: shown(value, bytes), calls: shown(calls, count) });
      }
    });
  }
  return sheet;
}

export async function sizes(recording) {
  const text = await reported(recording, null, "--view", "size");
  if (text.startsWith("sizes: not ")) throw new Refusal();
  const sheet = new Sheet();
  for (const { numbers, names } of table(text, "size")) {
    sheet.set(smallestSize(names[0]), { calls: exact(numbers.calls), live: exact(numbers["live blocks"]) });
  }
  return sheet;
}

const STAGE_UNITS = { B: 1, KiB: 2 ** 10, MiB: 2 ** 20, ns: 1, "µs": 1e3, ms: 1e6, s: 1e9 };

export async function stages(recording, value) {
  const lines = (await recording.command("stages", recording.file, "--value", value)).split("\n");
  const heading = lines.findIndex((line) => / of each interval in /.test(line));
  const [, unit] = / of each interval in (\S+)\//.exec(lines[heading]) ?? [];
  const verdict = lines.find((line) => /^largest rise: /.test(line)) ?? "";
  const sheet = new Sheet();
  for (const line of heading < 0 ? [] : lines.slice(heading + 1)) {
    const [, mean, share, name] = /^ +(-?[\d.]+) +(-|-?[\d.]+ %)  (.*)$/.exec(line) ?? [];
    if (name === undefined) break;
    const isGuilty = value !== "time" && namesInterval(verdict, name);
    sheet.set(name, { mean: shown(mean, inUnit(STAGE_UNITS[unit])), share: shown(share, percent), guilty: isGuilty });
  }
  return sheet;
}

/** Whether the last sentence is about an interval. */
function namesInterval(verdict, name) {
  const [, from, to] = /^outside: (.*) -> (.*) of the next \w+$/.exec(name) ?? [];
  if (from === undefined) return verdict.includes(`: ${name}, +`);
  const isBetween = verdict.includes(`: between ${from} of one `) && verdict.includes(` and ${to} of the next; `);
  return isBetween || verdict.includes(`, from one ${from} to the next; `);
}

const LINE = /^ +(-|\S+ \w+) +(-|\S+ \w+) +(\d+)  /;

export async function lines(recording) {
  const text = await recording.command("list", recording.file, "*", "--kind", "all", "--counter", "live");
  const dashed = (value) => (value === 0 ? "-" : bytes(value));
  const sheet = new Sheet();
  for (const part of text.split(/\n(?=\S)/)) {
    if (!part.includes(`/${recording.source}\n`)) continue;
    for (const line of part.split("\n")) {
      const [, self, cumulative, number] = LINE.exec(`${line}  `) ?? [];
      const isEmpty = number === undefined || cumulative === "-";
      if (!isEmpty) sheet.add(`line ${number}`, { self: shown(self, dashed), cumulative: shown(cumulative, dashed) });
    }
  }
  return sheet;
}

/** Of two moments of one recording, to the byte. */
export async function changes(recording, span) {
  const { before, after } = recording.moments(span);
  const text = await recording.command("diff", before, after, "--kind", "all", "--top", "100000", "--max-frames", "0");
  const sheet = new Sheet();
  for (const { below } of rowsOfDiff(text)) {
    const [, delta, blocks] = /^([+-][\d ]+) bytes, ([+-][\d ]+) live blocks$/.exec(below[0]);
    const number = (text) => Math.sign(`${text[0]}1`) * exact(text.slice(1));
    sheet.set(pathBelow(below), { bytes: number(delta), blocks: number(blocks) });
  }
  return sheet;
}

/** The lines of a comparison that have a class, cut at its columns, with those below them. */
function rowsOfDiff(text) {
  const rows = [];
  let isBelow = false;
  for (const line of text.split("\n")) {
    const [, name] = /^(new|gone|grown|shrunk) /.exec(line) ?? [];
    if (name !== undefined) {
      const cell = (from, to) => line.slice(from, to).trim();
      rows.push({ class: name, before: cell(8, 19), after: cell(19, 32), delta: cell(32, 45), rest: line.slice(56), below: [] });
      isBelow = true;
    } else if (line === "") isBelow = false;
    else if (isBelow) rows.at(-1).below.push(line.trim());
  }
  return rows;
}

const pathBelow = ([, ...frames]) => path(frames.map((frame) => frame.replace(/^#\d+ /, "").split("  ")[0]).reverse());

export async function comparison(recordings, by, counter) {
  const text = await recordings.command(...recordings.diff(by, counter), "--top", "100000", "--max-frames", "0");
  const isRate = /^per (event|tick)/m.test(text);
  const isBytes = counter === "live" || counter === "total";
  const rule = isBytes ? bytes : isRate ? countRate : count;
  const column = (name) => (isRate ? `rate_${name}` : name);
  const sheet = new Sheet();
  for (const row of rowsOfDiff(text)) {
    const [, share, name] = /^ *([<\d.]+ %)  (.*?)(?:, (?:itself|with callees) [+-].*)?$/.exec(row.rest) ?? [];
    sheet.set(by === "stack" ? pathBelow(row.below) : name, {
      class: row.class,
      [column("before")]: shown(row.before, rule),
      [column("after")]: shown(row.after, rule),
      [column("delta")]: shown(row.delta, signed(rule)),
      ...(by === "stack" || share.startsWith("<") ? {} : { share: shown(share, percent) }),
    });
  }
  return sheet;
}
