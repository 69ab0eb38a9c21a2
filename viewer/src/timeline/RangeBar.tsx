// What the selected range left behind, and the range in numbers that can be typed.

import { useState } from "preact/hooks";
import { go, parameter } from "../address";
import type { Stacks } from "../answers";
import { useAnswer } from "../ask";
import { counted } from "../format";
import { Amount } from "../parts/Number";
import { clampRange, isSame, lengthOf, parseRange, writeRange, type Range } from "./range";

/** Why an answer is of others than the events that were selected. */
function otherwise(selection: Range | null, covered: Range | null, unit: string): string {
  if (selection === null || covered === null || isSame(selection, covered)) return "";
  if (covered.first < selection.first || covered.last > selection.last) return `; widened to ${unit}s that were kept`;
  return covered.last < selection.last ? `; the end of ${unit} ${covered.last + 1} was not recorded` : "";
}

/** `note` follows the number of events. */
function Subject(props: { selection: Range | null; unit: string; note?: string }) {
  const { selection, unit } = props;
  if (!selection) return <strong>Whole recording</strong>;
  return (
    <>
      <strong>
        {unit === "tick" ? "Ticks" : "Events"} {writeRange(selection)}
      </strong>{" "}
      <span class="muted">
        ({counted(lengthOf(selection), unit)}
        {props.note})
      </span>
    </>
  );
}

/** The events that an answer is really of. */
function coveredBy({ first_event: first, last_event: last }: Stacks): Range | null {
  return first === null || last === null ? null : { first, last };
}

function Sentence(props: { selection: Range | null; unit: string }) {
  const { unit } = props;
  const asked = useAnswer("stacks", {
    side: parameter("side"),
    events: props.selection ? writeRange(props.selection) : undefined,
    kind: parameter("kind"),
    limit: 0,
  });
  const { answer } = asked;
  if (asked.error || !answer) {
    return (
      <p class="timeline-sentence">
        <Subject {...props} />
        {asked.error && (
          <>
            : <span class="timeline-trouble">{asked.error}</span>
          </>
        )}
      </p>
    );
  }
  const { sums, events } = answer;
  // The answer before stays while the next is awaited: it says itself what it is of.
  const covered = coveredBy(answer);
  const isRange = covered !== null;
  const note = asked.isLoading ? "" : otherwise(props.selection, covered, unit);
  return (
    <p class="timeline-sentence" aria-live="polite" aria-busy={asked.isLoading}>
      <Subject selection={covered} unit={unit} note={note} />: {isRange ? "left behind " : "live at the end "}
      <span class="range-bytes">
        <Amount value={sums.growth_bytes} unit="bytes" signed={isRange} />
      </span>
      {isRange && " net"}
      {isRange && events > 0 && (
        <>
          ,{" "}
          <span class="range-per-event">
            <Amount value={sums.growth_bytes / events} unit="bytes" />
          </span>{" "}
          per {unit}
        </>
      )}
      ,{" "}
      <span class="range-blocks">
        <Amount value={sums.growth_blocks} unit="count" />
      </span>{" "}
      {Math.abs(sums.growth_blocks) === 1 ? "block" : "blocks"}
    </p>
  );
}

function Ends(props: { selection: Range | null; bounds: Range; unit: string }) {
  const { selection, bounds, unit } = props;
  // What was typed and not yet taken over; an end that is not here follows the selection.
  const [typed, setTyped] = useState<{ first?: string; last?: string }>({});
  const written = { first: String(selection?.first ?? ""), last: String(selection?.last ?? "") };
  const shown = { ...written, ...typed };
  const commit = (): void => {
    setTyped({});
    if (shown.first === written.first && shown.last === written.last) return;
    const isEmpty = !shown.first && !shown.last;
    const range = parseRange(`${shown.first || bounds.first}..${shown.last || bounds.last}`);
    if (isEmpty) go({ events: undefined });
    else if (range) go({ events: writeRange(clampRange(range, bounds)) });
  };
  const input = (end: "first" | "last", label: string) => (
    <input
      type="number"
      class={`range-${end}`}
      aria-label={label}
      min={bounds.first}
      max={bounds.last}
      step={1}
      style={{ width: `calc(${String(bounds.last).length}ch + 3em)` }}
      placeholder={String(bounds[end])}
      value={shown[end]}
      onInput={(event) => {
        const { value } = event.currentTarget;
        setTyped((before) => ({ ...before, [end]: value }));
      }}
      onBlur={commit}
      onKeyDown={(event) => {
        if (event.key === "Enter") commit();
        if (event.key === "Escape") setTyped({});
      }}
    />
  );
  return (
    <span class="field timeline-ends">
      <span>{unit}s</span>
      {input("first", `First ${unit} of the range`)}
      <span>to</span>
      {input("last", `Last ${unit} of the range`)}
    </span>
  );
}

export function RangeBar(props: {
  selection: Range | null;
  /** A selection on its way. */
  draft: Range | null;
  against: Range | null;
  bounds: Range;
  unit: string;
}) {
  const { selection, draft, against, bounds, unit } = props;
  return (
    <div class="timeline-range">
      <Sentence selection={selection} unit={unit} />
      <span class="timeline-actions">
        {against && (
          <span class="chip timeline-against">
            <span class="timeline-against-mark" aria-hidden="true" />
            against {writeRange(against)}
            <button
              type="button"
              class="timeline-clear"
              aria-label={`Do not compare with ${unit}s ${writeRange(against)}`}
              title="Do not compare"
              onClick={() => go({ against: undefined })}
            >
              ×
            </button>
          </span>
        )}
        {against && !selection && (
          <span class="timeline-hint" role="status">
            Now select the range to compare with {writeRange(against)}.
          </span>
        )}
        {selection && (
          <button
            type="button"
            class="button timeline-compare"
            title="Compare with this range: then select another"
            onClick={() => go({ against: writeRange(selection), events: undefined })}
          >
            compare with another range
          </button>
        )}
        <Ends selection={draft ?? selection} bounds={bounds} unit={unit} />
        <button
          type="button"
          class="button timeline-all"
          disabled={!selection}
          onClick={() => go({ events: undefined })}
        >
          all {unit}s
        </button>
      </span>
    </div>
  );
}
