// What the page is answered: by the server, or by itself in a self-contained file. Both
// speak as `viewer/src/answers.ts` says, so there is one reading of both.

import {
  addLine, churnSheet, frameNames, guiltyStacks, holdersSheet, holdsText, isGuilty, KINDS, pinsSheet, suspectsSheet, timeSheet, totalColumns, verdictColumns,
} from "./json.mjs";
import { functionName, IGNORED, path, place } from "./names.mjs";
import { Sheet } from "./sheet.mjs";
import { Refusal } from "./surfaces.mjs";

const MOST_ROWS = 200;

/** Parameters of a span. */
const during = (span) => (span ? { events: `${span.from}..${span.to}` } : {});

/** All rows of an answer that comes in parts. */
async function allRows(ask, question, parameters) {
  const rows = [];
  for (;;) {
    const answer = await ask(question, { ...parameters, offset: rows.length, limit: MOST_ROWS });
    rows.push(...answer.rows);
    if (rows.length >= answer.found || answer.rows.length === 0) return rows;
  }
}

async function judged({ ask }, span) {
  const { verdict, words } = await ask("verdict", during(span));
  if (verdict === null) throw new Refusal(words[0]);
  return { verdict, words };
}

export async function verdict(page, span) {
  const { verdict, words } = await judged(page, span);
  return new Sheet().set("verdict", { ...verdictColumns(verdict), words: words.join("\n") });
}

export async function time({ ask }) {
  const { verdict, missing } = await ask("time");
  if (verdict === null) throw new Refusal(missing);
  return timeSheet(verdict);
}

/** Advice is of the whole recording, beside a range too. */
export async function churn({ ask }, span, rows) {
  const answer = await ask("churn", { kind: "all", limit: rows, ...during(span) });
  return churnSheet({ ...answer, advice: span ? [] : answer.advice });
}

export async function holders({ ask }) {
  const stacks = [];
  let document;
  for (;;) {
    const { picture, missing, found } = await ask("holders", { offset: stacks.length, limit: MOST_ROWS });
    if (picture === null) throw new Refusal(missing);
    document = picture;
    stacks.push(...picture.stacks);
    if (stacks.length >= found) break;
  }
  const answers = await Promise.all(stacks.map(({ stack }) => ask("holder", { stack })));
  const sheet = holdersSheet({ ...document, stacks: answers.map(({ stack }) => stack) });
  answers.forEach(({ stack, holds }, index) => {
    // The list leaves the chains out.
    const listed = JSON.stringify({ ...stacks[index], chains: stack.chains });
    const whole = JSON.stringify(stack);
    sheet.set(`stack ${stack.stack}`, { chains: listed === whole ? whole : listed, holds: holdsText(holds) });
  });
  return sheet;
}

export async function pins({ ask }) {
  const { pins, missing } = await ask("pins");
  if (pins === null) throw new Refusal(missing);
  return pinsSheet(pins);
}

export async function guilty(page, span) {
  const { stacks } = (await judged(page, span)).verdict;
  const sheet = guiltyStacks(stacks);
  const details = stacks.filter(isGuilty).map(({ stack }) => page.ask("stack", { stack }));
  (await Promise.all(details)).forEach(({ frames }, index) => {
    sheet.set(`#${index + 1}`, { frames: frameNames(frames) });
  });
  return sheet;
}

const IS_CHURN = new Set(["reserve", "reuse"]);

export async function suspects(page, span) {
  await judged(page, span);
  const { role, cards, rest, advice } = await page.ask("suspects", during(span));
  const accused = role === "guilty" ? cards : [];
  const sheet = suspectsSheet(accused, advice.filter(({ action }) => IS_CHURN.has(action)));
  sheet.isPartial = rest !== null;
  return sheet;
}

/** What holds anything, or came to hold it in a span. */
export async function stacks({ ask }, span) {
  const sheet = new Sheet();
  for (const row of await allRows(ask, "stacks", { kind: "all", ...during(span) })) {
    if (row.growth_bytes <= 0) continue;
    sheet.add(path(row.path), {
      live: row.growth_bytes,
      blocks: row.growth_blocks,
      // Stacks without anything live may be part of a row.
      largest: span || row.lines > 1 ? undefined : String(row.largest_bytes),
      place: row.lines === 1 ? place(row.file, row.line) : undefined,
    });
  }
  return sheet;
}

export async function sums({ ask }, span) {
  const { sums, fallen_bytes: fallen } = await ask("stacks", { kind: "all", ...during(span) });
  return new Sheet().set("sums", {
    // What fell has no place in a report of a span.
    live: sums.growth_bytes + (span ? fallen : 0),
    ...(span ? {} : { blocks: sums.live_blocks, total: sums.total_bytes, calls: sums.calls, largest: sums.largest_bytes }),
  });
}

export async function kinds({ ask }) {
  const sheet = new Sheet();
  for (const kind of KINDS) {
    const { sums } = await ask("stacks", { kind });
    sheet.set(kind, { live: sums.live_bytes, blocks: sums.live_blocks, total: sums.total_bytes, calls: sums.calls });
  }
  return sheet;
}

