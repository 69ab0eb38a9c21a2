// Every question about a recording has one answer, whoever is asked: the text of the command,
// `--json`, `--csv`, the server of the page, and the page in a self-contained file.
//
//   node tests/agreement/run.mjs RESIDUE WORKLOADS FILE_ANSWERS.js [--only RECORDING] [--keep]
//
// FILE_ANSWERS.js is `viewer/src/file/filesource.ts` for Node. Prints each disagreement, and in
// the end how many values of each surface were compared; exit status 1 when there is any
// disagreement, or a surface that was not compared in a question it has an answer to.

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { KNOWN } from "./known.mjs";
import { aboutOne, aboutTwo, SURFACES } from "./questions.mjs";
import { Lab, PAIRS, RECORDINGS } from "./recordings.mjs";
import { compare, Sheet } from "./sheet.mjs";
import { Refusal } from "./surfaces.mjs";

const AT_ONCE = 2;

/** What a surface says; that it refuses to is an answer, too. */
async function answer(ask, asked) {
  try {
    return await ask(asked);
  } catch (error) {
    if (error instanceof Refusal) return Sheet.refused(error.message);
    throw error;
  }
}

class Tally {
  values = Object.fromEntries(SURFACES.map((surface) => [surface, 0]));
  /** By kind of question and surface. */
  byQuestion = new Map();
  disagreements = 0;
  known = new Set();

  add(name, compared) {
    const [kind] = name.split(" ");
    for (const [surface, count] of compared) {
      this.values[surface] += count;
      const key = `${kind} by ${surface}`;
      this.byQuestion.set(key, (this.byQuestion.get(key) ?? 0) + count);
    }
  }

  complain(recording, question, { place, one, other }) {
    const line = `${recording} | ${question} | ${place} | ${one[0]} says ${one[1]} | ${other[0]} says ${other[1]}`;
    const known = KNOWN.find(({ line: pattern }) => pattern.test(line));
    if (known) this.known.add(known);
    else {
      this.disagreements += 1;
      console.log(line);
    }
  }

  /** Whether all agreed, and nothing was compared with itself alone. Of some recordings not
      everything is seen that is known. */
  report(isWhole) {
    for (const [surface, count] of Object.entries(this.values)) console.log(`${surface}: ${count} values compared`);
    const silent = [...this.byQuestion].filter(([, count]) => count === 0).map(([key]) => key);
    for (const key of silent) console.log(`nothing was compared: ${key}`);
    const past = isWhole ? KNOWN.filter((one) => !this.known.has(one)) : [];
    for (const { why } of past) console.log(`is not seen any more, and can go from the list: ${why}`);
    console.log(`${this.disagreements} disagreements, ${this.known.size} kinds that are known`);
    const isSilent = silent.length > 0 || Object.values(this.values).includes(0);
    return this.disagreements === 0 && past.length === 0 && !isSilent;
  }
}

async function askAll(open, questionsOf, tally) {
  const asked = await open();
  try {
    const { name } = asked.recording;
    for (const question of questionsOf(asked.recording)) {
      const surfaces = SURFACES.filter((surface) => question.asked[surface]);
      const answers = await Promise.all(surfaces.map((surface) => answer(question.asked[surface], asked)));
      const sheets = new Map(surfaces.map((surface, index) => [surface, answers[index]]));
      const { complaints, compared } = compare(sheets);
      tally.add(question.name, compared);
      for (const complaint of complaints) tally.complain(name, question.name, complaint);
    }
  } finally {
    await asked.server.close();
  }
}

/** Some at a time: programs start, and answers are waited for. */
async function inTurn(tasks) {
  const waiting = [...tasks];
  const work = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) await next();
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
}

async function main() {
  const options = { only: { type: "string", default: "" }, keep: { type: "boolean", default: false } };
  const { positionals, values } = parseArgs({ allowPositionals: true, options });
  if (positionals.length !== 3) {
    console.error("usage: node run.mjs RESIDUE WORKLOADS FILE_ANSWERS.js [--only RECORDING] [--keep]");
    return 2;
  }
  const [residue, workloads, answers] = positionals.map((path) => resolve(path));
  const { FileSource } = await import(pathToFileURL(answers));
  const folder = await mkdtemp(join(tmpdir(), "residue-agreement-"));
  const lab = new Lab(residue, workloads, folder, FileSource);
  const tally = new Tally();
  try {
    for (const recording of RECORDINGS) await recording.make(lab);
    const wanted = (...names) => names.some((name) => name.includes(values.only));
    await inTurn([
      ...RECORDINGS.filter(({ name }) => wanted(name)).map((one) => () => askAll(() => lab.open(one), aboutOne, tally)),
      ...PAIRS.filter((pair) => wanted(...pair)).map((pair) => () => askAll(() => lab.openPair(...pair), aboutTwo, tally)),
    ]);
  } finally {
    if (values.keep) console.log(`kept: ${folder}`);
    else await rm(folder, { recursive: true, force: true });
  }
  return tally.report(values.only === "") ? 0 : 1;
}

process.exitCode = await main();
