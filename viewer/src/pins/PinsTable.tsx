// Stacks by what is free on the pages that their blocks keep. Arrow keys move, Enter opens the stack.

import { moveOrChoose } from "../callers/FunctionList";
import { openStack } from "../churn/open";
import { PathText, wholePath } from "../churn/PathText";
import type { PinnedStack, PinsDocument } from "../answers";
import { share } from "../format";
import { Amount } from "../parts/Number";
import { blocksText, growthText } from "./words";

export function PinsTable(props: { of: PinsDocument }) {
  const { of } = props;
  return (
    <table class="table pins-table" aria-label="Stacks that keep pages">
      <thead>
        <tr>
          <th scope="col" class="number" title="Free on the pages of its blocks, divided evenly among the stacks of each page">free</th>
          <th scope="col" class="number" title="Of what is free on pages that live blocks keep">%</th>
          <th scope="col" class="number">pages</th>
          <th scope="col" class="number" title="Pages that no other stack has a block on">alone</th>
          <th scope="col">blocks</th>
          <th scope="col">growth</th>
          <th scope="col">stack</th>
        </tr>
      </thead>
      <tbody>
        {of.stacks.map((row, at) => (
          <Row key={row.stack} row={row} isFirst={at === 0} of={of} />
        ))}
      </tbody>
    </table>
  );
}

function Row(props: { row: PinnedStack; isFirst: boolean; of: PinsDocument }) {
  const { row, of } = props;
  return (
    <tr
      data-key={row.stack}
      class="pins-row"
      tabIndex={props.isFirst ? 0 : -1}
      onClick={() => openStack(row.stack)}
      onKeyDown={(event) => moveOrChoose(event, () => openStack(row.stack))}
    >
      <td class="number pins-free">
        <Amount value={row.free_bytes} unit="bytes" />
      </td>
      <td class="number">{share(row.free_bytes, of.free_bytes)}</td>
      <td class="number pins-pages">
        <Amount value={row.pages} unit="count" />
      </td>
      <td class="number pins-alone">
        <Amount value={row.alone_pages} unit="count" />
      </td>
      <td class="pins-narrow">{blocksText(row, of.unit)}</td>
      <td class="pins-narrow">{growthText(row, of.unit)}</td>
      <td class="pins-stack" title={wholePath(row.path)}>
        <PathText of={row.path} />
      </td>
    </tr>
  );
}
