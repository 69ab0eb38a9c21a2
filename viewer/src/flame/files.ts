// What is drawn, as rows of a table for a file.

import type { Cell } from "../download";
import { libraryOf, nameOf, type Tree } from "./tree";

export const CSV_HEAD = [
  "depth", "name", "library", "value", "own", "base", "framework", "matched", "key", "path",
];

/** All boxes of an answer, parents first; the path goes from the root of the answer on. */
export function csvRows(tree: Tree): Cell[][] {
  const { answer } = tree;
  const paths: string[] = [];
  return answer.key.map((key, box) => {
    const name = nameOf(tree, box);
    paths[box] = box === 0 ? name : `${paths[answer.parent[box]!]};${name}`;
    return [
      tree.depth[box]!, name, libraryOf(tree, box), answer.value[box]!, answer.own[box]!,
      answer.base?.[box], answer.framework[box]!, answer.matched[box]!, key, paths[box],
    ];
  });
}
