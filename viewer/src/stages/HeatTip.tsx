// What is under the pointer or the cursor of the heat map, exactly.

import { count } from "../format";
import { xOfEvent } from "./columns";
import { valueAt, type Cell, type Map } from "./paint";
import { changeText, columnText, stageText } from "./values";

export function HeatTip(props: { at: Cell | null; map: Map | null; last: number; unit: string }) {
  const { at, map } = props;
  const band = at ? map?.bands[at.line] : undefined;
  const start = at ? map?.columns.starts[at.column] : undefined;
  // It stays in the page while empty, so that readers of screens hear it change.
  if (!at || !map || !band || start === undefined) return <div class="visually-hidden" aria-live="polite" />;
  const { answer, columns, shown, widthPx } = map;
  const value = valueAt(answer, at.column, at.line);
  const interval = answer.intervals[at.line];
  const x = xOfEvent(start + columns.width / 2, shown, widthPx);
  const side = x > widthPx / 2 ? { right: `${widthPx - x + 8}px` } : { left: `${x + 8}px` };
  return (
    <div class="stages-tip" aria-live="polite" style={{ top: `${band.top + band.height + 6}px`, ...side }}>
      <div class="stages-tip-value">
        {value === null ? "no value" : changeText(value, answer.unit)}
        {value !== null && value !== 0 && (
          <span class="muted">
            {count(value)} {answer.unit === "bytes" ? "bytes" : "ns"}
          </span>
        )}
      </div>
      <div>{columnText(columns, at.column, props.last, props.unit)}</div>
      <div class="muted">
        {interval ? stageText(interval.name) : "the whole turn, start to start"}
        {interval?.guilty && " (guilty)"}
      </div>
    </div>
  );
}
