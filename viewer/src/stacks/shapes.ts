// The shapes that memory of a stack takes over the events: a word, a sentence, and a small
// drawing, so that the shape is not told by colour alone.

import type { Shape } from "../answers";

export interface ShapeText {
  /** What it means, in a sentence with EVENT for what one turn is called. */
  sentence: string;
  /** An SVG path in a box of 16 by 10. */
  glyph: string;
}

export const SHAPES: Readonly<Record<Shape, ShapeText>> = {
  leak: {
    sentence: "Every EVENT, or every k-th, leaves something behind.",
    glyph: "M1 9 L15 1",
  },
  "freed-at-exit": {
    sentence: "It grows with the EVENTs and is freed only when the program ends.",
    glyph: "M1 9 L12 1 V9 H15",
  },
  stopped: {
    sentence: "It grew like a leak, then stopped.",
    glyph: "M1 9 L9 2 H15",
  },
  "warm-up": {
    sentence: "It grew in the first EVENTs only.",
    glyph: "M1 9 L4 2 H15",
  },
  cache: {
    sentence: "It fills up, or stays at its limit and replaces entries.",
    glyph: "M1 9 C3 3 6 2 15 2",
  },
  filling: {
    sentence: "It grows ever more slowly and will end, as a cache that fills up does.",
    glyph: "M1 9 C3 4 8 2.5 12 2 M13 2 H15",
  },
  slowing: {
    sentence: "It grows ever more slowly; whether it ends cannot be told.",
    glyph: "M1 9 C3 5 8 3 15 1",
  },
  plateau: {
    sentence: "High-water steps that become rarer and rarer.",
    glyph: "M1 9 V6 H4 V3.5 H8 V2 H15",
  },
  sawtooth: {
    sentence: "It builds up and is flushed, again and again.",
    glyph: "M1 9 L5.5 2 V9 L10 2 V9 L14.5 2 V9",
  },
  step: {
    sentence: "One jump, and the same before and after it.",
    glyph: "M1 8.5 H8 V2 H15",
  },
  deferred: {
    sentence: "Blocks live over one or a few EVENTs and are freed then.",
    glyph: "M1 9 H3 V4 H5.5 V9 H7 V4 H9.5 V9 H11 V4 H13.5 V9 H15",
  },
  flat: {
    sentence: "It does not change with the EVENTs.",
    glyph: "M1 5 H15",
  },
  undetermined: {
    sentence: "Too few EVENTs to tell the shape.",
    glyph: "M1 6 H3 M6.5 3 H9.5 M13 6 H15",
  },
};

export function shapeSentence(shape: Shape, unit: string): string {
  return SHAPES[shape].sentence.replaceAll("EVENT", unit);
}

/** Whether the other witness, the births of what is left, says the same. */
export function agreementText(agreement: string): string {
  if (agreement === "agrees") return "The ages of the survivors agree.";
  if (agreement === "births unknown") return "The ages of the survivors are unknown, or do not tell.";
  return agreement;
}

export const SHAPE_NAMES = Object.keys(SHAPES) as Shape[];
