// Stacks with what of theirs is lost and held. Arrow keys move, Enter opens one.

import { moveOrChoose } from "../callers/FunctionList";
import { PathText, wholePath } from "../churn/PathText";
import type { HeldStack } from "../answers";
import { Amount } from "../parts/Number";
import { heldOf, lostOf } from "./amounts";
import { openHolder } from "./open";

export function HoldersTable(props: { rows: HeldStack[]; openStack: number | null }) {
  return (
    <table class="table holders-table" aria-label="Stacks by what is lost and held">
      <thead>
        <tr>
          <th scope="col" class="number" title="Nothing points to it, or only lost blocks do">lost</th>
          <th scope="col" class="number" title="A chain of pointers leads to it">held</th>
          <th scope="col" class="number">blocks</th>
          <th scope="col">stack</th>
          <th scope="col">by whom</th>
        </tr>
      </thead>
      <tbody>
        {props.rows.map((row, at) => {
          const [lost, held] = [lostOf(row), heldOf(row)];
          return (
            <tr
              key={row.stack}
              data-key={row.stack}
              class="holders-row"
              aria-selected={row.stack === props.openStack}
              tabIndex={at === 0 ? 0 : -1}
              onClick={() => openHolder(row.stack)}
              onKeyDown={(event) => moveOrChoose(event, () => openHolder(row.stack))}
            >
              <td class="number holders-lost">
                <Amount value={lost.bytes} unit="bytes" />
              </td>
              <td class="number holders-held">
                <Amount value={held.bytes} unit="bytes" />
              </td>
              <td class="number holders-blocks">
                <Amount value={lost.blocks + held.blocks} unit="count" />
              </td>
              <td class="holders-cut" title={wholePath(row.path)}>
                <PathText of={row.path} />
              </td>
              <td class="holders-cut holders-words" title={row.words ?? undefined}>
                {row.words}
              </td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}
