// What `--csv` says, of the questions that have such a table.

import { functionName, path, smallestSize } from "./names.mjs";
import { leaks, isGuilty } from "./json.mjs";
import { Sheet } from "./sheet.mjs";

/** Lines as objects by the names of the first. */
async function table(recording, span, ...parts) {
  const command = ["report", recording.at(span), "--kind", "all", "--top", "all", "--csv", ...parts];
  const [heads, ...rows] = parsed(await recording.command(...command));
  return rows.map((cells) => Object.fromEntries(heads.map((head, column) => [head, cells[column]])));
}

function parsed(text) {
  const cell = /(?:"((?:[^"]|"")*)"|([^,\n]*))(,|\n)/gy;
  const rows = [[]];
  for (const [, quoted, plain, end] of text.matchAll(cell)) {
    rows.at(-1).push(quoted?.replaceAll('""', '"') ?? plain);
    if (end === "\n") rows.push([]);
  }
  return rows.slice(0, -1);
}

/** Empty where it was not recorded. */
const number = (cell) => (cell === "" ? null : Number(cell));

/** The names of the guilty stacks in the table of all. */
export async function guilty(recording, span) {
  const rows = await table(recording, null, "--view", "stacks", "--counter", "total");
  const names = new Map(rows.map((row) => [row.stack, row.path]));
  const sheet = new Sheet();
  (await leaks(recording, span)).stacks.filter(isGuilty).forEach(({ stack }, index) => {
    sheet.set(`#${index + 1}`, { names: path(names.get(String(stack))?.split(";") ?? []) });
  });
  return sheet;
}

export async function stacks(recording, span) {
  const sheet = new Sheet();
  for (const row of await table(recording, span, "--view", "stacks", "--counter", "live")) {
    sheet.add(path(row.path.split(";")), { live: number(row.live), blocks: number(row.live_blocks) });
  }
  return sheet;
}

async function summary(recording, span) {
  const rows = await table(recording, span, "--view", "summary");
  return Object.fromEntries(rows.map(({ counter, sum }) => [counter, number(sum)]));
}

export async function sums(recording, span) {
  const { live, "live-blocks": blocks, total, calls } = await summary(recording, span);
  return new Sheet().set("sums", { live, blocks, total, calls });
}

export async function flame(recording, span, counter) {
  const sheet = new Sheet().set("root", { value: (await summary(recording, span))[counter] });
  for (const row of await table(recording, span, "--view", "stacks", "--counter", counter)) {
    sheet.add(path(row.path.split(";")), { value: number(row[counter]) });
  }
  return sheet;
}

export async function functions(recording, span, counter) {
  const key = counter.replace("-", "_");
  const sheet = new Sheet();
  for (const row of await table(recording, span, "--view", "cumulative", "--counter", counter)) {
    const [self, cumulative] = [number(row[`self_${key}`]), number(row[`cumulative_${key}`])];
    sheet.set(functionName(row.function, row.library), { self, cumulative });
  }
  return sheet;
}

export async function sizes(recording) {
  const sheet = new Sheet();
  for (const { size, calls, live_blocks } of await table(recording, null, "--view", "size")) {
    sheet.set(smallestSize(size), { calls: number(calls), live: number(live_blocks) });
  }
  return sheet;
}
