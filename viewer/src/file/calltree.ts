// A tree of calls: paths that begin with the same functions share these.

export interface Label {
  name: string;
  library: string;
  framework: boolean;
}

export const ROOT = 0;
/** The first label of every tree. */
export const ROOT_LABEL: Label = { name: "", library: "", framework: false };

export class CallTree {
  /** By node; the root is its own parent. Parents stand before their children. */
  readonly parent: number[] = [ROOT];
  readonly label: number[] = [ROOT];
  /** By path the node that it ends in. */
  readonly ends: number[];
  private readonly below: number[][] = [[]];
  private outermost: Uint8Array | null = null;

  constructor(readonly labels: readonly Label[], paths: Iterable<readonly number[]>) {
    const known = new Map<number, number>();
    this.ends = Array.from(paths, (path) => {
      let node = ROOT;
      for (const label of path) {
        const call = node * labels.length + label;
        const next = known.get(call) ?? this.add(node, label);
        known.set(call, next);
        node = next;
      }
      return node;
    });
  }

  get size(): number {
    return this.parent.length;
  }

  children(node: number): readonly number[] {
    return this.below[node]!;
  }

  /** The child of a node by its label. */
  child(node: number, label: number): number | null {
    return this.children(node).find((child) => this.label[child] === label) ?? null;
  }

  /** By node, the sum over the node and all below it. */
  cumulative(own: Float64Array): Float64Array {
    const sums = own.slice();
    for (let node = this.size - 1; node > ROOT; node -= 1) sums[this.parent[node]!]! += sums[node]!;
    return sums;
  }

  /** By node, 1 where it or one above it has a marked label. */
  nodesIn(isMarked: (label: number) => boolean): Uint8Array {
    const marked = this.labels.map((_, label) => isMarked(label));
    const isIn = new Uint8Array(this.size);
    for (let node = ROOT + 1; node < this.size; node += 1) {
      isIn[node] = marked[this.label[node]!] ? 1 : isIn[this.parent[node]!]!;
    }
    return isIn;
  }

  /** By node, 1 where no node above it has the same label: a function that calls itself
      counts once. */
  isOutermost(): Uint8Array {
    return (this.outermost ??= this.findOutermost());
  }

  private findOutermost(): Uint8Array {
    const isOutermost = new Uint8Array(this.size);
    const isAbove = new Uint8Array(this.labels.length);
    const path: number[] = [];
    // A list and not recursion: how deep paths go is up to the program.
    const work = [...this.children(ROOT)];
    for (let node = work.pop(); node !== undefined; node = work.pop()) {
      while (path.length > 0 && path.at(-1) !== this.parent[node]) {
        const left = path.pop()!;
        if (isOutermost[left]) isAbove[this.label[left]!] = 0;
      }
      const label = this.label[node]!;
      isOutermost[node] = isAbove[label] ? 0 : 1;
      isAbove[label] = 1;
      path.push(node);
      work.push(...this.children(node));
    }
    return isOutermost;
  }

  private add(parent: number, label: number): number {
    const node = this.size;
    this.parent.push(parent);
    this.label.push(label);
    this.below.push([]);
    this.below[parent]!.push(node);
    return node;
  }
}
