// On which variables most hangs: without them it would be lost.

import type { RetainedBy } from "../answers";
import { Amount } from "../parts/Number";
import { openHolder } from "./open";
import { StackLink } from "./StackLink";

export function RetainedTable(props: { of: RetainedBy[] }) {
  if (props.of.length === 0) return null;
  return (
    <>
      <h3>Retained by</h3>
      <p class="muted small">All chains to these bytes lead through the variable, stack or register: without it they would be lost.</p>
      <table class="table holders-retained" aria-label="Retained by">
        <thead>
          <tr>
            <th scope="col" class="number">bytes</th>
            <th scope="col">holder</th>
            <th scope="col">block it points to</th>
          </tr>
        </thead>
        <tbody>
          {props.of.map((one, at) => (
            <tr key={at} data-key={one.stack}>
              <td class="number holders-bytes">
                <Amount value={one.bytes} unit="bytes" />
              </td>
              <td class="holders-words">{one.holder.words}</td>
              <td>
                <StackLink of={one} open={openHolder} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </>
  );
}
