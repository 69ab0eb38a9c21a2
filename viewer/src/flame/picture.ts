// The picture on the page: a canvas as large as what can be seen of it, redrawn when the
// reader scrolls, zooms, or points at something.

import { paintsOf, paletteBy, type Paint, type Palette } from "./colours";
import { Measure } from "./label";
import {
  between, boxAt, eachSeen, panned, partOf, rectangleOf, scrollTo, sightOf, sightOfSpan, sightShowing, spanOf, zoomed, type Area, type Direction,
  type Rectangle, type Sight, type Span,
} from "./layout";
import { paintScene } from "./paint";
import { rowHeightOf, type Font, type Scene } from "./scene";
import { nameOf, rowsFrom, type Tree } from "./tree";

const ZOOM_MS = 170;
/** So long after the last turn of the wheel the part that is shown is told. */
const REST_MS = 140;
/** Rows that the picture has room for at least. */
const LEAST_ROWS = 10;
/** The key of no box. */
const NO_KEY = "none";

export interface DrawnBox extends Rectangle {
  key: string;
  name: string;
  value: number;
}

interface Zoom {
  from: Sight;
  to: Sight;
  began: number;
}

/** Where the picture is: the scroller holds the ground, which is as high as the whole
    picture, and the canvas stays in view on it. */
export interface Places {
  scroller: HTMLElement;
  ground: HTMLElement;
  canvas: HTMLCanvasElement;
}

export class Picture {
  tree: Tree | null = null;
  /** The box that is shown as the root. */
  root = 0;
  hovered = -1;
  cursor = -1;
  private sight: Sight = { left: 0, right: 1, depth: 0 };
  private zoom: Zoom | null = null;
  /** The part of the root that was asked for; null for all of it. */
  private span: Span | null = null;
  /** Runs while the reader moves the picture. */
  private rest: ReturnType<typeof setTimeout> | null = null;
  /** Where a drag would zoom to, in CSS pixels from the left. */
  private marked: { from: number; to: number } | null = null;
  /** A finer answer that came during a zoom, drawn when it has ended. */
  private next: { tree: Tree; root: number } | null = null;
  private direction: Direction = "icicle";
  private palette!: Palette;
  private paints: Paint[] = [];
  private font!: Font;
  private measure!: Measure;
  private frame = 0;
  /** Rows there is room for: zooming in does not take it away, so that nothing jumps. */
  private mostRows = LEAST_ROWS;

  /** `changed` is called when other boxes are drawn than before, `moved` when the reader has
      zoomed or moved to another part of the root. */
  constructor(
    private readonly places: Places,
    private readonly changed: () => void,
    private readonly moved: (span: Span | null) => void,
  ) {
    Object.defineProperty(places.canvas, "boxes", { configurable: true, get: () => this.boxes() });
    this.readTheme();
  }

  /** Reads colours and font again: the theme or the width of the window changed. */
  readTheme(): void {
    const style = getComputedStyle(this.places.canvas);
    this.palette = paletteBy((name) => style.getPropertyValue(name));
    const font = { size: Number.parseFloat(style.fontSize), family: style.fontFamily };
    if (this.font?.size !== font.size || this.font.family !== font.family) {
      this.font = font;
      const context = document.createElement("canvas").getContext("2d")!;
      context.font = `${font.size}px ${font.family}`;
      this.measure = new Measure((character) => context.measureText(character).width);
    }
    this.recolour();
    this.fitHeight();
    this.redraw();
  }

  turn(direction: Direction): void {
    if (this.direction === direction) return;
    const scrolled = this.scrolled();
    this.direction = direction;
    this.scrollBy(scrolled);
    this.redraw();
  }

  /** Shows a tree from one of its boxes on, or a part of its width. */
  show(tree: Tree, root: number, span: Span | null): void {
    const before = this.tree;
    const isSameSpan = span?.left === this.span?.left && span?.right === this.span?.right;
    const key = before?.answer.key[this.root];
    const isSameRoot = tree.answer.key[root] === key;
    this.span = span;
    // Whoever moves the picture is not moved back.
    if (!isSameRoot) this.stopMoving();
    if (before === null) {
      this.take(tree, root, sightOfSpan(tree, root, span));
      return;
    }
    if (tree === before) {
      if (root === this.root && this.next === null && isSameSpan) return;
      this.next = null;
      this.root = root;
      if (this.rest === null || !isSameRoot) this.zoomTo(sightOfSpan(tree, root, span));
      this.changed();
      return;
    }
    if (isSameRoot) {
      if (this.zoom) this.next = { tree, root };
      else if (isSameSpan || this.rest !== null) this.take(tree, root, this.sight, true);
      else this.take(tree, root, sightOfSpan(tree, root, span));
      return;
    }
    const inside = key === undefined ? undefined : tree.indexOf.get(key);
    if (inside === undefined) {
      this.take(tree, root, sightOfSpan(tree, root, span));
    } else {
      this.take(tree, root, sightOf(tree, inside));
      this.zoomTo(sightOfSpan(tree, root, span));
    }
  }

