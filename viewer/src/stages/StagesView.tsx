// Between which stamps memory grows: a heat map of events and stages, the guilty one marked.

import { useMemo, useRef } from "preact/hooks";
import { go, parameter } from "../address";
import type { StagesAnswer } from "../answers";
import { useAnswer } from "../ask";
import { saveCsv, savePng } from "../download";
import { fileAbout } from "../page/about";
import { Waiting } from "../parts/Waiting";
import { columnsOf, parseRange, rangeText, wholeRange, type Range } from "./columns";
import { figureOf } from "./figure";
import { Jumps } from "./Jumps";
import { Legend } from "./Legend";
import { looksOf } from "./paint";
import { scaleOf, type Scales } from "./scale";
import { StageTable } from "./StageTable";
import "./stages.css";
import { inOrder, matrixHead, matrixRows, valueOf, VALUE_NAMES, VALUES } from "./values";

export function StagesView() {
  const value = valueOf(parameter("value", "live"));
  const asked = useAnswer("stages", { side: parameter("side"), value });
  const { answer } = asked;
  return (
    <section class="view view-stages" aria-label="Stages" aria-busy={asked.isLoading}>
      <Waiting of={asked} what="stages" />
      {answer && (answer.missing === null ? <Stages answer={answer} /> : <Missing why={answer.missing} />)}
    </section>
  );
}

function Missing(props: { why: string }) {
  return (
    <>
      <ChooseValue />
      <div class="panel stages-missing">
        <p>{props.why}</p>
        <p class="muted">
          Stages lie between named moments that the program marks with <code>residue_stamp("name")</code> inside its
          events, in C, C++, Rust, Python or Fortran: see docs/EVENTS.md.
        </p>
      </div>
    </>
  );
}

function ChooseValue() {
  const chosen = valueOf(parameter("value", "live"));
  return (
    <div class="buttons" role="group" aria-label="Value">
      {VALUES.map((value) => (
        <button
          key={value}
          type="button"
          class="button"
          aria-pressed={value === chosen}
          onClick={() => go({ value: value === "live" ? "" : value })}
        >
          {VALUE_NAMES[value]}
        </button>
      ))}
    </div>
  );
}

function scalesOf(answer: StagesAnswer): Scales {
  return { stages: scaleOf(answer.rows.flatMap((row) => row.values)), whole: scaleOf(answer.start_to_start) };
}

function Stages(props: { answer: StagesAnswer }) {
  const answer = useMemo(() => inOrder(props.answer), [props.answer]);
  const file = fileAbout();
  const unit = file?.unit ?? "event";
  const selected = parameter("events");
  const zoom = parameter("zoom");
  const panel = useRef<HTMLDivElement>(null);
  const columns = useMemo(() => columnsOf(answer.rows.map((row) => row.event), answer.events_per_row), [answer]);
  const scales = useMemo(() => scalesOf(answer), [answer]);
  const whole = useMemo(() => wholeRange(columns, file?.events || null), [columns, file?.events]);
  const shown = useMemo(() => shownRange(zoom, whole), [zoom, whole]);
  const last = whole.to;
  const name = `${file?.name ?? "profile"}.stages.${answer.value}`;
  const savePicture = () => {
    if (!panel.current) return;
    const title = [file?.program, file?.name].filter(Boolean).join(", ");
    const figure = { answer, columns, scales, shown, unit, title, selected: parseRange(selected) };
    savePng(`${name}.png`, figureOf(figure, looksOf(panel.current)));
  };
  return (
    <>
      <div class="toolbar">
        <ChooseValue />
        <Legend scale={scales.stages} answer={answer} unit={unit} />
        <span class="spacer" />
        {selected && (
          <button type="button" class="button bare" onClick={() => go({ events: "" })}>
            {unit}s {selected} ✕
          </button>
        )}
        <button type="button" class="button" onClick={() => saveCsv(`${name}.csv`, matrixHead(answer), matrixRows(answer, columns, last))}>
          CSV
        </button>
        <button type="button" class="button" onClick={savePicture}>
          PNG
        </button>
      </div>
      <Words words={answer.words} isGuilty={answer.intervals.some((interval) => interval.guilty)} />
      <div ref={panel} class="stages-panel">
        <StageTable
          answer={answer}
          columns={columns}
          scales={scales}
          shown={shown}
          last={last}
          unit={unit}
          selected={selected}
          onSelect={(events, how) => go({ events }, how)}
        />
      </div>
      <p id="stages-hint" class="small muted">
        {shown !== whole && `Zoomed to ${unit}s ${rangeText(shown)}, as the timeline is. `}
        Drag over the map to choose a range of {unit}s for the whole page. Keys: arrows read values, Enter chooses one{" "}
        {unit}, Shift and arrows a range, Escape all.
      </p>
      <Jumps answer={answer} unit={unit} selected={selected} />
    </>
  );
}

/** The part that the timeline is zoomed to, if it holds any of the columns. */
function shownRange(zoom: string, whole: Range): Range {
  const asked = parseRange(zoom);
  if (!asked) return whole;
  const range = { from: Math.max(asked.from, whole.from), to: Math.min(asked.to, whole.to) };
  return range.from <= range.to ? range : whole;
}

function Words(props: { words: string[]; isGuilty: boolean }) {
  const [first, ...rest] = props.words;
  if (first === undefined) return null;
  return (
    <div class={`stages-words ${props.isGuilty ? "stages-found" : ""}`}>
      <p class="stages-headline">{first}</p>
      {rest.map((line) => (
        <p key={line} class="muted">
          {line}
        </p>
      ))}
    </div>
  );
}
