// What changed, one row for each function, library or path.

import { useState } from "preact/hooks";
import type { Compare, CompareRow } from "../answers";
import { Amount, Share } from "../parts/Number";
import { barPercent, deltaBar, GLYPHS, innermost, keyOf, MEANINGS, mostOf, rankedOf } from "./rows";

export function CompareTable(props: { compare: Compare }) {
  const { compare } = props;
  const { rows, per } = compare;
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set());
  const most = mostOf(rows);
  const toggle = (key: string) => {
    const next = new Set(open);
    if (!next.delete(key)) next.add(key);
    setOpen(next);
  };
  return (
    <table class={`table compare-table ${per === null ? "" : "compare-divided"}`}>
      <thead>
        <tr>
          <th scope="col">Class</th>
          {per !== null && (
            <>
              <th scope="col" class="number">Before / {per}</th>
              <th scope="col" class="number">After / {per}</th>
              <th scope="col" class="number">Change / {per}</th>
            </>
          )}
          {["Before", "After", "Change"].map((name) => (
            <th key={name} scope="col" class="number">
              {name}
              {per !== null && <small class="compare-whole-run">whole run</small>}
            </th>
          ))}
          <th scope="col" title={`Above before, below after${per === null ? "" : `, per ${per}`}`}>
            Before, after
          </th>
          <th scope="col" title={`Fall to the left, growth to the right${per === null ? "" : `, per ${per}`}`}>
            Fall | growth
          </th>
          <th scope="col" class="number" title="Of all growth, or of all fall">
            Share
          </th>
          <th scope="col" class="compare-name">
            {compare.by === "stack" ? "Path" : compare.by === "library" ? "Library" : "Function"}
          </th>
        </tr>
      </thead>
      <tbody>
        {rows.map((row, index) => {
          // Long names are cut, so that two may read the same.
          const key = `${compare.offset + index} ${keyOf(row)}`;
          return <Row key={key} row={row} compare={compare} most={most} isOpen={open.has(key)} onToggle={() => toggle(key)} />;
        })}
      </tbody>
    </table>
  );
}

interface RowProps {
  row: CompareRow;
  compare: Compare;
  most: { side: number; delta: number };
  isOpen: boolean;
  onToggle: () => void;
}

function Row(props: RowProps) {
  const { row, most, compare } = props;
  const { unit, per } = compare;
  const ranked = rankedOf(row);
  const bar = deltaBar(ranked.delta, most.delta);
  return (
    <>
      <tr
        data-key={keyOf(row)}
        tabIndex={0}
        aria-expanded={row.path ? props.isOpen : undefined}
        class={row.path ? "compare-opens" : ""}
        onClick={() => row.path && !hasSelectedText() && props.onToggle()}
        onKeyDown={(event) => keys(event, () => row.path && props.onToggle())}
      >
        <td class="compare-class" title={MEANINGS[row.class]}>
          <span class={`compare-glyph compare-${row.class}`} aria-hidden="true">
            {GLYPHS[row.class]}
          </span>{" "}
          {row.class}
        </td>
        {per !== null && (
          <>
            <td class="number compare-rate-before">
              <Amount value={row.rate_before} unit={unit} />
            </td>
            <td class="number compare-rate-after">
              <Amount value={row.rate_after} unit={unit} />
            </td>
            <td class="number compare-rate-delta compare-decides">
              <Amount value={row.rate_delta} unit={unit} signed />
            </td>
          </>
        )}
        <td class="number compare-before">
          <Amount value={row.before} unit={unit} />
        </td>
        <td class="number compare-after">
          <Amount value={row.after} unit={unit} />
        </td>
        <td class={`number compare-delta ${per === null ? "compare-decides" : ""}`}>
          <Amount value={row.delta} unit={unit} signed />
        </td>
        <td class="compare-pair" aria-hidden="true">
          <div class="compare-track-small">
            <div class="compare-bar compare-bar-before" style={{ width: `${barPercent(ranked.before, most.side)}%` }} />
            <div class="compare-bar compare-bar-after" style={{ width: `${barPercent(ranked.after, most.side)}%` }} />
          </div>
        </td>
        <td class="compare-way" aria-hidden="true">
          <div class="compare-track-small compare-middle">
            <div
              class={ranked.delta < 0 ? "compare-fall" : "compare-growth"}
              style={{ left: `${bar.left}%`, width: `${bar.width}%` }}
            />
          </div>
        </td>
        <td class="number compare-share">
          <Share part={row.share} whole={1} />
        </td>
        <td class="compare-name">
          {row.path ? <ShortPath path={row.path} /> : <span class="mono compare-one" title={row.name ?? ""}>{row.name}</span>}
        </td>
      </tr>
      {row.path && props.isOpen && <WholePath path={row.path} columns={per === null ? 8 : 11} />}
    </>
  );
}

/** The innermost function, behind it its caller, the caller's caller and so on. */
function ShortPath(props: { path: string[] }) {
  const { name, callers } = innermost(props.path);
  return (
    <span class="mono compare-one" title={props.path.join("\n")}>
      <span class="compare-leaf">{name}</span>
      {callers.length > 0 && <span class="muted compare-route">‹ {callers.join(" ‹ ")}</span>}
    </span>
  );
}

/** The whole path below its row, one function a line. */
function WholePath(props: { path: string[]; columns: number }) {
  return (
    <tr class="compare-whole">
      <td colSpan={props.columns}>
        <ol class="mono" aria-label="Path, root first">
          {props.path.map((step, index) => (
            <li key={index} class={index === props.path.length - 1 ? "compare-leaf" : ""}>
              {step}
            </li>
          ))}
        </ol>
      </td>
    </tr>
  );
}

/** A click that ended a selection of text is not meant for the row. */
function hasSelectedText(): boolean {
  return getSelection()?.type === "Range";
}

function keys(event: KeyboardEvent, toggle: () => void): void {
  const row = event.currentTarget as HTMLElement;
  const rows = [...(row.parentElement?.querySelectorAll<HTMLElement>("tr[data-key]") ?? [])];
  const at = rows.indexOf(row);
  const steps: Record<string, number> = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: rows.length - 1 };
  const next = steps[event.key];
  if (event.key === "Enter" || event.key === " ") toggle();
  else if (next !== undefined) rows[next]?.focus();
  else return;
  event.preventDefault();
}
