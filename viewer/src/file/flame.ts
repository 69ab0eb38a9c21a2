// api/flame: the widest boxes below a root, of any counter or range, from either end,
// beside another range.
//
// A box is named by the numbers of the labels from the root to it with dots between them,
// in the inverted tree from what allocated on. The numbers are the same each time the file
// is opened.

import type { Flame } from "../answers";
import { widest, type Box, type Boxes, type Candidate, type Window } from "./boxes";
import { ROOT, type CallTree } from "./calltree";
import { FlameTree, type InvertedBox } from "./flametree";
import type { Question } from "./question";
import type { Recording, Selection } from "./recording";
import { checkKnown, selectionOf, unitOf } from "./selection";
import type { TreeBy } from "./trees";
import type { Values } from "./values";

const USUAL_DEPTH = 256;
const MOST_DEPTH = 4096;

export function flame(recording: Recording, question: Question): Flame {
  const by = treeOf(question);
  // In the words of the server.
  if (question.counter() === "largest") throw new Error("`largest` is a maximum, and a flame graph adds up what lies below");
  const selection = selectionOf(recording, question);
  const against = otherRange(recording, question, selection);
  const tree = recording.tree(by);
  const values = recording.values(by, selection);
  const base = against && recording.values(by, against);
  const boxes = new FlameTree(tree, values, base);
  const highlight = question.pattern("highlight");
  const drawing: Drawing = {
    root: rootOf(recording, question, by) ?? question.text("root"),
    part: question.span("span"),
    depth: question.limit("depth", USUAL_DEPTH, MOST_DEPTH),
    values,
    isMatch: tree.labels.map((label) => highlight?.test(label.name) ?? false),
    highlight: highlight !== null,
    // Libraries have no callers, nor has what stands for no scope.
    functions: by === "module" ? 0 : recording.labels.length,
  };
  return {
    counter: selection.counter,
    unit: unitOf(selection.counter),
    whole: values.whole,
    base_whole: base && base.whole,
    events: recording.eventCount(selection.events),
    base_events: against && recording.eventCount(against.events),
    fallen: values.fallen,
    notes:
      selection.counter === "peak"
        ? ["peaks are at different moments: their sum is not a heap size"]
        : [],
    ...drawn(boxes, drawing, question.isSet("inverted"), functionOf(recording, question)),
    ...(base ? {} : { base: null }),
  };
}

/** The label of the function that is asked for alone. */
function functionOf(recording: Recording, question: Question): number | null {
  const function_ = question.number("function");
  if (function_ === null) return null;
  if (!(function_ > ROOT && function_ < recording.labels.length)) throw new Error("no such function in this profile");
  return function_;
}

function drawn(boxes: FlameTree, drawing: Drawing, isInverted: boolean, function_: number | null): Drawn {
  if (isInverted) return inverted(boxes, drawing, function_ === null ? boxes.ends() : boxes.callers(function_));
  if (function_ === null) return upright(boxes, drawing);
  if (drawing.root !== null) throw new Error("root: what one function called has the function as its root");
  return calledBy(boxes, drawing, function_);
}

/** The box at which the path of a stack ends, as a key. */
function rootOf(recording: Recording, question: Question, by: TreeBy): string | null {
  const stack = question.number("stack");
  if (stack === null) return null;
  if (question.isSet("inverted") || question.text("function") !== null) throw new Error("stack: a whole path is not in the inverted tree");
  const row = recording.rows.findIndex(({ row }) => row.stack === stack);
  if (row < 0) throw new Error(`stack: ${stack} is not in this flame graph`);
  const tree = recording.tree(by);
  const labels: number[] = [];
  for (let node = tree.ends[recording.partsOf(row)[0]!]!; node !== ROOT; node = tree.parent[node]!) {
    labels.unshift(tree.label[node]!);
  }
  return labels.join(".") || null;
}

function treeOf(question: Question): TreeBy {
  const by = question.word("by", ["function", "module", "scope", "thread", "line"]);
  if (by === "thread") throw new Error("threads are not in this file: `residue view` shows them");
  if (by === "line") throw new Error("lines are not in this file: `residue view` shows them");
  return by;
}

/** What the selection is compared with. */
function otherRange(recording: Recording, question: Question, selection: Selection): Selection | null {
  const against = question.text("against");
  if (against === null) return null;
  if (against === "a" || against === "b") throw new Error("only one profile is in this file");
  const events = question.events("against");
  if (events) checkKnown(recording, selection.counter, events);
  return { ...selection, events };
}

interface Drawing {
  root: string | null;
  depth: number;
  part: Window | null;
  values: Values;
  /** By label. */
  isMatch: boolean[];
  highlight: boolean;
  /** Labels up to this number are functions, but for the root's. */
  functions: number;
}

