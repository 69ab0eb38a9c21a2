// The columns of the table of stacks: heading, what it sorts by, and cell.

import type { ComponentChildren } from "preact";
import type { StackNumbers, StackRow, Stacks, StackSort } from "../answers";
import { bytes as asBytes, percent } from "../format";
import { Amount } from "../parts/Number";
import { part } from "./geometry";
import { singular } from "./path";
import type { Shown } from "./sorting";
import { BirthStrip, ShapeChip, Spark } from "./Spark";

export interface Column {
  name: string;
  heading: string;
  title: string;
  sort: StackSort | null;
  isNumber: boolean;
  cell: (row: StackRow) => ComponentChildren;
  /** Over all that were found; null where a sum means nothing. */
  sum: ((sums: StackNumbers) => ComponentChildren) | null;
  /** A second number, below the first. */
  below?: Column;
  /** Its numbers are of the whole recording, beside others of a range. */
  isWhole?: boolean;
}

const bytes = (value: number, signed = false) => <Amount value={value} unit="bytes" signed={signed} />;
const counted = (value: number, signed = false) => <Amount value={value} unit="count" signed={signed} />;

function numberColumn(
  name: string,
  heading: string,
  title: string,
  sort: StackSort,
  show: (numbers: StackNumbers) => ComponentChildren,
  hasSum = true,
): Column {
  return { name, heading, title, sort, isNumber: true, cell: show, sum: hasSum ? show : null };
}

/** A number with its share of all growth behind it; what fell, as a share of all that fell. */
function SharedCell(props: { value: number; grown: number; fallen: number; signed: boolean }) {
  const { value, grown, fallen, signed } = props;
  const whole = value < 0 ? fallen : grown;
  const share = part(Math.abs(value), whole);
  return (
    <>
      <span
        class={value < 0 ? "stacks-bar stacks-bar-fallen" : "stacks-bar"}
        style={{ "--part": share }}
        aria-hidden="true"
      />
      {bytes(value, signed)}
      <small class="stacks-under">{value === 0 ? "" : percent(Math.abs(value), whole)}</small>
    </>
  );
}

/** Bytes: what is less would read as nothing. */
const LEAST_SHOWN = 0.0005;

function RateCell(props: { row: StackRow }) {
  const { rate, low, high } = props.row;
  if (rate === null) return null;
  const off = low !== null && high !== null ? Math.max(high - rate, rate - low) : 0;
  return (
    <>
      <Amount value={rate} unit="bytes" signed />
      {low !== null && high !== null && (
        <small class="stacks-under" title={`95 %: ${low} .. ${high} bytes`} data-low={low} data-high={high}>
          {off >= LEAST_SHOWN && `± ${asBytes(off)}`}
        </small>
      )}
    </>
  );
}

function CounterCell(props: { row: StackRow }) {
  const followed = props.row.counter;
  if (followed === null) return null;
  const { name, bytes_per_unit_low: low, bytes_per_unit_high: high } = followed;
  return (
    <span title={`95 %: ${low} .. ${high} bytes per ${singular(name)}; ${followed.dependence}`}>
      {bytes(followed.bytes_per_unit)}
      <small class="stacks-under">per {singular(name)}</small>
    </span>
  );
}

