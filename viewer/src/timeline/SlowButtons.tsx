// Slow events by mouse and keys: over each mark a button that says the event and chooses it.
// All of them are one stop of Tab; arrows lead from one to the next.

import { useState } from "preact/hooks";
import type { Layout } from "./charts";
import { drawnMarks, MARK_PX, rowTop_px, type SlowMark, type SlowRow } from "./slowmarks";

const STEPS: Record<string, (at: number, count: number) => number> = {
  ArrowLeft: (at) => at - 1,
  ArrowRight: (at) => at + 1,
  Home: () => 0,
  End: (_, count) => count - 1,
};

export function SlowButtons(props: {
  rows: SlowRow[];
  layout: Layout;
  onPoint: (mark: SlowMark | null) => void;
  onSelect: (event: number) => void;
}) {
  const { rows, layout, onPoint, onSelect } = props;
  const [current, setCurrent] = useState(0);
  const drawn = rows.flatMap((row, lane) => drawnMarks(row, layout).map((one) => ({ ...one, row, lane })));
  if (drawn.length === 0) return null;
  const stop = Math.min(current, drawn.length - 1);
  const move = (event: KeyboardEvent, at: number): void => {
    const next = STEPS[event.key]?.(at, drawn.length);
    if (next === undefined || event.shiftKey || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    event.stopPropagation();
    const group = (event.currentTarget as HTMLElement).parentElement!;
    (group.children[Math.min(Math.max(next, 0), drawn.length - 1)] as HTMLElement).focus();
  };
  return (
    <div class="timeline-slow-marks" role="group" aria-label="Slow events">
      {drawn.map(({ mark, pixel, row, lane }, at) => (
        <button
          key={`${row.key} ${mark.event}`}
          type="button"
          class="timeline-slow"
          data-measure={row.measure}
          data-event={mark.event}
          aria-label={mark.text}
          tabIndex={at === stop ? 0 : -1}
          style={{
            left: `${pixel - MARK_PX}px`,
            top: `${layout.top + rowTop_px(lane) - MARK_PX}px`,
            width: `${2 * MARK_PX}px`,
            height: `${2 * MARK_PX}px`,
          }}
          onFocus={() => {
            setCurrent(at);
            onPoint(mark);
          }}
          onBlur={() => onPoint(null)}
          onKeyDown={(event) => move(event, at)}
          onClick={() => onSelect(mark.event)}
        />
      ))}
    </div>
  );
}