/** What depends on the way the tree is looked at. */
type Drawn = Pick<
  Flame,
  | "breadcrumbs" | "names" | "libraries" | "key" | "function" | "parent" | "name" | "library" | "value" | "own"
  | "base" | "weight" | "start" | "framework" | "matched" | "matched_value" | "left_out"
>;

function upright(boxes: FlameTree, drawing: Drawing): Drawn {
  const { tree } = boxes;
  const below = (node: number) => boxes.below(node);
  const { root, breadcrumbs } = find(boxes.box(ROOT), below, boxes, drawing.root);
  return {
    breadcrumbs,
    matched_value: matchedBelow(tree, drawing, [root.place]),
    ...columns(boxes, widest(root, drawing.depth, drawing.part, below), drawing, drawing.root ?? ""),
  };
}

/** A function with all that it called. */
function calledBy(boxes: FlameTree, drawing: Drawing, label: number): Drawn {
  const root = boxes.called(label);
  const below = (nodes: number[]) => boxes.belowMerged(nodes);
  return {
    breadcrumbs: [],
    matched_value: matchedBelow(boxes.tree, drawing, root.place),
    ...columns(boxes, widest(root, drawing.depth, drawing.part, below), drawing, String(label)),
  };
}

/** What lies in or below a match, of all below some nodes. */
function matchedBelow(tree: CallTree, drawing: Drawing, roots: readonly number[]): number | null {
  if (!drawing.highlight) return null;
  const isIn = tree.nodesIn(drawing.isMatch);
  let matched = 0;
  for (const root of roots) {
    for (let node = root; node < tree.end[root]!; node += 1) {
      if (isIn[node]) matched += drawing.values.own[node]!;
    }
  }
  return matched;
}

function inverted(boxes: FlameTree, drawing: Drawing, from: Candidate<InvertedBox>): Drawn {
  const above = (inverted: InvertedBox) => boxes.above(inverted);
  const { root, breadcrumbs } = find(from, above, boxes, drawing.root);
  const isIn = boxes.tree.nodesIn(drawing.isMatch);
  const matched = root.place.starts.filter((node) => isIn[node]);
  const numbers = root.place.isCumulative ? drawing.values.cumulative : drawing.values.own;
  const key = drawing.root ?? (from.label === ROOT ? "" : String(from.label));
  return {
    breadcrumbs,
    matched_value: drawing.highlight ? matched.reduce((sum, node) => sum + numbers[node]!, 0) : null,
    ...columns(boxes, widest(root, drawing.depth, drawing.part, above), drawing, key),
  };
}

/** The box that a key names, and the way to it. */
function find<P>(
  everything: Candidate<P>,
  below: (place: P) => Candidate<P>[],
  { tree }: FlameTree,
  key: string | null,
): { root: Candidate<P>; breadcrumbs: Flame["breadcrumbs"] } {
  const breadcrumbs: Flame["breadcrumbs"] = [];
  let root = everything;
  for (const part of key?.split(".") ?? []) {
    const next = below(root.place).find((box) => String(box.label) === part);
    if (!next) throw new Error("root: there is no such call in this file");
    root = next;
    breadcrumbs.push({
      key: keyBelow(breadcrumbs.at(-1)?.key ?? "", root.label),
      name: tree.labels[root.label]!.name,
      value: root.width.value,
    });
  }
  return { root, breadcrumbs };
}

function keyBelow(key: string, label: number): string {
  return key === "" ? String(label) : `${key}.${label}`;
}

function columns<P>({ tree }: FlameTree, { drawn, leftOut }: Boxes<P>, drawing: Drawing, root: string) {
  const labels = drawn.map((box) => tree.labels[box.label]!);
  const names = new Texts();
  const libraries = new Texts();
  const key: string[] = [];
  for (const box of drawn) {
    key.push(box.parent < 0 ? root : keyBelow(key[box.parent]!, box.label));
  }
  const column = <T>(of: (box: Box<P>) => T) => drawn.map(of);
  return {
    key,
    function: column(({ label }) => (label > ROOT && label < drawing.functions ? String(label) : "")),
    parent: column((box) => box.parent),
    name: labels.map((label) => names.number(label.name)),
    library: labels.map((label) => libraries.number(label.library)),
    names: names.texts,
    libraries: libraries.texts,
    value: column((box) => box.width.value),
    own: column((box) => box.width.own),
    base: column((box) => box.width.base),
    weight: column((box) => box.width.weight),
    start: column((box) => box.start),
    framework: labels.map((label) => Number(label.framework)),
    matched: column((box) => Number(drawing.isMatch[box.label]!)),
    left_out: leftOut,
  };
}

/** Every text once. */
class Texts {
  readonly texts: string[] = [];
  private readonly numbers = new Map<string, number>();

  number(text: string): number {
    const number = this.numbers.get(text) ?? this.texts.push(text) - 1;
    this.numbers.set(text, number);
    return number;
  }
}
