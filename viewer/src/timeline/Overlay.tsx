// What lies over the charts: the line under the pointer with a dot on each series, names of
// what is near, buttons over slow events, and the handles at both ends of the selection.

import type { ReadonlySignal } from "@preact/signals";
import { pixelOf, type Axis } from "./axis";
import type { Layout } from "./charts";
import { shortened, STAMP_SPACE, type Mark } from "./draw";
import { nearest, readingAt } from "./moments";
import type { Range } from "./range";
import type { Series } from "./series";
import { SlowButtons } from "./SlowButtons";
import type { SlowMark, SlowRow } from "./slowmarks";

const NEAR_PX = 5;
const MOST_NAMES = 4;

/** Names of marks near the pointer; stamps that are too dense to be drawn have none. */
function namesNear(at: number, snapshots: Mark[], stamps: Mark[], layout: Layout): string[] {
  const pixel = pixelOf(at, layout);
  const isSeen = (mark: Mark): boolean => mark.value >= layout.from && mark.value <= layout.to;
  const seen = stamps.filter(isSeen);
  const drawn = seen.length * STAMP_SPACE <= layout.width ? seen : [];
  const near = [...snapshots.filter(isSeen), ...drawn]
    .filter((mark) => Math.abs(pixelOf(mark.value, layout) - pixel) <= NEAR_PX)
    .map((mark) => shortened(mark.name));
  const names = [...new Set(near)];
  return names.length > MOST_NAMES ? [...names.slice(0, MOST_NAMES), "…"] : names;
}

/** What slow events near the pointer say. */
function slowNear(at: number, rows: SlowRow[], layout: Layout): string[] {
  const pixel = pixelOf(at, layout);
  const isNear = (mark: SlowMark): boolean => Math.abs(pixelOf(mark.value, layout) - pixel) <= NEAR_PX;
  const texts = rows.flatMap(({ marks }) => marks.filter(isNear).map((mark) => mark.text));
  return texts.length > MOST_NAMES ? [...texts.slice(0, MOST_NAMES), "…"] : texts;
}

function Pointer(props: {
  hover: ReadonlySignal<number | null>;
  layout: Layout;
  axis: Axis;
  series: Series[];
  snapshots: Mark[];
  stamps: Mark[];
  slow: SlowRow[];
  heightOf: (series: Series, value: number) => number | null;
}) {
  const { hover, layout, axis, series, snapshots, stamps, slow, heightOf } = props;
  const at = hover.value;
  if (at === null || at < layout.from || at > layout.to || axis.values.length === 0) return null;
  // The line stands at the moment whose readings are told, if that is in view.
  const moment = nearest(axis.values, at);
  const isSeen = axis.values[moment]! >= layout.from && axis.values[moment]! <= layout.to;
  const pixel = pixelOf(isSeen ? axis.values[moment]! : at, layout);
  const names = [...slowNear(at, slow, layout), ...namesNear(at, snapshots, stamps, layout)];
  const beside = pixelOf(at, layout);
  const isRight = beside > layout.left + layout.width * 0.7;
  return (
    <>
      <div class="timeline-line" style={{ left: `${pixel}px`, top: `${layout.top}px` }} />
      {isSeen &&
        series.map((one) => {
          const value = readingAt(one.values, moment);
          const height = value === null ? null : heightOf(one, value);
          if (height === null) return null;
          const style = { left: `${pixel}px`, top: `${height}px`, background: `var(--${one.colour})` };
          return <div key={one.key} class="timeline-dot" style={style} />;
        })}
      {names.length > 0 && (
        <div
          class={isRight ? "timeline-note timeline-note-left" : "timeline-note"}
          style={{ left: `${beside}px`, top: `${layout.top + 4}px` }}
        >
          {names.map((name) => (
            <div key={name}>{name}</div>
          ))}
        </div>
      )}
    </>
  );
}

function Handle(props: {
  end: "first" | "last";
  selection: Range;
  bounds: Range;
  axis: Axis;
  layout: Layout;
  unit: string;
  onMove: (event: number) => void;
}) {
  const { end, selection, bounds, axis, layout, unit, onMove } = props;
  const value = axis.valueOf(end === "first" ? selection.first : selection.last + 1);
  if (value < layout.from || value > layout.to) return null;
  const now = selection[end];
  const low = end === "first" ? bounds.first : selection.first;
  const high = end === "first" ? selection.last : bounds.last;
  const steps: Record<string, number> = {
    ArrowLeft: now - 1, ArrowDown: now - 1, ArrowRight: now + 1, ArrowUp: now + 1,
    PageDown: now - 10, PageUp: now + 10, Home: low, End: high,
  };
  return (
    <div
      class={`timeline-handle timeline-handle-${end}`}
      data-end={end}
      role="slider"
      tabIndex={0}
      aria-label={`${end === "first" ? "First" : "Last"} ${unit} of the selection`}
      aria-valuemin={low}
      aria-valuemax={high}
      aria-valuenow={now}
      style={{ left: `${pixelOf(value, layout)}px`, top: `${layout.top}px` }}
      onKeyDown={(event) => {
        const next = steps[event.key];
        if (next === undefined || event.shiftKey || event.ctrlKey || event.altKey || event.metaKey) return;
        event.preventDefault();
        event.stopPropagation();
        onMove(Math.min(Math.max(next, low), high));
      }}
    />
  );
}

export function Overlay(props: {
  hover: ReadonlySignal<number | null>;
  layout: ReadonlySignal<Layout | null>;
  axis: Axis;
  series: Series[];
  snapshots: Mark[];
  stamps: Mark[];
  slow: SlowRow[];
  selection: Range | null;
  bounds: Range;
  unit: string;
  heightOf: (series: Series, value: number) => number | null;
  onPoint: (mark: SlowMark | null) => void;
  onEvent: (event: number) => void;
  onEnd: (end: "first" | "last", event: number) => void;
}) {
  const { selection, onEnd, onPoint, onEvent, hover, series, snapshots, stamps, slow, heightOf, axis, bounds, unit } = props;
  const layout = props.layout.value;
  if (!layout) return null;
  return (
    <>
      <Pointer {...{ hover, layout, axis, series, snapshots, stamps, slow, heightOf }} />
      <SlowButtons rows={slow} layout={layout} onPoint={onPoint} onSelect={onEvent} />
      {selection &&
        (["first", "last"] as const).map((end) => (
          <Handle key={end} {...{ end, selection, bounds, axis, layout, unit }} onMove={(event) => onEnd(end, event)} />
        ))}
    </>
  );
}
