// Which two recordings are compared, and what changed in all.

import type { Compare, CompareSide } from "../answers";
import { percent } from "../format";
import { fileAbout } from "../page/about";
import { Amount } from "../parts/Number";
import { barPercent, netRate } from "./rows";

export function CompareHead(props: { compare: Compare }) {
  const { before, after, unit, per, growth, fall } = props.compare;
  const most = Math.max(before.total, after.total);
  const change = after.total - before.total;
  const rate = netRate(props.compare);
  return (
    <>
      <div class="compare-head">
        <SideCard title="Before" side={before} unit={unit} per={per} most={most} />
        <SideCard title="After" side={after} unit={unit} per={per} most={most} />
        <div class="compare-card">
          <h3>Net change</h3>
          <p class={rate === null ? "compare-figure" : undefined}>
            <Amount value={change} unit={unit} signed />
            {rate === null && <Percent change={change} before={before.total} />}
          </p>
          {rate !== null && (
            <p class="compare-figure">
              <Amount value={rate} unit={unit} signed /> <small>per {per}</small>
              <Percent change={rate} before={before.total / before.events!} />
            </p>
          )}
          <p class="muted">
            growth <Amount value={growth} unit={unit} />, fall <Amount value={fall} unit={unit} />
            {per !== null && ` per ${per}`}
          </p>
        </div>
      </div>
      <p class="small muted compare-decided">
        {per === null
          ? "Rows are classed, ordered and drawn by the change of the whole run."
          : `The recordings differ in their number of ${per}s: each is divided by its own, including what is allocated once per run. Rows are classed, ordered and drawn by the change per ${per}.`}
      </p>
    </>
  );
}

/** A change as part of what was before, by what rows are classed by. */
function Percent(props: { change: number; before: number }) {
  const { change, before } = props;
  if (before <= 0 || change === 0) return null;
  return <span class="muted compare-percent">{`${change > 0 ? "+" : ""}${percent(change, before)}`}</span>;
}

function SideCard(props: { title: string; side: CompareSide; unit: Compare["unit"]; per: Compare["per"]; most: number }) {
  const { side, unit, per } = props;
  const turn = per ?? fileAbout()?.unit ?? "event";
  return (
    <div class="compare-card">
      <h3>
        {props.title} <span class="mono compare-file">{side.name}</span>
      </h3>
      <p class="compare-figure">
        <Amount value={side.total} unit={unit} />
      </p>
      <div class="compare-track" aria-hidden="true">
        <div class={`compare-bar compare-bar-${props.title.toLowerCase()}`} style={{ width: `${barPercent(side.total, props.most)}%` }} />
      </div>
      <p class="muted">
        {side.program}
        {side.events !== null && (
          <>
            , <Amount value={side.events} unit="count" /> {side.events === 1 ? turn : `${turn}s`}
          </>
        )}
        {side.events !== null && side.events > 0 && per !== null && (
          <>
            , <Amount value={side.total / side.events} unit={unit} /> per {per}
          </>
        )}
      </p>
    </div>
  );
}
