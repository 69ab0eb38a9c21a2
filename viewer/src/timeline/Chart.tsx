// The charts in the page: made once, told of every change, moved by mouse and keys.

import type { Signal } from "@preact/signals";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { valueAtPixel } from "./axis";
import { Charts, type Layout, type Scene } from "./charts";
import { listen, type Drag, type Port } from "./gestures";
import { lookChanges } from "./look";
import { Overlay } from "./Overlay";
import { isSame, rangeOfDrag, withEndAt, writeRange, type Range } from "./range";
import type { Zoom } from "./zoom";

const ZOOM_STEP = 0.6;
/** An arrow moves the view by this part of its length. */
const PAN_PART = 0.2;

export function Chart(props: {
  scene: Scene;
  zoom: Zoom;
  bounds: Range;
  summary: string;
  hover: Signal<number | null>;
  /** Told where the plots lie. */
  layout: Signal<Layout | null>;
  onDraft: (range: Range | null) => void;
  onSelect: (range: Range, isQuiet: boolean) => void;
  onShift: (direction: 1 | -1) => void;
  onPin: (position: number | null) => void;
  /** Hands out the charts, for a picture of them. */
  charts: { current: Charts | null };
}) {
  const { scene, zoom, bounds, summary, hover, layout, onSelect, onShift, onPin, charts } = props;
  const element = useRef<HTMLDivElement>(null);
  const hosts = useRef<HTMLDivElement>(null);
  const latest = useRef(props);
  latest.current = props;

  useLayoutEffect(() => {
    const made = new Charts(hosts.current!, latest.current.scene, (next) => {
      const before = layout.peek();
      const isNew = !before || (Object.keys(next) as (keyof Layout)[]).some((key) => next[key] !== before[key]);
      if (isNew) layout.value = next;
    });
    charts.current = made;
    const watch = new ResizeObserver(() => made.resize());
    watch.observe(hosts.current!);
    const known = lookChanges.peek();
    const unsubscribe = lookChanges.subscribe((now) => {
      if (now !== known) made.restyle();
    });
    return () => {
      unsubscribe();
      watch.disconnect();
      made.destroy();
      charts.current = null;
    };
  }, []);
  useLayoutEffect(() => charts.current?.update(scene), [
    scene.axis, scene.view.first, scene.view.last, scene.series, scene.pin, scene.snapshots, scene.stamps, scene.slow,
    scene.selection?.first, scene.selection?.last, scene.against?.first, scene.against?.last,
  ]);

  const rangeOf = (drag: Drag): Range | null => {
    const { bounds, scene } = latest.current;
    if (drag.kind === "select") return rangeOfDrag(drag.from, drag.to, bounds);
    return scene.selection && withEndAt(scene.selection, drag.kind, drag.to, bounds);
  };
  useEffect(() => {
    const valueAt = (pixel: number): number => (layout.peek() ? valueAtPixel(pixel, layout.peek()!) : 0);
    const port: Port = {
      positionAt: (pixel) => latest.current.scene.axis.positionOf(valueAt(pixel)),
      stretch: () => latest.current.zoom.stretch(),
      plotWidth: () => layout.peek()?.width ?? 1,
      hover: (pixel) => {
        const plot = layout.peek();
        const isInside = pixel !== null && plot && pixel >= plot.left - 2 && pixel <= plot.left + plot.width + 2;
        latest.current.hover.value = isInside ? valueAt(pixel) : null;
      },
      dragging: (drag) => latest.current.onDraft(drag && rangeOf(drag)),
      dragged: (drag) => {
        const range = rangeOf(drag);
        latest.current.onDraft(null);
        if (range) latest.current.onSelect(range, false);
      },
      clicked: (position) => latest.current.onPin(position),
      zoomBy: (factor, around) => {
        const { zoom } = latest.current;
        if (factor > 1 && !zoom.isZoomed) return false;
        zoom.zoomBy(factor, around);
        return true;
      },
      panBy: (events, start) => latest.current.zoom.panBy(events, start),
      reset: () => {
        latest.current.onPin(null);
        latest.current.zoom.reset();
      },
    };
    return listen(element.current!, () => port);
  }, []);

  const keys = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    const { from, to } = zoom.stretch();
    const under = hover.peek();
    const middle = under === null ? (from + to) / 2 : scene.axis.positionOf(under);
    const actions: Record<string, () => void> = {
      "+": () => zoom.zoomBy(ZOOM_STEP, middle),
      "=": () => zoom.zoomBy(ZOOM_STEP, middle),
      "-": () => zoom.zoomBy(1 / ZOOM_STEP, middle),
      "0": () => zoom.reset(),
      ArrowLeft: () => (event.shiftKey ? onShift(-1) : zoom.panBy(-Math.max(1, (to - from) * PAN_PART))),
      ArrowRight: () => (event.shiftKey ? onShift(1) : zoom.panBy(Math.max(1, (to - from) * PAN_PART))),
      Escape: () => onPin(null),
    };
    const action = actions[event.key];
    // Others hear Escape, too.
    if (!action || (event.key === "Escape" && scene.pin === null)) return;
    event.preventDefault();
    action();
  };

  const shown = layout.value;
  const { view } = scene;
  return (
    <div
      ref={element}
      class="timeline-chart"
      role="group"
      tabIndex={0}
      aria-label={summary}
      aria-keyshortcuts="+ - 0 ArrowLeft ArrowRight Shift+ArrowLeft Shift+ArrowRight"
      data-first-event={view.first}
      data-last-event={view.last}
      data-zoom={zoom.isZoomed ? writeRange(view) : ""}
      data-points={shown?.points}
      data-plot-left={shown?.left}
      data-plot-width={shown?.width}
      onKeyDown={keys}
    >
      <div ref={hosts} />
      <Overlay
        hover={hover}
        layout={layout}
        axis={scene.axis}
        series={scene.series}
        snapshots={scene.snapshots}
        stamps={scene.stamps}
        slow={scene.slow}
        selection={scene.selection}
        bounds={bounds}
        unit={scene.unit}
        heightOf={(series, value) => charts.current?.heightOf(series, value) ?? null}
        onPoint={(mark) => {
          hover.value = mark && mark.value;
        }}
        onEvent={(event) => onSelect({ first: event, last: event }, false)}
        onEnd={(end, event) => {
          const next = scene.selection && withEndAt(scene.selection, end, end === "first" ? event : event + 1, bounds);
          if (next && !isSame(next, scene.selection)) onSelect(next, true);
        }}
      />
    </div>
  );
}
