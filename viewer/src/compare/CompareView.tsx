// Two recordings side by side: what is new, gone, grown or shrunk from the one to the other.

import { useState } from "preact/hooks";
import { go, parameter } from "../address";
import type { Compare } from "../answers";
import { ask, useAnswer } from "../ask";
import { saveCsv } from "../download";
import { about } from "../page/about";
import { Waiting } from "../parts/Waiting";
import { SearchField } from "../parts/SearchField";
import { KindSelect } from "../parts/KindSelect";
import { ClassChips } from "./ClassChips";
import "./compare.css";
import { CompareHead } from "./CompareHead";
import { CompareTable } from "./CompareTable";
import { allRows } from "./everything";
import { Paging } from "./Paging";
import { COUNTERS, offsetOf, question } from "./question";
import { BYS, byOf, classOf, compareHead, compareRows } from "./rows";

const LIMIT = 100;

/** The later recording as a flame graph, coloured by how it differs from the earlier one. */
const FLAME = { view: "flame", side: "b", against: "a", class: "", offset: "", events: "" } as const;

export function CompareView() {
  const files = about.value?.files.length ?? null;
  return (
    <section class="view view-compare" aria-label="Compare">
      {files === 1 ? <OnlyOne /> : <Comparison />}
    </section>
  );
}

function OnlyOne() {
  return (
    <div class="panel compare-only">
      <p>One recording is open; a comparison needs two.</p>
      <p>
        Start the page with both, the earlier one first: <code>residue view BEFORE AFTER</code>
      </p>
    </div>
  );
}

function Comparison() {
  const asked = useAnswer("compare", { ...question(), offset: offsetOf(parameter("offset")), limit: LIMIT });
  const { answer, error, isLoading } = asked;
  return (
    <>
      {answer && <CompareHead compare={answer} />}
      <Controls isRefused={error !== null} />
      {parameter("events") && (
        <p class="muted">The whole recordings are compared: the chosen range, {parameter("events")}, does not narrow them.</p>
      )}
      <Waiting of={asked} what="the comparison" />
      {answer && (
        <div class="compare-list" aria-busy={isLoading}>
          <div class="toolbar">
            <ClassChips counts={answer.counts} chosen={classOf(parameter("class"))} />
            <span class="spacer" />
            <button type="button" class="button" onClick={() => go({ ...FLAME, by: answer.by === "library" ? "module" : "" })}>
              Differential flame graph
            </button>
            <CsvButton answer={answer} />
          </div>
          {answer.rows.length > 0 ? <CompareTable compare={answer} /> : <p class="panel">Nothing changed that passes the filters.</p>}
          <Paging offset={answer.offset} shown={answer.rows.length} found={answer.found} limit={LIMIT} />
        </div>
      )}
    </>
  );
}

function Controls(props: { isRefused: boolean }) {
  const { by, counter } = question();
  return (
    <div class="toolbar">
      <SearchField
        value={parameter("focus")}
        label="Only paths through a function"
        placeholder="Through function (regular expression)"
        isRefused={props.isRefused}
        onSearch={(focus) => go({ focus, offset: "" }, { quiet: true })}
      />
      <div class="buttons" role="group" aria-label="A row is">
        {BYS.map((one) => (
          <button
            key={one}
            type="button"
            class="button"
            aria-pressed={by === one}
            onClick={() => go({ by: one === byOf("") ? "" : one, offset: "" })}
          >
            {one}
          </button>
        ))}
      </div>
      <label class="field">
        Counter
        <select value={counter} onChange={(event) => go({ counter: unless(event.currentTarget.value, "live"), offset: "" })}>
          {COUNTERS.map((one) => (
            <option key={one.counter} value={one.counter}>
              {one.words}
            </option>
          ))}
        </select>
      </label>
      <KindSelect label="Kind" />
    </div>
  );
}

function unless(value: string, usual: string): string {
  return value === usual ? "" : value;
}

/** All rows that pass the filters, not only those of this page. */
function CsvButton(props: { answer: Compare }) {
  const { answer } = props;
  const [isBusy, setIsBusy] = useState(false);
  const [trouble, setTrouble] = useState<string | null>(null);
  const save = async () => {
    setIsBusy(true);
    setTrouble(null);
    const asked = question();
    try {
      const rows = await allRows((offset, limit) => ask("compare", { ...asked, offset, limit }));
      const name = `${answer.before.name}-${answer.after.name}.compare.csv`;
      saveCsv(name, compareHead(answer), compareRows(answer, rows));
    } catch (error) {
      setTrouble(error instanceof Error ? error.message : String(error));
    } finally {
      setIsBusy(false);
    }
  };
  return (
    <>
      <button type="button" class="button" disabled={isBusy} title="All rows that pass the filters" onClick={save}>
        CSV
      </button>
      {trouble && <span class="trouble" role="alert">{trouble}</span>}
    </>
  );
}
