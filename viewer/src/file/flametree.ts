// The ways to look at a tree as boxes: from the root to what allocated, the other way round,
// and both of them from one function on, wherever it was called.

import type { Candidate, Width } from "./boxes";
import { ROOT, type CallTree } from "./calltree";
import type { Values } from "./values";

/** A box of the inverted tree: the nodes that allocated, and beside each the node that is
    to be looked at next. */
export interface InvertedBox {
  starts: number[];
  at: number[];
  /** Each counts with all below it, and not alone. */
  isCumulative: boolean;
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
    return this.inverted({ starts, at: starts, isCumulative: false }, ROOT);
  }

  /** A function with all that it called, at its outermost calls. */
  called(label: number): Candidate<number[]> {
    return this.merged(this.outermost(label), label);
  }

  /** A function with those that called it. */
  callers(label: number): Candidate<InvertedBox> {
    const starts = this.outermost(label);
    return this.inverted({ starts, at: starts.map((node) => this.tree.parent[node]!), isCumulative: true }, label);
  }

  private outermost(label: number): number[] {
    const isOutermost = this.tree.isOutermost();
    const nodes: number[] = [];
    for (let node = ROOT + 1; node < this.tree.size; node += 1) {
      if (this.tree.label[node] === label && isOutermost[node]) nodes.push(node);
    }
    return nodes;
  }

  /** What the function of several places called, by function. */
  belowMerged(nodes: number[]): Candidate<number[]>[] {
    const called = new Map<number, number[]>();
    for (const node of nodes) {
      for (const child of this.tree.children(node)) {
        const label = this.tree.label[child]!;
        called.set(label, [...(called.get(label) ?? []), child]);
      }
    }
    return [...called].map(([label, places]) => this.merged(places, label));
  }

  private merged(place: number[], label: number): Candidate<number[]> {
    const width: Width = { value: 0, own: 0, base: 0, weight: 0 };
    for (const node of place) {
      const one = this.box(node).width;
      width.value += one.value;
      width.own += one.own;
      width.base += one.base;
      width.weight += one.weight;
    }
    return { place, label, width };
  }

  /** Who called the function of an inverted box, by function. */
  above({ starts, at, isCumulative }: InvertedBox): Candidate<InvertedBox>[] {
    const callers = new Map<number, InvertedBox>();
    at.forEach((node, member) => {
      if (node === ROOT) return;
      const label = this.tree.label[node]!;
      const caller = callers.get(label) ?? { starts: [], at: [], isCumulative };
      caller.starts.push(starts[member]!);
      caller.at.push(this.tree.parent[node]!);
      callers.set(label, caller);
    });
    return [...callers].map(([label, caller]) => this.inverted(caller, label));
  }

  private inverted(place: InvertedBox, label: number): Candidate<InvertedBox> {
    const width: Width = { value: 0, own: 0, base: 0, weight: 0 };
    place.starts.forEach((start, member) => {
      const part = place.isCumulative ? "cumulative" : "own";
      const value = this.values[part][start]!;
      width.value += value;
      width.base += this.base ? this.base[part][start]! : 0;
      width.weight += (place.isCumulative ? this.weight : this.ownWeight)[start]!;
      // What nobody further out called.
      if (place.at[member] === ROOT) width.own += value;
    });
    return { place, label, width };
  }
}
