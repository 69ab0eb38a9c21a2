// The way from everything to the box that is shown as the root.

import { threadOfKey } from "./question";
import { nameOf, pathTo, type Tree } from "./tree";

export interface Crumb {
  name: string;
  value: number;
  /** What to change in the address to go there. */
  steps: Record<string, string | undefined>;
}

/** From "everything" on. `thread` is the one that alone is shown, if one is. */
export function crumbsOf(tree: Tree, root: number, thread: { tid: string; name: string } | null): Crumb[] {
  const { answer } = tree;
  const crumbs: Crumb[] = [
    { name: "everything", value: answer.whole, steps: { root: undefined, thread: undefined, span: undefined } },
  ];
  const boxes = [
    ...answer.breadcrumbs,
    ...pathTo(tree, root).map((box) => ({
      key: answer.key[box]!,
      name: nameOf(tree, box),
      value: answer.value[box]!,
    })),
  ];
  const threadBox = boxes.findIndex((box) => threadOfKey(box.key) !== null);
  if (thread !== null && threadBox < 0) {
    const value = boxes.length === 0 ? answer.value[0]! : answer.whole;
    crumbs.push({ name: thread.name, value, steps: { root: undefined, thread: thread.tid, span: undefined } });
  }
  boxes.forEach((box, place) => {
    const tid = threadOfKey(box.key);
    const steps = tid === null ? { root: box.key, span: undefined } : { root: undefined, thread: tid, span: undefined };
    crumbs.push({ name: box.name, value: box.value, steps: place < threadBox ? { ...steps, thread: undefined } : steps });
  });
  return crumbs;
}
