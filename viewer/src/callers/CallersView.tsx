// Functions, who called them and whom they called, and the lines of their source.

import { useState } from "preact/hooks";
import { go, parameter } from "../address";
import type { FunctionRow } from "../answers";
import { useAnswer } from "../ask";
import { fileAbout } from "../page/about";
import { Waiting } from "../parts/Waiting";
import { IgnoreChip } from "../parts/IgnoreChip";
import { SearchField } from "../parts/SearchField";
import { allStacks } from "../stacks/selection";
import { KindSelect } from "../parts/KindSelect";
import { counterFor, counterWords, COUNTERS, isOfRange } from "./counters";
import { FunctionList } from "./FunctionList";
import { FunctionPanel, showFunction } from "./FunctionPanel";
import { useGuilty } from "./guilty";
import { SourcePanel } from "./SourcePanel";
import { beginTrail } from "./trail";
import "./callers.css";

export function CallersView() {
  const isRange = parameter("events") !== "";
  const counter = counterFor(parameter("counter"), isRange, fileAbout()?.has.totals ?? false);
  const isOpen = parameter("function") !== "" || parameter("file") !== "";
  const guilty = useGuilty(!isOpen);
  const chosen = parameter("function") || (guilty?.key ?? "");
  const [isRefused, setRefused] = useState(false);
  const asked = useAnswer("callers", chosen ? { ...allStacks(), counter, function: chosen } : null);
  const { answer } = asked;
  const words = counterWords(counter, isRange);
  const file = parameter("file") || (guilty?.fileId ?? answer?.file_id ?? "").toString();
  const choose = (row: FunctionRow) => {
    beginTrail({ key: row.key, name: row.function });
    showFunction(row);
  };

  return (
    <section class="view view-callers" aria-label="Callers">
      <Toolbar isRange={isRange} counter={counter} isRefused={isRefused} />
      <div class="callers-columns">
        <FunctionList counter={counter} chosen={chosen} onChoose={choose} onRefused={setRefused} />
        <div class="callers-right">
          {guilty && <p class="muted small callers-guilty">The function that the verdict names.</p>}
          <Waiting of={asked} what="callers" />
          {answer && <FunctionPanel answer={answer} words={words} isStale={asked.isLoading} />}
          {!chosen && !file && <p class="callers-hint muted">Choose a function to see its callers and callees.</p>}
          {file && (
            <SourcePanel
              file={file}
              line={parameter("line") || (guilty?.line ?? "").toString()}
              counter={counter}
              words={words}
              functionSelf={answer?.function.self ?? null}
            />
          )}
          {answer && !file && <p class="muted callers-none">The source file of this function is unknown.</p>}
        </div>
      </div>
    </section>
  );
}

function Toolbar(props: { isRange: boolean; counter: string; isRefused: boolean }) {
  const { isRange } = props;
  const unit = fileAbout()?.unit ?? "event";
  const hasCpu = fileAbout()?.has.cpu;
  const hasTotals = fileAbout()?.has.totals ?? false;
  const offered = COUNTERS.filter(
    (one) => (!isRange || isOfRange(one.counter, hasTotals)) && (one.counter !== "cpu" || hasCpu),
  );
  return (
    <div class="toolbar callers-toolbar">
      <SearchField
        value={parameter("focus")}
        label="Search functions"
        placeholder="Search functions (regular expression)"
        isRefused={props.isRefused}
        onSearch={(focus) => go({ focus }, { quiet: true })}
      />
      <label class="field">
        Counter
        <select
          value={props.counter}
          onChange={(event) => {
            const counter = event.currentTarget.value;
            go({ counter: counter === "live" ? "" : counter });
          }}
        >
          {offered.map(({ counter }) => (
            <option key={counter} value={counter}>{counterWords(counter, isRange)}</option>
          ))}
        </select>
      </label>
      <IgnoreChip />
      <KindSelect label="Kind" />
      {isRange && (
        <span class="muted small">
          Of {unit}s {parameter("events")} only the growth of live memory is known, in bytes and in
          blocks; stacks that fell are left out.
        </span>
      )}
    </div>
  );
}
