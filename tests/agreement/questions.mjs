// What is asked of whom. Every question is a row of this table, every surface a column; what
// they answer is compared value by value. A surface that is not named does not have the
// answer: there is no CSV of verdicts, and a self-contained file holds one profile, no source
// lines and the verdict of the whole recording alone.

import * as csv from "./csv.mjs";
import * as json from "./json.mjs";
import * as page from "./page.mjs";
import * as text from "./text.mjs";

/** An exact value of an earlier surface is what later ones are measured by. */
export const SURFACES = ["json", "csv", "server", "file", "text"];

const COUNTERS = ["live", "total", "calls"];
const STAGE_VALUES = ["rss", "vm", "live", "time"];

/** By command and by page; `file` says whether a self-contained file is asked, too. */
function question(name, { json, text, csv, page, file = true }, ...details) {
  const asked = {};
  if (json) asked.json = ({ recording }) => json(recording, ...details);
  if (csv) asked.csv = ({ recording }) => csv(recording, ...details);
  if (page) asked.server = ({ recording, server }) => page(server, ...details, recording);
  if (page && file) asked.file = ({ recording, file }) => page(file, ...details, recording);
  if (text) asked.text = ({ recording }) => text(recording, ...details);
  return { name, asked };
}

/** All surfaces that have an answer of this name. */
const everywhere = (name) => ({ json: json[name], text: text[name], csv: csv[name], page: page[name] });

/** Rows of tables that are not compared as a whole. */
const FEW = 10;

/** About a span of events; null for the whole recording. */
function aboutSpan(span) {
  const named = (name) => (span ? `${name} of ${span.name} (${span.from}..${span.to})` : name);
  const inFile = { file: span?.isInFile ?? true };
  // What was allocated is known between some moments.
  const counters = span && !span.hasTotals ? ["live"] : COUNTERS;
  return [
    question(named("verdict"), { ...everywhere("verdict"), file: span === null }, span),
    question(named("guilty"), { ...everywhere("guilty"), file: span === null }, span),
    question(named("suspects"), { ...everywhere("suspects"), file: span === null }, span),
    question(named("stacks"), { ...everywhere("stacks"), ...inFile }, span),
    question(named("sums"), { ...everywhere("sums"), ...inFile }, span),
    ...counters.flatMap((counter) =>
      ["flame", "functions"].map((name) =>
        question(named(`${name} by ${counter}`), { ...everywhere(name), ...inFile }, span, counter),
      ),
    ),
    // Text says it in milliseconds.
    ...(span?.hasCpu ? [question(named("flame by cpu"), { ...everywhere("flame"), ...inFile, text: undefined }, span, "cpu")] : []),
    // A table that was not recorded is no CSV.
    question(named("churn"), { ...everywhere("churn"), csv: span && !span.hasTotals ? undefined : csv.churn, file: span === null }, span, FEW),
    question(named("sandwich"), { json: json.sandwich, page: page.sandwich, ...inFile }, span),
    question(named("without a function"), { json: json.without, page: page.without, ...inFile }, span),
    question(named("callers"), { ...everywhere("callers"), ...inFile }, span),
    ...(span?.hasMoments ? [question(named("changes"), { ...everywhere("changes"), ...inFile }, span)] : []),
  ];
}

export function aboutOne(recording) {
  return [
    question("totals", everywhere("totals")),
    question("kinds", everywhere("kinds")),
    ...[null, ...recording.spans].flatMap(aboutSpan),
    question("time", everywhere("time")),
    question("holders", everywhere("holders")),
    question("pins", everywhere("pins")),
    ...(recording.spans.length > 0 ? [question("growers", { json: json.growers, page: page.growers })] : []),
    question("sizes", everywhere("sizes")),
    ...STAGE_VALUES.map((value) => question(`stages by ${value}`, everywhere("stages"), value)),
    ...(recording.source ? [question("lines", { ...everywhere("lines"), file: false })] : []),
  ];
}

export function aboutTwo() {
  const all = ["stack", "function", "library"].flatMap((by) => COUNTERS.map((counter) => [by, counter]));
  return all.map(([by, counter]) =>
    question(`comparison by ${by} of ${counter}`, { ...everywhere("comparison"), file: false }, by, counter),
  );
}
