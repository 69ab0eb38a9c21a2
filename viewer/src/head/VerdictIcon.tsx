// A shape for each verdict, for those who do not see its colour.

import type { Verdict } from "../answers";

/** Lines on a field of 20 by 20. */
const SHAPES: Record<Verdict["verdict"], string> = {
  // A drop.
  leak: "M10 2 C13 7 16 9.5 16 12.5 A6 6 0 0 1 4 12.5 C4 9.5 7 7 10 2 Z",
  // Out of a box.
  "freed-at-exit": "M8 3 H3 V17 H8 M7 10 H17 M13 6 L17 10 L13 14",
  // Pieces with gaps.
  fragmentation: "M3 3 H8 V9 H3 Z M11 3 H17 V6 H11 Z M11 11 H14 V17 H11 Z M3 13 H7 V17 H3 Z",
  // Up to the right.
  growth: "M3 16 L8 11 L11 13 L17 5 M12 5 H17 V10",
  // Up to a lid.
  filling: "M3 17 C5 8 10 6 17 6 M3 3 H17",
  // Ever flatter.
  slowing: "M3 17 C5 9 10 6 17 4 M13 2.5 L17 4 L14 7.5",
  // A tick.
  "no-growth": "M3 10.5 L8 15.5 L17 5",
  // A question.
  undetermined: "M6.2 6.8 A4 4 0 1 1 11.6 10.2 C10.4 10.8 10 11.4 10 12.8 M10 16.6 V16.7",
};

export function VerdictIcon(props: { of: Verdict["verdict"] }) {
  return (
    <svg class="head-icon" viewBox="0 0 20 20" aria-hidden="true">
      <path d={SHAPES[props.of]} class={props.of === "leak" || props.of === "fragmentation" ? "head-icon-full" : ""} />
    </svg>
  );
}
