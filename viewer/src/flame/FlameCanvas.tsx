// The drawing with its mouse and keyboard.

import { useEffect, useReducer, useRef, useState } from "preact/hooks";
import type { RefObject } from "preact";
import { amount, percent } from "../format";
import { changeOf, signOf } from "./difference";
import type { MenuPlace } from "../parts/Menu";
import { listen } from "./gestures";
import type { Direction, Span } from "./layout";
import { Picture } from "./picture";
import { Tooltip, type SideNames } from "./Tooltip";
import { below, nameOf, stepFrom, type Step, type Tree } from "./tree";

export interface CanvasProps {
  label: string;
  /** What the mouse does. */
  hint: string;
  tree: Tree;
  root: number;
  /** The part of the root that is shown; null for all. */
  span: Span | null;
  direction: Direction;
  isLoading: boolean;
  sides: SideNames | null;
  turn: string;
  /** Makes a box of the drawn tree the root. */
  onEnter: (tree: Tree, box: number) => void;
  /** The reader has zoomed to a part of the root. */
  onSpan: (span: Span | null) => void;
  onCallers: (tree: Tree, box: number) => void;
  onSandwich: (tree: Tree, box: number) => void;
  onMenu: (at: MenuPlace, tree: Tree, box: number) => void;
  /** To the next match of the search, or the one before. */
  onStep?: (by: 1 | -1) => void;
  onOut: () => void;
  /** Hands out the picture, for files made of it. */
  picture: RefObject<Picture | null>;
}

/** By how much a key zooms and moves. */
const KEY_ZOOM = 1.5;
const KEY_PAN_PX = 160;

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
  const { tree, root, direction, onOut, picture } = props;
  const tell = useRef(props);
  tell.current = props;
  const scroller = useRef<HTMLDivElement>(null);
  const ground = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const isOnEmpty = useRef(false);
  const [, redrawn] = useReducer((times: number, _: void) => times + 1, 0);
  const [mouse, setMouse] = useState<{ x: number; y: number } | null>(null);

  useEffect(() => {
    const places = { scroller: scroller.current!, ground: ground.current!, canvas: canvas.current! };
    const made = new Picture(places, () => redrawn(), (span) => tell.current.onSpan(span));
    picture.current = made;
    const stopListening = listen(places.canvas, made);
    const sizes = new ResizeObserver(() => made.readTheme());
    sizes.observe(places.scroller);
    const themes = new MutationObserver(() => made.readTheme());
    themes.observe(document.documentElement, { attributes: true, attributeFilter: ["data-theme"] });
    return () => {
      stopListening();
      sizes.disconnect();
      themes.disconnect();
      made.close();
      picture.current = null;
    };
  }, []);

  useEffect(() => {
    picture.current!.turn(direction);
    picture.current!.show(tree, root, props.span);
  }, [tree, root, direction, props.span?.left, props.span?.right]);

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
    props.onEnter(drawn.tree, box);
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
    const pointed = hovered >= 0 ? hovered : drawn.cursor;
    const step = event.shiftKey ? undefined : STEPS[direction][event.key];
    const from = drawn.cursor >= 0 ? drawn.cursor : drawn.root;
    if (step) drawn.moveTo(drawn.cursor < 0 ? drawn.root : stepFrom(drawn.tree, from, step, drawn.root));
    else if (event.shiftKey && event.key === "ArrowLeft") drawn.panBy(-KEY_PAN_PX, 0);
    else if (event.shiftKey && event.key === "ArrowRight") drawn.panBy(KEY_PAN_PX, 0);
    else if (event.key === "Home") drawn.moveTo(drawn.root);
    else if (event.key === "Enter" || event.key === " ") enter(drawn.cursor);
    // Of the box under the mouse, or else under the cursor.
    else if (event.key === "c" && pointed >= 0) props.onCallers(drawn.tree, pointed);
    else if (event.key === "s" && pointed >= 0) props.onSandwich(drawn.tree, pointed);
    else if (event.key === "m" && pointed >= 0) props.onMenu(placeOf(pointed), drawn.tree, pointed);
    else if (event.key === "+" || event.key === "=") drawn.zoomBy(1 / KEY_ZOOM, middleOf(pointed));
    else if (event.key === "-") drawn.zoomBy(KEY_ZOOM, middleOf(pointed));
    else if (event.key === "n" || event.key === "N") props.onStep?.(event.shiftKey ? -1 : 1);
    else return;
    setMouse(null);
    event.preventDefault();
  };

  /** Where a box is in the window, for a menu beside it. */
  const placeOf = (box: number) => {
    const edges = canvas.current!.getBoundingClientRect();
    const { x, y, height } = drawn!.rectangle(box);
    return { x: edges.left + Math.max(0, x) + 8, y: edges.top + y + height };
  };
  const middleOf = (box: number) => {
    const edges = canvas.current!.getBoundingClientRect();
    if (box < 0) return edges.left + edges.width / 2;
    const { x, width } = drawn!.rectangle(box);
    return edges.left + Math.min(Math.max(x + width / 2, 0), edges.width);
  };
  const menu = (event: MouseEvent) => {
    if (!drawn?.tree) return;
    const under = drawn.at(event.clientX, event.clientY);
    const box = under >= 0 ? under : drawn.cursor;
    if (box < 0) return;
    event.preventDefault();
    setMouse(null);
    props.onMenu({ x: event.clientX, y: event.clientY }, drawn.tree, box);
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
            aria-label={`${props.label}. Arrows move between boxes, Enter makes a box the root, Backspace goes back out, + and - zoom, m opens the menu of the box, c shows the callers of the function.`}
            aria-busy={props.isLoading}
            data-boxes={below(tree, root).length}
            data-root-key={answer.key[root]}
            data-root-value={answer.value[root]}
            onMouseMove={point}
            onMouseLeave={leave}
            onClick={click}
            onContextMenu={menu}
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
        {cursor < 0 && <p>{props.hint}</p>}
      </div>
      {drawn?.tree && mouse && hovered >= 0 && (
        <Tooltip tree={drawn.tree} box={hovered} root={drawn.root} mouse={mouse} sides={props.sides} turn={props.turn} />
      )}
    </div>
  );
}