  /** Zooms around a place of the window; false where there is nothing further out or in. */
  zoomBy(factor: number, clientX: number): boolean {
    const { left, width } = this.places.canvas.getBoundingClientRect();
    if (!this.tree || !(width > 0)) return false;
    const { sight } = this;
    const around = sight.left + ((clientX - left) / width) * (sight.right - sight.left);
    return this.moveSight(zoomed(sight, this.wholeSight(), factor, around));
  }

  /** Moves sideways and away from the root, in CSS pixels. */
  panBy(sideways: number, down: number): boolean {
    if (!this.tree) return false;
    if (down !== 0) this.places.scroller.scrollTop += down;
    return this.moveSight(panned(this.sight, this.wholeSight(), sideways / Math.max(1, this.area().width)));
  }

  /** What a drag would zoom to; null where it was given up. */
  mark(marked: { from: number; to: number } | null): void {
    this.marked = marked;
    this.redraw();
  }

  /** Zooms to what lies between two places of the picture. */
  zoomBetween(from: number, to: number): void {
    if (!this.tree) return;
    const { width } = this.area();
    const { sight } = this;
    const at = (pixel: number) => sight.left + (Math.min(Math.max(pixel, 0), width) / width) * (sight.right - sight.left);
    const whole = this.wholeSight();
    this.zoomTo({ ...partOf(sight, whole, at(Math.min(from, to)), at(Math.max(from, to))), depth: whole.depth });
    this.tellSoon();
  }

  /** Puts the keyboard's cursor on a box, and zooms until it can be read. */
  reveal(box: number): void {
    if (!this.tree) return;
    const next = sightShowing(this.tree, box, this.zoom?.to ?? this.sight, this.wholeSight(), this.area());
    if (next !== this.sight) {
      this.zoomTo({ ...next, depth: this.wholeSight().depth });
      this.tellSoon();
    }
    this.moveTo(box);
  }

  /** Shows all of the root again. */
  reset(): void {
    if (!this.tree) return;
    this.zoomTo(this.wholeSight());
    this.tellSoon();
  }

  private wholeSight(): Sight {
    return sightOf(this.tree!, this.root);
  }

  private moveSight(next: Sight): boolean {
    if (next.left === this.sight.left && next.right === this.sight.right) return false;
    this.zoom = null;
    this.sight = { ...next, depth: this.wholeSight().depth };
    this.tellSoon();
    this.redraw();
    return true;
  }

  private tellSoon(): void {
    if (this.rest !== null) clearTimeout(this.rest);
    this.rest = setTimeout(() => {
      this.rest = null;
      if (!this.tree) return;
      const span = spanOf(this.zoom?.to ?? this.sight, this.wholeSight());
      this.span = span;
      this.moved(span);
      this.redraw();
    }, REST_MS);
  }

  private stopMoving(): void {
    if (this.rest !== null) clearTimeout(this.rest);
    this.rest = null;
  }

  /** `isMoved`: the sight is where the reader has moved it, of the same root. */
  private take(tree: Tree, root: number, sight: Sight, isMoved = false): void {
    const before = this.tree?.answer.key;
    const same = (box: number) => tree.indexOf.get(before?.[box] ?? NO_KEY) ?? -1;
    this.hovered = same(this.hovered);
    this.cursor = same(this.cursor);
    this.tree = tree;
    this.root = root;
    const whole = sightOf(tree, root);
    // Where a running program made other widths, the part may lie elsewhere.
    const isInside = sight.left >= whole.left && sight.right <= whole.right && sight.right > sight.left;
    this.sight = isMoved ? (isInside ? { ...sight, depth: whole.depth } : sightOfSpan(tree, root, this.span)) : sight;
    this.zoom = null;
    this.next = null;
    this.recolour();
    this.fitHeight();
    this.redraw();
    this.changed();
  }

  private zoomTo(to: Sight): void {
    // From where the reader has scrolled to: the root's edge of the new picture is in view.
    const from = { ...this.sight, depth: this.sight.depth + this.scrolled() / this.area().rowHeight };
    this.fitHeight();
    this.scrollBy(0);
    if (matchMedia("(prefers-reduced-motion: reduce)").matches) {
      this.zoom = null;
      this.sight = to;
    } else {
      this.zoom = { from, to, began: performance.now() };
      this.sight = from;
    }
    this.hovered = -1;
    this.redraw();
  }

  private recolour(): void {
    if (this.tree) this.paints = paintsOf(this.tree, this.palette, this.tree.answer.matched_value !== null);
  }

