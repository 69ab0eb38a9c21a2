// Charts over events: a line of values, or bars of survivors. Drawn in pixels of their real
// width, so that letters keep their size; the value below the pointer is told exactly.

import { useEffect, useRef, useState } from "preact/hooks";
import { amount, count } from "../format";
import { Amount } from "../parts/Number";
import { saveDrawing } from "./drawing";
import { eventsOf, eventText, nearest } from "./geometry";
import { at, eventScale, valueAt, valueScale, type Unit } from "./scales";

export interface Range { from: number; to: number }

const HEIGHT_EM = 9.5;
const LEFT_EM = 5.2;
const RIGHT_EM = 0.9;
const TOP_EM = 0.7;
const BOTTOM_EM = 1.7;

/** Width of an element and its letters, in pixels, as they change. */
function useMeasure() {
  const element = useRef<HTMLDivElement>(null);
  const [measure, setMeasure] = useState({ width: 0, em: 12 });
  useEffect(() => {
    const box = element.current;
    if (!box) return;
    const look = () => setMeasure({ width: box.clientWidth, em: parseFloat(getComputedStyle(box).fontSize) });
    const observer = new ResizeObserver(look);
    observer.observe(box);
    return () => observer.disconnect();
  }, []);
  return { element, ...measure };
}

/** The numbers at the ends of an axis stay within it. */
function anchor(x: number, left: number, right: number, em: number): "start" | "middle" | "end" {
  if (x < left + 0.8 * em) return "start";
  return x > right - 0.8 * em ? "end" : "middle";
}

export function Chart(props: {
  title: string;
  /** For a file of the drawing. */
  file: string;
  kind: "line" | "bars";
  unit: Unit;
  /** What one turn is called. */
  turn: string;
  events: readonly number[];
  values: readonly number[];
  /** Of bars: how many events each stands for. */
  barEvents?: number;
  /** First and last event of the axis. */
  domain: Range;
  /** Events that are selected, shaded. */
  range?: Range | null;
}) {
  const { kind, unit, events, values, domain, barEvents = 1, turn } = props;
  const { element, width, em } = useMeasure();
  const [under, setUnder] = useState<number | null>(null);
  const height = HEIGHT_EM * em;
  const [left, right] = [LEFT_EM * em, width - RIGHT_EM * em];
  const [top, bottom] = [TOP_EM * em, height - BOTTOM_EM * em];
  const across = eventScale(domain.from, kind === "bars" ? domain.to + 1 : domain.to, Math.max(2, width / em / 7));
  const up = valueScale(values, unit, 3);
  const x = (event: number) => at(across, event, left, right);
  const y = (value: number) => at(up, value, bottom, top);
  const most = values.length ? Math.max(...values) : 0;

  const line = events.map((event, i) => `${i ? "L" : "M"}${x(event).toFixed(1)} ${y(values[i]!).toFixed(1)}`).join("");
  const shown = under !== null && under < events.length ? under : null;
  const follow = (event: PointerEvent) => {
    const box = (event.currentTarget as Element).getBoundingClientRect();
    const value = valueAt(across, event.clientX - box.left, left, right);
    setUnder(events.length ? nearest(events, kind === "bars" ? value - barEvents / 2 : value) : null);
  };
  const first = shown === null ? 0 : events[shown]!;

  return (
    <figure class="stacks-chart">
      <figcaption>
        <h4>{props.title}</h4>
        <span class="muted small stacks-chart-value">
          {shown === null ? (
            <>highest <Amount value={most} unit={unit} /></>
          ) : (
            <>
              {eventText(first, kind === "bars" ? barEvents : 1, turn)}:{" "}
              <Amount value={values[shown]!} unit={unit} />
            </>
          )}
        </span>
        <button class="button bare small" onClick={() => saveDrawing(props.file, element.current?.querySelector("svg"))}>
          SVG
        </button>
      </figcaption>
      <div ref={element} class="stacks-chart-box" style={{ height: `${HEIGHT_EM}em` }}>
        {width > 0 && (
          <svg
            width={width}
            height={height}
            role="img"
            aria-label={`${props.title}: highest ${amount(most, unit)}, ${turn}s ${domain.from} to ${domain.to}`}
            onPointerMove={follow}
            onPointerLeave={() => setUnder(null)}
          >
            {props.range && (
              <rect
                class="stacks-chart-range"
                x={Math.max(left, x(props.range.from))}
                y={top}
                width={Math.max(1, Math.min(right, x(props.range.to + (kind === "bars" ? 1 : 0))) - Math.max(left, x(props.range.from)))}
                height={bottom - top}
              />
            )}
            {up.ticks.map((tick) => (
              <g key={tick}>
                <path class="stacks-chart-grid" d={`M${left} ${y(tick)}H${right}`} />
                <text x={left - 0.5 * em} y={y(tick)} dy="0.35em" text-anchor="end">{amount(tick, unit)}</text>
              </g>
            ))}
            {across.ticks.map((tick) => (
              <g key={tick}>
                <path class="stacks-chart-axis" d={`M${x(tick)} ${bottom}v${0.3 * em}`} />
                <text x={x(tick)} y={bottom + 1.35 * em} text-anchor={anchor(x(tick), left, right, em)}>{count(tick)}</text>
              </g>
            ))}
            <text x={left - 0.5 * em} y={bottom + 1.35 * em} text-anchor="end">{turn}s</text>
            {kind === "line" ? (
              <>
                {events.length > 1 && (
                  <path class="stacks-chart-area" d={`${line}L${x(events[events.length - 1]!)} ${y(0)}L${x(events[0]!)} ${y(0)}Z`} />
                )}
                <path class="stacks-chart-line" d={line} />
                {events.length === 1 && <circle class="stacks-chart-dot" cx={x(events[0]!)} cy={y(values[0]!)} r="3" />}
              </>
            ) : (
              events.map((event, i) => {
                const wide = x(event + eventsOf(event, barEvents)) - x(event);
                return (
                  <rect
                    key={event}
                    class={i === shown ? "stacks-chart-bar stacks-chart-bar-under" : "stacks-chart-bar"}
                    x={x(event)}
                    y={y(values[i]!)}
                    width={Math.max(0.6, wide - (wide > 3 ? 1 : 0))}
                    height={Math.max(0, y(0) - y(values[i]!))}
                  />
                );
              })
            )}
            <path class="stacks-chart-axis" d={`M${left} ${y(0)}H${right}`} />
            {kind === "line" && shown !== null && (
              <>
                <path class="stacks-chart-cross" d={`M${x(first)} ${top}V${bottom}`} />
                <circle class="stacks-chart-dot" cx={x(first)} cy={y(values[shown]!)} r="3" />
              </>
            )}
          </svg>
        )}
      </div>
    </figure>
  );
}
