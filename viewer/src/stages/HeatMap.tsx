// The canvas of the heat map with all that the pointer and the keys do on it: read a value,
// choose an event or a range of them.

import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { StagesAnswer } from "../answers";
import {
  columnOfEvent, eventAtX, parseRange, rangeOfColumn, rangeText, spanOf, type Columns, type Range,
} from "./columns";
import { HeatTip } from "./HeatTip";
import { looksOf, paint, type Band, type Cell, type Map } from "./paint";
import type { Scales } from "./scale";

export interface HeatMapProps {
  answer: StagesAnswer;
  columns: Columns;
  scales: Scales;
  shown: Range;
  /** The last event there is: the last column may stand for fewer. */
  last: number;
  unit: string;
  selected: string;
  /** Steps that belong to one choice are quiet: they leave no entry in the history. */
  onSelect: (events: string, how?: { quiet: boolean }) => void;
  /** The line that is pointed at, so that the table can show it. */
  onLine: (line: number | null) => void;
}

/** Lines of the map lie beside lines of the table: it is measured, not computed. */
function measured(cell: HTMLElement, lines: number): { bands: Band[]; axis: Band } {
  const top = cell.getBoundingClientRect().top;
  const rows = [...(cell.closest("tbody")?.rows ?? [])];
  const bandOf = (row: HTMLElement | undefined): Band => {
    const box = row?.getBoundingClientRect();
    return { top: Math.round((box?.top ?? top) - top), height: Math.round(box?.height ?? 0) };
  };
  return { bands: rows.slice(0, lines).map(bandOf), axis: bandOf(rows[lines]) };
}

export function HeatMap(props: HeatMapProps) {
  const { answer, columns, scales, shown, last } = props;
  const canvas = useRef<HTMLCanvasElement>(null);
  const map = useRef<Map | null>(null);
  const [hover, setHover] = useState<Cell | null>(null);
  const [cursor, setCursor] = useState<Cell | null>(null);
  const [drag, setDrag] = useState<{ from: Range; to: Range } | null>(null);
  /** The column that a range chosen by keys begins at. */
  const anchor = useRef<number | null>(null);
  const [layout, setLayout] = useState(0);
  const lines = answer.intervals.length + 1;
  const pointed = hover ?? cursor;

  useLayoutEffect(() => {
    const cell = canvas.current?.parentElement;
    const table = cell?.closest("table");
    if (!cell || !table) return;
    const again = () => setLayout((before) => before + 1);
    const sizes = new ResizeObserver(again);
    sizes.observe(cell);
    sizes.observe(table);
    const theme = new MutationObserver(again);
    theme.observe(document.documentElement, { attributes: true, attributeFilter: ["data-theme"] });
    return () => {
      sizes.disconnect();
      theme.disconnect();
    };
  }, []);

  useLayoutEffect(() => {
    const element = canvas.current;
    const cell = element?.parentElement;
    const context = element?.getContext("2d");
    if (!element || !cell || !context) return;
    const { bands, axis } = measured(cell, lines);
    const widthPx = cell.clientWidth;
    const density = window.devicePixelRatio || 1;
    element.width = Math.round(widthPx * density);
    element.height = Math.round(cell.clientHeight * density);
    context.scale(density, density);
    map.current = { answer, columns, scales, shown, bands, axis, widthPx };
    const selected = drag ? spanOf(drag.from, drag.to) : parseRange(props.selected);
    paint(context, map.current, { selected, cursor: pointed }, looksOf(element));
  }, [answer, columns, scales, shown, props.selected, drag, pointed, layout]);

  useEffect(() => props.onLine(pointed?.line ?? null), [pointed?.line]);

  const cellAt = (event: PointerEvent): Cell | null => {
    const box = canvas.current!.getBoundingClientRect();
    const y = event.clientY - box.top;
    const line = map.current?.bands.findIndex((band) => y >= band.top && y < band.top + band.height) ?? -1;
    const column = columnOfEvent(columns, eventAtX(event.clientX - box.left, shown, box.width));
    return line < 0 || column < 0 ? null : { column, line };
  };
  const rangeAt = (event: PointerEvent): Range => {
    const box = canvas.current!.getBoundingClientRect();
    const at = eventAtX(event.clientX - box.left, shown, box.width);
    const column = columnOfEvent(columns, at);
    return column < 0 ? { from: at, to: at } : rangeOfColumn(columns, column, last);
  };

  const press = (event: PointerEvent) => {
    if (event.button !== 0) return;
    canvas.current!.setPointerCapture(event.pointerId);
    const range = rangeAt(event);
    setCursor(cellAt(event));
    setDrag({ from: range, to: range });
  };
  const move = (event: PointerEvent) => {
    setHover(cellAt(event));
    if (drag) setDrag({ from: drag.from, to: rangeAt(event) });
  };
  const release = (event: PointerEvent) => {
    if (!drag) return;
    setDrag(null);
    props.onSelect(rangeText(spanOf(drag.from, rangeAt(event))));
  };

  const keys = (event: KeyboardEvent) => {
    const at = cursor ?? { column: Math.max(0, columnOfEvent(columns, shown.from)), line: firstLine(answer) };
    const page = Math.max(2, Math.round(columns.starts.length / 10));
    const steps: Record<string, [number, number]> = {
      ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1],
      PageUp: [-page, 0], PageDown: [page, 0],
      Home: [-columns.starts.length, 0], End: [columns.starts.length, 0],
    };
    const step = steps[event.key];
    if (step) {
      const next = {
        column: Math.max(0, Math.min(columns.starts.length - 1, at.column + (cursor ? step[0] : 0))),
        line: Math.max(0, Math.min(lines - 1, at.line + (cursor ? step[1] : 0))),
      };
      setHover(null);
      setCursor(next);
      if (!event.shiftKey) anchor.current = null;
      else if (step[0]) {
        anchor.current ??= at.column;
        const [from, to] = [anchor.current, next.column].map((column) => rangeOfColumn(columns, column, last));
        props.onSelect(rangeText(spanOf(from!, to!)), { quiet: true });
      }
    } else if ((event.key === "Enter" || event.key === " ") && cursor) {
      props.onSelect(rangeText(rangeOfColumn(columns, cursor.column, last)));
    } else if (event.key === "Escape") {
      setCursor(null);
      props.onSelect("");
    } else {
      return;
    }
    event.preventDefault();
  };
  return (
    <>
      <canvas
        ref={canvas}
        class="stages-canvas"
        tabIndex={0}
        role="application"
        aria-roledescription="heat map"
        aria-label={`Change by stage and ${props.unit}`}
        aria-describedby="stages-hint"
        onPointerDown={press}
        onPointerMove={move}
        onPointerUp={release}
        onPointerCancel={() => setDrag(null)}
        onPointerLeave={() => setHover(null)}
        onKeyDown={keys}
        onBlur={() => setCursor(null)}
      />
      <HeatTip at={pointed} map={map.current} last={last} unit={props.unit} />
    </>
  );
}

function firstLine(answer: StagesAnswer): number {
  return Math.max(0, answer.intervals.findIndex((interval) => interval.guilty));
}
