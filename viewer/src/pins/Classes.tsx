// What blocks of some sizes, and of some ages, keep.

import type { PinsDocument } from "../answers";
import { Amount } from "../parts/Number";
import { bornText, sizesText, worthShowing } from "./words";

export function Classes(props: { of: PinsDocument }) {
  const { sizes, ages, free_bytes: allFree, unit } = props.of;
  return (
    <div class="pins-classes">
      <ClassTable
        title="By size of block"
        kind="sizes"
        rows={worthShowing(sizes, allFree).map((one) => ({ ...one, key: one.to_bytes, words: sizesText(one) }))}
      />
      <ClassTable
        title="By age of block"
        kind="ages"
        rows={worthShowing(ages, allFree).map((one) => ({ ...one, key: one.last_birth, words: `born in ${bornText(one, unit)}` }))}
      />
    </div>
  );
}

interface ClassRow {
  key: number;
  words: string;
  free_bytes: number;
  used_bytes: number;
}

function ClassTable(props: { title: string; kind: string; rows: ClassRow[] }) {
  return (
    <div>
      <h3>{props.title}</h3>
      <table class={`table pins-${props.kind}`} aria-label={props.title}>
        <thead>
          <tr>
            <th scope="col" class="number">free</th>
            <th scope="col" class="number" title="Bytes of the blocks that keep it, with their heads">kept by</th>
            <th scope="col">blocks</th>
          </tr>
        </thead>
        <tbody>
          {props.rows.map((row) => (
            <tr key={row.key} data-key={row.key}>
              <td class="number pins-free">
                <Amount value={row.free_bytes} unit="bytes" />
              </td>
              <td class="number pins-used">
                <Amount value={row.used_bytes} unit="bytes" />
              </td>
              <td>{row.words}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
