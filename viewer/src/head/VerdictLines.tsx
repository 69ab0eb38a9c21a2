// One verdict: the headline with its rate, who is guilty, and which counter it follows.

import { go } from "../address";
import type { Side, StackVerdict, Verdict, VerdictAnswer } from "../answers";
import { useAnswer } from "../ask";
import { percent } from "../format";
import { Amount } from "../parts/Number";
import { cut, innermost } from "./shortpath";
import * as text from "./verdict";
import { VerdictIcon } from "./VerdictIcon";

export function Headline(props: { verdict: Verdict; isSmall?: boolean }) {
  const { before, bytes_per_event, after } = text.line(props.verdict);
  const kind = props.verdict.verdict;
  return (
    <p class={`head-line ${props.isSmall ? "head-line-small" : ""}`}>
      <strong class={`head-word head-word-${kind}`} data-verdict={kind}>
        <VerdictIcon of={kind} />
        {text.HEADLINES[kind]}
      </strong>
      <span class="head-rate">
        {before && <span>{before} </span>}
        {bytes_per_event === null ? "any rate" : <Amount value={bytes_per_event} unit="bytes" />}
      </span>
      <span class="head-after muted">{after}</span>
    </p>
  );
}

function openStack(stack: StackVerdict): void {
  go({ view: "stacks", stack: String(stack.stack) });
  document.getElementById("tab-stacks")?.scrollIntoView({ block: "nearest" });
}

const LEAF_CHARACTERS = 56;
const CALLER_CHARACTERS = 28;
const TITLE_CHARACTERS = 120;

/** The path as the page names functions elsewhere; until that is known as the verdict has
    it, with full names. */
function usePath(stack: StackVerdict | null, side: Side, events: string | undefined): string[] {
  const asked = useAnswer("stack", stack === null ? null : { side, events, stack: stack.stack });
  const row = asked.answer?.row;
  return row?.stack === stack?.stack && row?.path.length ? row.path : (stack?.path ?? []);
}

export function Guilty(props: { verdict: Verdict; side: Side; events?: string }) {
  const stack = text.firstGuilty(props.verdict);
  const path = usePath(stack, props.side, props.events);
  if (stack === null) return null;
  const more = text.moreGuiltyText(props.verdict);
  const functions = innermost(path);
  return (
    <p class="head-guilty">
      <button
        type="button"
        class="head-path mono"
        data-key={stack.stack}
        title={`Open this stack: ${path.map((name) => cut(name, TITLE_CHARACTERS)).join(" › ")}`}
        onClick={() => openStack(stack)}
      >
        {functions.length === 0 && "a stack without a path"}
        {functions.map((name, index) => (
          <span key={index}>
            {index > 0 && <span class="muted"> › </span>}
            {index === functions.length - 1 ? (
              <strong>{cut(name, LEAF_CHARACTERS)}</strong>
            ) : (
              cut(name, CALLER_CHARACTERS)
            )}
          </span>
        ))}
      </button>
      <span class="small">
        <Amount value={stack.rate_bytes_per_event} unit="bytes" /> per {props.verdict.unit}
        <span class="muted">
          {stack.share !== null && `, ${percent(stack.share, 1)} of the growth`}
          {more !== null && `; ${more}`}
        </span>
      </span>
    </p>
  );
}

export function Follows(props: { verdict: Verdict }) {
  const counter = text.followed(props.verdict);
  if (counter === null) return null;
  return (
    <p class="head-follows">
      <span class="muted">follows </span>
      <strong>
        <Amount value={counter.bytes_per_unit} unit="bytes" />
      </strong>{" "}
      {text.followedText(counter, props.verdict.unit)}
    </p>
  );
}

/** Sentences shown at once; the rest unfolds. */
const SHOWN_WORDS = 2;

export function Words(props: { answer: VerdictAnswer }) {
  const words = text.otherWords(props.answer.words, props.answer.verdict);
  const [first, rest] = [words.slice(0, SHOWN_WORDS), words.slice(SHOWN_WORDS)];
  return (
    <div class="head-words muted">
      {first.map((sentence, index) => (
        <p key={index}>{sentence}</p>
      ))}
      {rest.length > 0 && (
        <details>
          <summary>{rest.length} more</summary>
          {rest.map((sentence, index) => (
            <p key={index}>{sentence}</p>
          ))}
        </details>
      )}
    </div>
  );
}
