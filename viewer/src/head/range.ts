// The events that are selected, as they stand in the address: `51..100`.

export function rangeOf(text: string): { from: number; to: number } | null {
  const match = /^(\d+)\.\.(\d+)$/.exec(text);
  if (!match) return null;
  const [from, to] = [Number(match[1]), Number(match[2])];
  return from <= to ? { from, to } : null;
}

/** `events 51..100 alone:`, or `event 7 alone:` for a single one. */
export function rangeLabel(text: string, unit: string): string {
  const range = rangeOf(text);
  return range?.from === range?.to ? `${unit} ${range?.from ?? text} alone:` : `${unit}s ${text} alone:`;
}
