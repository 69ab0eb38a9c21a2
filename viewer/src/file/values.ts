// Sums over a tree of calls, of a counter or of what a range left.

import { ROOT, type CallTree } from "./calltree";

/** By label. A function that calls itself counts at its outermost call. */
export interface ByLabel {
  own: Float64Array;
  cumulative: Float64Array;
}

export class Values {
  /** By node. */
  readonly own: Float64Array;
  readonly cumulative: Float64Array;
  /** By how much paths fell, which have no place in a tree of what there is. */
  readonly fallen: number;
  private sums: ByLabel | null = null;

  /** `numbers` has one for each path of the tree. */
  constructor(private readonly tree: CallTree, numbers: Float64Array) {
    this.own = new Float64Array(tree.size);
    let fallen = 0;
    tree.ends.forEach((node, path) => {
      const number = numbers[path]!;
      if (number >= 0) this.own[node]! += number;
      else fallen -= number;
    });
    this.fallen = fallen;
    this.cumulative = tree.cumulative(this.own);
  }

  get whole(): number {
    return this.cumulative[ROOT]!;
  }

  byLabel(): ByLabel {
    return (this.sums ??= this.sumByLabel());
  }

  private sumByLabel(): ByLabel {
    const { labels, label, size } = this.tree;
    const isOutermost = this.tree.isOutermost();
    const own = new Float64Array(labels.length);
    const cumulative = new Float64Array(labels.length);
    for (let node = ROOT + 1; node < size; node += 1) {
      own[label[node]!]! += this.own[node]!;
      if (isOutermost[node]) cumulative[label[node]!]! += this.cumulative[node]!;
    }
    return { own, cumulative };
  }
}
