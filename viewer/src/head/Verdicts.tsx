// The verdict of the whole recording.

import { useEffect } from "preact/hooks";
import type { Side, VerdictAnswer } from "../answers";
import { useAnswer, type Asked } from "../ask";
import { fileAbout } from "../page/about";
import { AccountBar } from "./AccountBar";
import { isWorthDrawing } from "./account";
import { judged, judgedRange } from "./judged";
import { Suspects } from "../suspects/Suspects";
import { Evidence } from "./Evidence";
import { otherWords } from "./verdict";
import { Headline, Missing, Words } from "./VerdictLines";

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
  if (props.of.answer !== null) return <p class="head-anew muted">Updating the verdict …</p>;
  return (
    <p class="muted" role="status">
      Computing the verdict …
    </p>
  );
}

export function Verdicts(props: { side: Side; unit: string }) {
  const asked = useAnswer("verdict", { side: props.side });
  const { answer, error } = asked;
  const { side } = props;
  useEffect(() => {
    // Where nothing could be judged, nobody waits for it.
    const missing = { verdict: null, words: [], missing: null };
    if (answer !== null || error !== null) judged.value = { side, answer: answer ?? missing };
  }, [side, answer, error]);
  const verdict = answer?.verdict ?? null;
  const isDrawn = verdict !== null && isWorthDrawing(verdict);
  const words = otherWords(answer?.words ?? [], verdict);
  return (
    <>
      <div class={`head-verdicts ${isDrawn ? "head-verdicts-two" : ""}`}>
        <div class="head-verdict" aria-busy={asked.isLoading}>
          {verdict !== null && <Headline verdict={verdict} />}
          <Judging of={asked} />
          {answer?.missing && <Missing of={answer.missing} />}
          <Words words={words} />
          {verdict !== null && <Evidence verdict={verdict} words={words} />}
        </div>
        {isDrawn && verdict.account !== null && <AccountBar account={verdict.account} unit={verdict.unit} />}
      </div>
      {answer !== null && (
        <Suspects side={side} events="" judged={judgedRange(verdict, fileAbout()) ?? ""} unit={props.unit} />
      )}
    </>
  );
}
