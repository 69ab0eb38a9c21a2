// The trees of one file: by function, by library, and by scope first.

import { CallTree, ROOT_LABEL, type Label } from "./calltree";
import type { Part } from "./recording";

export type TreeBy = "function" | "module" | "scope";

/** As the server calls it. */
const NO_SCOPE = "(in no scope)";

/** A scope is called `[name]` and is of no library; so is all that stands for no function. */
const isScope = (label: Label) => label.name.startsWith("[") && label.library === "";

/** What trees are made of. */
interface Paths {
  labels: readonly Label[];
  libraries: readonly Label[];
  parts: readonly Part[];
}

export function treeBy(by: TreeBy, { labels, libraries, parts }: Paths): CallTree {
  switch (by) {
    case "function":
      return new CallTree(labels, parts.map((part) => part.path));
    case "module":
      return new CallTree(libraries, parts.map((part) => part.byLibrary));
    case "scope":
      return byScope(labels, parts);
  }
}

/** What lies in no scope lies below a label of its own, so that the first level is of
    scopes alone. */
function byScope(labels: readonly Label[], parts: readonly Part[]): CallTree {
  const noScope = labels.length;
  const all = [...labels, { ...ROOT_LABEL, name: NO_SCOPE }];
  const isOutside = (path: readonly number[]) => path.length > 0 && !isScope(labels[path[0]!]!);
  return new CallTree(all, parts.map(({ path }) => (isOutside(path) ? [noScope, ...path] : path)));
}
