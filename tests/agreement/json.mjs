// What `--json` says.

import { functionName, IGNORED, path, place, smallestSize } from "./names.mjs";
import { Sheet } from "./sheet.mjs";
import { Refusal } from "./surfaces.mjs";

const asked = async (recording, ...parts) => JSON.parse(await recording.command(...parts, "--json"));
export const KINDS = ["heap", "mapping", "reported", "all"];
const reported = (recording, span, ...parts) =>
  asked(recording, "report", recording.at(span), "--kind", "all", "--top", "all", ...parts);

export const leaks = (recording, span) => asked(recording, "leaks", recording.at(span));

export async function verdict(recording, span) {
  return new Sheet().set("verdict", verdictColumns(await leaks(recording, span)));
}

/** Of the document that the page gets, too. */
export function verdictColumns(verdict) {
  return {
    headline: verdict.verdict,
    basis: verdict.basis,
    unit: verdict.unit,
    rate: verdict.rate_bytes_per_event,
    low: verdict.low,
    high: verdict.high,
    visible: verdict.smallest_visible_bytes_per_event,
    first: verdict.first_event,
    last: verdict.last_event,
    warm_up: verdict.warm_up_events,
    needs: verdict.needs_events,
    reasons: verdict.reasons.join("\n"),
  };
}

/** What `residue slow` says. */
export async function time(recording) {
  return timeSheet(await asked(recording, "slow", recording.file));
}

/** Of the document that the page gets, too. */
export function timeSheet(verdict) {
  const sheet = new Sheet().set("verdict", {
    headline: verdict.headline,
    verdict: verdict.verdict,
    basis: verdict.basis,
    rate: verdict.rate_ns_per_event,
    low: verdict.low,
    high: verdict.high,
    reasons: verdict.reasons.join("\n"),
    counter: verdict.counter?.words ?? null,
    growing: functionLines(verdict.growing).join("\n"),
    limits: verdict.limits.join("\n"),
    none: verdict.no_slow_events,
  });
  for (const { name, course, ...times } of verdict.measures) {
    sheet.set(name, { course, mean: times.mean_ns, median: times.median_ns, longest: times.longest_ns });
  }
  for (const { measure, words, events, functions, stages, allocations, no_cause: none, ...slow } of verdict.slow) {
    const causes = [...functionLines(functions), ...[...stages, ...allocations].map((one) => one.words), ...(none ? [none] : [])];
    sheet.set(`slow by ${measure}`, {
      words,
      causes: causes.join("\n"),
      found: slow.found,
      excess: slow.excess_ns,
      events: events.map(({ event, id, value_ns, expected_ns }) => [event, id, value_ns, expected_ns].join(" ")).join("\n"),
    });
  }
  return sheet;
}

/** What is said of functions, each with its path. */
const functionLines = (functions) =>
  functions.flatMap(({ words, shown, place }) => [words, [shown, place].filter(Boolean).join("  ")]);

/** Who allocates most in each event; of the whole recording also what need not be allocated. */
export async function churn(recording, span, rows) {
  const { churn, advice } = await asked(
    recording, "report", recording.at(span), "--kind", "all", "--top", String(rows), "--view", "churn,advice",
  );
  const title = churn && (churn.found > 0 ? `churn: ${churn.words}` : "churn: none");
  return churnSheet({ title: title ?? undefined, churn, advice: span ? [] : advice });
}

/** Of the documents that the page gets, too. */
export function churnSheet({ title, churn, advice }) {
  const sheet = new Sheet().set("churn", { title, isKnown: churn !== null, events: churn?.events, found: churn?.found });
  churn?.rows.forEach((row, index) => {
    const isFreedKnown = churn.rows.some((one) => one.freed_in_event !== null);
    const freed = isFreedKnown ? row.freed_in_event : row.temporaries;
    sheet.set(`#${index + 1}`, {
      stack: row.stack,
      path: path(row.path),
      bytes: row.bytes_per_event ?? row.bytes,
      calls: row.calls_per_event ?? row.calls,
      all: row.bytes,
      share: row.bytes / churn.bytes,
      freed: freed === null ? null : freed / row.calls,
    });
  });
  advice.forEach(({ stack, action, words }, index) => sheet.set(`advice #${index + 1}`, { stack, words: `${action} ${words}` }));
  return sheet;
}

