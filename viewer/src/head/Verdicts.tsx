// The verdict of the whole recording, and of the events that are selected.

import { useEffect, useState } from "preact/hooks";
import { parameter } from "../address";
import type { Side, VerdictAnswer } from "../answers";
import { useAnswer, type Asked } from "../ask";
import { AccountBar } from "./AccountBar";
import { isWorthDrawing } from "./account";
import { rangeLabel, rangeOf } from "./range";
import { Follows, Guilty, Headline, Words } from "./VerdictLines";

/** A range may still be under way: it is judged once it stays for so long. */
const PATIENCE_MS = 400;

/** The value once it has stayed the same for a while; null until then. */
function useSettled(value: string): string | null {
  const [settled, setSettled] = useState<string | null>(null);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), PATIENCE_MS);
    return () => clearTimeout(timer);
  }, [value]);
  return settled === value ? value : null;
}

function Judging(props: { of: Asked<VerdictAnswer> }) {
  if (props.of.error !== null) {
    return (
      <p class="trouble" role="alert">
        No verdict: {props.of.error}
      </p>
    );
  }
  if (!props.of.isLoading) return null;
  // A running program is judged again and again: not worth a word to those who listen.
  if (props.of.answer !== null) return <p class="head-anew muted">Judging anew …</p>;
  return (
    <p class="muted" role="status">
      Judging …
    </p>
  );
}

function RangeAnswer(props: { side: Side; events: string }) {
  const asked = useAnswer("verdict", props);
  const { answer } = asked;
  return (
    <>
      <Judging of={asked} />
      {answer?.verdict && <Headline verdict={answer.verdict} isSmall />}
      {answer?.verdict && <Guilty verdict={answer.verdict} {...props} />}
      {answer !== null && answer.verdict === null && <Words answer={answer} />}
    </>
  );
}

function RangeVerdict(props: { side: Side; events: string; unit: string }) {
  const events = useSettled(props.events);
  return (
    <div class="head-range" data-events={props.events}>
      <span class="head-range-label">{rangeLabel(props.events, props.unit)}</span>
      {events === null ? (
        <span class="muted" role="status">
          Judging …
        </span>
      ) : (
        <RangeAnswer key={events} side={props.side} events={events} />
      )}
    </div>
  );
}

export function Verdicts(props: { side: Side; unit: string }) {
  const asked = useAnswer("verdict", { side: props.side });
  const verdict = asked.answer?.verdict ?? null;
  const events = parameter("events");
  const isDrawn = verdict !== null && isWorthDrawing(verdict);
  return (
    <div class={`head-verdicts ${isDrawn ? "head-verdicts-two" : ""}`}>
      <div class="head-verdict" aria-busy={asked.isLoading}>
        {verdict !== null && <Headline verdict={verdict} />}
        <Judging of={asked} />
        {verdict !== null && <Guilty verdict={verdict} side={props.side} />}
        {verdict !== null && <Follows verdict={verdict} />}
        {asked.answer !== null && <Words answer={asked.answer} />}
      </div>
      {isDrawn && verdict.account !== null && <AccountBar account={verdict.account} unit={verdict.unit} />}
      {rangeOf(events) !== null && <RangeVerdict side={props.side} events={events} unit={props.unit} />}
    </div>
  );
}
