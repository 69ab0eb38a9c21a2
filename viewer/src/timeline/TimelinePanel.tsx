// The timeline above every view: memory by event or by time. The range that is selected in
// it is what the views below are about.

import { useSignal } from "@preact/signals";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { go, parameter } from "../address";
import type { FileAbout } from "../answers";
import { useAnswer } from "../ask";
import { Growers } from "../growers/Growers";
import { about, fileAbout } from "../page/about";
import { Waiting } from "../parts/Waiting";
import { axisOf, firstAbove } from "./axis";
import { Chart } from "./Chart";
import type { Charts, Layout, Scene } from "./charts";
import { savePicture, saveTable, tableOf } from "./files";
import { Legend } from "./Legend";
import { readLook } from "./look";
import { eventsOf, lastBelow, spliced, type Moments } from "./moments";
import { RangeBar } from "./RangeBar";
import {
  clampRange, isSame, lengthOf, moveRange, parseRange, stretchOf, writeRange, type Range,
} from "./range";
import { isShown, parseKeys, seriesOf, summary } from "./series";
import { slowRows } from "./slowmarks";
import "./timeline.css";
import { useZoom } from "./zoom";

export function TimelinePanel() {
  const side = parameter("side", "a");
  const file = fileAbout();
  // What is known of one file must not be drawn over the other.
  return (
    <section class="timeline" aria-label="Timeline">
      <OfFile key={side} side={side} file={file} />
    </section>
  );
}

function OfFile(props: { side: string; file: FileAbout | null }) {
  const whole = useAnswer("timeline", { side: parameter("side") });
  if (!whole.answer) return <Waiting of={whole} what="timeline" />;
  const events = eventsOf(whole.answer);
  if (!events) {
    return (
      <p class="timeline-none muted">
        There is no timeline: no moment of this recording was kept. Memory over time is there when the program marks its
        events, or when it is recorded with <code>--event-function</code>, <code>--event-line</code> or <code>--tick</code>.
      </p>
    );
  }
  return (
    <>
      {whole.error && <Waiting of={whole} what="timeline" />}
      <OfMoments whole={whole.answer} events={events} file={props.file} />
    </>
  );
}

/** The events that can be selected: those at which stacks are known. */
function boundsOf(file: FileAbout | null, events: Range): Range {
  const first = file?.first_event ?? Math.max(1, events.first);
  const last = file?.last_event ?? events.last;
  return { first, last: Math.max(first, last) };
}

