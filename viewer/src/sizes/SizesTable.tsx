// The numbers of the drawing.

import { Amount, Share } from "../parts/Number";
import { isOpen, sizeText, sum, type SizeRow } from "./bins";

export function SizesTable(props: { rows: SizeRow[] }) {
  const total = sum(props.rows, "total");
  const live = sum(props.rows, "live");
  return (
    <table class="table sizes-table">
      <thead>
        <tr>
          <th scope="col">Size</th>
          <th scope="col" class="number">All blocks</th>
          <th scope="col" class="number">Share</th>
          <th scope="col" class="number">Live blocks</th>
          <th scope="col" class="number">Share</th>
          <th scope="col" class="number" title="Live blocks as a part of all of this size">
            Still live
          </th>
        </tr>
      </thead>
      <tbody>
        {props.rows.map((row) => (
          <tr key={row.from} data-key={row.from}>
            <th scope="row" title={isOpen(row) ? `${row.from} bytes or more` : `${row.from} to ${row.to} bytes`}>
              {sizeText(row)}
            </th>
            <td class="number sizes-total">
              <Blocks of={row.total} />
            </td>
            <td class="number muted">{row.total !== null && <Share part={row.total} whole={total} />}</td>
            <td class="number sizes-live">
              <Blocks of={row.live} />
            </td>
            <td class="number muted">{row.live !== null && <Share part={row.live} whole={live} />}</td>
            <td class="number muted">{row.live !== null && row.total !== null && <Share part={row.live} whole={row.total} />}</td>
          </tr>
        ))}
      </tbody>
      <tfoot>
        <tr>
          <th scope="row">All</th>
          <td class="number">{props.rows.some((row) => row.total !== null) && <Amount value={total} unit="count" />}</td>
          <td />
          <td class="number">{props.rows.some((row) => row.live !== null) && <Amount value={live} unit="count" />}</td>
          <td />
          <td class="number muted">
            <Share part={live} whole={total} />
          </td>
        </tr>
      </tfoot>
    </table>
  );
}

function Blocks(props: { of: number | null }) {
  if (props.of === null) return <span class="muted">not known</span>;
  return <Amount value={props.of} unit="count" />;
}