/** What is lost, what is held, and by whom. */
export async function holders(recording) {
  const document = await asked(recording, "holders", recording.file);
  const sheet = holdersSheet(document);
  for (const row of document.stacks) {
    sheet.set(`stack ${row.stack}`, { chains: JSON.stringify(row), holds: holdsOf(document.stacks, row.stack) });
  }
  return sheet;
}

/** Of the document that the page gets, too; its stacks have all their chains. */
export function holdersSheet({ all, stacks, retained, about }) {
  const [lost, held] = [lostOf(all), heldOf(all)];
  const sheet = new Sheet().set("holders", {
    about: about.join("\n"), lost: lost.bytes, lost_blocks: lost.blocks, held: held.bytes, held_blocks: held.blocks,
  });
  const isLosing = (row) => lostOf(row).blocks > 0;
  const line = ({ shown, place }) => [shown, place].filter(Boolean).join("  ");
  stacks.filter(isLosing).forEach((row, index) => sheet.set(`lost #${index + 1}`, { line: line(row), ...lostOf(row) }));
  stacks.filter((row) => !isLosing(row)).forEach((row, index) => {
    const chains = row.chains.map(({ words }) => words).join("\n");
    sheet.set(`held #${index + 1}`, { line: line(row), ...heldOf(row), chains });
  });
  retained.forEach(({ bytes, holder }, index) => sheet.set(`retained #${index + 1}`, { bytes, words: holder.words }));
  return sheet;
}

const sumOf = (parts) => ({
  bytes: parts.reduce((all, { bytes }) => all + bytes, 0),
  blocks: parts.reduce((all, { blocks }) => all + blocks, 0),
});
const lostOf = (of) => sumOf([of.lost, of.lost_in_cycle, of.held_by_lost]);
const heldOf = (of) => sumOf([of.held, of.held_inside]);

/** What is reached through the blocks of a stack, as a text: chains of others lead over it. */
function holdsOf(stacks, holder) {
  const held = stacks.flatMap(({ stack, chains }) => {
    const over = chains.filter(({ steps }) => steps.some((step) => step.stack === holder));
    return stack !== holder && over.length > 0 ? [{ stack, ...sumOf(over) }] : [];
  });
  return holdsText(held);
}

export function holdsText(held) {
  const rows = held.map(({ stack, bytes, blocks }) => ({ stack, bytes, blocks }));
  rows.sort((one, other) => other.bytes - one.bytes || one.stack - other.stack);
  return JSON.stringify(rows);
}

/** Who keeps pages of the heap resident. */
export async function pins(recording) {
  return pinsSheet(await asked(recording, "pins", recording.file));
}

/** Of the document that the page gets, too; it may leave stacks out. */
export function pinsSheet(document) {
  const { about, stacks, sizes, ages, freed, advice } = document;
  const sheet = new Sheet().set("pins", {
    about: about.join("\n"), resident: document.resident_bytes, used: document.used_bytes, free: document.free_bytes,
    free_pages: document.free_page_bytes,
  });
  const line = ({ shown, place }) => [shown, place].filter(Boolean).join("  ");
  stacks.forEach((row, index) => sheet.set(`#${index + 1}`, { line: line(row), free: row.free_bytes, whole: JSON.stringify(row) }));
  const isSeen = ({ free_bytes: free }) => free > 0 && free >= Math.floor(document.free_bytes / 200);
  for (const [kind, rows] of Object.entries({ size: sizes, age: ages })) {
    rows.filter(isSeen).forEach((row, index) => {
      sheet.set(`${kind} #${index + 1}`, { free: row.free_bytes, used: row.used_bytes, whole: JSON.stringify(row) });
    });
  }
  freed.forEach((row, index) => {
    sheet.set(`freed #${index + 1}`, { line: line(row), peak: row.at_peak_bytes, live: row.live_bytes });
  });
  advice.forEach(({ action, words }, index) => sheet.set(`advice #${index + 1}`, { words: `${action} ${words}` }));
  sheet.set("map", { whole: JSON.stringify(document.map) });
  return sheet;
}

/** The stacks that make the growth, and their frames as they were recorded. */
export async function guilty(recording, span) {
  const { stacks } = await leaks(recording, span);
  const all = await highest(recording, null, "total");
  const frames = new Map(all.map((entry) => [entry.stack, entry.frames]));
  const sheet = guiltyStacks(stacks);
  stacks.filter(isGuilty).forEach(({ stack }, index) => {
    sheet.set(`#${index + 1}`, { frames: frameNames(frames.get(stack) ?? []) });
  });
  return sheet;
}

export const isGuilty = ({ share }) => share !== null;

