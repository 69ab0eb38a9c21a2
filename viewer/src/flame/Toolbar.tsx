// What is shown, and how.

import { useEffect, useState } from "preact/hooks";
import type { ComponentChildren } from "preact";
import { go, place } from "../address";
import { TOTALS_COUNTERS, type CounterName, type FileAbout, type FlameBy } from "../answers";
import { about } from "../page/about";
import { KindSelect } from "../parts/KindSelect";
import { useTyped } from "../parts/typed";
import { BY, byOf, COUNTERS, counterOf, countersOf, firstComparison, isByThread, rangeOf, writeRange } from "./question";

/** What the address says for a choice: nothing for the usual one. */
function stepTo(chosen: string, usual: string): string | undefined {
  return chosen === usual ? undefined : chosen;
}

/** A field whose text goes to the address when the typing pauses. */
function TypedField(props: {
  name: "highlight" | "focus" | "ignore";
  label: string;
  placeholder: string;
  title: string;
  isSearch?: boolean;
  /** Enter in what has been found already goes on to the next match. */
  onStep?: (by: 1 | -1) => void;
}) {
  const given = place.value.parameters[props.name] ?? "";
  const { text, type, finish } = useTyped(given, (value) => go({ [props.name]: value }, { quiet: true }));
  return (
    <label class="field">
      {props.label}
      <input
        type="search"
        class="flame-typed"
        value={text}
        placeholder={props.placeholder}
        title={props.title}
        spellcheck={false}
        autocomplete="off"
        data-search={props.isSearch ? "" : undefined}
        onInput={(event) => type(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== "Enter") return;
          if (props.onStep && text === given && given) props.onStep(event.shiftKey ? -1 : 1);
          else finish();
        }}
      />
    </label>
  );
}

/** Whether a profile can be shown this way, or why not. */
function whyNot(by: FlameBy, file: FileAbout | null, against: string): string | null {
  if (by === "scope" && (against === "a" || against === "b")) return "scopes cannot be compared between two files";
  if (by === "thread" && file && !file.has.threads) return "threads are not known";
  if (by === "scope" && file && file.scopes.length === 0) return "no scopes were marked";
  return null;
}

function Compare(props: { file: FileAbout | null }) {
  const { file } = props;
  const given = place.value.parameters;
  const against = given["against"] ?? "";
  const other = about.value?.files.find((one) => one.side !== file?.side) ?? null;
  const first = file?.first_event ?? null;
  const last = file?.last_event ?? null;
  const turns = `${file?.unit ?? "event"}s`;
  const [text, setText] = useState(against);
  useEffect(() => setText(against), [against]);
  const suggested =
    first === null || last === null ? null : firstComparison(rangeOf(given["events"]), first, last);
  const choose = (value: string) => {
    if (value !== "range") return go({ against: value });
    if (suggested) go({ against: writeRange(suggested.against), events: writeRange(suggested.events) });
  };
  const isRange = against !== "" && against !== "b";
  const isRight = rangeOf(text) !== null;
  return (
    <span class="field">
      <label class="field">
        compared with
        <select value={isRange ? "range" : against} onChange={(event) => choose(event.currentTarget.value)}>
          <option value="">nothing</option>
          <option value="range" disabled={suggested === null && !isRange}>{`other ${turns}`}</option>
          {(other || against === "b") && <option value="b">{other?.name ?? "the other file"}</option>}
        </select>
      </label>
      {isRange && (
        <input
          class="flame-range"
          aria-label={`${turns} to compare with`}
          aria-invalid={!isRight}
          title={`First and last of the ${turns} to compare with, such as 1..50`}
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
          onChange={(event) => rangeOf(event.currentTarget.value) && go({ against: event.currentTarget.value.trim() })}
        />
      )}
    </span>
  );
}

/** What events did of a counter. */
function verbOf(counter: CounterName): string {
  if (counter === "cpu") return "took";
  if (counter === "frees") return "freed";
  return TOTALS_COUNTERS.includes(counter) ? "allocated" : "left";
}

export function Toolbar(props: {
  file: FileAbout | null;
  /** What the search found. */
  matched: ComponentChildren;
  onStep?: (by: 1 | -1) => void;
  /** A function between its callers and callees: which way it is drawn is not chosen. */
  isSandwich?: boolean;
  children: ComponentChildren;
}) {
  const given = place.value.parameters;
  const { file } = props;
  const by = byOf(given);
  const direction = given["layout"] === "flame" ? "flame" : "icicle";
  const known = countersOf(given, file?.has.totals ?? false);
  const counter = counterOf(given, file?.has.totals ?? false);
  const counters = COUNTERS.filter((one) => known.includes(one.name) && (one.name !== "cpu" || file?.has.cpu));
  const isWhole = isByThread(given);
  return (
    <div class="toolbar flame-toolbar" role="toolbar" aria-label="What the flame graph shows">
      <label class="field">
        show
        <select value={counter} onChange={(event) => go({ counter: stepTo(event.currentTarget.value, known[0]!) })}>
          {counters.map((one) => (
            <option key={one.name} value={one.name}>{one.words}</option>
          ))}
        </select>
      </label>
      <KindSelect label="of" />
      {given["events"] && !isWhole && (
        <span class="muted flame-what">
          {`what ${file?.unit ?? "event"}s ${given["events"]} ${verbOf(counter)}`}
        </span>
      )}
      <label class="field">
        by
        <select
          value={by}
          onChange={(event) => go({ by: stepTo(event.currentTarget.value, "function"), root: undefined, thread: undefined, span: undefined })}
        >
          {BY.map((one) => {
            const why = whyNot(one, file, given["against"] ?? "");
            return (
              <option key={one} value={one} disabled={why !== null} title={why ?? undefined}>
                {one === "module" ? "library" : one}
              </option>
            );
          })}
        </select>
      </label>
      {!props.isSandwich && (<span class="buttons" role="group" aria-label="Direction">
        <button
          class="button"
          type="button"
          aria-pressed={direction === "icicle"}
          title="The root at the top"
          onClick={() => go({ layout: undefined })}
        >
          icicle
        </button>
        <button
          class="button"
          type="button"
          aria-pressed={direction === "flame"}
          title="The root at the bottom"
          onClick={() => go({ layout: "flame" })}
        >
          flame
        </button>
      </span>)}
      {!props.isSandwich && (<label class="field" title="From the allocating functions to the root">
        <input
          type="checkbox"
          checked={Boolean(given["inverted"])}
          onChange={(event) => go({ inverted: event.currentTarget.checked ? "1" : undefined, root: undefined, span: undefined })}
        />
        inverted
      </label>)}
      {!isWhole && <Compare file={file} />}
      <span class="flame-typing">
        <TypedField
          name="focus"
          label="only stacks with"
          placeholder="function"
          title="Only stacks with a function that matches: a regular expression; case is ignored unless it has a capital letter"
        />
        <TypedField
          name="ignore"
          label="without"
          placeholder="function"
          title="Without stacks with a function that matches: a regular expression; case is ignored unless it has a capital letter"
        />
        <TypedField
          name="highlight"
          label="find"
          placeholder="regular expression"
          title="Marks the boxes that match: a regular expression; case is ignored unless it has a capital letter ( / )"
          isSearch
          onStep={props.onStep}
        />
        {props.matched}
      </span>
      {props.children}
    </div>
  );
}