export async function growers({ ask }) {
  const { stacks, rest } = await ask("growers");
  const live = [rest, ...stacks.map(({ bytes }) => bytes)].reduce((sum, values) => sum + (values.at(-1) ?? 0), 0);
  const sheet = new Sheet().set("all at the end", { live });
  for (const { stack, growth_bytes: grown, bytes } of stacks) sheet.set(String(stack), { grown, bytes: bytes.join(" ") });
  return sheet;
}

/** Boxes that are too small to be seen are not there. */
export async function flame({ ask }, span, counter) {
  const boxes = await ask("flame", { kind: "all", counter, ...during(span) });
  const sheet = new Sheet().set("root", { value: boxes.value[0] });
  sheet.isPartial = boxes.left_out > 0;
  const paths = [[]];
  boxes.parent.forEach((parent, box) => {
    if (parent < 0) return;
    paths[box] = [...paths[parent], boxes.names[boxes.name[box]]];
    if (boxes.own[box] > 0) sheet.add(path(paths[box]), { value: boxes.own[box] });
  });
  return sheet;
}

export async function totals({ ask }) {
  const [{ heap, mappings }] = (await ask("about")).files;
  return new Sheet().set("heap", totalColumns(heap)).set("mappings", totalColumns(mappings));
}

export async function changes({ ask }, span) {
  const sheet = new Sheet();
  for (const row of await allRows(ask, "stacks", { kind: "all", ...during(span) })) {
    sheet.add(path(row.path), { bytes: row.growth_bytes, blocks: row.growth_blocks });
  }
  for (const [name, columns] of sheet.rows) if (columns.get("bytes") === 0) sheet.rows.delete(name);
  return sheet;
}

export async function functions({ ask }, span, counter) {
  const sheet = new Sheet();
  for (const row of await allRows(ask, "functions", { kind: "all", counter, ...during(span) })) {
    sheet.set(functionName(row.function, row.library), { self: row.self, cumulative: row.cumulative });
  }
  return sheet;
}

/** Of the highest functions. */
export async function sandwich({ ask }, span) {
  const about = { kind: "all", counter: "live", ...during(span) };
  const sheet = new Sheet();
  sheet.isPartial = true;
  for (const { key, function: name, library } of (await ask("functions", { ...about, limit: 20 })).rows) {
    const [callees, callers] = [await ask("flame", { ...about, function: key }), await ask("flame", { ...about, function: key, inverted: 1 })];
    sheet.set(functionName(name, library), { callers: callers.value[0], callees: callees.value[0] });
  }
  return sheet;
}

export async function without({ ask }, span) {
  const { value } = await ask("flame", { kind: "all", counter: "live", ignore: IGNORED, ...during(span) });
  return new Sheet().set("root", { value: value[0] });
}

export async function callers({ ask }, span) {
  const about = { kind: "all", counter: "live", ...during(span) };
  const sheet = new Sheet();
  for (const { key } of await allRows(ask, "functions", about)) {
    const { function: one, begun, callers, callees } = await ask("callers", { ...about, function: key });
    const name = functionName(one.function, one.library);
    sheet.set(name, { value: one.cumulative, self: one.self });
    if (begun > 0) sheet.set(`${name} by (root)`, { value: begun, recursive: 0 });
    const end = ({ value, recursive }) => ({ value, recursive });
    for (const other of callers) sheet.set(`${name} by ${functionName(other.function, other.library)}`, end(other));
    for (const other of callees) sheet.set(`${name} calls ${functionName(other.function, other.library)}`, end(other));
  }
  return sheet;
}

export async function sizes({ ask }) {
  const { total, live } = await ask("sizes", { kind: "all" });
  if (total === null && live === null) throw new Refusal();
  const sheet = new Sheet();
  const bins = (bins) => new Map((bins ?? []).map((bin) => [bin.from_bytes, bin.blocks]));
  const [made, left] = [bins(total), bins(live)];
  for (const from of new Set([...made.keys(), ...left.keys()])) {
    sheet.set(String(from), { calls: made.get(from) ?? 0, live: left.get(from) ?? 0 });
  }
  return sheet;
}

export async function stages({ ask }, value) {
  const { missing, intervals } = await ask("stages", { value });
  if (missing !== null) throw new Refusal(missing);
  const sheet = new Sheet();
  for (const { name, mean, share, guilty } of intervals) sheet.set(name, { mean, share, guilty });
  return sheet;
}

/** The number of the source file is known from a frame in it. */
export async function lines({ ask }, { source }) {
  const rows = await allRows(ask, "stacks", { kind: "all" });
  const details = await Promise.all(rows.map(({ stack }) => ask("stack", { stack })));
  const places = details.flatMap(({ frames }) => frames.flatMap((frame) => frame.places));
  const { file_id: file } = places.find((one) => one.file?.endsWith(`/${source}`));
  const sheet = new Sheet();
  const answer = await ask("source", { kind: "all", counter: "live", file });
  for (const { line, self, cumulative } of answer.lines) addLine(sheet, line, self, cumulative);
  return sheet;
}

export async function comparison({ ask }, by, counter) {
  const sheet = new Sheet();
  for (const { name, path: names, ...row } of await allRows(ask, "compare", { kind: "all", by, counter })) {
    sheet.set(name ?? path(names), {
      class: row.class, before: row.before, after: row.after, delta: row.delta,
      rate_before: row.rate_before, rate_after: row.rate_after, rate_delta: row.rate_delta, share: row.share,
    });
  }
  return sheet;
}
