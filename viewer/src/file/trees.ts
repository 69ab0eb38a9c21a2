// The trees of one file: by function, by library, and by scope first.

import { CallTree, ROOT_LABEL, type Label } from "./calltree";

export type TreeBy = "function" | "module" | "scope";

/** As the server calls them. */
const NO_LIBRARY = "[no library]";
const NO_SCOPE = "(in no scope)";

/** A scope is called `[name]` and is of no library; so is all that stands for no function. */
const isScope = (label: Label) => label.name.startsWith("[") && label.library === "";

/** Of paths root first, in numbers of labels. */
export function treeBy(by: TreeBy, labels: readonly Label[], paths: readonly (readonly number[])[]): CallTree {
  switch (by) {
    case "function":
      return new CallTree(labels, paths);
    case "module":
      return byLibrary(labels, paths);
    case "scope":
      return byScope(labels, paths);
  }
}

/** Functions of one library that call each other are one. */
function byLibrary(labels: readonly Label[], paths: readonly (readonly number[])[]): CallTree {
  const table = new LabelTable();
  const moved = labels.slice(1).map((label) => {
    const name = isScope(label) ? label.name : label.library || NO_LIBRARY;
    return table.number({ name, library: label.library, framework: false });
  });
  const libraries = paths.map((path) => {
    const all = path.map((label) => moved[label - 1]!);
    return all.filter((label, place) => label !== all[place - 1]);
  });
  return new CallTree(table.labels, libraries);
}

/** What lies in no scope lies below a label of its own, so that the first level is of
    scopes alone. */
function byScope(labels: readonly Label[], paths: readonly (readonly number[])[]): CallTree {
  const noScope = labels.length;
  const all = [...labels, { ...ROOT_LABEL, name: NO_SCOPE }];
  const isOutside = (path: readonly number[]) => path.length > 0 && !isScope(labels[path[0]!]!);
  return new CallTree(all, paths.map((path) => (isOutside(path) ? [noScope, ...path] : path)));
}

/** Every label once; those that read the same are one. */
export class LabelTable {
  readonly labels: Label[] = [ROOT_LABEL];
  private readonly numbers = new Map<string, number>();

  number(label: Label): number {
    const key = `${label.name}\0${label.library}`;
    const known = this.numbers.get(key);
    if (known === undefined) {
      this.numbers.set(key, this.labels.length);
      return this.labels.push({ ...label }) - 1;
    }
    // What only some rules call a framework's is not.
    this.labels[known]!.framework &&= label.framework;
    return known;
  }
}
