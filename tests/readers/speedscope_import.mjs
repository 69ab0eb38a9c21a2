// The importer inside the page of speedscope, without the page.
//
// The package has one script, in which every module is a function that nobody outside can
// call. A line is put at its beginning that hands out those that are loaded late; the
// importer is one of them. What the script does to the page when it starts goes nowhere.

import { createRequire } from 'node:module';
import fs from 'node:fs';
import path from 'node:path';
import vm from 'node:vm';

const require = createRequire(path.join(process.env.NODE_PATH, 'x.js'));

/** Whatever is asked of it, it answers with itself. */
function nothing() {
  const answer = new Proxy(function () {}, {
    get: (_, name) => (name === Symbol.toPrimitive ? () => '' : answer),
    set: () => true,
    apply: () => answer,
    construct: () => answer,
  });
  return answer;
}

function importer() {
  const folder = path.dirname(require.resolve('speedscope/package.json'));
  const release = path.join(folder, 'dist', 'release');
  const script = fs.readdirSync(release).find((name) => /^speedscope-.*\.js$/.test(name));
  const text = fs.readFileSync(path.join(release, script), 'utf8');
  const late = [...text.matchAll(/\.then\(\(\)=>\((\w+)\(\),(\w+)\)\)/g)];
  const thunks = late.map(([, start, module]) => `()=>(${start}(),${module})`);
  const opened = text.replace('(()=>{', `(()=>{modules.push(${thunks.join(',')});`);
  const modules = [];
  const page = nothing();
  const names = ['window', 'document', 'navigator', 'location', 'requestAnimationFrame'];
  for (const [name, value] of [['modules', modules], ...names.map((name) => [name, page])]) {
    Object.defineProperty(globalThis, name, { value, configurable: true });
  }
  // It says which form it takes a file for.
  console.log = () => {};
  try {
    vm.runInThisContext(opened);
  } catch {
    // The page cannot be drawn; the modules are there all the same.
  }
  const found = modules.map((module) => module()).find((it) => it.importProfilesFromArrayBuffer);
  if (!found) throw new Error('the importer of speedscope was not found in its script');
  return found.importProfilesFromArrayBuffer;
}

/** The group of profiles in a file of any form that speedscope knows. */
export async function load(file) {
  const bytes = fs.readFileSync(file);
  const buffer = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length);
  const group = await importer()(path.basename(file), buffer);
  if (!group) throw new Error(`speedscope cannot read ${file}`);
  return group;
}

/** Ends with every difference between two tables of numbers. */
export function compare(found, truth) {
  const names = new Set([...Object.keys(found), ...Object.keys(truth)]);
  const wrong = [...names].filter((name) => found[name] !== truth[name]);
  for (const name of wrong) {
    console.error(`${name}: truth ${truth[name]}, read ${found[name]}`);
  }
  process.exit(wrong.length ? 1 : 0);
}
