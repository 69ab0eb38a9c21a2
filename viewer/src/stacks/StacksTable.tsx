// The table of stacks. One row can be open and shows its detail below it; arrow keys move
// between rows, Enter opens and closes.

import { Fragment, type ComponentChildren } from "preact";
import { useRef, useState } from "preact/hooks";
import type { Stacks, StackRow } from "../answers";
import { reveal } from "../parts/reveal";
import { columns, type Column } from "./columns";
import { ariaSort, type Order, type Shown } from "./sorting";
import { StackCell } from "./StackCell";

export function StacksTable(props: {
  answer: Stacks;
  shown: Shown;
  unit: string;
  /** What the verdict says of stacks, by their numbers. */
  accusations: ReadonlyMap<number, string>;
  order: Order;
  openStack: number | null;
  onSort: (sort: NonNullable<Column["sort"]>) => void;
  onOpen: (stack: number | null) => void;
  detail: (row: StackRow) => ComponentChildren;
}) {
  const { answer, order, openStack } = props;
  const shown = columns(answer, props.shown, props.unit);
  const body = useRef<HTMLTableSectionElement>(null);
  // One row takes part in the order of the tab key; arrows choose which.
  const [reached, setReached] = useState(0);
  const reachable = Math.min(reached, answer.rows.length - 1);

  const move = (to: number) => {
    const rows = body.current?.querySelectorAll<HTMLElement>("tr[data-key]");
    rows?.[Math.max(0, Math.min(answer.rows.length - 1, to))]?.focus();
  };
  /** A row for all others has nothing to open. */
  const press = (row: StackRow, by: "click" | "key") => {
    if (row.stack < 0) return;
    if (openStack !== row.stack) reveal(`stack ${row.stack}`, by);
    props.onOpen(openStack === row.stack ? null : row.stack);
  };
  const onKey = (event: KeyboardEvent, row: StackRow, at: number) => {
    if (event.target !== event.currentTarget) return;
    const step = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: answer.rows.length - 1 }[event.key];
    if (step !== undefined) move(step);
    else if (event.key === "Enter" || event.key === " ") press(row, "key");
    else if (event.key === "Escape" && openStack === row.stack) props.onOpen(null);
    else return;
    event.preventDefault();
  };

  return (
    <table class="table stacks-table" role="treegrid" aria-label="Call stacks" aria-rowcount={answer.found}>
      <thead>
        <tr>
          {shown.map((column) => (
            <HeadCell key={column.name} column={column} order={order} onSort={props.onSort} />
          ))}
          <th scope="col" class="stacks-stack">Stack</th>
        </tr>
        <tr class="stacks-sums">
          {shown.map((column) => (
            <td key={column.name} class={cellClass(column)}>
              {column.sum?.(answer.sums)}
              {column.below?.sum && (
                <small class={`stacks-under ${column.below.name}`}>{column.below.sum(answer.sums)}</small>
              )}
            </td>
          ))}
          <td class="stacks-stack">
            {answer.looked_at === null ? "all that were found" : "all, of any shape"}
          </td>
        </tr>
      </thead>
      <tbody ref={body}>
        {answer.rows.map((row, at) => {
          const isOpen = row.stack === openStack;
          const accusation = props.accusations.get(row.stack) ?? null;
          return (
            <Fragment key={row.stack}>
              <tr
                data-key={row.stack}
                class={isOpen ? "stacks-row stacks-row-open" : "stacks-row"}
                tabIndex={at === reachable ? 0 : -1}
                data-accused={accusation === null ? undefined : true}
                aria-expanded={row.stack < 0 ? undefined : isOpen}
                aria-level={1}
                aria-rowindex={answer.offset + at + 1}
                onFocus={() => setReached(at)}
                onKeyDown={(event) => onKey(event, row, at)}
                onClick={() => {
                  // Marking text of a row, to copy it, is not a press on the row.
                  if (getSelection()?.isCollapsed === false) return;
                  press(row, "click");
                }}
              >
                {shown.map((column) => (
                  <td key={column.name} class={cellClass(column)}>
                    {column.cell(row)}
                    {column.below && (
                      <small class={`stacks-under ${column.below.name}`}>{column.below.cell(row)}</small>
                    )}
                  </td>
                ))}
                <td class="stacks-stack">
                  <StackCell row={row} accusation={accusation} />
                </td>
              </tr>
              {isOpen && (
                <tr class="stacks-detail-row" aria-level={2}>
                  <td colSpan={shown.length + 1}>{props.detail(row)}</td>
                </tr>
              )}
            </Fragment>
          );
        })}
      </tbody>
    </table>
  );
}

function cellClass(column: Column): string {
  return column.isNumber ? `${column.name} number` : column.name;
}

function HeadCell(props: { column: Column; order: Order; onSort: (sort: NonNullable<Column["sort"]>) => void }) {
  const { column, order, onSort } = props;
  const { below } = column;
  const sorted = ariaSort(order, column.sort) ?? (below && ariaSort(order, below.sort));
  const heading = (one: Column) => {
    const { sort } = one;
    if (sort === null) return <span title={one.title}>{one.heading}</span>;
    return (
      <button class="stacks-sort" data-sort={ariaSort(order, sort)} title={one.title} onClick={() => onSort(sort)}>
        {one.heading}
      </button>
    );
  };
  return (
    <th scope="col" class={column.isNumber ? "number" : ""} aria-sort={sorted}>
      <div>{heading(column)}</div>
      {below && <div class="stacks-below">{heading(below)}</div>}
      {column.isWhole && (
        <small class="stacks-whole" title="Of the whole recording, not of the range that is selected">whole run</small>
      )}
    </th>
  );
}