function OfMoments(props: { whole: Moments; events: Range; file: FileAbout | null }) {
  const { whole, events, file } = props;
  const bounds = boundsOf(file, events);
  const all = { first: Math.min(events.first, bounds.first), last: Math.max(events.last, bounds.last) };
  const unit = whole.unit;
  const isTime = parameter("x") === "time";
  const zoom = useZoom(all);
  const detail = useAnswer(
    "timeline",
    zoom.settled && { side: parameter("side"), events: writeRange(zoom.settled) },
  ).answer;
  const moments = useMemo(() => spliced(whole, detail), [whole, detail]);
  const axis = useMemo(() => axisOf(moments, isTime), [moments, isTime]);
  const series = useMemo(() => seriesOf(moments), [moments]);
  const snapshots = useMemo(
    () => moments.snapshots.map(({ name, event, time_ns }) => ({ name, value: axis.valueIn(event, time_ns) })),
    [moments, axis],
  );
  const stamps = useMemo(
    () => moments.stamps.map(({ name, event, time_ns }) => ({ name, value: axis.valueIn(event, time_ns) })),
    [moments, axis],
  );
  const time = useAnswer("time", { side: parameter("side") }).answer;
  const slow = useMemo(() => slowRows(time, axis), [time, axis]);
  const choice = { show: parseKeys(parameter("show")), hide: parseKeys(parameter("hide")) };
  const shownKeys = series.filter((one) => isShown(one, choice)).map((one) => one.key).join("\n");
  const shown = useMemo(() => series.filter((one) => isShown(one, choice)), [series, shownKeys]);
  const shownSlowKeys = slow.filter((row) => isShown(row, choice)).map((row) => row.key).join("\n");
  const shownSlow = useMemo(() => slow.filter((row) => isShown(row, choice)), [slow, shownSlowKeys]);

  const written = parseRange(parameter("events"));
  const selection = written && clampRange(written, bounds);
  const other = parseRange(parameter("against"));
  const against = other && clampRange(other, bounds);
  useClampedAddress(written, selection);
  const [draft, setDraft] = useState<Range | null>(null);
  const [pin, setPin] = useState<number | null>(null);
  const hover = useSignal<number | null>(null);
  const layout = useSignal<Layout | null>(null);
  const charts = useRef<Charts | null>(null);

  const scene: Scene = {
    axis, view: zoom.view, unit, series: shown, selection: draft ?? selection, against,
    pin: pin === null ? null : axis.valueOf(pin), snapshots, stamps, slow: shownSlow,
  };
  const select = (range: Range, isQuiet: boolean): void => go({ events: writeRange(range) }, { quiet: isQuiet });
  const shift = (direction: 1 | -1): void => {
    if (selection) select(moveRange(selection, direction * lengthOf(selection), bounds), true);
  };
  const { from, to } = stretchOf(zoom.view);
  const [low, high] = [axis.valueOf(from), axis.valueOf(to)];
  // Without a pointer the last moment in view is told, not the begin of the event after it.
  const last = zoom.view.last < all.last ? axis.values[lastBelow(axis.values, high)]! : high;
  const name = file?.name ?? "residue";
  return (
    <>
      <div class="timeline-head">
        <Readings {...{ series, slow, choice, moments, axis, unit }} hover={hover} otherwise={scene.pin ?? last} />
        <span class="timeline-actions">
          <button
            type="button"
            class="button timeline-reset"
            title="Show everything (0)"
            disabled={!zoom.isZoomed}
            onClick={zoom.reset}
          >
            reset zoom
          </button>
          <span class="buttons" role="group" aria-label="Horizontal axis">
            <button type="button" class="button" aria-pressed={!isTime} onClick={() => go({ x: undefined })}>
              by {unit}
            </button>
            <button type="button" class="button" aria-pressed={isTime} onClick={() => go({ x: "time" })}>
              by time
            </button>
          </span>
          <span class="buttons" role="group" aria-label="Save">
            <button
              type="button"
              class="button"
              title="Save the charts as a picture"
              onClick={() => savePicture(name, name, charts.current?.canvases() ?? [], shown, readLook(), devicePixelRatio)}
            >
              PNG
            </button>
            <button
              type="button"
              class="button"
              title="Save the readings that are shown as a table"
              onClick={() => saveTable(name, tableOf(moments, shown, axis.values, low, high))}
            >
              CSV
            </button>
          </span>
        </span>
      </div>
      <Chart
        scene={scene}
        zoom={zoom}
        bounds={bounds}
        summary={summary(shown, zoom.view, unit, Math.max(0, firstAbove(axis.values, low) - 1), firstAbove(axis.values, high))}
        hover={hover}
        layout={layout}
        onDraft={setDraft}
        onSelect={select}
        onShift={shift}
        onPin={setPin}
        charts={charts}
      />
      <Growers axis={axis} layout={layout} unit={unit} snapshots={snapshots} stamps={stamps} slow={shownSlow} />
      <RangeBar selection={selection} draft={draft} against={against} bounds={bounds} unit={unit} />
    </>
  );
}

/** Only this part is drawn again when the pointer moves. */
function Readings(props: Omit<Parameters<typeof Legend>[0], "at"> & {
  hover: { readonly value: number | null };
  otherwise: number;
}) {
  const { hover, otherwise, ...rest } = props;
  return <Legend {...rest} at={hover.value ?? otherwise} />;
}

/** Views ask with what the address says: there, too, no events but those of the recording.
    Those of a running program may still come. */
function useClampedAddress(written: Range | null, inside: Range | null): void {
  const isKnown = about.value !== null && !(about.value.live && !about.value.ended);
  useEffect(() => {
    if (isKnown && written && inside && !isSame(written, inside)) go({ events: writeRange(inside) }, { quiet: true });
  }, [isKnown, written?.first, written?.last, inside?.first, inside?.last]);
}
