// The trees of one file: by function, by library, and by scope first.

import { CallTree, ROOT_LABEL, type Label } from "./calltree";
import type { Part } from "./recording";

export type TreeBy = "function" | "module" | "scope";

/** As the server calls it. */
const NO_SCOPE = "(in no scope)";

/** What trees are made of. */
interface Paths {
  labels: readonly Label[];
  libraries: readonly Label[];
  parts: readonly Part[];
  /** Names of the outermost scopes, as labels have them. */
  scopes: ReadonlySet<string>;
}

export function treeBy(by: TreeBy, { labels, libraries, parts, scopes }: Paths): CallTree {
  switch (by) {
    case "function":
      return new CallTree(labels, parts.map((part) => part.path));
    case "module":
      return new CallTree(libraries, parts.map((part) => part.byLibrary));
    case "scope":
      return byScope(labels, parts, scopes);
  }
}

/** What lies in no scope lies below a label of its own, so that the first level is of
    scopes alone. */
function byScope(labels: readonly Label[], parts: readonly Part[], scopes: ReadonlySet<string>): CallTree {
  const noScope = labels.length;
  const all = [...labels, { ...ROOT_LABEL, name: NO_SCOPE }];
  const isOutside = (path: readonly number[]) => path.length > 0 && !scopes.has(labels[path[0]!]!.name);
  return new CallTree(all, parts.map(({ path }) => (isOutside(path) ? [noScope, ...path] : path)));
}
