// What is lost and what is held, as sums and in words: those of `residue holders`.

import type { HeldAmount, HeldAmounts, HeldStack } from "../answers";
import type { Cell } from "../download";
import { bytes, counted, eventsText } from "../format";

function sum(...parts: HeldAmount[]): HeldAmount {
  return {
    blocks: parts.reduce((all, part) => all + part.blocks, 0),
    bytes: parts.reduce((all, part) => all + part.bytes, 0),
  };
}

/** Lost, in whatever way. */
export function lostOf(of: HeldAmounts): HeldAmount {
  return sum(of.lost, of.lost_in_cycle, of.held_by_lost);
}

export function heldOf(of: HeldAmounts): HeldAmount {
  return sum(of.held, of.held_inside);
}

/** `8.59 KiB in 100 blocks`. */
export function amountText(of: HeldAmount): string {
  return `${bytes(of.bytes)} in ${counted(of.blocks, "block")}`;
}

export interface AmountPart {
  state: keyof HeldAmounts;
  words: string;
  amount: HeldAmount;
}

/** The parts that there are, lost ones first. */
export function partsOf(of: HeldAmounts): AmountPart[] {
  const all: AmountPart[] = [
    { state: "lost", words: "lost: nothing points to it", amount: of.lost },
    { state: "lost_in_cycle", words: "lost in cycles that hold themselves alone", amount: of.lost_in_cycle },
    { state: "held_by_lost", words: "held by lost blocks alone", amount: of.held_by_lost },
    { state: "held", words: "held from a variable, a stack or a register", amount: of.held },
    { state: "held_inside", words: "held by pointers into the blocks, none to their starts", amount: of.held_inside },
  ];
  return all.filter(({ amount }) => amount.blocks > 0);
}

/** `born in events 1..99`; null where there is nothing. */
export function bornText(births: HeldStack["lost_births"], unit: string): string | null {
  return births && `born in ${eventsText(unit, births[0], births[1])}`;
}

export const HOLDERS_HEAD = [
  "stack", "lost_bytes", "lost_blocks", "lost_in_cycle_bytes", "lost_in_cycle_blocks", "held_by_lost_bytes", "held_by_lost_blocks",
  "held_bytes", "held_blocks", "held_inside_bytes", "held_inside_blocks", "words", "path",
];

export function holdersRows(rows: readonly HeldStack[]): Cell[][] {
  return rows.map((row) => [
    row.stack,
    ...[row.lost, row.lost_in_cycle, row.held_by_lost, row.held, row.held_inside].flatMap(({ bytes, blocks }) => [bytes, blocks]),
    row.words,
    row.path.join(";"),
  ]);
}
