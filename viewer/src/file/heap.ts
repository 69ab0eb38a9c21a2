// A queue from which the highest comes first.

export class Heap<T> {
  private readonly items: T[] = [];

  /** `isBefore` says whether one comes before another. */
  constructor(private readonly isBefore: (one: T, other: T) => boolean) {}

  get size(): number {
    return this.items.length;
  }

  push(item: T): void {
    const { items } = this;
    let at = items.length;
    while (at > 0) {
      const above = (at - 1) >> 1;
      if (!this.isBefore(item, items[above]!)) break;
      items[at] = items[above]!;
      at = above;
    }
    items[at] = item;
  }

  pop(): T | undefined {
    const { items } = this;
    const [first] = items;
    const last = items.pop();
    if (items.length === 0 || last === undefined) return first;
    let at = 0;
    for (;;) {
      let below = 2 * at + 1;
      if (below + 1 < items.length && this.isBefore(items[below + 1]!, items[below]!)) below += 1;
      if (below >= items.length || !this.isBefore(items[below]!, last)) break;
      items[at] = items[below]!;
      at = below;
    }
    items[at] = last;
    return first;
  }
}
