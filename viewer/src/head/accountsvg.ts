// The account as a drawing of its own, for a report or a slide.

import { escapeXml } from "../download";
import { signedBytes } from "../format";
import type { Bar, PartName } from "./account";
import { LOOKS, TILE_PX } from "./patterns";

const WIDTH_PX = 960;
const EDGE_PX = 16;
const BAR_TOP_PX = 44;
const BAR_HEIGHT_PX = 28;
const ROW_PX = 22;
const FONT = 'font-family="system-ui, sans-serif" font-size="14"';

/** `colourOf` tells the colour behind a variable of the theme. */
export function accountSvg(title: string, bar: Bar, colourOf: (variable: string) => string): string {
  const [paper, ink] = [colourOf("--paper"), colourOf("--ink")];
  const width = WIDTH_PX - 2 * EDGE_PX;
  const legendTop = BAR_TOP_PX + BAR_HEIGHT_PX + 14;
  const height = legendTop + bar.parts.length * ROW_PX + EDGE_PX;
  const rect = (name: PartName, x: number, y: number, w: number, h: number) =>
    `<rect x="${x.toFixed(2)}" y="${y}" width="${w.toFixed(2)}" height="${h}" fill="url(#${name})" stroke="${paper}"/>`;
  const patterns = bar.parts.map(({ name }) => {
    const { colour, lines } = LOOKS[name];
    const drawn = lines ? `<path d="${lines}" stroke="${paper}" stroke-width="1.2" fill="none"/>` : "";
    return `<pattern id="${name}" width="${TILE_PX}" height="${TILE_PX}" patternUnits="userSpaceOnUse"><rect width="${TILE_PX}" height="${TILE_PX}" fill="${colourOf(colour)}"/>${drawn}</pattern>`;
  });
  const boxes = bar.parts.map((part) =>
    rect(part.name, EDGE_PX + part.start * width, BAR_TOP_PX, part.width * width, BAR_HEIGHT_PX),
  );
  const rows = bar.parts.map((part, row) => {
    const y = legendTop + row * ROW_PX;
    const amount = escapeXml(signedBytes(part.bytes_per_event));
    return `${rect(part.name, EDGE_PX, y, 16, 16)}<text x="${EDGE_PX + 26}" y="${y + 13}">${escapeXml(part.label)}</text><text x="${EDGE_PX + 300}" y="${y + 13}" text-anchor="end">${amount}</text>`;
  });
  const zero = EDGE_PX + bar.zero * width;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH_PX}" height="${height}" ${FONT} fill="${ink}">`,
    `<defs>${patterns.join("")}</defs>`,
    `<rect width="100%" height="100%" fill="${paper}"/>`,
    `<text x="${EDGE_PX}" y="28" font-weight="600">${escapeXml(title)}</text>`,
    ...boxes,
    `<line x1="${zero.toFixed(2)}" x2="${zero.toFixed(2)}" y1="${BAR_TOP_PX - 5}" y2="${BAR_TOP_PX + BAR_HEIGHT_PX + 5}" stroke="${ink}" stroke-width="1.5"/>`,
    ...rows,
    "</svg>",
  ].join("\n");
}
