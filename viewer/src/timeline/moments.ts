// The moments that are drawn: those of the whole recording, and where the timeline is
// zoomed the exact ones of that part in their place.

import type { Timeline } from "../answers";
import { firstAbove } from "./axis";
import type { Range } from "./range";

export type Moments = Timeline;
type Values = (number | null)[];

/** The whole, with the moments of the detail in the time that the detail covers. What is
    around it stays, so that moving the view shows something at once. */
export function spliced(whole: Moments, detail: Moments | null): Moments {
  if (!detail || detail.event.length === 0 || whole.event.length === 0) return whole;
  const start = detail.time_ns[0]!;
  const end = detail.time_ns[detail.time_ns.length - 1]!;
  const before = firstAbove(whole.time_ns, start - 1);
  const after = firstAbove(whole.time_ns, end);
  const splice = <T>(outer: T[], inner: T[]): T[] => [...outer.slice(0, before), ...inner, ...outer.slice(after)];
  const absent: Values = detail.event.map(() => null);
  const inside = <T extends { time_ns: number }>(outer: T[], inner: T[]): T[] => [
    ...outer.filter((one) => one.time_ns < start),
    ...inner,
    ...outer.filter((one) => one.time_ns > Math.max(end, inner[inner.length - 1]?.time_ns ?? end)),
  ];
  const [outer, inner] = [whole.series, detail.series];
  return {
    unit: whole.unit,
    thinned: detail.thinned,
    event: splice(whole.event, detail.event),
    time_ns: splice(whole.time_ns, detail.time_ns),
    kind: splice(whole.kind, detail.kind),
    series: {
      rss: splice(outer.rss, inner.rss),
      vm: splice(outer.vm, inner.vm),
      live: splice(outer.live, inner.live),
      mapped: splice(outer.mapped, inner.mapped),
      recorder: splice(outer.recorder, inner.recorder),
      retained: splice(outer.retained, inner.retained),
    },
    counters: whole.counters.map(({ name, values }) => {
      const same = detail.counters.find((one) => one.name === name);
      return { name, values: splice(values, same?.values ?? absent) };
    }),
    costs: whole.costs.map(({ name, unit, values }) => {
      const same = detail.costs.find((one) => one.name === name);
      return { name, unit, values: splice(values, same?.values ?? absent) };
    }),
    counted_events: splice(whole.counted_events, detail.counted_events),
    snapshots: whole.snapshots,
    stamps: inside(whole.stamps, detail.stamps),
  };
}

/** First and last event of all moments; null where there are none. */
export function eventsOf(moments: Moments): Range | null {
  if (moments.event.length === 0) return null;
  let [first, last] = [Infinity, -Infinity];
  for (const event of moments.event) {
    first = Math.min(first, event);
    last = Math.max(last, event);
  }
  return { first, last };
}

/** Index of the value nearest to `at`. */
export function nearest(values: readonly number[], at: number): number {
  const next = firstAbove(values, at);
  if (next === 0) return 0;
  if (next === values.length) return next - 1;
  return at - values[next - 1]! <= values[next]! - at ? next - 1 : next;
}

/** Index of the last value below `at`; the first where there is none. */
export function lastBelow(values: readonly number[], at: number): number {
  let index = firstAbove(values, at) - 1;
  while (index > 0 && values[index]! >= at) index--;
  return Math.max(0, index);
}

/** Index of the reading at a moment, or of the last one before it where none was taken there. */
export function readingPlace(values: Values, moment: number): number | null {
  for (let at = Math.min(moment, values.length - 1); at >= 0; at--) {
    if (values[at] !== null && values[at] !== undefined) return at;
  }
  return null;
}

export function readingAt(values: Values, moment: number): number | null {
  const place = readingPlace(values, moment);
  return place === null ? null : values[place]!;
}

/** First and last reading among moments `from` to `to`, not including `to`. */
export function endsOf(values: Values, from: number, to: number): [number, number] | null {
  const known = values.slice(from, to).filter((value) => value !== null);
  return known.length ? [known[0]!, known[known.length - 1]!] : null;
}
