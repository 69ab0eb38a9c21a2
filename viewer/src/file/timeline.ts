// api/timeline: the moments that the file holds, of all events or of some.

import type { Timeline } from "../answers";
import type { Question } from "./question";
import type { Recording } from "./recording";

export function timeline(recording: Recording, question: Question): Timeline {
  const whole = recording.data.timeline;
  const events = question.events("events");
  if (events === null) return whole;
  const start = whole.event.findIndex((event) => event >= events.from);
  if (start < 0) {
    const { unit, events: last } = recording.about;
    throw new Error(`there is no ${unit} ${events.from}; the last is ${last}`);
  }
  // Up to where the event after the range begins.
  const isBegin = (moment: number) => whole.kind[moment] === "begin" || whole.kind[moment] === "tick";
  const after = whole.event.findIndex((event, moment) => moment >= start && isBegin(moment) && event > events.to);
  const end = after < 0 ? whole.event.length : after + 1;
  const part = <T>(values: T[]) => values.slice(start, end);
  // What the event after the range counted is no part of it.
  const inside = (values: (number | null)[]) => (after < 0 ? part(values) : [...part(values).slice(0, -1), null]);
  const isIn = ({ event }: { event: number }) => events.from <= event && event <= events.to;
  const { series } = whole;
  return {
    unit: whole.unit,
    thinned: whole.thinned,
    event: part(whole.event),
    time_ns: part(whole.time_ns),
    kind: part(whole.kind),
    series: {
      rss: part(series.rss),
      vm: part(series.vm),
      live: part(series.live),
      mapped: part(series.mapped),
      recorder: part(series.recorder),
      retained: part(series.retained),
    },
    counters: whole.counters.map(({ name, values }) => ({ name, values: inside(values) })),
    costs: whole.costs.map(({ name, unit, values }) => ({ name, unit, values: inside(values) })),
    counted_events: inside(whole.counted_events),
    snapshots: whole.snapshots.filter(isIn),
    stamps: whole.stamps.filter(isIn),
  };
}
