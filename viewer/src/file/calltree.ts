// A tree of calls: paths that begin with the same functions share these.
//
// Nodes stand in the order of a walk from the root down, so all below a node follow it:
//
//   node    0  1  2  3  4          0 ── 1 ── 2
//   end     5  4  3  4  5            │    └─ 3
//                                    └─ 4

export interface Label {
  name: string;
  library: string;
  framework: boolean;
}

export const ROOT = 0;
/** The first label of every tree. */
export const ROOT_LABEL: Label = { name: "", library: "", framework: false };

type Path = readonly number[];

export class CallTree {
  /** By node; the root is its own parent. */
  readonly parent: number[] = [ROOT];
  readonly label: number[] = [ROOT];
  /** By node, the first node after it that is not below it. */
  readonly end: number[] = [];
  /** By path the node that it ends in. */
  readonly ends: number[];
  private outermost: Uint8Array | null = null;

  constructor(readonly labels: readonly Label[], paths: readonly Path[]) {
    this.ends = new Array<number>(paths.length).fill(ROOT);
    const order = paths.map((_, index) => index).sort((one, other) => compare(paths[one]!, paths[other]!));
    // The nodes of the path before, below the root; the next one shares its first ones.
    const open: number[] = [];
    const close = (depth: number) => {
      while (open.length > depth) this.end[open.pop()!] = this.parent.length;
    };
    let before: Path = [];
    for (const index of order) {
      const path = paths[index]!;
      close(commonLength(before, path));
      for (const label of path.slice(open.length)) {
        this.parent.push(open.at(-1) ?? ROOT);
        open.push(this.label.push(label) - 1);
      }
      this.ends[index] = open.at(-1) ?? ROOT;
      before = path;
    }
    close(0);
    this.end[ROOT] = this.size;
  }

  get size(): number {
    return this.parent.length;
  }

  /** By label, ascending. */
  children(node: number): number[] {
    const children: number[] = [];
    for (let child = node + 1; child < this.end[node]!; child = this.end[child]!) children.push(child);
    return children;
  }

  /** By node, the sum over the node and all below it. */
  cumulative(own: Float64Array): Float64Array {
    const sums = own.slice();
    for (let node = this.size - 1; node > ROOT; node -= 1) sums[this.parent[node]!]! += sums[node]!;
    return sums;
  }

  /** By node, 1 where it or one above it has a marked label. */
  nodesIn(isMarked: readonly boolean[]): Uint8Array {
    const isIn = new Uint8Array(this.size);
    for (let node = ROOT + 1; node < this.size; node += 1) {
      isIn[node] = isMarked[this.label[node]!] ? 1 : isIn[this.parent[node]!]!;
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
    /** By label, where the nodes below its last outermost call end. */
    const coveredTo = new Float64Array(this.labels.length);
    for (let node = ROOT + 1; node < this.size; node += 1) {
      const label = this.label[node]!;
      if (node < coveredTo[label]!) continue;
      isOutermost[node] = 1;
      coveredTo[label] = this.end[node]!;
    }
    return isOutermost;
  }
}

function commonLength(one: Path, other: Path): number {
  let length = 0;
  while (length < one.length && length < other.length && one[length] === other[length]) length += 1;
  return length;
}

/** A path comes before those that begin with it. */
function compare(one: Path, other: Path): number {
  const at = commonLength(one, other);
  return (one[at] ?? -1) - (other[at] ?? -1);
}
