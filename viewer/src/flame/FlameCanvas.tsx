// The drawing with its mouse and keyboard.

import { useEffect, useReducer, useRef, useState } from "preact/hooks";
import type { RefObject } from "preact";
import { amount, percent } from "../format";
import { changeOf, signOf } from "./difference";
import type { Direction } from "./layout";
import { Picture } from "./picture";
import { Tooltip, type SideNames } from "./Tooltip";
import { below, nameOf, stepFrom, type Step, type Tree } from "./tree";

export interface CanvasProps {
  tree: Tree;
  root: number;
  direction: Direction;
  isLoading: boolean;
  sides: SideNames | null;
  turn: string;
  /** Makes a box of the drawn tree the root. */
  onEnter: (key: string) => void;
  /** With the key of a function, or nothing. */
  onCallers: (key: string) => void;
  onOut: () => void;
  /** Hands out the picture, for files made of it. */
  picture: RefObject<Picture | null>;
}

const STEPS: Record<Direction, Record<string, Step>> = {
  icicle: { ArrowUp: "out", ArrowDown: "in", ArrowLeft: "left", ArrowRight: "right" },
  flame: { ArrowUp: "in", ArrowDown: "out", ArrowLeft: "left", ArrowRight: "right" },
};

/** A box in words, for those who hear the page. */
function described(tree: Tree, box: number): string {
  const { answer } = tree;
  const change = changeOf(tree, box);
  const words = [nameOf(tree, box), amount(answer.value[box]!, answer.unit)];
  const share = percent(answer.value[box]!, answer.whole);
  if (share) words.push(`${share} of everything`);
  if (change) words.push(`difference ${signOf(change.difference)}${amount(Math.abs(change.difference), answer.unit)}`);
  return words.join(", ");
}

export function FlameCanvas(props: CanvasProps) {
  const { tree, root, direction, onEnter, onOut, onCallers, picture } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const ground = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const isOnEmpty = useRef(false);
  const [, redrawn] = useReducer((times: number, _: void) => times + 1, 0);
  const [mouse, setMouse] = useState<{ x: number; y: number } | null>(null);

  useEffect(() => {
    const places = { scroller: scroller.current!, ground: ground.current!, canvas: canvas.current! };
    const made = new Picture(places, () => redrawn());
    picture.current = made;
    const sizes = new ResizeObserver(() => made.readTheme());
    sizes.observe(places.scroller);
    const themes = new MutationObserver(() => made.readTheme());
    themes.observe(document.documentElement, { attributes: true, attributeFilter: ["data-theme"] });
    return () => {
      sizes.disconnect();
      themes.disconnect();
      made.close();
      picture.current = null;
    };
  }, []);

  useEffect(() => {
    picture.current!.turn(direction);
    picture.current!.show(tree, root);
  }, [tree, root, direction]);

  const drawn = picture.current;
  const hovered = mouse && drawn?.tree ? drawn.hovered : -1;
  const cursor = drawn?.tree ? drawn.cursor : -1;

  const point = (event: MouseEvent) => {
    const box = drawn?.at(event.clientX, event.clientY) ?? -1;
    drawn?.hover(box);
    setMouse(box < 0 ? null : { x: event.clientX, y: event.clientY });
  };
  const leave = () => {
    drawn?.hover(-1);
    setMouse(null);
  };
  const enter = (box: number) => {
    if (!drawn?.tree || box < 0 || box === drawn.root) return;
    setMouse(null);
    onEnter(drawn.tree.answer.key[box]!);
  };
  const click = (event: MouseEvent) => {
    // The second click of a double one would hit what the first has brought there.
    if (event.detail > 1) return;
    const box = drawn?.at(event.clientX, event.clientY) ?? -1;
    isOnEmpty.current = box < 0;
    enter(box);
  };
  const press = (event: KeyboardEvent) => {
    if (!drawn?.tree || event.ctrlKey || event.altKey || event.metaKey) return;
    const step = STEPS[direction][event.key];
    const from = drawn.cursor >= 0 ? drawn.cursor : drawn.root;
    if (step) drawn.moveTo(drawn.cursor < 0 ? drawn.root : stepFrom(drawn.tree, from, step, drawn.root));
    else if (event.key === "Home") drawn.moveTo(drawn.root);
    else if (event.key === "Enter" || event.key === " ") enter(drawn.cursor);
    // Of the box under the mouse, or else under the cursor; only functions have callers.
    else if (event.key === "c") onCallers(drawn.tree.answer.function[hovered >= 0 ? hovered : drawn.cursor] ?? "");
    else return;
    setMouse(null);
    event.preventDefault();
  };

  const focus = () => {
    // By the keyboard: a click has no need of a cursor.
    if (drawn?.tree && drawn.cursor < 0 && canvas.current!.matches(":focus-visible")) drawn.moveTo(drawn.root);
  };

  const { answer } = tree;
  return (
    <div class="flame-drawing">
      <div class="flame-scroller" ref={scroller} onScroll={() => drawn?.redraw()}>
        <div class="flame-ground" ref={ground}>
          <canvas
            class={hovered >= 0 ? "flame-canvas flame-pointing" : "flame-canvas"}
            ref={canvas}
            tabIndex={0}
            role="application"
            aria-roledescription="flame graph"
            aria-label="Flame graph. Arrows move between boxes, Enter makes a box the root, Backspace goes back out, c shows the callers of the function."
            aria-busy={props.isLoading}
            data-boxes={below(tree, root).length}
            data-root-key={answer.key[root]}
            data-root-value={answer.value[root]}
            onMouseMove={point}
            onMouseLeave={leave}
            onClick={click}
            onDblClick={() => isOnEmpty.current && onOut()}
            onKeyDown={press}
            onFocus={focus}
            onBlur={() => drawn?.moveTo(-1)}
          />
        </div>
      </div>
      <div class="flame-said muted small">
        <p class="flame-described" aria-live="polite">
          {drawn?.tree && cursor >= 0 ? described(drawn.tree, cursor) : ""}
        </p>
        {cursor < 0 && <p>Click a box to make it the root; Backspace goes back out. Arrows move from box to box.</p>}
      </div>
      {drawn?.tree && mouse && hovered >= 0 && (
        <Tooltip tree={drawn.tree} box={hovered} root={drawn.root} mouse={mouse} sides={props.sides} turn={props.turn} />
      )}
    </div>
  );
}
