// A call stack in one cell: the innermost function, then those that called it.

import type { StackRow } from "../answers";
import { FoldedName } from "../parts/FoldedName";
import { Amount } from "../parts/Number";
import { innermost, libraryText, placeText } from "./path";

/** `accusation`: what the verdict says of it, if it names it. */
export function StackCell(props: { row: StackRow; accusation: string | null }) {
  const { row } = props;
  if (row.stack < 0) {
    return (
      <div class="stacks-stack-text muted">
        the other <Amount value={row.lines} unit="count" /> {row.lines === 1 ? "stack" : "stacks together"}
      </div>
    );
  }
  const { name, callers } = innermost(row.path);
  const place = placeText(row.file, row.line);
  const whole = [...row.path].reverse().join("\n< ");
  return (
    <div class="stacks-stack-text" title={`${whole}${row.file ? `\n${placeText(row.file, row.line, true)}` : ""}`}>
      <div class="stacks-stack-leaf">
        {props.accusation !== null && (
          <span class="chip stacks-accused" title={props.accusation}>in the verdict</span>
        )}
        <b class="stacks-function"><FoldedName name={name} /></b>
        <span class="muted stacks-library">{libraryText(row.library)}</span>
        {row.kind !== "heap" && <span class="chip">{row.kind}</span>}
        {row.lines > 1 && (
          <span class="chip" title={`${row.lines} stacks through the same functions, at different lines`}>
            {row.lines} lines
          </span>
        )}
      </div>
      <div class="stacks-stack-callers muted">
        {place && <span class="mono stacks-place">{place}</span>}
        {callers.map((caller) => ` < ${caller}`).join("")}
      </div>
    </div>
  );
}
