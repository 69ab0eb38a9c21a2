// Timelines made up for tests.

import type { Timeline } from "../answers";

type Made = [kind: Timeline["kind"][number], event: number, time_ns: number];

/** RSS is the time, live the event; nothing else is known. */
export function made(moments: Made[], unit: Timeline["unit"] = "event"): Timeline {
  const none = moments.map(() => null);
  return {
    unit,
    thinned: false,
    event: moments.map(([, event]) => event),
    time_ns: moments.map(([, , time_ns]) => time_ns),
    kind: moments.map(([kind]) => kind),
    series: {
      rss: moments.map(([, , time_ns]) => time_ns),
      vm: none,
      live: moments.map(([, event]) => event),
      mapped: none,
      recorder: none,
      retained: none,
    },
    counters: [],
    costs: [],
    counted_events: none,
    snapshots: [],
    stamps: [],
  };
}
