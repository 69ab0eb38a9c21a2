// Who is asked: the command line, the server of the page, and the page in a self-contained
// file. Each answer is fetched once.

import { execFile, spawn } from "node:child_process";
import { readFile } from "node:fs/promises";
import { createInterface } from "node:readline";
import { promisify } from "node:util";

const run = promisify(execFile);
const LONGEST_COMMAND_MS = 120_000;
const LONGEST_OUTPUT_BYTES = 1 << 28;
/** Wide enough that no name is cut. */
const ENVIRONMENT = { ...process.env, COLUMNS: "100000", NO_COLOR: "1" };

/** A question that cannot be answered: an answer, too. */
export class Refusal extends Error {}

function once(make) {
  const made = new Map();
  return (...key) => {
    const name = JSON.stringify(key);
    if (!made.has(name)) made.set(name, make(...key));
    return made.get(name);
  };
}

/** `residue: FILE: why` on standard error, below its warnings. */
function refusalOf(stderr) {
  const lines = stderr.trim().split("\n").filter((line) => !line.startsWith("residue: warning:"));
  return (lines.at(-1) ?? "").replace(/^residue: /, "").replace(/^\S+\.residue: /, "");
}

/** Standard output of the command in a folder; exit status 2 is a refusal. */
export function commandIn(residue, folder) {
  return once(async (...parts) => {
    const options = { cwd: folder, env: ENVIRONMENT, timeout: LONGEST_COMMAND_MS, maxBuffer: LONGEST_OUTPUT_BYTES };
    try {
      return (await run(residue, parts, options)).stdout;
    } catch (error) {
      if (error.code === 2) throw new Refusal(refusalOf(error.stderr));
      throw error;
    }
  });
}

/** A server of these files: `ask` it, and `close` it in the end. */
export async function serve(residue, folder, ...files) {
  const child = spawn(residue, ["view", ...files, "--no-browser"], { cwd: folder, stdio: ["ignore", "pipe", "ignore"] });
  const ended = new Promise((done) => child.once("close", done));
  const address = await new Promise((done, fail) => {
    createInterface({ input: child.stdout }).once("line", done);
    child.once("error", fail);
    child.once("exit", (code) => fail(new Error(`residue view ${files.join(" ")} ended with ${code}`)));
  });
  const ask = once(async (question, parameters = {}) => {
    const url = `${address}api/${question}?${new URLSearchParams(parameters)}`;
    const response = await fetch(url).catch((error) => {
      // A server may close a connection that was kept at the moment it is used again, and a browser asks again.
      if (error.cause?.code !== "UND_ERR_SOCKET") throw error;
      return fetch(url);
    });
    const answer = await response.json();
    if (response.status === 400) throw new Refusal(answer.error);
    if (!response.ok) throw new Error(`${response.status} ${response.url}: ${answer.error}`);
    return answer;
  });
  const close = async () => {
    if (child.exitCode === null) child.kill("SIGTERM");
    await ended;
  };
  return { ask, close };
}

const DATA = /<script type="application\/json" id="residue-data">(.*?)<\/script>/s;

/** The data of a self-contained file. */
export async function dataOf(html) {
  const [, data] = DATA.exec(await readFile(html, "utf8"));
  return JSON.parse(data);
}

/** The page inside a self-contained file, without a browser. */
export function openFile(data, FileSource) {
  const source = new FileSource(data);
  const ask = once(async (question, parameters = {}) => {
    try {
      return await source.ask(question, String(new URLSearchParams(parameters)));
    } catch (error) {
      // Whatever the page throws it shows in place of an answer; what is no sentence is a defect.
      if (error.constructor === Error) throw new Refusal(error.message);
      throw error;
    }
  });
  return { ask };
}
