// The small drawings in a row: live bytes over the events, and survivors by birth.

import type { Shape } from "../answers";
import { count, counted } from "../format";
import { bars, sparkPath } from "./geometry";
import { SHAPES, shapeSentence } from "./shapes";

const WIDTH = 80;
const HEIGHT = 22;

export function Spark(props: { values: readonly number[]; unit: string }) {
  const { values } = props;
  if (values.length === 0) return null;
  const least = Math.min(...values);
  const most = Math.max(...values);
  const words = `Live bytes over the ${props.unit}s: lowest ${count(least)}, highest ${count(most)}`;
  const line = sparkPath(values, WIDTH, HEIGHT - 2);
  return (
    <svg class="stacks-spark" viewBox={`0 -1 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" role="img" aria-label={words}>
      <title>{words}</title>
      <path class="stacks-spark-area" d={`${line}L${WIDTH} ${HEIGHT - 1}H0Z`} />
      <path class="stacks-spark-line" d={line} vector-effect="non-scaling-stroke" />
    </svg>
  );
}

export function BirthStrip(props: { values: readonly number[]; unit: string }) {
  const { values, unit } = props;
  if (values.length === 0) return null;
  const born = values.filter((value) => value > 0).length;
  const words =
    `Bytes of survivors by ${unit} of birth, from the first ${unit} to the last: ` +
    `${born} of ${counted(values.length, "part")} left some, ${counted(Math.max(...values), "byte")} the most`;
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
export function ShapeChip(props: { shape: Shape; confidence: string | null; unit: string }) {
  const { shape, confidence } = props;
  const { glyph } = SHAPES[shape];
  const sure = confidence === null ? "" : ` Confidence: ${confidence}.`;
  return (
    <span class={`chip stacks-chip stacks-chip-${shape}`} title={`${shape}: ${shapeSentence(shape, props.unit)}${sure}`}>
      <svg viewBox="0 0 16 10" aria-hidden="true">
        <path d={glyph} />
      </svg>
      {shape}
    </span>
  );
}
