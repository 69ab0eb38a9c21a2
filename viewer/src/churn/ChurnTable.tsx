// Stacks by what they allocate, the most first. Arrow keys move, Enter opens the stack.

import { moveOrChoose } from "../callers/FunctionList";
import type { ChurnAnswer, ChurnRow } from "../answers";
import { count, exactAmount, mean, share } from "../format";
import { Amount } from "../parts/Number";
import { openStack } from "./open";
import { freedOf } from "./rows";
import { PathText, wholePath } from "./PathText";

export function ChurnTable(props: { of: ChurnAnswer }) {
  const { churn, heads } = props.of;
  if (churn === null || heads === null) return null;
  const over = churn.events === null ? "" : `, mean over the ${churn.unit}s; what came before the first is no part of it`;
  const freedTitle = heads.is_freed_in_event
    ? `Blocks freed before the next ${churn.unit} began`
    : "Blocks freed by their thread before it allocated again";
  return (
    <table class="table churn-table" aria-label="Churn by stack">
      <thead>
        <tr>
          <th scope="col" class="number" title={`Bytes allocated${over}`}>{heads.bytes}</th>
          <th scope="col" class="number" title="Of what all stacks that pass the filters allocated">%</th>
          <th scope="col" class="number" title={`Allocations${over}`}>{heads.calls}</th>
          <th scope="col" class="number" title={freedTitle}>{heads.freed}</th>
          <th scope="col">stack</th>
        </tr>
      </thead>
      <tbody>
        {churn.rows.map((row, at) => (
          <tr
            key={row.stack}
            data-key={row.stack}
            class="churn-row"
            tabIndex={at === 0 ? 0 : -1}
            onClick={() => openStack(row.stack)}
            onKeyDown={(event) => moveOrChoose(event, () => openStack(row.stack))}
          >
            <td class="number churn-bytes">
              <Amount value={row.bytes_per_event ?? row.bytes} unit="bytes" />
            </td>
            <td class="number churn-share">{share(row.bytes, churn.bytes)}</td>
            <td class="number churn-calls">
              <Calls of={row} />
            </td>
            <td class="number churn-freed">
              <Freed freed={freedOf(row, heads)} of={row} />
            </td>
            <td class="churn-stack" title={wholePath(row.path)}>
              <PathText of={row.path} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** A mean may be less than one: three digits behind the point. */
function Calls(props: { of: ChurnRow }) {
  const { calls, calls_per_event: rate } = props.of;
  if (rate === null) return <Amount value={calls} unit="count" />;
  return (
    <span class="number" data-value={rate} title={`${exactAmount(rate, "count")}; ${count(calls)} in all`}>
      {mean(rate)}
    </span>
  );
}

function Freed(props: { freed: number | null; of: ChurnRow }) {
  const { freed, of } = props;
  if (freed === null) return <span class="muted">not recorded</span>;
  return (
    <span class="number" data-value={freed} title={`${count(freed)} of ${count(of.calls)}`}>
      {share(freed, of.calls)}
    </span>
  );
}