  private fitHeight(): void {
    const { scroller, ground } = this.places;
    const rowHeight = rowHeightOf(this.font);
    const rows = this.tree ? rowsFrom(this.tree, this.root) : 1;
    const isEverything = this.root === 0 && this.tree?.answer.breadcrumbs.length === 0;
    this.mostRows = Math.max(isEverything ? LEAST_ROWS : this.mostRows, rows);
    const scrolled = this.scrolled();
    scroller.style.setProperty("--flame-rows-height", `${this.mostRows * rowHeight}px`);
    ground.style.height = `${rows * rowHeight}px`;
    this.scrollBy(scrolled);
  }

  area(): Area {
    const { scroller } = this.places;
    return {
      width: scroller.clientWidth,
      height: scroller.clientHeight,
      rowHeight: rowHeightOf(this.font),
      direction: this.direction,
      scrolled: this.scrolled(),
    };
  }

  private scrolled(): number {
    const { scroller } = this.places;
    return this.direction === "icicle"
      ? scroller.scrollTop
      : Math.max(0, scroller.scrollHeight - scroller.clientHeight - scroller.scrollTop);
  }

  /** Scrolls to a distance from the root's edge. */
  private scrollBy(distance: number): void {
    const { scroller } = this.places;
    const top = this.direction === "icicle" ? distance : scroller.scrollHeight - scroller.clientHeight - distance;
    if (scroller.scrollTop !== top) scroller.scrollTop = top;
  }

  hover(box: number): void {
    if (box === this.hovered) return;
    this.hovered = box;
    this.redraw();
  }

  /** Moves the keyboard's cursor and scrolls there. */
  moveTo(box: number): void {
    this.cursor = box;
    if (this.tree && box >= 0) this.scrollBy(scrollTo(this.tree, box, sightOf(this.tree, this.root), this.area()));
    this.redraw();
    this.changed();
  }

  /** The box at a place of the window, -1 for none. */
  at(clientX: number, clientY: number): number {
    if (!this.tree) return -1;
    const edges = this.places.canvas.getBoundingClientRect();
    return boxAt(this.tree, this.sight, this.area(), clientX - edges.left, clientY - edges.top);
  }

  rectangle(box: number): Rectangle {
    return rectangleOf(this.tree!, box, this.sight, this.area());
  }

  redraw(): void {
    if (this.frame === 0) this.frame = requestAnimationFrame((now) => this.draw(now));
  }

  private draw(now: number): void {
    this.frame = 0;
    if (this.zoom) {
      const part = Math.min(1, Math.max(0, (now - this.zoom.began) / ZOOM_MS));
      const eased = 1 - (1 - part) ** 3;
      this.sight = between(this.zoom.from, this.zoom.to, eased);
      if (part === 1) this.zoom = null;
      if (part < 1) this.redraw();
      else if (this.next) this.take(this.next.tree, this.next.root, this.sight, true);
    }
    const { canvas } = this.places;
    const area = this.area();
    const dpr = devicePixelRatio || 1;
    const width = Math.round(area.width * dpr);
    const height = Math.round(area.height * dpr);
    if (canvas.width !== width || canvas.height !== height) {
      canvas.width = width;
      canvas.height = height;
      canvas.style.width = `${area.width}px`;
      canvas.style.height = `${area.height}px`;
    }
    canvas.dataset["settled"] = String(this.zoom === null && this.rest === null);
    if (this.tree && area.width > 0) paintScene(canvas.getContext("2d", { alpha: false })!, this.scene(area), dpr);
  }

  private scene(area: Area): Scene {
    const { palette, paints, measure, font, hovered, cursor, marked, sight } = this;
    return { tree: this.tree!, sight, area, palette, paints, measure, font, hovered, cursor, marked };
  }

  /** All rows of the picture, not only those in view, for a file. */
  whole(): Scene | null {
    if (!this.tree) return null;
    const { width, rowHeight, direction } = this.area();
    const height = rowsFrom(this.tree, this.root) * rowHeight;
    const scene = this.scene({ width, height, rowHeight, direction, scrolled: 0 });
    return { ...scene, sight: sightOf(this.tree, this.root), hovered: -1, cursor: -1, marked: null };
  }

  private boxes(): DrawnBox[] {
    const { tree } = this;
    const drawn: DrawnBox[] = [];
    if (!tree) return drawn;
    const area = this.area();
    eachSeen(tree, this.sight, area, (box, x, y, width) => {
      const { key, value } = tree.answer;
      drawn.push({ key: key[box]!, name: nameOf(tree, box), value: value[box]!, x, y, width, height: area.rowHeight });
    });
    return drawn;
  }

  close(): void {
    this.stopMoving();
    cancelAnimationFrame(this.frame);
  }
}