/** Of the document that the page gets, too. */
export function guiltyStacks(stacks) {
  const sheet = new Sheet();
  stacks.filter(isGuilty).forEach((stack, index) => {
    sheet.set(`#${index + 1}`, {
      stack: stack.stack,
      kind: stack.kind,
      rate: stack.rate_bytes_per_event,
      low: stack.low,
      high: stack.high,
      share: stack.share,
      names: path(stack.path),
      line: [stack.shown, stack.place].filter(Boolean).join("  "),
    });
  });
  return sheet;
}

/** Bytes that advice has to save to be worth a line, and lines of it. */
const LEAST_SAVED = 64 << 10;
const MOST_ADVICE = 3;

/** Whom to look at first, and what to do. */
export async function suspects(recording, span) {
  const { stacks, churn } = await leaks(recording, span);
  const worth = churn.filter(({ saved_bytes_low: saved }) => saved >= LEAST_SAVED).slice(0, MOST_ADVICE);
  return suspectsSheet(stacks.filter(isGuilty), worth);
}

/** Of the answer of the page, too. */
export function suspectsSheet(cards, advice) {
  const line = ({ shown, place }) => [shown, place].filter(Boolean).join("  ");
  const sheet = new Sheet();
  cards.forEach((card, index) => {
    sheet.set(`#${index + 1}`, {
      stack: card.stack, kind: card.kind, rate: card.rate_bytes_per_event, share: card.share, line: line(card),
      shape: card.shape, held: card.held ?? "", why: card.why,
    });
  });
  advice.forEach((one, index) => sheet.set(`advice ${index + 1}`, { action: one.action, words: one.words, line: line(one) }));
  return sheet;
}

/** Every function of some frames with its place, inlined ones too, root first. */
export function frameNames(frames) {
  const names = frames.flatMap(({ function: name, places = [] }) =>
    places.length === 0 ? [name] : places.map((one) => `${one.function} ${one.file}:${one.line}`),
  );
  return path(names.reverse());
}

/** Stacks with anything of a counter, the highest first. */
async function highest(recording, span, counter) {
  return (await reported(recording, span, "--view", "stacks", "--counter", counter)).top;
}

/** Stacks with anything live. */
export async function stacks(recording, span) {
  const sheet = new Sheet();
  for (const { path: names, counters, frames } of await highest(recording, span, "live")) {
    // Rules hide frames: the innermost that is shown is the one that the path ends in.
    const places = frames.flatMap((frame) => frame.places ?? []);
    const innermost = places.find((one) => one.function === names.at(-1));
    sheet.add(path(names), {
      live: counters.live_bytes,
      blocks: counters.live_blocks,
      // Between moments not recorded; of a path that has stacks without anything live, in part.
      calls: span ? counters.calls : undefined,
      // As text: maxima are not added up.
      largest: span ? undefined : String(counters.largest_bytes),
      place: place(innermost?.file, innermost?.line),
    });
  }
  return sheet;
}

export async function sums(recording, span) {
  const { sums } = (await reported(recording, span, "--view", "summary")).selection;
  return new Sheet().set("sums", { live: sums.live, blocks: sums.live_blocks, total: sums.total, calls: sums.calls, largest: sums.largest });
}

/** All, and what ends in each path. */
export async function flame(recording, span, counter) {
  const { selection } = await reported(recording, span, "--view", "summary", "--counter", counter);
  const sheet = new Sheet().set("root", { value: selection.whole });
  for (const { path: names, value } of await highest(recording, span, counter)) sheet.add(path(names), { value });
  return sheet;
}

export async function totals(recording) {
  const { heap, mappings } = await reported(recording, null, "--view", "summary");
  return new Sheet().set("heap", totalColumns(heap)).set("mappings", totalColumns(mappings));
}

/** Of the document that the page gets, too. */
export function totalColumns(totals) {
  return {
    calls: totals.calls,
    total: totals.total_bytes,
    live: totals.live_bytes,
    blocks: totals.live_blocks,
    peak: totals.peak_bytes,
    frees: totals.frees,
    temporaries: totals.temporaries,
  };
}

/** By kind of memory. */
export async function kinds(recording) {
  const sheet = new Sheet();
  for (const kind of KINDS) {
    const { sums } = (await asked(recording, "report", recording.file, "--kind", kind, "--view", "summary")).selection;
    sheet.set(kind, { live: sums.live, blocks: sums.live_blocks, total: sums.total, calls: sums.calls });
  }
  return sheet;
}

