// All functions, or those whose name is searched for, the highest first. Arrow keys move, Enter chooses.

import { useEffect, useState } from "preact/hooks";
import { go, parameter } from "../address";
import type { CounterName, FunctionRow, Functions } from "../answers";
import { useAnswer } from "../ask";
import { saveCsv } from "../download";
import { FoldedName } from "../parts/FoldedName";
import { Amount } from "../parts/Number";
import { Waiting } from "../parts/Waiting";
import { part } from "../stacks/geometry";
import { libraryText } from "../stacks/path";
import { selection } from "../stacks/selection";
import { shownText } from "../stacks/sorting";
import { FUNCTIONS_HEAD, functionRows } from "./lines";

const PAGE = 200;
type FunctionSort = "self" | "cumulative";

export function FunctionList(props: {
  counter: CounterName;
  chosen: string;
  onChoose: (row: FunctionRow) => void;
  onRefused: (isRefused: boolean) => void;
}) {
  const { counter } = props;
  const sort: FunctionSort = parameter("sort") === "cumulative" ? "cumulative" : "self";
  const question = { ...selection(), counter, sort };
  const kind = JSON.stringify(question);
  const [more, setMore] = useState({ kind, offset: 0 });
  const offset = more.kind === kind ? more.offset : 0;
  const asked = useAnswer("functions", { ...question, offset: offset || undefined, limit: PAGE });
  const { answer } = asked;
  const focus = parameter("focus");
  useEffect(() => props.onRefused(asked.error !== null && focus !== ""), [asked.error, focus]);

  return (
    <aside class="callers-list" aria-label="Functions" aria-busy={asked.isLoading}>
      <Waiting of={asked} what="functions" />
      {answer && (
        <>
          <div class="callers-list-scroll">
            <FunctionTable {...props} answer={answer} sort={sort} />
            {answer.rows.length === 0 && (
              <p class="callers-none muted">{focus ? "No function that matches has any." : "No function has any."}</p>
            )}
          </div>
          <div class="toolbar callers-list-foot">
            <span class="muted small">
              {shownText(answer.offset, answer.rows.length)} of{" "}
              <Amount value={answer.found} unit="count" />
            </span>
            <span class="spacer" />
            {offset > 0 && (
              <button class="button small" onClick={() => setMore({ kind, offset: Math.max(0, offset - PAGE) })}>
                Previous
              </button>
            )}
            {answer.offset + answer.rows.length < answer.found && (
              <button class="button small" onClick={() => setMore({ kind, offset: offset + PAGE })}>More</button>
            )}
            <button class="button small" onClick={() => saveCsv("functions.csv", FUNCTIONS_HEAD, functionRows(answer.rows))}>
              CSV
            </button>
          </div>
        </>
      )}
    </aside>
  );
}

function FunctionTable(props: {
  answer: Functions;
  sort: FunctionSort;
  chosen: string;
  onChoose: (row: FunctionRow) => void;
}) {
  const { answer, sort, chosen } = props;
  const { rows } = answer;
  const reachable = Math.max(0, rows.findIndex((row) => row.key === chosen));
  const head = (name: FunctionSort, words: string) => (
    <th scope="col" class="number" aria-sort={sort === name ? "descending" : undefined}>
      <button onClick={() => go({ sort: name === "self" ? "" : name })}>{words}</button>
    </th>
  );
  const cell = (row: FunctionRow, name: FunctionSort) => (
    <td class={`number callers-${name} callers-barred`}>
      <span class="callers-bar" style={{ "--part": part(row[name], answer.whole) }} aria-hidden="true" />
      <Amount value={row[name]} unit={answer.unit} />
    </td>
  );
  return (
    <table class="table callers-functions" role="grid" aria-label="Functions">
      <thead>
        <tr>
          {head("self", "Self")}
          {head("cumulative", "Cumulative")}
          <th scope="col">Function</th>
        </tr>
      </thead>
      <tbody>
        {rows.map((row, at) => (
          <tr
            key={row.key}
            data-key={row.key}
            class={row.framework ? "callers-framework" : ""}
            tabIndex={at === reachable ? 0 : -1}
            aria-selected={row.key === chosen}
            onClick={() => props.onChoose(row)}
            onKeyDown={(event) => moveOrChoose(event, () => props.onChoose(row))}
          >
            {cell(row, "self")}
            {cell(row, "cumulative")}
            <td class="callers-name" title={`${row.function}\n${row.library}`}>
              <span class="callers-function"><FoldedName name={row.function} /></span>
              <small class="muted">{libraryText(row.library)}</small>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** Keys on a row of a table: to the next row, or choose this one. */
export function moveOrChoose(event: KeyboardEvent, choose: () => void): void {
  const row = event.currentTarget as HTMLElement;
  const next = event.key === "ArrowDown" ? row.nextElementSibling : event.key === "ArrowUp" ? row.previousElementSibling : null;
  if (next instanceof HTMLElement) next.focus();
  else if (event.key === "Enter" || event.key === " ") choose();
  else return;
  event.preventDefault();
}
