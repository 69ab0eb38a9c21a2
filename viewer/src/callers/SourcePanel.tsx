// A source file, line by line, with what each line allocated.

import { useEffect, useRef } from "preact/hooks";
import { parameter } from "../address";
import type { CounterName, SourceLines } from "../answers";
import { useAnswer } from "../ask";
import { saveCsv } from "../download";
import { fileAbout } from "../page/about";
import { EditorChoice, EditorLink } from "../parts/EditorLink";
import { Amount } from "../parts/Number";
import { revealed } from "../parts/reveal";
import { Waiting } from "../parts/Waiting";
import { allStacks } from "../stacks/selection";
import {
  byLine, firstLook, gaps, heat, highestLine, sourceHead, sourceRows, worthShowing, type LineTotals, type SourceLine,
} from "./lines";

export function SourcePanel(props: {
  file: string;
  line: string;
  counter: CounterName;
  words: string;
  /** What the chosen function allocated by itself. */
  functionSelf: number | null;
}) {
  const { file, line, counter } = props;
  const asked = useAnswer("source", { ...allStacks(), counter, file, line });
  const { answer } = asked;
  const totals = useTotals(file, line, counter);
  const scroll = useRef<HTMLDivElement>(null);
  const highest = answer ? highestLine(answer.lines) : null;
  const first = answer ? firstLook(answer.lines, props.functionSelf) : null;
  const wanted = /^\d+$/.test(line) ? Number(line) : first;

  /** Brings a line to the middle of the box without moving the page. */
  const show = (number: number | null) => {
    const box = scroll.current;
    const row = number === null ? null : box?.querySelector<HTMLElement>(`tr[data-key="${number}"]`);
    if (box && row) box.scrollTop = row.offsetTop - box.clientHeight / 2;
  };
  useEffect(() => show(wanted), [answer, wanted]);
  const panel = useRef<HTMLElement>(null);
  useEffect(() => {
    if (answer !== null && panel.current) revealed("source", panel.current);
  }, [answer]);

  return (
    <section ref={panel} class="callers-source" aria-label="Source" aria-busy={asked.isLoading} tabIndex={-1}>
      <Waiting of={asked} what="source lines" />
      {answer && (
        <>
          <div class="toolbar">
            <h3>Source</h3>
            <span class="mono callers-file" title={answer.file}><bdi>{answer.file}</bdi></span>
            <EditorLink path={answer.file} line={wanted} isLong />
            <span class="spacer" />
            <EditorChoice />
            <button class="button small" disabled={highest === null} onClick={() => show(highest)}>
              Highest line{highest === null ? "" : `: ${highest}`}
            </button>
            <button class="button small" onClick={() => saveCsv("source.csv", sourceHead(totals), sourceRows(answer.lines, totals))}>
              CSV
            </button>
          </div>
          {answer.missing !== null && <p class="muted callers-missing">{answer.missing}</p>}
          {answer.lines.length > 0 ? (
            <div class="callers-source-scroll" ref={scroll} role="region" aria-label="Lines" tabIndex={0}>
              <Lines answer={answer} marked={wanted} totals={totals} />
            </div>
          ) : (
            <p class="muted callers-none">No line of this file has {props.words}.</p>
          )}
        </>
      )}
    </section>
  );
}

/** What each line allocated and what it left, with all below it, beside the counter that is shown:
    of a range what is known of it. */
function useTotals(file: string, line: string, counter: CounterName): LineTotals[] {
  const isRange = parameter("events") !== "";
  const isKnown = !isRange || (fileAbout()?.has.totals ?? false);
  const of = (one: CounterName) => ({ ...allStacks(), counter: one, file, line });
  const allocated = useAnswer("source", counter !== "total" && isKnown ? of("total") : null).answer;
  const left = useAnswer("source", counter !== "live" ? of("live") : null).answer;
  return [
    ...(allocated ? [{ name: "allocated", words: "Allocated", unit: allocated.unit, byLine: byLine(allocated.lines) }] : []),
    ...(left ? [{ name: "left", words: "Left", unit: left.unit, byLine: byLine(left.lines) }] : []),
  ];
}

function Lines(props: { answer: SourceLines; marked: number | null; totals: LineTotals[] }) {
  const { unit } = props.answer;
  const { totals } = props;
  const lines = worthShowing(props.answer.lines);
  const leftOut = gaps(lines);
  const mostSelf = Math.max(0, ...lines.map((line) => line.self));
  const most = Math.max(0, ...lines.map((line) => line.cumulative));
  const cell = (value: number, highest: number, name: string) => (
    <td class={`number callers-heat callers-${name}`} style={{ "--heat": `${heat(value, highest)}%` }}>
      {value !== 0 && <Amount value={value} unit={unit} />}
    </td>
  );
  const row = (line: SourceLine) => [
    leftOut.has(line.line) && (
      <tr key={`before-${line.line}`} class="callers-gap"><td colSpan={4 + totals.length}>⋯</td></tr>
    ),
    <tr key={line.line} data-key={line.line} class={line.line === props.marked ? "chosen" : ""}>
      {cell(line.self, mostSelf, "self")}
      {cell(line.cumulative, most, "cumulative")}
      {totals.map(({ name, unit, byLine }) => (
        <td key={name} class={`number callers-${name}`}>
          {byLine.get(line.line) !== undefined && <Amount value={byLine.get(line.line)!} unit={unit} />}
        </td>
      ))}
      <td class="mono callers-line-number">{line.line}</td>
      <td class="mono callers-line-text">{line.text ?? ""}</td>
    </tr>,
  ];
  return (
    <table class="table callers-lines" aria-label="Source lines">
      <thead>
        <tr>
          <th scope="col" class="number">Self</th>
          <th scope="col" class="number">Cumulative</th>
          {totals.map(({ name, words }) => (
            <th key={name} scope="col" class="number" title="With all below it">{words}</th>
          ))}
          <th scope="col" class="number">Line</th>
          <th scope="col">Text</th>
        </tr>
      </thead>
      <tbody>{lines.map(row)}</tbody>
    </table>
  );
}
