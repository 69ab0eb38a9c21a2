// What `--csv` says, of the questions that have such a table.

import { functionName, path, smallestSize } from "./names.mjs";
import { isGuilty, KINDS, leaks } from "./json.mjs";
import { Sheet } from "./sheet.mjs";

async function table(recording, span, ...parts) {
  return objects(await recording.command("report", recording.at(span), "--kind", "all", "--top", "all", "--csv", ...parts));
}

/** Lines as objects by the names of the first. */
function objects(text) {
  const [heads, ...rows] = parsed(text);
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

export async function churn(recording, span, rows) {
  const view = ["--kind", "all", "--top", String(rows), "--view", "churn", "--csv"];
  const sheet = new Sheet();
  sheet.isPartial = true;
  objects(await recording.command("report", recording.at(span), ...view)).forEach((row, index) => {
    const perEvent = (of) => number(row[`${of}_per_event`] || row[of]);
    sheet.set(`#${index + 1}`, {
      stack: number(row.stack), path: path(row.path.split(";")), bytes: perEvent("bytes"), calls: perEvent("calls"),
      all: number(row.bytes),
    });
  });
  return sheet;
}

export async function stacks(recording, span) {
  const sheet = new Sheet();
  for (const row of await table(recording, span, "--view", "stacks", "--counter", "live")) {
    sheet.add(path(row.path.split(";")), {
      live: number(row.live), blocks: number(row.live_blocks), calls: span ? number(row.calls) : undefined,
    });
  }
  return sheet;
}

const sumsOf = (rows) => Object.fromEntries(rows.map(({ counter, sum }) => [counter, number(sum)]));
const summary = async (recording, span) => sumsOf(await table(recording, span, "--view", "summary"));

export async function sums(recording, span) {
  const { live, "live-blocks": blocks, total, calls, largest } = await summary(recording, span);
  return new Sheet().set("sums", { live, blocks, total, calls, largest });
}

export async function flame(recording, span, counter) {
  const sheet = new Sheet().set("root", { value: (await summary(recording, span))[counter] });
  for (const row of await table(recording, span, "--view", "stacks", "--counter", counter)) {
    sheet.add(path(row.path.split(";")), { value: number(row[counter]) });
  }
  return sheet;
}

export async function kinds(recording) {
  const sheet = new Sheet();
  for (const kind of KINDS) {
    const text = await recording.command("report", recording.file, "--kind", kind, "--view", "summary", "--csv");
    const { live, "live-blocks": blocks, total, calls } = sumsOf(objects(text));
    sheet.set(kind, { live, blocks, total, calls });
  }
  return sheet;
}

export async function functions(recording, span, counter) {
  const views = ["--view", "cumulative", "--counter", counter, "--counters", "calls"];
  const sheet = new Sheet();
  for (const row of await table(recording, span, ...views)) {
    sheet.set(functionName(row.function, row.library), {
      self: number(row[`self_${counter}`]),
      cumulative: number(row[`cumulative_${counter}`]),
      calls: number(row.cumulative_calls),
    });
  }
  return sheet;
}

export async function callers(recording, span) {
  const sheet = new Sheet();
  for (const row of await table(recording, span, "--view", "callers", "--counters", "calls", "--min-percent", "0")) {
    const name = functionName(row.function, row.library);
    const other = functionName(row.other, row.other_library);
    const [value, calls, recursive] = [number(row.value), number(row.calls), number(row.recursive)];
    if (row.relation === "cumulative") sheet.set(name, { value, calls });
    if (row.relation === "self") sheet.set(name, { self: value });
    if (row.relation === "caller") sheet.set(`${name} by ${other}`, { value, calls, recursive });
    if (row.relation === "callee") sheet.set(`${name} calls ${other}`, { value, calls, recursive });
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
