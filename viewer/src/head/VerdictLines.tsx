// One verdict: the headline with its rate, who is guilty, and which counter it follows.

import { go, parameter } from "../address";
import type { StackVerdict, Verdict, VerdictAnswer } from "../answers";
import { percent } from "../format";
import { Amount } from "../parts/Number";
import { reveal } from "../parts/reveal";
import { kindShowing } from "../stacks/links";
import { accused } from "./judged";
import * as text from "./verdict";
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

/** The stack in the table of what grew in the verdict's events, where its kind is shown. */
function openStack(stack: StackVerdict, events: string | null): void {
  reveal(`stack ${stack.stack}`, "click");
  go({
    view: "stacks", stack: String(stack.stack), kind: kindShowing(parameter("kind"), stack.kind),
    events: events ?? undefined, at: "", sort: "", ascending: "", offset: "", focus: "", shape: "",
  });
}

/** `events`: those that the verdict is on. */
export function Guilty(props: { verdict: Verdict; events: string | null }) {
  const stack = accused(props.verdict)[0];
  if (stack === undefined) return null;
  const more = text.moreGuiltyText(props.verdict);
  return (
    <p class="head-guilty">
      <button
        type="button"
        class="head-path mono"
        data-key={stack.stack}
        data-kind={stack.kind}
        title={`Open this stack: ${stack.path.join(" › ")}`}
        onClick={() => openStack(stack, props.events)}
      >
        {stack.shown || "a stack without a path"}
        {stack.place && <span class="muted"> {stack.place}</span>}
      </button>
      <span class="small">
        <Amount value={stack.rate_bytes_per_event} unit="bytes" /> per {props.verdict.unit}
        <span class="muted">
          {stack.share !== null && `, ${percent(stack.share, 1)} of the growth`}
          {more !== null && `; ${more}`}
        </span>
      </span>
      {stack.held && <span class="small muted">{stack.held}</span>}
    </p>
  );
}

/** Who keeps pages of the heap resident. */
export function Pinned(props: { verdict: Verdict }) {
  const { pinned } = props.verdict;
  if (pinned.length === 0) return null;
  return (
    <div class="head-pinned small">
      {pinned.map((sentence, index) => (
        <p key={index}>{sentence}</p>
      ))}
    </div>
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
