// Names of the series with their values under the pointer; pressing one shows or hides it.

import { go } from "../address";
import { count, duration } from "../format";
import { Amount } from "../parts/Number";
import type { Axis } from "./axis";
import { nearest, readingPlace, type Moments } from "./moments";
import { isShown, sumText, toggled, writeKeys, type Choice, type Series, type Shown } from "./series";
import type { SlowRow } from "./slowmarks";

function Swatch(props: { series: Series }) {
  const { colour, width, dash, isSparse } = props.series;
  return (
    <svg class="timeline-swatch" viewBox="0 0 22 10" aria-hidden="true">
      <line x1="0" x2="22" y1="5" y2="5" stroke={`var(--${colour})`} stroke-width={width} stroke-dasharray={dash.join(" ")} />
      {isSparse && <circle cx="11" cy="5" r="2.5" fill={`var(--${colour})`} />}
    </svg>
  );
}

function SlowSwatch(props: { row: SlowRow }) {
  const colour = `var(--${props.row.colour})`;
  return (
    <svg class="timeline-swatch" viewBox="0 0 22 10" aria-hidden="true">
      {props.row.measure === "waited" ? (
        <circle cx="11" cy="5" r="3.5" fill="none" stroke={colour} stroke-width="2" />
      ) : (
        <path d="M6.5 0.5 H15.5 L11 9.5 Z" fill={colour} />
      )}
    </svg>
  );
}

export function Legend(props: {
  series: Series[];
  /** Slow events, by measure. */
  slow: SlowRow[];
  choice: Choice;
  moments: Moments;
  axis: Axis;
  /** A value of the axis. */
  at: number;
  unit: string;
}) {
  const { series, slow, choice, moments, axis, at, unit } = props;
  const moment = nearest(axis.values, at);
  const toggle = (one: Shown): void => {
    const { show, hide } = toggled(one, choice);
    go({ show: writeKeys(show), hide: writeKeys(hide) }, { quiet: true });
  };
  return (
    <div class="timeline-legend">
      <span class="timeline-where">
        <span class="timeline-where-event">
          {unit} {moments.event[moment]}
        </span>
        <span class="muted">
          {moments.kind[moment] === "tick" ? "" : `${moments.kind[moment]}, `}
          {duration(moments.time_ns[moment] ?? 0)}
        </span>
      </span>
      {series.map((one) => {
        const place = readingPlace(one.values, moment);
        const sum = place === null ? null : sumText(one, place, unit);
        const shown = isShown(one, choice);
        return (
          <button
            key={one.key}
            type="button"
            class="timeline-key"
            aria-pressed={shown}
            data-series={one.key}
            data-unit={one.unit}
            data-sum={sum ?? undefined}
            title={`${one.about}${sum === null ? "" : `; ${sum}`}. Press to ${shown ? "hide" : "show"}.`}
            onClick={() => toggle(one)}
          >
            <Swatch series={one} />
            <span class="timeline-key-label">{one.label}</span>
            <span class="timeline-key-value">
              <Amount value={place === null ? null : one.values[place]!} unit={one.unit} />
              {sum !== null && ` per ${unit}`}
            </span>
          </button>
        );
      })}
      {slow.map((row) => {
        const shown = isShown(row, choice);
        return (
          <button
            key={row.key}
            type="button"
            class="timeline-key"
            aria-pressed={shown}
            data-slow={row.measure}
            title={`${row.about}. Press to ${shown ? "hide" : "show"}.`}
            onClick={() => toggle(row)}
          >
            <SlowSwatch row={row} />
            <span class="timeline-key-label">{row.label}</span>
            <span class="timeline-key-value">{count(row.found)}</span>
          </button>
        );
      })}
      {moments.thinned && (
        <span
          class="chip timeline-thinned"
          title="Too many moments to draw: the lowest and highest of each group are shown. Zoom in to see all."
        >
          thinned
        </span>
      )}
    </div>
  );
}
