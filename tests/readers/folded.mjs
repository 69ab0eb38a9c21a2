// Folded stacks, as speedscope imports them.
//
// format: folded
// suffix: .collapsedstack.txt
// counters: one
// npm: speedscope

import fs from 'node:fs';
import { compare, load } from './speedscope_import.mjs';

const [file, truthFile] = process.argv.slice(2);
const truth = JSON.parse(fs.readFileSync(truthFile, 'utf8')).counters;
const group = await load(file);
const [name] = Object.keys(truth);
compare({ [name]: group.profiles[0].getTotalNonIdleWeight() }, truth);
