// A picture as an SVG that stands alone: every box a rectangle with its exact numbers as a
// title, and the words that fit.

import { escapeXml } from "../download";
import { count, percent } from "../format";
import { css } from "./colours";
import { changeOf } from "./difference";
import { labelFor } from "./label";
import { eachSeen, unsentRectangle } from "./layout";
import { paddingOf, UNSENT_LEAST, UNSENT_WORDS, unsentPaint, wordsOf, type Scene } from "./scene";
import { libraryOf, nameOf, type Tree } from "./tree";

/** One line with the exact numbers of a box. */
export function exactWords(tree: Tree, box: number): string {
  const { answer } = tree;
  const unit = answer.unit === "count" ? "" : ` ${answer.unit}`;
  const parts = [`${nameOf(tree, box)}`];
  const library = libraryOf(tree, box);
  if (library) parts.push(library);
  const change = changeOf(tree, box);
  const share = percent(answer.value[box]!, answer.whole);
  parts.push(`${count(answer.value[box]!)}${unit}${share ? ` (${share})` : ""}`);
  if (change) parts.push(`before ${count(change.before)}${unit}`, `after ${count(change.after)}${unit}`, `difference ${count(change.difference)}${unit}`);
  parts.push(`own ${count(answer.own[box]!)}${unit}`);
  return parts.join(" \u00b7 ");
}

/** `scene.area` is that of the boxes; a heading stands above them. */
export function svgOf(scene: Scene, heading: string): string {
  const { tree, sight, area, palette, paints, measure, font } = scene;
  const head = Math.round(font.size * 2.4);
  const padding = paddingOf(font);
  const number = (value: number) => String(Math.round(value * 100) / 100);
  const width = number(area.width);
  const height = number(area.height + head);
  const lines = [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" ` +
      `font-family="${escapeXml(font.family)}" font-size="${number(font.size)}">`,
    `<title>${escapeXml(heading)}</title>`,
    `<rect width="100%" height="100%" fill="${css(palette.paper)}"/>`,
    `<text x="${padding}" y="${number(head * 0.62)}" fill="${css(palette.ink)}" font-weight="600">${escapeXml(heading)}</text>`,
  ];
  const unsent = unsentPaint(palette);
  const isSearched = tree.answer.matched_value !== null;
  eachSeen(tree, sight, area, (box, x, y, wide) => {
    const rest = unsentRectangle(tree, box, sight, area);
    if (rest && rest.width >= UNSENT_LEAST) {
      lines.push(
        `<rect x="${number(rest.x)}" y="${number(rest.y + head)}" width="${number(rest.width - 1)}" ` +
          `height="${number(area.rowHeight - 1)}" fill="${unsent.fill}"><title>${UNSENT_WORDS}</title></rect>`,
      );
    }
    const paint = paints[box]!;
    const drawn = Math.max(0.3, wide > 3 ? wide - 1 : wide);
    const label = labelFor(measure, wordsOf(tree, box), drawn, padding);
    const indent = Math.min(padding, (drawn - measure.width(label.name)) / 2);
    const middle = number(y + head + area.rowHeight / 2);
    const border = isSearched && tree.answer.matched[box] && drawn > 4 ? ` stroke="${css(palette.match)}" stroke-width="1.5"` : "";
    lines.push(
      `<g><title>${escapeXml(exactWords(tree, box))}</title>` +
        `<rect x="${number(x)}" y="${number(y + head)}" width="${number(drawn)}" height="${number(area.rowHeight - 1)}" fill="${paint.fill}"${border}/>` +
        (label.name
          ? `<text x="${number(x + indent)}" y="${middle}" dominant-baseline="central" fill="${paint.ink}">${escapeXml(label.name)}</text>`
          : "") +
        (label.number
          ? `<text x="${number(x + drawn - padding)}" y="${middle}" dominant-baseline="central" text-anchor="end" fill="${paint.ink}" fill-opacity="0.72">${escapeXml(label.number)}</text>`
          : "") +
        "</g>",
    );
  });
  lines.push("</svg>", "");
  return lines.join("\n");
}
