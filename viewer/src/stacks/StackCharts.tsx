// The charts of one stack.

import { parameter } from "../address";
import type { StackDetail } from "../answers";
import { fileAbout } from "../page/about";
import { Chart } from "./Chart";
import { eventRange } from "./range";

export function SeriesCharts(props: { detail: StackDetail; unit: string }) {
  const { row, series } = props.detail;
  const [from, to] = [series.event[0], series.event[series.event.length - 1]];
  if (from === undefined || to === undefined) return null;
  const common = { kind: "line", turn: props.unit, events: series.event, domain: { from, to } } as const;
  return (
    <>
      <Chart {...common} title="Live bytes" unit="bytes" values={series.bytes} file={`stack-${row.stack}-bytes.svg`} />
      <Chart {...common} title="Live blocks" unit="count" values={series.blocks} file={`stack-${row.stack}-blocks.svg`} />
    </>
  );
}

export function BirthsChart(props: { detail: StackDetail; unit: string }) {
  const { row, births, births_width: barEvents } = props.detail;
  const file = fileAbout();
  const [first, last] = [births[0], births[births.length - 1]];
  if (!first || !last) return null;
  const domain = {
    from: Math.min(first.event, file?.first_event ?? first.event),
    to: Math.max(last.event + barEvents - 1, file?.last_event ?? last.event),
  };
  return (
    <Chart
      title="Survivors by birth"
      kind="bars"
      unit="bytes"
      turn={props.unit}
      events={births.map((birth) => birth.event)}
      values={births.map((birth) => birth.bytes)}
      barEvents={barEvents}
      domain={domain}
      range={eventRange(parameter("events"))}
      file={`stack-${row.stack}-births.svg`}
    />
  );
}
