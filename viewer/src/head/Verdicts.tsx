// The verdict of the whole recording.

import type { Side, VerdictAnswer } from "../answers";
import { useAnswer, type Asked } from "../ask";
import { AccountBar } from "./AccountBar";
import { isWorthDrawing } from "./account";
import { Follows, Guilty, Headline, Words } from "./VerdictLines";

export function Judging(props: { of: Asked<VerdictAnswer> }) {
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

export function Verdicts(props: { side: Side; unit: string }) {
  const asked = useAnswer("verdict", { side: props.side });
  const verdict = asked.answer?.verdict ?? null;
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
    </div>
  );
}
