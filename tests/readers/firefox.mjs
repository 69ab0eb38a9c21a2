// The Firefox Profiler's own command line: the file is read, brought up to the newest version
// of its format, and what its functions have of their own added up for every thread.
//
// format: firefox
// suffix: .json
// counters: many
// npm: @firefox-devtools/profiler-cli
// node: 24

import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { compare } from './speedscope_import.mjs';

const [file, truthFile] = process.argv.slice(2);
const truth = JSON.parse(fs.readFileSync(truthFile, 'utf8')).counters;
const folder = path.join(process.env.NODE_PATH, '@firefox-devtools', 'profiler-cli', 'dist');
const sessions = path.join(path.dirname(truthFile), 'sessions');

function ask(...words) {
  const env = { ...process.env, PROFILER_CLI_SESSION_DIR: sessions };
  const command = [path.join(folder, 'profiler-cli.js'), ...words];
  const options = { env, encoding: 'utf8', maxBuffer: 1 << 30 };
  return execFileSync(process.execPath, command, options);
}

const found = {};
ask('load', path.resolve(file));
try {
  Object.keys(truth).forEach((name, index) => {
    const thread = `t-${index}`;
    const about = JSON.parse(ask('thread', 'info', '--json', '--thread', thread));
    const limit = String(Number.MAX_SAFE_INTEGER);
    const words = ['thread', 'functions', '--json', '--thread', thread, '--limit', limit];
    const { functions } = JSON.parse(ask(...words));
    found[about.name] = functions.reduce((sum, it) => sum + it.selfSamples, 0);
  });
} finally {
  ask('stop');
}
compare(found, truth);
