// speedscope's own importer: the weights of every profile, and what its call trees add up to.
//
// format: speedscope
// suffix: .speedscope.json
// counters: many
// npm: speedscope

import fs from 'node:fs';
import { compare, load } from './speedscope_import.mjs';

const [file, truthFile] = process.argv.slice(2);
const truth = JSON.parse(fs.readFileSync(truthFile, 'utf8')).counters;
const group = await load(file);
const found = {};
for (const profile of group.profiles) {
  const sum = profile.getTotalNonIdleWeight();
  const { children } = profile.getGroupedCalltreeRoot();
  const inTree = children.reduce((total, child) => total + child.getTotalWeight(), 0);
  if (inTree !== sum || profile.getTotalWeight() !== sum) {
    throw new Error(`${profile.getName()}: the tree has ${inTree}, not ${sum}`);
  }
  found[profile.getName()] = sum;
}
compare(found, truth);
