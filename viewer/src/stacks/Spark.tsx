// The small drawings in a row: live bytes over the events, and survivors by birth.

import type { Shape } from "../answers";
import { count } from "../format";
import { bars, sparkPath } from "./geometry";
import { SHAPES } from "./shapes";

const WIDTH = 80;
const HEIGHT = 22;

export function Spark(props: { values: readonly number[] }) {
  const { values } = props;
  if (values.length === 0) return null;
  const least = Math.min(...values);
  const most = Math.max(...values);
  const words = `Live bytes over the events: lowest ${count(least)}, highest ${count(most)}`;
  const line = sparkPath(values, WIDTH, HEIGHT - 2);
  return (
    <svg class="stacks-spark" viewBox={`0 -1 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" role="img" aria-label={words}>
      <title>{words}</title>
      <path class="stacks-spark-area" d={`${line}L${WIDTH} ${HEIGHT - 1}H0Z`} />
      <path class="stacks-spark-line" d={line} vector-effect="non-scaling-stroke" />
    </svg>
  );
}

export function BirthStrip(props: { values: readonly number[] }) {
  const { values } = props;
  if (values.length === 0) return null;
  const born = values.filter((value) => value > 0).length;
  const words =
    `Bytes of survivors by event of birth, from the first event to the last: ` +
    `${born} of ${values.length} parts left some, ${count(Math.max(...values))} bytes the most`;
  return (
    <svg class="stacks-births-strip" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" role="img" aria-label={words}>
      <title>{words}</title>
      <path class="stacks-births-ground" d={`M0 ${HEIGHT - 0.5}H${WIDTH}`} vector-effect="non-scaling-stroke" />
      {bars(values, WIDTH, HEIGHT - 1).map((bar) => (
        <rect key={bar.x} {...bar} />
      ))}
    </svg>
  );
}

/** A shape as a chip: its drawing and its word. */
export function ShapeChip(props: { shape: Shape; confidence: string | null }) {
  const { shape, confidence } = props;
  const { sentence, glyph } = SHAPES[shape] ?? SHAPES.undetermined;
  const sure = confidence === null ? "" : ` Confidence: ${confidence}.`;
  return (
    <span class={`chip stacks-chip stacks-chip-${shape}`} title={`${shape}: ${sentence}${sure}`}>
      <svg viewBox="0 0 16 10" aria-hidden="true">
        <path d={glyph} />
      </svg>
      {shape}
    </span>
  );
}
