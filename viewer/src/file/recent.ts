// What was worked out lately, so that the next question need not do it again.

export class Recent<V> {
  private readonly kept = new Map<string, V>();

  constructor(private readonly most: number) {}

  get(key: string, make: () => V): V {
    const known = this.kept.get(key);
    const value = known ?? make();
    // The one that was asked for last stands at the end.
    this.kept.delete(key);
    this.kept.set(key, value);
    if (this.kept.size > this.most) this.kept.delete(this.kept.keys().next().value!);
    return value;
  }
}