/** What all stacks hold at the end, which those of the picture over the events add up to. */
export async function growers(recording) {
  const { sums } = (await asked(recording, "report", recording.file, "--kind", "all", "--view", "summary")).selection;
  const sheet = new Sheet().set("all at the end", { live: sums.live });
  sheet.isPartial = true;
  return sheet;
}

/** By how much each path changed. */
export async function changes(recording, span) {
  const { before, after } = recording.moments(span);
  const sheet = new Sheet();
  for (const row of (await asked(recording, "diff", before, after, "--kind", "all")).rows) {
    sheet.set(path([...row.frames].reverse()), { bytes: row.delta, blocks: row.beside.delta });
  }
  return sheet;
}

export async function functions(recording, span, counter) {
  const views = ["--view", "cumulative", "--counter", counter, "--counters", "calls"];
  const { cumulative } = await reported(recording, span, ...views);
  const sheet = new Sheet();
  for (const row of cumulative.rows) {
    sheet.set(functionName(row.function, row.library), {
      self: row[`self_${counter}`],
      cumulative: row[`cumulative_${counter}`],
      calls: row.cumulative_calls,
    });
  }
  return sheet;
}

/** A function between its callers and callees: as much on both sides. */
export async function sandwich(recording, span) {
  const { cumulative } = await reported(recording, span, "--view", "cumulative", "--counter", "live");
  const sheet = new Sheet();
  for (const { function: name, library, cumulative_live: live } of cumulative.rows) {
    sheet.set(functionName(name, library), { callers: live, callees: live });
  }
  return sheet;
}

/** What is there apart from all stacks through one function. */
export async function without(recording, span) {
  const { selection } = await reported(recording, span, "--view", "summary", "--ignore", IGNORED);
  return new Sheet().set("root", { value: selection.whole });
}

/** Who calls whom, with what was allocated below. */
export async function callers(recording, span) {
  const { callers } = await reported(recording, span, "--view", "callers", "--min-percent", "0");
  const sheet = new Sheet();
  for (const one of callers.functions) {
    const name = functionName(one.function, one.library);
    sheet.set(name, { value: one.cumulative, self: one.self, calls: one.cumulative_calls });
    const end = ({ value, recursive, calls }) => ({ value, recursive, calls });
    for (const other of one.callers) sheet.set(`${name} by ${functionName(other.function, other.library)}`, end(other));
    for (const other of one.callees) sheet.set(`${name} calls ${functionName(other.function, other.library)}`, end(other));
  }
  return sheet;
}

export async function sizes(recording) {
  const { sizes } = await reported(recording, null, "--view", "size");
  if (sizes === null) throw new Refusal();
  const sheet = new Sheet();
  for (const { size, calls, live_blocks } of sizes) {
    sheet.set(smallestSize(size), { calls, live: live_blocks });
  }
  return sheet;
}

export async function stages(recording, value) {
  const { stages, per } = await asked(recording, "stages", recording.file, "--value", value);
  const sheet = new Sheet();
  stages.intervals.forEach(({ from, to, outside, mean, share }, index) => {
    const name = outside ? `outside: ${from} -> ${to} of the next ${per}` : `${from} -> ${to}`;
    sheet.set(name, { mean, share, guilty: stages.guilty?.interval === index });
  });
  return sheet;
}

/** What the lines of a source file hold, themselves and with all that they called. */
export async function lines(recording) {
  const command = ["list", recording.file, "*", "--kind", "all", "--counter", "live"];
  const sheet = new Sheet();
  for (const one of (await asked(recording, ...command)).functions) {
    if (!one.file?.endsWith(`/${recording.source}`)) continue;
    for (const { line, self, cumulative } of one.lines) addLine(sheet, line, self.live, cumulative.live);
  }
  return sheet;
}

/** Lines that hold nothing are in no answer. */
export function addLine(sheet, line, self, cumulative) {
  if (cumulative !== 0) sheet.add(`line ${line}`, { self, cumulative });
}

export async function comparison(recordings, by, counter) {
  const document = JSON.parse(await recordings.command(...recordings.diff(by, counter), "--json"));
  const sheet = new Sheet();
  for (const { name, frames, ...row } of document.rows) {
    sheet.set(name ?? path([...frames].reverse()), {
      class: row.class, before: row.before, after: row.after, delta: row.delta,
      rate_before: row.rate_before, rate_after: row.rate_after, rate_delta: row.rate_delta, share: row.share,
    });
  }
  return sheet;
}
