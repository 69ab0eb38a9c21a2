// api/holders and api/holder: who holds what was live. The file has the stacks that lost most and
// those of which most is held, with the chains to them as far as they fit.

import type { HeldStack, HolderAnswer, HoldersAnswer, HoldersWhich } from "../answers";
import { heldOf, lostOf } from "../holders/amounts";
import type { Question } from "./question";
import type { Recording } from "./recording";

const USUAL_ROWS = 50;
const MOST_ROWS = 200;

export function holders({ data }: Recording, question: Question): HoldersAnswer {
  if (question.isFiltered()) {
    throw new Error("holders of single functions are not in this file: `residue view` shows them");
  }
  const which = question.word<HoldersWhich>("which", ["all", "lost", "held"]);
  const offset = question.limit("offset", 0, Infinity);
  const limit = question.limit("limit", USUAL_ROWS, MOST_ROWS);
  const { picture, missing } = data.holders;
  if (picture === null) return { picture, missing, found: 0, offset: 0 };
  const stacks = rowsOf(picture.stacks, which);
  return { picture: { ...picture, stacks: stacks.slice(offset, offset + limit) }, missing, found: stacks.length, offset };
}

/** In the order of the server. */
function rowsOf(stacks: HeldStack[], which: HoldersWhich): HeldStack[] {
  if (which === "all") return stacks;
  if (which === "lost") return stacks.filter((row) => lostOf(row).blocks > 0);
  const held = stacks.map((row) => ({ row, bytes: heldOf(row).bytes, all: heldOf(row).bytes + lostOf(row).bytes }));
  return held
    .filter(({ row }) => heldOf(row).blocks > 0)
    .sort((one, other) => other.bytes - one.bytes || other.all - one.all || one.row.stack - other.row.stack)
    .map(({ row }) => row);
}

export function holder({ data }: Recording, question: Question): HolderAnswer {
  const stack = question.number("stack");
  if (stack === null) throw new Error("stack: none is named");
  const { missing } = data.holders;
  if (missing !== null) return { stack: null, holds: [], holds_found: 0, missing };
  const known = data.held[stack];
  if (known === undefined) throw new Error(`who holds stack ${stack} is not in this file: \`residue view\` shows it`);
  return known;
}
