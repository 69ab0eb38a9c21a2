// Paints the part of a scene that can be seen.

import { css, mix } from "./colours";
import { labelFor } from "./label";
import { eachSeen, rectangleOf, unsentRectangle } from "./layout";
import { paddingOf, UNSENT_LEAST, UNSENT_WORDS, unsentPaint, wordsOf, type Scene } from "./scene";

/** `dpr`: device pixels in a CSS pixel. */
export function paintScene(context: CanvasRenderingContext2D, scene: Scene, dpr: number): void {
  const { tree, sight, area, palette, paints, measure, font } = scene;
  context.setTransform(dpr, 0, 0, dpr, 0, 0);
  context.fillStyle = css(palette.paper);
  context.fillRect(0, 0, area.width, area.height);
  context.font = `${font.size}px ${font.family}`;
  context.textBaseline = "middle";

  // On whole device pixels edges are sharp, and neighbours meet.
  const snap = (value: number) => Math.round(value * dpr) / dpr;
  const gap = Math.max(1, Math.round(dpr)) / dpr;
  const padding = paddingOf(font);
  const isSearched = tree.answer.matched_value !== null;
  const matchLine = css(palette.match);

  const unsent = unsentPaint(palette);

  eachSeen(tree, sight, area, (box, x, y, width) => {
    const rest = unsentRectangle(tree, box, sight, area);
    if (rest && rest.width >= UNSENT_LEAST) {
      const from = snap(Math.max(rest.x, 0));
      const room = snap(Math.min(rest.x + rest.width, area.width)) - from - gap;
      const top = snap(rest.y);
      const high = snap(rest.y + rest.height) - gap - top;
      context.fillStyle = unsent.fill;
      context.fillRect(from, top, room, high);
      context.fillStyle = unsent.ink;
      context.fillText(measure.fit(UNSENT_WORDS, room - 2 * padding), from + padding, top + high / 2 + 0.5);
    }
    const left = snap(Math.max(x, -gap));
    const right = snap(Math.min(x + width, area.width + gap));
    if (right <= left) return;
    const top = snap(y);
    const bottom = snap(y + area.rowHeight) - gap;
    const drawn = right - left > 3 * gap ? right - left - gap : right - left;
    const paint = paints[box]!;
    context.fillStyle = paint.fill;
    context.fillRect(left, top, drawn, bottom - top);
    if (isSearched && tree.answer.matched[box] && drawn > 4 * gap) {
      context.strokeStyle = matchLine;
      context.lineWidth = 1.5;
      context.strokeRect(left + 0.75, top + 0.75, drawn - 1.5, bottom - top - 1.5);
    }
    // A box that begins left of the picture is named where it becomes visible.
    const from = Math.max(left, 0);
    const room = Math.min(right, area.width) - from - gap;
    if (room < font.size * 0.6) return;
    const label = labelFor(measure, wordsOf(tree, box), room, padding);
    if (!label.name) return;
    const middle = (top + bottom) / 2 + 0.5;
    context.fillStyle = paint.ink;
    // A sign alone stands in the middle of its narrow box.
    const indent = Math.min(padding, (room - measure.width(label.name)) / 2);
    context.fillText(label.name, from + indent, middle);
    if (label.number) {
      context.globalAlpha = 0.72;
      context.fillText(label.number, from + room - padding - measure.width(label.number), middle);
      context.globalAlpha = 1;
    }
  });

  outline(context, scene, scene.hovered, css(mix(palette.ink, palette.paper, 0.15)), 1.5);
  if (scene.marked) {
    const from = Math.min(scene.marked.from, scene.marked.to);
    context.fillStyle = css(palette.accent);
    context.globalAlpha = 0.22;
    context.fillRect(from, 0, Math.abs(scene.marked.to - scene.marked.from), area.height);
    context.globalAlpha = 1;
  }
  outline(context, scene, scene.cursor, css(palette.accent), 2.5);
}

function outline(context: CanvasRenderingContext2D, scene: Scene, box: number, colour: string, thick: number): void {
  if (box < 0) return;
  const { x, y, width, height } = rectangleOf(scene.tree, box, scene.sight, scene.area);
  const left = Math.max(x, 0);
  const right = Math.min(x + width, scene.area.width);
  if (right < 0 || left > scene.area.width) return;
  context.strokeStyle = colour;
  context.lineWidth = thick;
  context.strokeRect(left + thick / 2, y + thick / 2, Math.max(1, right - left - 1 - thick), height - 1 - thick);
}