/** The columns that these stacks have; the stack itself comes after them. */
export function columns(answer: Stacks, shown: Shown, unit: string): Column[] {
  const isRange = shown === "grew";
  const isWhole = isRange;
  const grown = answer.sums.growth_bytes + answer.fallen_bytes;
  const peak = numberColumn("stacks-peak", "Peak", "Highest live bytes of this stack alone", "peak", (numbers) =>
    bytes(numbers.peak_bytes), false);
  const has = (test: (row: StackRow) => boolean) => answer.rows.some(test);
  const live = {
    ...numberColumn("stacks-live", "Live", "Bytes not freed at the end of the recording", "live", (numbers) =>
      bytes(numbers.live_bytes)),
    below: peak,
    isWhole,
  };
  const largest = numberColumn(
    "stacks-largest", "Largest", "Largest single block; of several stacks the largest, never a sum", "largest", (numbers) =>
      <Amount value={numbers.largest_bytes} unit="bytes" />);
  const calls = { ...numberColumn("stacks-calls", "Calls", "Allocations", "calls", (numbers) => counted(numbers.calls)), isWhole };
  const atPeak: Column = {
    name: "stacks-at-peak",
    heading: "At peak",
    title: "Bytes live when the heap was highest; the bar is the share of all of them",
    sort: "at-peak",
    isNumber: true,
    cell: (row) => <SharedCell value={row.at_peak_bytes} grown={answer.sums.at_peak_bytes} fallen={0} signed={false} />,
    sum: (sums) => bytes(sums.at_peak_bytes),
  };
  const all: (Column | null)[] = [
    shown === "peak" ? atPeak : {
      name: isRange ? "stacks-growth" : "stacks-growth stacks-live",
      heading: isRange ? "Growth" : "Live",
      title: isRange
        ? `Change of live memory in the selected ${unit}s; the bar is the share of all growth`
        : "Bytes that are not freed; the bar is the share of all of them",
      sort: "growth",
      isNumber: true,
      cell: (row) => (
        <SharedCell value={row.growth_bytes} grown={grown} fallen={answer.fallen_bytes} signed={isRange} />
      ),
      sum: (sums) => bytes(sums.growth_bytes, isRange),
    },
    has((row) => row.rate !== null)
      ? {
          name: "stacks-rate",
          heading: `Per ${unit}`,
          title: `Bytes left by each ${unit}, and how far off that may be, 95 %`,
          sort: null,
          isNumber: true,
          cell: (row) => <RateCell row={row} />,
          sum: null,
        }
      : null,
    shown === "peak" ? null : numberColumn(
      "stacks-blocks",
      isRange ? "Blocks" : "Live blocks",
      isRange ? "Change of the number of live blocks in the range" : "Blocks that are not freed",
      "growth-blocks",
      (numbers) => counted(numbers.growth_blocks, isRange),
    ),
    has((row) => row.shape !== null)
      ? {
          name: "stacks-shape",
          heading: "Shape",
          title: `How its live memory behaves over the ${unit}s`,
          sort: null,
          isNumber: false,
          cell: (row) => row.shape && <ShapeChip shape={row.shape} confidence={row.confidence} unit={unit} />,
          sum: null,
        }
      : null,
    has((row) => row.spark.length > 1)
      ? {
          name: "stacks-over",
          heading: `Over ${unit}s`,
          title: `Live bytes over the ${unit}s of the range`,
          sort: null,
          isNumber: false,
          cell: (row) => <Spark values={row.spark} unit={unit} />,
          sum: null,
        }
      : null,
    has((row) => row.births.length > 0)
      ? {
          name: "stacks-births",
          heading: "Survivors",
          title: `Bytes still live at the end, by the ${unit} they were allocated in`,
          sort: null,
          isNumber: false,
          cell: (row) => <BirthStrip values={row.births} unit={unit} />,
          sum: null,
          isWhole,
        }
      : null,
    has((row) => row.counter !== null)
      ? {
          name: "stacks-counter",
          heading: "Per unit",
          title: "Bytes per unit of the counter that growth follows",
          sort: null,
          isNumber: true,
          cell: (row) => <CounterCell row={row} />,
          sum: null,
        }
      : null,
    shown === "end" ? peak : live,
    {
      ...numberColumn("stacks-total", "Total", "Bytes ever allocated", "total", (numbers) => bytes(numbers.total_bytes)),
      below: numberColumn("stacks-churn", "Churn", "Bytes allocated and freed again: total − live", "churn", (numbers) =>
        bytes(numbers.churn_bytes)),
      isWhole,
    },
    // The panel of a stack says where it was not recorded.
    answer.sums.largest_bytes === null ? calls : { ...calls, below: largest },
  ];
  return all.filter((column) => column !== null);
}
