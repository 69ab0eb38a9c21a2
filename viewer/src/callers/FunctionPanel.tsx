// The chosen function between those that called it and those that it called.

import { useEffect } from "preact/hooks";
import { go, parameter } from "../address";
import type { Callers, FunctionRow } from "../answers";
import { percent } from "../format";
import { FoldedName } from "../parts/FoldedName";
import { Amount } from "../parts/Number";
import { exactPattern, libraryText } from "../stacks/path";
import { EndsTable } from "./EndsTable";
import { trail, visit } from "./trail";

export function showFunction(row: Pick<FunctionRow, "key">): void {
  go({ function: row.key, file: "", line: "" });
}

export function FunctionPanel(props: { answer: Callers; words: string; isStale: boolean }) {
  const { answer } = props;
  const shown = answer.function;
  useEffect(() => {
    // Another may have been chosen since this was drawn.
    const chosen = parameter("function");
    if (chosen !== "" && chosen !== shown.key) return;
    trail.value = visit(trail.peek(), { key: shown.key, name: shown.function });
  }, [shown.key, shown.function]);
  return (
    <div class={props.isStale ? "callers-panel callers-stale" : "callers-panel"}>
      <Trail />
      <EndsTable
        title="Callers"
        file="callers.csv"
        answer={answer}
        ends={answer.callers}
        found={answer.callers_found}
        begun={answer.begun}
        empty="Nothing called it."
        onWalk={showFunction}
      />
      <div class="panel callers-middle">
        <div class="callers-middle-name">
          <h2><FoldedName name={shown.function} /></h2>
          <p class="muted">
            {libraryText(shown.library)} {shown.framework && <span class="chip">framework</span>}
          </p>
        </div>
        <Figure words={`self, ${props.words}`} name="callers-self" value={shown.self} answer={answer} />
        <Figure words={`cumulative, ${props.words}`} name="callers-cumulative" value={shown.cumulative} answer={answer} />
        <div class="callers-middle-buttons">
          <button class="button" onClick={() => go({ view: "stacks", focus: exactPattern(shown.function), offset: "", stack: "" })}>
            Stacks
          </button>
          <button class="button" onClick={() => go({ view: "flame", focus: exactPattern(shown.function), root: "" })}>
            Flame graph
          </button>
        </div>
      </div>
      <EndsTable
        title="Callees"
        file="callees.csv"
        answer={answer}
        ends={answer.callees}
        found={answer.callees_found}
        empty="It called nothing that allocated."
        onWalk={showFunction}
      />
    </div>
  );
}

function Figure(props: { words: string; name: string; value: number; answer: Callers }) {
  const { value, answer } = props;
  return (
    <div class={`callers-figure ${props.name}`}>
      <strong><Amount value={value} unit={answer.unit} /></strong>
      <small class="muted">
        {props.words} {percent(value, answer.whole) && `· ${percent(value, answer.whole)}`}
      </small>
    </div>
  );
}

function Trail() {
  if (trail.value.length < 2) return null;
  return (
    <nav class="callers-trail" aria-label="Functions visited">
      <ol>
        {trail.value.map((step, i) => (
          <li key={step.key}>
            {i === trail.value.length - 1 ? (
              <span aria-current="page" title={step.name}>{step.name}</span>
            ) : (
              <button title={step.name} onClick={() => showFunction(step)}>{step.name}</button>
            )}
          </li>
        ))}
      </ol>
    </nav>
  );
}
