// All blocks and live blocks by size, side by side. Colours are attributes that name
// variables of the theme, so that the drawing can be saved with them.

import type { RefObject } from "preact";
import { useLayoutEffect, useState } from "preact/hooks";
import { count, counted } from "../format";
import { sizeText, sum, type SizeRow } from "./bins";
import { chartOf, type Axis, type Chart, type Panel } from "./chart";

export function SizesChart(props: { rows: SizeRow[]; axis: Axis; drawing: RefObject<SVGSVGElement | null> }) {
  const { rows, axis, drawing } = props;
  const [room, setRoom] = useState({ width: 900, em: 14 });
  useLayoutEffect(() => {
    const box = drawing.current?.parentElement;
    if (!box) return;
    const measure = () => setRoom({ width: Math.max(360, box.clientWidth), em: parseFloat(getComputedStyle(box).fontSize) });
    measure();
    const sizes = new ResizeObserver(measure);
    sizes.observe(box);
    return () => sizes.disconnect();
  }, []);
  const chart = chartOf(rows, room.width, room.em, axis);
  return (
    <svg
      ref={drawing}
      class="sizes-chart"
      role="img"
      aria-label="Blocks by size: all that were allocated, and those that are live. The table has the same numbers."
      width={chart.width}
      height={chart.height}
      viewBox={`0 0 ${chart.width} ${chart.height}`}
      font-family="var(--sans)"
      font-size={0.86 * room.em}
    >
      <rect width="100%" height="100%" fill="var(--paper)" />
      {rows.map((row, index) => (
        <text key={row.from} x={chart.labels} y={chart.top + (index + 0.5) * chart.rowHeight} dy="0.35em" text-anchor="end" fill="var(--ink)">
          {sizeText(row)}
        </text>
      ))}
      <Bars chart={chart} panel={chart.total} em={room.em} title="All blocks" blocks={sum(rows, "total")} fill="var(--sky)" rows={rows} />
      <Bars chart={chart} panel={chart.live} em={room.em} title="Live blocks" blocks={sum(rows, "live")} fill="var(--orange)" rows={rows} />
    </svg>
  );
}

function Bars(props: { chart: Chart; panel: Panel; em: number; title: string; blocks: number; fill: string; rows: SizeRow[] }) {
  const { chart, panel, em, rows } = props;
  const isKnown = panel.bars.some((bar) => bar.blocks !== null);
  return (
    <g>
      <text x={panel.left} y={1.2 * em} font-weight="600" font-size={em} fill="var(--ink)">
        {props.title}: {isKnown ? count(props.blocks) : "not known"}
      </text>
      {panel.ticks.map(({ x, blocks }) => (
        <g key={blocks}>
          <line x1={x} x2={x} y1={chart.top - 0.3 * em} y2={chart.bottom} stroke="var(--line)" />
          <text x={x} y={chart.top - 0.6 * em} text-anchor="middle" font-size={0.8 * em} fill="var(--ink-soft)">
            {count(blocks)}
          </text>
        </g>
      ))}
      <line x1={panel.left} x2={panel.left} y1={chart.top - 0.3 * em} y2={chart.bottom} stroke="var(--ink-soft)" />
      {panel.bars.map((bar, index) => (
        <g key={rows[index]!.from}>
          <rect x={panel.left} y={bar.y} width={bar.width} height={bar.height} rx={2} fill={props.fill} fill-opacity={0.85}>
            <title>{`${sizeText(rows[index]!)}: ${counted(bar.blocks ?? 0, "block")}`}</title>
          </rect>
          {bar.blocks !== null && bar.blocks > 0 && (
            <text
              x={panel.left + bar.width + 0.4 * em}
              y={bar.y + bar.height / 2}
              dy="0.35em"
              fill="var(--ink)"
              stroke="var(--paper)"
              stroke-width={3}
              paint-order="stroke"
            >
              {count(bar.blocks)}
            </text>
          )}
        </g>
      ))}
    </g>
  );
}
