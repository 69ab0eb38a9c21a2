// What is known of one stack beside its drawings: words and tables.

import type { ComponentChildren } from "preact";
import type { StackDetail, StackRow } from "../answers";
import { saveCsv, type Cell } from "../download";
import { counted } from "../format";
import { Amount } from "../parts/Number";
import { FrameList } from "./FrameList";
import { part } from "./geometry";
import { agreementText } from "./shapes";
import { ShapeChip } from "./Spark";
import {
  MEMBERS_HEAD, membersRows, SIZES_HEAD, sizeRows, sizeText, THREADS_HEAD, threadsRows,
} from "./table";

function Fact(props: { title: string; csv?: { name: string; head: string[]; rows: () => Cell[][] }; children: ComponentChildren }) {
  const { csv } = props;
  return (
    <section class="stacks-fact">
      <h4 class="stacks-panel-title">
        {props.title}
        {csv && (
          <button class="button bare small" onClick={() => saveCsv(csv.name, csv.head, csv.rows())}>
            CSV
          </button>
        )}
      </h4>
      {props.children}
    </section>
  );
}

/** Why it has its shape. */
export function Why(props: { detail: StackDetail; unit: string }) {
  const { row, reason, agreement } = props.detail;
  if (row.shape === null && reason === null) return null;
  return (
    <Fact title="Shape">
      <p>
        {row.shape && <ShapeChip shape={row.shape} confidence={row.confidence} unit={props.unit} />}{" "}
        {row.confidence && <span class="muted">confidence {row.confidence}</span>}
      </p>
      {reason && <p>{reason}</p>}
      {agreement && <p class="muted">{agreementText(agreement)}</p>}
    </Fact>
  );
}

/** The numbers that have no column in the table. */
export function Numbers(props: { row: StackRow }) {
  const { row } = props;
  const numbers: [string, number | null, "bytes" | "count"][] = [
    ["live", row.live_bytes, "bytes"],
    ["live blocks", row.live_blocks, "count"],
    ["peak", row.peak_bytes, "bytes"],
    ["when the heap was highest", row.at_peak_bytes, "bytes"],
    ["largest block", row.largest_bytes, "bytes"],
    ["total", row.total_bytes, "bytes"],
    ["calls", row.calls, "count"],
    ["frees", row.frees, "count"],
    ["temporaries", row.temporaries, "count"],
    ["reallocations", row.reallocs, "count"],
  ];
  return (
    <Fact title="Numbers of the whole recording">
      <dl class="stacks-numbers">
        {numbers.map(([name, value, unit]) => (
          <div key={name}>
            <dt class="muted">{name}</dt>
            <dd><Amount value={value} unit={unit} /></dd>
          </div>
        ))}
      </dl>
    </Fact>
  );
}

