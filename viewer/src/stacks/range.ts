// A range of events as it stands in the address.

export interface EventRange { from: number; to: number }

/** `51..100`, both included; null where it is none. */
export function eventRange(text: string): EventRange | null {
  const found = /^(\d+)\.\.(\d+)$/.exec(text);
  if (!found) return null;
  const [from, to] = [Number(found[1]), Number(found[2])];
  return from <= to ? { from, to } : null;
}
