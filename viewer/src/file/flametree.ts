// The two ways to look at a tree as boxes: from the root to what allocated, and the other
// way round.

import type { Candidate, Width } from "./boxes";
import { ROOT, type CallTree } from "./calltree";
import type { Values } from "./values";

/** A box of the inverted tree: the nodes that allocated, and beside each the node that is
    to be looked at next. */
export interface InvertedBox {
  starts: number[];
  at: number[];
}

export class FlameTree {
  /** By node, and with all below: the larger side of each. */
  private readonly ownWeight: Float64Array;
  private readonly weight: Float64Array;

  constructor(
    readonly tree: CallTree,
    private readonly values: Values,
    private readonly base: Values | null,
  ) {
    this.ownWeight = base ? values.own.map((own, node) => Math.max(own, base.own[node]!)) : values.own;
    this.weight = base ? tree.cumulative(this.ownWeight) : values.cumulative;
  }

  /** A node with all below it. */
  box(node: number): Candidate<number> {
    const { values, base } = this;
    const width = {
      value: values.cumulative[node]!,
      own: values.own[node]!,
      base: base ? base.cumulative[node]! : 0,
      weight: this.weight[node]!,
    };
    return { place: node, label: this.tree.label[node]!, width };
  }

  below(node: number): Candidate<number>[] {
    return this.tree.children(node).map((child) => this.box(child));
  }

  /** Everything, to be looked at from where it was allocated. */
  ends(): Candidate<InvertedBox> {
    const starts: number[] = [];
    for (let node = ROOT + 1; node < this.tree.size; node += 1) {
      if (this.ownWeight[node]! > 0) starts.push(node);
    }
    return this.inverted({ starts, at: starts }, ROOT);
  }

  /** Who called the function of an inverted box, by function. */
  above({ starts, at }: InvertedBox): Candidate<InvertedBox>[] {
    const callers = new Map<number, InvertedBox>();
    at.forEach((node, member) => {
      if (node === ROOT) return;
      const label = this.tree.label[node]!;
      const caller = callers.get(label) ?? { starts: [], at: [] };
      caller.starts.push(starts[member]!);
      caller.at.push(this.tree.parent[node]!);
      callers.set(label, caller);
    });
    return [...callers].map(([label, caller]) => this.inverted(caller, label));
  }

  private inverted(place: InvertedBox, label: number): Candidate<InvertedBox> {
    const width: Width = { value: 0, own: 0, base: 0, weight: 0 };
    place.starts.forEach((start, member) => {
      const value = this.values.own[start]!;
      width.value += value;
      width.base += this.base ? this.base.own[start]! : 0;
      width.weight += this.ownWeight[start]!;
      // What nobody further out called.
      if (place.at[member] === ROOT) width.own += value;
    });
    return { place, label, width };
  }
}
