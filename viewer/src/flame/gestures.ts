// Mouse, pen and wheel over the graph: dragging zooms to what was dragged over, with Shift or
// the middle button it moves the picture, and the wheel zooms around the pointer. The same
// as over the timeline.

/** Whom gestures tell. Lengths are CSS pixels. */
export interface Port {
  /** True if there was something further in or out. */
  zoomBy(factor: number, clientX: number): boolean;
  panBy(sideways: number, down: number): boolean;
  mark(marked: { from: number; to: number } | null): void;
  zoomBetween(from: number, to: number): void;
}

/** A pointer that moves less than this has clicked. */
const CLICK_PX = 4;
const ZOOM_PER_PX = 0.0022;
/** A wheel that tells lines. */
const LINE_PX = 33;

interface Held {
  pointer: number;
  isPan: boolean;
  start: number;
  at: { x: number; y: number };
  isMoved: boolean;
}

/** Listens until the returned function is called. */
export function listen(canvas: HTMLElement, port: Port): () => void {
  let held: Held | null = null;
  let isDragged = false;
  const pixelOf = (event: MouseEvent) => event.clientX - canvas.getBoundingClientRect().left;

  const down = (event: PointerEvent) => {
    isDragged = false;
    const isMiddle = event.button === 1;
    // A finger scrolls.
    if (held || event.pointerType === "touch" || (event.button !== 0 && !isMiddle)) return;
    held = {
      pointer: event.pointerId,
      isPan: isMiddle || event.shiftKey,
      start: pixelOf(event),
      at: { x: event.clientX, y: event.clientY },
      isMoved: false,
    };
  };
  const move = (event: PointerEvent) => {
    if (!held || held.pointer !== event.pointerId) return;
    const { x, y } = held.at;
    if (!held.isMoved) {
      const isFar = Math.abs(event.clientX - x) >= CLICK_PX || (held.isPan && Math.abs(event.clientY - y) >= CLICK_PX);
      if (!isFar) return;
      held.isMoved = true;
      canvas.setPointerCapture(event.pointerId);
    }
    if (held.isPan) {
      port.panBy(x - event.clientX, y - event.clientY);
      held.at = { x: event.clientX, y: event.clientY };
    } else {
      port.mark({ from: held.start, to: pixelOf(event) });
    }
  };
  const up = (event: PointerEvent) => {
    if (!held || held.pointer !== event.pointerId) return;
    const done = held;
    held = null;
    isDragged = done.isMoved;
    if (done.isPan || !done.isMoved) return;
    port.mark(null);
    port.zoomBetween(done.start, pixelOf(event));
  };
  const giveUp = () => {
    if (held) port.mark(null);
    held = null;
  };
  const key = (event: KeyboardEvent) => {
    if (event.key !== "Escape" || !held) return;
    event.preventDefault();
    event.stopPropagation();
    isDragged = true;
    giveUp();
  };
  // What ends a drag is no click.
  const click = (event: MouseEvent) => {
    if (isDragged) event.stopImmediatePropagation();
    isDragged = false;
  };
  const wheel = (event: WheelEvent) => {
    if (event.ctrlKey || event.metaKey) return;
    const unit = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? LINE_PX : 1;
    if (Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
      if (port.panBy(event.deltaX * unit, 0)) event.preventDefault();
      return;
    }
    const factor = Math.exp(Math.min(Math.max(event.deltaY * unit, -300), 300) * ZOOM_PER_PX);
    // Where there is nothing further out the page scrolls.
    if (port.zoomBy(factor, event.clientX)) event.preventDefault();
  };
  const press = (event: MouseEvent) => {
    // The middle button would scroll the page.
    if (event.button === 1) event.preventDefault();
  };

  const stop = new AbortController();
  const { signal } = stop;
  canvas.addEventListener("pointerdown", down, { signal });
  canvas.addEventListener("pointermove", move, { signal });
  canvas.addEventListener("pointerup", up, { signal });
  canvas.addEventListener("pointercancel", giveUp, { signal });
  canvas.addEventListener("mousedown", press, { signal });
  canvas.addEventListener("click", click, { signal, capture: true });
  canvas.addEventListener("wheel", wheel, { passive: false, signal });
  canvas.ownerDocument.addEventListener("keydown", key, { capture: true, signal });
  return () => stop.abort();
}
