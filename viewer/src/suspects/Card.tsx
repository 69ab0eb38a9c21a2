// One suspect: its function and line, how much, why, the source around it, and where to go from there.

import type { SuspectCard } from "../answers";
import { fileAbout } from "../page/about";
import { go } from "../address";
import { share } from "../format";
import { copyText } from "../parts/copy";
import { Amount } from "../parts/Number";
import { useFollow } from "../stacks/follow";
import { ShapeChip, Spark } from "../stacks/Spark";
import { cardText, followedOf, openSource, openStack } from "./links";

interface Shown {
  card: SuspectCard;
  /** The events that it was found in; empty for the whole recording. */
  events: string;
  unit: string;
}

/** Function and place, and its numbers, in one line. Pressed, it opens or closes. */
export function CardLine(props: Shown & { isOpen: boolean; onToggle: () => void }) {
  const { card, unit } = props;
  return (
    <div class="suspect-line">
      <button type="button" class="suspect-name mono" aria-expanded={props.isOpen} title={card.path.join(" › ")} onClick={props.onToggle}>
        <strong>{card.function}</strong>
        {card.at && <span class="suspect-place">{card.at}</span>}
      </button>
      <span class="suspect-numbers">
        <Spark values={card.live} unit={unit} />
        {card.rate_bytes_per_event !== null && (
          <strong class="suspect-amount">
            <Amount value={card.rate_bytes_per_event} unit="bytes" />/{unit}
          </strong>
        )}
        {card.bytes !== null && (
          <span class="suspect-amount">
            <strong><Amount value={card.bytes} unit="bytes" /></strong> {card.bytes_are}
          </span>
        )}
        {card.share !== null && (
          <span class="muted" data-share={card.share}>{share(card.share, 1)} {card.share_of}</span>
        )}
        {card.kind !== "heap" && <span class="chip">{card.kind}</span>}
        {card.shape !== null && <ShapeChip shape={card.shape} confidence={null} unit={unit} />}
      </span>
    </div>
  );
}

function Said(props: { name: string; words: string | null }) {
  if (!props.words) return null;
  return (
    <p>
      <span class="muted">{props.name}</span> {props.words}
    </p>
  );
}

function Actions(props: Shown) {
  const { card, events } = props;
  const { said, setSaid, toFlame, toCallers } = useFollow();
  const followed = () => followedOf(card, events);
  const copy = async () => setSaid((await copyText(cardText(card))) ? "copied" : "the browser does not let it be copied");
  return (
    <div class="suspect-actions">
      <button type="button" class="button" onClick={() => openStack(card, events)}>Stack</button>
      <button type="button" class="button" onClick={() => toFlame(followed())}>Flame graph</button>
      <button type="button" class="button" onClick={() => toCallers(followed())}>Callers</button>
      {card.file_id !== null && (
        <button type="button" class="button" onClick={() => openSource(card, events)}>Source</button>
      )}
      {card.held !== null && fileAbout()?.has.picture && (
        <button type="button" class="button" onClick={() => go({ view: "holders", which: "" })}>Holders</button>
      )}
      <button type="button" class="button" onClick={() => void copy()}>Copy</button>
      <span class="muted small" role="status">{said}</span>
    </div>
  );
}

function SourceAround(props: { card: SuspectCard }) {
  const { source, line, file } = props.card;
  if (source.length === 0) return null;
  return (
    <ol class="suspect-source mono" aria-label={`Lines of ${file}`} title={file ?? ""}>
      {source.map((one) => (
        <li key={one.line} value={one.line} aria-current={one.line === line ? "true" : undefined}>
          <span>{one.text}</span>
        </li>
      ))}
    </ol>
  );
}

export function CardBody(props: Shown) {
  const { card } = props;
  return (
    <div class="suspect-body">
      <div class="suspect-words small">
        <p class="suspect-path mono">{card.shown}</p>
        <p>{card.why}</p>
        {card.doubt && <p>{card.doubt}</p>}
        <Said name="follows" words={card.follows} />
        {card.held && <p>{card.held}</p>}
        <Said name="freed in a later event by" words={card.freed_by} />
        <Actions {...props} />
      </div>
      <SourceAround card={card} />
    </div>
  );
}
