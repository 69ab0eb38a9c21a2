// Below the timeline, over the same stretch of its axis: what the stacks that grow most held, one on
// the other, and all others in grey. A press opens a stack.

import { useSignal, type ReadonlySignal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import { go, parameter } from "../address";
import type { Growers as Answer } from "../answers";
import { useAnswer } from "../ask";
import { bytes, counted } from "../format";
import { reveal } from "../parts/reveal";
import { kindShowing } from "../stacks/links";
import { pixelOf, type Axis } from "../timeline/axis";
import type { Layout } from "../timeline/charts";
import type { Mark } from "../timeline/draw";
import type { SlowRow } from "../timeline/slowmarks";
import { bandsOf, nearestTo, outline } from "./bands";
import "./growers.css";

const HEIGHT_PX = 96;
const COLOURS = ["vermilion", "blue", "green", "orange", "purple", "sky", "yellow"];
const colourOf = (place: number) => (place < 0 ? "var(--line)" : `var(--${COLOURS[place]})`);

interface Drawn {
  axis: Axis;
  layout: ReadonlySignal<Layout | null>;
  unit: string;
  snapshots: Mark[];
  stamps: Mark[];
  slow: SlowRow[];
}

export function Growers(props: Drawn) {
  const { answer } = useAnswer("growers", { side: parameter("side") });
  if (answer === null || answer.stacks.length === 0) return null;
  const isHidden = parameter("growers") === "hidden";
  const isGrowth = parameter("growers") !== "all" && !isHidden;
  const button = (text: string, value: string, isPressed: boolean, title: string) => (
    <button type="button" class="button" aria-pressed={isPressed} title={title} onClick={() => go({ growers: value })}>
      {text}
    </button>
  );
  return (
    <section class="growers" aria-label="Top growers">
      <div class="growers-head">
        <h3>Top growers</h3>
        <span class="buttons" role="group" aria-label="What is drawn">
          {button("growth", "", isGrowth, `What each stack holds more than at the first ${props.unit}`)}
          {button("all that is live", "all", !isGrowth && !isHidden, "What each stack holds, from zero")}
          {button("hide", "hidden", isHidden, "Do not draw it")}
        </span>
      </div>
      {!isHidden && <Picture {...props} answer={answer} isGrowth={isGrowth} />}
      <RowColours answer={answer} />
    </section>
  );
}

/** Where the table of stacks has one of them, it has its colour. */
function RowColours(props: { answer: Answer }) {
  const rules = props.answer.stacks.map(
    ({ stack }, place) => `.stacks-table tr[data-key="${stack}"]>td:first-of-type{box-shadow:inset 4px 0 ${colourOf(place)}}`,
  );
  return <style>{rules.join("")}</style>;
}

function openStack(stack: Answer["stacks"][number]): void {
  reveal(`stack ${stack.stack}`, "click");
  go({
    view: "stacks", stack: String(stack.stack), kind: kindShowing(parameter("kind"), stack.kind), at: "", sort: "", ascending: "",
    offset: "", focus: "", shape: "",
  });
}

function Picture(props: Drawn & { answer: Answer; isGrowth: boolean }) {
  const { answer, isGrowth, axis, unit } = props;
  const layout = props.layout.value;
  const hover = useSignal<number | null>(null);
  const stacked = useMemo(() => bandsOf(answer, isGrowth), [answer, isGrowth]);
  if (layout === null) return <div style={{ height: `${HEIGHT_PX}px` }} />;
  const xs = answer.event.map((event, at) => pixelOf(axis.valueIn(event, answer.time_ns[at]!), layout) - layout.left);
  const y = (value: number) => HEIGHT_PX - (stacked.highest > 0 ? (value / stacked.highest) * (HEIGHT_PX - 6) : 0);
  const nameOf = (place: number) => {
    const stack = answer.stacks[place];
    return stack ? [stack.function, stack.place].filter(Boolean).join("  ") : counted(answer.rest_stacks, "other stack");
  };
  const seen = (marks: readonly { value: number }[]) =>
    marks.map(({ value }) => pixelOf(value, layout) - layout.left).filter((x) => x >= 0 && x <= layout.width);
  const highest = answer.highest === null ? null : xs[answer.highest]!;
  const lines = seen([...props.snapshots, ...(props.stamps.length * 8 < layout.width ? props.stamps : [])]);
  const at = hover.value === null ? xs.length - 1 : nearestTo(xs, hover.value);
  const told = (values: readonly number[]) => bytes((values[at] ?? 0) - (isGrowth ? (values[0] ?? 0) : 0));
  const words = `${isGrowth ? `Growth since the first ${unit}` : "Live bytes"} by stack, up to ${bytes(stacked.highest)}`;
  return (
    <>
      <div class="growers-picture" style={{ paddingLeft: `${layout.left}px` }}>
        <span class="growers-top muted" style={{ width: `${layout.left}px` }}>{bytes(stacked.highest)}</span>
        <svg
          role="img"
          aria-label={words}
          width={layout.width}
          height={HEIGHT_PX}
          onPointerMove={(event) => (hover.value = event.clientX - event.currentTarget.getBoundingClientRect().left)}
          onPointerLeave={() => (hover.value = null)}
        >
          {stacked.bands.map((band) => (
            <path
              key={band.place}
              class={band.place < 0 ? "growers-rest" : "growers-band"}
              data-place={band.place}
              d={outline(band, xs, y)}
              fill={colourOf(band.place)}
              onClick={() => band.place >= 0 && openStack(answer.stacks[band.place]!)}
            >
              <title>{nameOf(band.place)}</title>
            </path>
          ))}
          {lines.map((x) => (
            <line key={x} class="growers-mark" x1={x} x2={x} y1={0} y2={HEIGHT_PX} />
          ))}
          {props.slow.flatMap((row) => seen(row.marks).map((x) => (
            <path key={`${row.key} ${x}`} class="growers-slow" d={`M${x - 3} 0H${x + 3}L${x} 5Z`} fill={`var(--${row.colour})`} />
          )))}
          {highest !== null && highest >= 0 && highest <= layout.width && (
            <g class="growers-peak">
              <line x1={highest} x2={highest} y1={0} y2={HEIGHT_PX} />
              <text x={highest} y={10} dx={highest > layout.width / 2 ? -4 : 4} text-anchor={highest > layout.width / 2 ? "end" : "start"}>
                highest
              </text>
            </g>
          )}
          {hover.value !== null && <line class="growers-pointer" x1={xs[at]} x2={xs[at]} y1={0} y2={HEIGHT_PX} />}
        </svg>
      </div>
      <ul class="growers-legend">
        <li class="muted">{answer.event[at] === undefined ? "" : `${unit} ${answer.event[at]}`}</li>
        {answer.stacks.map((stack, place) => (
          <li key={stack.stack}>
            <button type="button" class="growers-key" data-key={stack.stack} title={`Open this stack: ${nameOf(place)}`} onClick={() => openStack(stack)}>
              <span class="growers-swatch" style={{ background: colourOf(place) }} />
              <span class="growers-name">{stack.function}</span>
              <span class="muted number">{told(stack.bytes)}</span>
            </button>
          </li>
        ))}
        <li class="muted">
          <span class="growers-swatch" style={{ background: colourOf(-1) }} /> {counted(answer.rest_stacks, "other")} {told(answer.rest)}
        </li>
      </ul>
    </>
  );
}
