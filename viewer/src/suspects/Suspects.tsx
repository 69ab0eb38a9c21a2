// Whom to look at first: the stacks that the verdict accuses, or what stands in their place. The
// first is open.

import { useState } from "preact/hooks";
import type { Side, SuspectsAnswer } from "../answers";
import { useAnswer } from "../ask";
import { CardBody, CardLine } from "./Card";
import "./suspects.css";

/** Shown before somebody asks for more. */
const FIRST = 3;

/** `events`: those that are judged; empty for the whole recording. */
export function Suspects(props: { side: Side; events: string; judged: string; unit: string; isSmall?: boolean }) {
  const { answer, error } = useAnswer("suspects", { side: props.side, events: props.events });
  if (error !== null) return <p class="muted small">{error}</p>;
  if (answer === null) return null;
  return (
    <div class="suspects" data-role={answer.role}>
      {answer.cards.length > 0 && <List {...props} answer={answer} />}
      {answer.follows && <p class="small"><span class="muted">follows</span> {answer.follows}</p>}
      {!props.isSmall && <Advice answer={answer} />}
    </div>
  );
}

function List(props: Parameters<typeof Suspects>[0] & { answer: SuspectsAnswer }) {
  const { answer, unit } = props;
  const [isWhole, setIsWhole] = useState(false);
  const [open, setOpen] = useState<number | null>(props.isSmall ? null : (answer.cards[0]?.stack ?? null));
  const cards = isWhole ? answer.cards : answer.cards.slice(0, FIRST);
  const more = answer.cards.length - cards.length;
  return (
    <section aria-label="Stacks to look at first">
      <h2 class="suspects-title">
        {answer.title}
        {answer.stage && <span class="muted small">{answer.stage}</span>}
      </h2>
      <ol class="suspects-list">
        {cards.map((card) => {
          const shown = { card, events: props.judged, unit };
          const isOpen = open === card.stack;
          return (
            <li key={card.stack} class={`suspect ${isOpen ? "suspect-open" : ""}`} data-key={card.stack} data-kind={card.kind}>
              <CardLine {...shown} isOpen={isOpen} onToggle={() => setOpen(isOpen ? null : card.stack)} />
              {isOpen && <CardBody {...shown} />}
            </li>
          );
        })}
      </ol>
      {more > 0 && (
        <button type="button" class="button bare suspects-more" onClick={() => setIsWhole(true)}>
          {more} more
        </button>
      )}
      {more === 0 && answer.rest && <p class="muted small suspects-more">{answer.rest}</p>}
    </section>
  );
}

function Advice(props: { answer: SuspectsAnswer }) {
  const { advice } = props.answer;
  if (advice.length === 0) return null;
  return (
    <ul class="suspects-advice small" aria-label="Advice">
      {advice.map((one, index) => (
        <li key={index}>
          <strong>{one.action}</strong> {one.words}
          {one.shown && (
            <span class="muted mono">
              {" "}{one.shown}
              {one.place && `  ${one.place}`}
            </span>
          )}
        </li>
      ))}
    </ul>
  );
}
