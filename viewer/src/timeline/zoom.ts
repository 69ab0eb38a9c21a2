// The part of the timeline that is shown. While it changes it is held here; once it rests
// it is written into the address, which is where everybody else reads it.

import { useEffect, useRef, useState } from "preact/hooks";
import { go, parameter } from "../address";
import {
  clampRange, isSame, panStretch, parseRange, rangeOfStretch, stretchOf, writeRange, zoomStretch,
  type Range, type Stretch,
} from "./range";

const REST_MS = 180;

export interface Zoom {
  /** The events that are shown. */
  view: Range;
  /** What the address says; null for everything. It follows the view after a short rest. */
  settled: Range | null;
  isZoomed: boolean;
  zoomBy(factor: number, around: number): void;
  /** Moves by so many events from where `start` was, or from where the view is. */
  panBy(events: number, start?: Stretch): void;
  stretch(): Stretch;
  reset(): void;
}

export function useZoom(all: Range): Zoom {
  const written = parseRange(parameter("zoom"));
  const settled = written && clampRange(written, all);
  const [moving, setMoving] = useState<Stretch | null>(null);
  const now = useRef<Stretch | null>(null);
  const rest = useRef(0);
  useEffect(() => () => clearTimeout(rest.current), []);

  const stretch = (): Stretch => now.current ?? stretchOf(settled ?? all);
  const move = (next: Stretch): void => {
    now.current = next;
    setMoving(next);
    clearTimeout(rest.current);
    rest.current = setTimeout(() => {
      const range = rangeOfStretch(next, all);
      go({ zoom: isSame(range, all) ? undefined : writeRange(range) }, { quiet: true });
      now.current = null;
      setMoving(null);
    }, REST_MS) as unknown as number;
  };
  const view = moving ? rangeOfStretch(moving, all) : (settled ?? all);
  return {
    view,
    settled,
    isZoomed: !isSame(view, all),
    zoomBy: (factor, around) => move(zoomStretch(stretch(), around, factor, all)),
    panBy: (events, start) => move(panStretch(start ?? stretch(), events, all)),
    stretch,
    reset: () => move(stretchOf(all)),
  };
}
