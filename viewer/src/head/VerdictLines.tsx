// One verdict: the headline with its rate, or why there is none, and the first words to it.

import type { Verdict, VerdictAnswer } from "../answers";
import { Amount } from "../parts/Number";
import { VerdictIcon } from "./VerdictIcon";

export function Headline(props: { verdict: Verdict; isSmall?: boolean }) {
  const { name, before, bytes_per_event, unit, after } = props.verdict.headline;
  const kind = props.verdict.verdict;
  return (
    <p class={`head-line ${props.isSmall ? "head-line-small" : ""}`}>
      <strong class={`head-word head-word-${kind}`} data-verdict={kind}>
        <VerdictIcon of={kind} />
        {name}
      </strong>
      <span class="head-rate">
        {before && <span>{before} </span>}
        {bytes_per_event === null ? "unknown" : <Amount value={bytes_per_event} unit="bytes" />}
        {bytes_per_event !== null && `/${unit}`}
      </span>
      <span class="head-after muted">{after}</span>
    </p>
  );
}

/** Why there is no verdict, and what to try. */
export function Missing(props: { of: NonNullable<VerdictAnswer["missing"]> }) {
  return (
    <div class="head-missing">
      <p>
        <strong>{props.of.reason}</strong>
      </p>
      <p class="muted">{props.of.advice}</p>
    </div>
  );
}

/** Sentences that are shown at once; the others stand with what the verdict rests on. */
const SHOWN_WORDS = 2;

export function Words(props: { words: readonly string[] }) {
  if (props.words.length === 0) return null;
  return (
    <div class="head-words muted">
      {props.words.slice(0, SHOWN_WORDS).map((sentence, index) => (
        <p key={index}>{sentence}</p>
      ))}
    </div>
  );
}
