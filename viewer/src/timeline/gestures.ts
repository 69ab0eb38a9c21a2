// Mouse, pen and touch over the charts: dragging selects, with Shift or the middle button
// it moves the view, the handles move one end of the selection, the wheel zooms.

import type { Stretch } from "./range";

export type Drag =
  | { kind: "select"; from: number; to: number }
  | { kind: "first" | "last"; to: number };

/** What gestures need to know and whom they tell. Positions are among events. */
export interface Port {
  /** The position at a place of the pointer, in CSS pixels from the left of the element. */
  positionAt(pixel: number): number;
  stretch(): Stretch;
  /** CSS pixels of the plot. */
  plotWidth(): number;
  hover(pixel: number | null): void;
  /** A drag on its way; null where it was given up. */
  dragging(drag: Drag | null): void;
  dragged(drag: Drag): void;
  clicked(position: number): void;
  /** True if the view changed. */
  zoomBy(factor: number, around: number): boolean;
  panBy(events: number, start?: Stretch): void;
  reset(): void;
}

/** A pointer that moves less than this has clicked. */
const CLICK_PX = 4;
const ZOOM_PER_PX = 0.0022;

interface Held {
  pointer: number;
  kind: "select" | "first" | "last" | "pan";
  start_px: number;
  from: number;
  stretch: Stretch;
  isMoved: boolean;
}

/** Listens until the returned function is called. */
export function listen(element: HTMLElement, port: () => Port): () => void {
  let held: Held | null = null;
  const pixelOf = (event: MouseEvent): number => event.clientX - element.getBoundingClientRect().left;

  const dragOf = (one: Held, pixel: number): Drag => {
    const to = port().positionAt(pixel);
    return one.kind === "first" || one.kind === "last" ? { kind: one.kind, to } : { kind: "select", from: one.from, to };
  };

  const down = (event: PointerEvent): void => {
    const isMiddle = event.button === 1;
    if (held || (event.button !== 0 && !isMiddle)) return;
    // A button over the charts is pressed, not dragged from.
    if ((event.target as HTMLElement).closest("button")) return;
    const end = (event.target as HTMLElement).closest<HTMLElement>("[data-end]")?.dataset.end;
    const isPan = isMiddle || event.shiftKey;
    const start_px = pixelOf(event);
    held = {
      pointer: event.pointerId,
      kind: isPan ? "pan" : end === "first" || end === "last" ? end : "select",
      start_px,
      from: port().positionAt(start_px),
      stretch: port().stretch(),
      isMoved: false,
    };
    element.setPointerCapture(event.pointerId);
  };

  const move = (event: PointerEvent): void => {
    const pixel = pixelOf(event);
    port().hover(pixel);
    if (!held || held.pointer !== event.pointerId) return;
    if (!held.isMoved && Math.abs(pixel - held.start_px) < CLICK_PX) return;
    held.isMoved = true;
    if (held.kind === "pan") {
      const { from, to } = held.stretch;
      port().panBy(((held.start_px - pixel) / port().plotWidth()) * (to - from), held.stretch);
    } else {
      port().dragging(dragOf(held, pixel));
    }
  };

  const up = (event: PointerEvent): void => {
    if (!held || held.pointer !== event.pointerId) return;
    const done = held;
    held = null;
    if (done.kind === "pan") return;
    if (done.isMoved) port().dragged(dragOf(done, pixelOf(event)));
    else if (done.kind === "select") port().clicked(done.from);
  };

  const giveUp = (): void => {
    if (held && held.kind !== "pan") port().dragging(null);
    held = null;
  };

  const key = (event: KeyboardEvent): void => {
    if (event.key === "Escape" && held) {
      event.preventDefault();
      event.stopPropagation();
      giveUp();
    }
  };

  const wheel = (event: WheelEvent): void => {
    if (event.ctrlKey || event.metaKey) return;
    const unit = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? 33 : 1;
    if (Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
      const { from, to } = port().stretch();
      port().panBy(((event.deltaX * unit) / port().plotWidth()) * (to - from));
      event.preventDefault();
      return;
    }
    const factor = Math.exp(Math.min(Math.max(event.deltaY * unit, -300), 300) * ZOOM_PER_PX);
    // Where there is nothing further out the page scrolls.
    if (port().zoomBy(factor, port().positionAt(pixelOf(event)))) event.preventDefault();
  };

  const leave = (): void => {
    if (!held) port().hover(null);
  };
  // The middle button would scroll the page.
  const press = (event: MouseEvent): void => {
    if (event.button === 1) event.preventDefault();
  };
  const twice = (): void => port().reset();

  element.addEventListener("pointerdown", down);
  element.addEventListener("pointermove", move);
  element.addEventListener("pointerup", up);
  element.addEventListener("pointercancel", giveUp);
  element.addEventListener("pointerleave", leave);
  element.addEventListener("mousedown", press);
  element.addEventListener("dblclick", twice);
  element.addEventListener("wheel", wheel, { passive: false });
  element.ownerDocument.addEventListener("keydown", key, true);
  return () => {
    element.removeEventListener("pointerdown", down);
    element.removeEventListener("pointermove", move);
    element.removeEventListener("pointerup", up);
    element.removeEventListener("pointercancel", giveUp);
    element.removeEventListener("pointerleave", leave);
    element.removeEventListener("mousedown", press);
    element.removeEventListener("dblclick", twice);
    element.removeEventListener("wheel", wheel);
    element.ownerDocument.removeEventListener("keydown", key, true);
  };
}
