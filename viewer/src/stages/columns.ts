// Where events lie along the heat map: each column begins at an event and covers one or
// several. Positions are in pixels of the page.

export interface Range {
  /** Both included. */
  from: number;
  to: number;
}

export interface Columns {
  /** First event of each column, ascending. */
  starts: readonly number[];
  /** Events that a column is drawn over. */
  width: number;
  /** Events whose values a column holds: less than `width` where events are left out. */
  held: number;
}

/** A column an event, or one for several. Where only one event in so many was recorded, it
    is drawn over those that follow; a wider gap stays empty. */
export function columnsOf(starts: readonly number[], eventsPerRow: number): Columns {
  const gaps = starts.slice(1).map((start, index) => start - starts[index]!);
  gaps.sort((one, other) => one - other);
  const usual = gaps[Math.floor((gaps.length - 1) / 2)] ?? 1;
  return { starts, width: Math.max(1, eventsPerRow, usual), held: Math.max(1, eventsPerRow) };
}

/** The events of all columns, of which the last may stand for fewer: `events` is how many
    there are, where that is known. */
export function wholeRange(columns: Columns, events: number | null): Range {
  const from = columns.starts[0] ?? 1;
  const last = columns.starts.at(-1) ?? from;
  const to = last + columns.width - 1;
  return { from, to: events === null ? to : Math.max(last, Math.min(to, events)) };
}

/** The events that a column stands for; `last` is the last event there is. */
export function rangeOfColumn(columns: Columns, column: number, last: number): Range {
  const from = columns.starts[column]!;
  return { from, to: Math.max(from, Math.min(from + columns.held - 1, last)) };
}

/** Left edge of an event, where `shown` fills the width. */
export function xOfEvent(event: number, shown: Range, widthPx: number): number {
  return ((event - shown.from) / (shown.to - shown.from + 1)) * widthPx;
}

/** The event at a position, at most the first and the last that are shown. */
export function eventAtX(x: number, shown: Range, widthPx: number): number {
  const events = shown.to - shown.from + 1;
  const at = shown.from + Math.floor((x / Math.max(1, widthPx)) * events);
  return Math.max(shown.from, Math.min(shown.to, at));
}

/** The column that covers an event, or -1 in a gap. */
export function columnOfEvent(columns: Columns, event: number): number {
  let low = 0;
  let high = columns.starts.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (columns.starts[middle]! <= event) low = middle + 1;
    else high = middle;
  }
  const column = low - 1;
  return column >= 0 && event < columns.starts[column]! + columns.width ? column : -1;
}

/** Round numbers of events to write below, at most so many. */
export function eventTicks(shown: Range, most: number): number[] {
  const events = shown.to - shown.from + 1;
  let step = 1;
  for (let factor = 0; events / step > Math.max(1, most); factor += 1) {
    step = [1, 2, 5][factor % 3]! * 10 ** Math.floor(factor / 3);
  }
  const ticks: number[] = [];
  for (let tick = Math.ceil(shown.from / step) * step; tick <= shown.to; tick += step) ticks.push(tick);
  // Events are numbered from one: the first is more use than none at the left edge.
  if (ticks[0] !== shown.from && (ticks[0] ?? Infinity) - shown.from >= step / 2) ticks.unshift(shown.from);
  return ticks;
}

/** `51..100`; null for anything else. */
export function parseRange(text: string): Range | null {
  const parts = /^(\d+)\.\.(\d+)$/.exec(text);
  if (!parts) return null;
  const from = Number(parts[1]);
  const to = Number(parts[2]);
  return from <= to ? { from, to } : null;
}

export function rangeText(range: Range): string {
  return `${range.from}..${range.to}`;
}

/** From the one to the other, whichever came first. */
export function spanOf(one: Range, other: Range): Range {
  return { from: Math.min(one.from, other.from), to: Math.max(one.to, other.to) };
}
