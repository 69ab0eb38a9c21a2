// The heap in the order of addresses on a canvas, with what its colours mean.

import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { go, parameter } from "../address";
import type { HeapMap, PinsDocument } from "../answers";
import { openStack } from "../churn/open";
import { savePng } from "../download";
import { bytes, count, counted, eventsText } from "../format";
import { fileAbout } from "../page/about";
import { beginsArea, cellAt, CELLS_OF_ROW, edgesOf, factsOf, ROW_PX, rowsOf, WAYS, type By } from "./cells";
import { age, colourOf, FREE, fullness, OTHER_STACKS, STACKS } from "./colours";

const WORDS: Record<By, { button: string; meaning: string }> = {
  fullness: { button: "Fullness", meaning: "how full its pages are" },
  age: { button: "Age", meaning: "when the blocks on its pages were made" },
  stack: { button: "Stack", meaning: "whose blocks its pages have most of" },
};

export function HeapMapView(props: { of: PinsDocument; map: HeapMap }) {
  const { of, map } = props;
  const by = WAYS.find((one) => one === parameter("colour")) ?? "fullness";
  const canvas = useRef<HTMLCanvasElement>(null);
  const [widthPx, setWidthPx] = useState(0);
  const [pointed, setPointed] = useState<number | null>(null);
  useLayoutEffect(() => {
    const box = canvas.current?.parentElement;
    if (!box) return;
    const sizes = new ResizeObserver(() => setWidthPx(box.clientWidth));
    sizes.observe(box);
    return () => sizes.disconnect();
  }, []);
  useLayoutEffect(() => {
    if (canvas.current && widthPx > 0) paint(canvas.current, of, map, by, widthPx);
  });
  const heightPx = rowsOf(map) * ROW_PX;
  const at = (event: MouseEvent) => cellAt(map, event.offsetX, event.offsetY, widthPx);
  const open = (cell: number | null) => {
    const stack = cell === null ? null : map.stack[cell];
    if (stack !== null && stack !== undefined) openStack(stack);
  };
  const keys = (event: KeyboardEvent) => {
    const steps: Record<string, number> = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -CELLS_OF_ROW, ArrowDown: CELLS_OF_ROW };
    const step = steps[event.key];
    if (step !== undefined) setPointed((cell) => (cell === null ? 0 : Math.min(map.start.length - 1, Math.max(0, cell + step))));
    else if (event.key === "Enter") open(pointed);
    else return;
    event.preventDefault();
  };
  return (
    <section class="pins-map" aria-label="The heap in the order of addresses">
      <div class="toolbar">
        <h3>The heap by address</h3>
        <div class="buttons" role="group" aria-label="Colours">
          {WAYS.map((one) => (
            <button
              type="button"
              key={one}
              class="button"
              aria-pressed={one === by}
              onClick={() => go({ colour: one === "fullness" ? "" : one })}
            >
              {WORDS[one].button}
            </button>
          ))}
        </div>
        <span class="muted small">
          {WORDS[by].meaning}; a cell: {counted(map.cell_pages, "page")} ({bytes(map.cell_pages * 4096)})
        </span>
        <span class="spacer" />
        <button
          type="button"
          class="button"
          onClick={() => canvas.current && savePng(`${fileAbout()?.name ?? "profile"}.heap.png`, canvas.current)}
        >
          PNG
        </button>
      </div>
      <div class="pins-map-frame">
        <canvas
          ref={canvas}
          class="pins-canvas"
          tabIndex={0}
          role="application"
          aria-roledescription="map"
          aria-label="The heap in the order of addresses; arrow keys move from cell to cell"
          style={{ height: `${heightPx}px` }}
          onPointerMove={(event) => setPointed(at(event))}
          onPointerLeave={() => setPointed(null)}
          onBlur={() => setPointed(null)}
          onKeyDown={keys}
          onClick={(event) => open(at(event))}
        />
        <Tip of={of} map={map} cell={pointed} widthPx={widthPx} />
      </div>
      <Legend of={of} map={map} by={by} />
    </section>
  );
}

function paint(canvas: HTMLCanvasElement, of: PinsDocument, map: HeapMap, by: By, widthPx: number): void {
  const density = devicePixelRatio || 1;
  const heightPx = rowsOf(map) * ROW_PX;
  canvas.width = Math.round(widthPx * density);
  canvas.height = Math.round(heightPx * density);
  const context = canvas.getContext("2d");
  if (!context) return;
  const style = getComputedStyle(canvas);
  context.scale(density, density);
  context.fillStyle = style.getPropertyValue("--panel");
  context.fillRect(0, 0, widthPx, heightPx);
  map.start.forEach((_, cell) => {
    const { left, right } = edgesOf(cell, widthPx);
    const top = Math.floor(cell / CELLS_OF_ROW) * ROW_PX;
    const colour = colourOf(map, cell, by, of.event);
    if (colour !== null) {
      context.fillStyle = colour;
      context.fillRect(left, top, right - left, ROW_PX - 1);
    }
    if (beginsArea(map, cell)) {
      context.fillStyle = style.getPropertyValue("--ink");
      context.fillRect(left, top, 1, ROW_PX - 1);
    }
  });
}

function Tip(props: { of: PinsDocument; map: HeapMap; cell: number | null; widthPx: number }) {
  const { of, map, cell, widthPx } = props;
  // It stays in the page while empty, so that readers of screens hear it change.
  if (cell === null) return <div class="visually-hidden" aria-live="polite" />;
  const { address, lines, stack } = factsOf(of, map, cell);
  const { left } = edgesOf(cell, widthPx);
  const side = left > widthPx / 2 ? { right: `${widthPx - left + 8}px` } : { left: `${left + 16}px` };
  const top = (Math.floor(cell / CELLS_OF_ROW) + 1) * ROW_PX + 4;
  return (
    <div class="pins-tip" aria-live="polite" style={{ top: `${top}px`, ...side }}>
      <div class="mono">{address}</div>
      {lines.map((line) => (
        <div key={line}>{line}</div>
      ))}
      {stack !== null && <div class="pins-tip-stack">{stack}</div>}
    </div>
  );
}

function Legend(props: { of: PinsDocument; map: HeapMap; by: By }) {
  const { of, map, by } = props;
  const keys: [colour: string, words: string][] = [];
  if (by === "fullness") for (const part of [0, 25, 50, 75, 100]) keys.push([fullness(part / 100), `${part} % used`]);
  if (by === "age") {
    const births = new Set([0, 1, 2, 3, 4].map((part) => Math.floor((of.event * part) / 4)));
    for (const birth of births) {
      keys.push([age(birth, of.event), birth === 0 ? `before the first ${of.unit}` : eventsText(of.unit, birth, birth)]);
    }
  }
  if (by === "stack") {
    map.stacks.forEach(({ shown, resident_bytes: resident }, rank) => keys.push([STACKS[rank]!, `${bytes(resident)} ${shown}`]));
    const named = new Set(map.stacks.map(({ stack }) => stack));
    const others = new Set(map.stack.filter((stack) => stack !== null && !named.has(stack)));
    if (others.size > 0) keys.push([OTHER_STACKS, counted(others.size, "other stack")]);
  }
  keys.push([FREE, "no live block"]);
  return (
    <ul class="pins-legend small">
      {keys.map(([colour, words]) => (
        <li key={words}>
          <span class="pins-swatch" style={{ background: colour }} aria-hidden="true" />
          {words}
        </li>
      ))}
      <li class="muted">{count(map.start.length)} cells; a line: the next area of addresses</li>
    </ul>
  );
}