/** The stacks at different lines that make up the row. */
export function Members(props: { detail: StackDetail; isRange: boolean }) {
  const { isRange } = props;
  const { members, row } = props.detail;
  if (members.length < 2) return null;
  return (
    <Fact
      title={`Made up of ${counted(row.lines, "stack")} at different lines`}
      csv={{ name: `stack-${row.stack}-lines.csv`, head: MEMBERS_HEAD, rows: () => membersRows(members) }}
    >
      <table class="table stacks-small-table">
        <thead>
          <tr>
            <th scope="col" class="number">{isRange ? "Growth" : "Live"}</th>
            <th scope="col" class="number">Blocks</th>
            <th scope="col" class="number">Calls{isRange && <small class="stacks-whole">whole run</small>}</th>
            <th scope="col">Lines</th>
          </tr>
        </thead>
        <tbody>
          {members.map(({ stack, place, numbers }) => (
            <tr key={stack} data-key={`member-${stack}`}>
              <td class="number"><Amount value={numbers.growth_bytes} unit="bytes" signed={isRange} /></td>
              <td class="number"><Amount value={numbers.growth_blocks} unit="count" signed={isRange} /></td>
              <td class="number"><Amount value={numbers.calls} unit="count" /></td>
              <td class="mono stacks-small-name" title={place}>{place}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {members.length < row.lines && <p class="muted small">The largest {members.length} are shown.</p>}
    </Fact>
  );
}

/** Blocks by size, ever made and still live. */
export function SizesTable(props: { detail: StackDetail }) {
  const rows = sizeRows(props.detail.sizes_total, props.detail.sizes_live);
  if (rows.length === 0) return null;
  const most = Math.max(...rows.map((row) => row.total));
  const mostLive = Math.max(...rows.map((row) => row.live));
  const bar = (value: number, whole: number) => (
    <td class="number stacks-barred">
      <span class="stacks-bar" style={{ "--part": part(value, whole) }} aria-hidden="true" />
      <Amount value={value} unit="count" />
    </td>
  );
  return (
    <Fact
      title="Blocks by size"
      csv={{
        name: `stack-${props.detail.row.stack}-sizes.csv`,
        head: SIZES_HEAD,
        rows: () => rows.map((row) => [row.from_bytes, row.to_bytes, row.total, row.live]),
      }}
    >
      <table class="table stacks-small-table">
        <thead>
          <tr>
            <th scope="col">Size</th>
            <th scope="col" class="number">All</th>
            <th scope="col" class="number">Live</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.from_bytes}>
              <td class="number stacks-size">{sizeText(row.from_bytes, row.to_bytes)}</td>
              {bar(row.total, most)}
              {bar(row.live, mostLive)}
            </tr>
          ))}
        </tbody>
      </table>
    </Fact>
  );
}

/** Blocks that outlived their event, and who freed them. */
export function Deferral(props: { detail: StackDetail; unit: string }) {
  const { deferral, freed_at: freedAt } = props.detail;
  if (deferral === null && freedAt === null) return null;
  return (
    <Fact title="Late frees">
      {deferral && (
        <p>
          <Amount value={deferral.frees} unit="count" />{" "}
          {deferral.frees === 1 ? "block was" : "blocks were"} freed in a later {props.unit} than made in:{" "}
          <Amount value={deferral.mean_events} unit="count" />{" "}
          {deferral.mean_events === 1 ? props.unit : `${props.unit}s`} later on average,{" "}
          <Amount value={deferral.longest_events} unit="count" /> at most.
        </p>
      )}
      {freedAt && (
        <>
          <p class="muted">One of these frees came from:</p>
          <FrameList frames={freedAt} label="Stack of a late free" />
        </>
      )}
    </Fact>
  );
}

export function ThreadsTable(props: { detail: StackDetail }) {
  const { threads, row } = props.detail;
  if (threads.length === 0) return null;
  const hasLargest = threads.some((one) => one.largest_bytes !== null);
  return (
    <Fact
      title="Threads"
      csv={{ name: `stack-${row.stack}-threads.csv`, head: THREADS_HEAD, rows: () => threadsRows(threads) }}
    >
      <table class="table stacks-small-table">
        <thead>
          <tr>
            <th scope="col">Thread</th>
            <th scope="col" class="number">Calls</th>
            <th scope="col" class="number">Total</th>
            <th scope="col" class="number">Frees</th>
            <th scope="col" class="number" title="Net (allocated − freed) by this thread">Net</th>
            {hasLargest && <th scope="col" class="number" title="Largest single block by this thread">Largest</th>}
          </tr>
        </thead>
        <tbody>
          {threads.map((one) => (
            <tr key={one.tid}>
              <td class="stacks-small-name">{one.name} <span class="muted">{one.tid}</span></td>
              <td class="number"><Amount value={one.calls} unit="count" /></td>
              <td class="number"><Amount value={one.total_bytes} unit="bytes" /></td>
              <td class="number"><Amount value={one.frees} unit="count" /></td>
              <td class="number"><Amount value={one.net_bytes} unit="bytes" signed /></td>
              {hasLargest && <td class="number"><Amount value={one.largest_bytes} unit="bytes" /></td>}
            </tr>
          ))}
        </tbody>
      </table>
    </Fact>
  );
}
