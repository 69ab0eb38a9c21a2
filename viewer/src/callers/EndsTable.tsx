// Who called the function, or whom it called.

import type { CallEnd, Callers } from "../answers";
import { saveCsv } from "../download";
import { percent } from "../format";
import { FoldedName } from "../parts/FoldedName";
import { Amount } from "../parts/Number";
import { part } from "../stacks/geometry";
import { libraryText } from "../stacks/path";
import { moveOrChoose } from "./FunctionList";
import { ENDS_HEAD, endRows } from "./lines";

export function EndsTable(props: {
  title: string;
  file: string;
  answer: Callers;
  ends: CallEnd[];
  found: number;
  /** What began with the function, as a row of its own. */
  begun?: number;
  empty: string;
  onWalk: (end: CallEnd) => void;
}) {
  const { answer, ends, found, begun = 0 } = props;
  const whole = answer.function.cumulative;
  const isRecursive = ends.some((end) => end.recursive !== 0);
  const share = (value: number) => (
    <td class="number callers-barred callers-share">
      <span class="callers-bar" style={{ "--part": part(value, whole) }} aria-hidden="true" />
      {percent(value, whole)}
    </td>
  );
  return (
    <section class="callers-ends">
      <h3>
        {props.title} <span class="muted"><Amount value={found} unit="count" /></span>
        {ends.length > 0 && (
          <button class="button bare small" onClick={() => saveCsv(props.file, ENDS_HEAD, endRows(ends, answer))}>
            CSV
          </button>
        )}
      </h3>
      {ends.length === 0 && begun === 0 ? (
        <p class="muted callers-none">{props.empty}</p>
      ) : (
        <div class="callers-ends-scroll">
          <table class="table" aria-label={props.title}>
            <thead>
              <tr>
                <th scope="col" class="number">Value</th>
                <th scope="col" class="number" title="Of the function's cumulative value">Share</th>
                {isRecursive && (
                  <th scope="col" class="number" title="The part inside an outer call of the same function (recursion)">
                    Recursive
                  </th>
                )}
                <th scope="col">Function</th>
                <th scope="col">Library</th>
              </tr>
            </thead>
            <tbody>
              {ends.map((end, at) => (
                <tr
                  key={end.key}
                  data-key={end.key}
                  class={end.framework ? "callers-framework callers-walk" : "callers-walk"}
                  tabIndex={at === 0 ? 0 : -1}
                  onClick={() => props.onWalk(end)}
                  onKeyDown={(event) => moveOrChoose(event, () => props.onWalk(end))}
                >
                  <td class="number callers-value"><Amount value={end.value} unit={answer.unit} /></td>
                  {share(end.value)}
                  {isRecursive && (
                    <td class="number callers-recursive">
                      {end.recursive !== 0 && <Amount value={end.recursive} unit={answer.unit} />}
                    </td>
                  )}
                  <td class="callers-name" title={end.function}><span class="callers-function"><FoldedName name={end.function} /></span></td>
                  <td class="muted callers-library" title={end.library}>{libraryText(end.library)}</td>
                </tr>
              ))}
              {begun !== 0 && (
                <tr>
                  <td class="number callers-begun"><Amount value={begun} unit={answer.unit} /></td>
                  {share(begun)}
                  {isRecursive && <td />}
                  <td class="muted" colSpan={2}>root: nothing called it</td>
                </tr>
              )}
            </tbody>
          </table>
        </div>
      )}
      {ends.length < found && <p class="muted small">The highest {ends.length} are shown.</p>}
    </section>
  );
}
