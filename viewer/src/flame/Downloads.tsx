// What is drawn, as files.

import type { RefObject } from "preact";
import { saveCsv, savePng, saveSvg } from "../download";
import { CSV_HEAD, csvRows } from "./files";
import { paintScene } from "./paint";
import type { Picture } from "./picture";
import { svgOf } from "./svg";
import type { Tree } from "./tree";

/** A canvas that browsers still make is no higher. */
const MOST_PNG_PIXELS = 16_000;

export function Downloads(props: {
  tree: Tree | null;
  picture: RefObject<Picture | null>;
  /** Of the file, without its ending. */
  name: string;
  heading: () => string;
}) {
  const { tree, picture, name, heading } = props;
  const toSvg = () => {
    const scene = picture.current?.whole();
    if (scene) saveSvg(`${name}.svg`, svgOf(scene, heading()));
  };
  const toPng = () => {
    const scene = picture.current?.whole();
    if (!scene) return;
    const { width, height } = scene.area;
    const scale = Math.min(devicePixelRatio || 1, MOST_PNG_PIXELS / height, MOST_PNG_PIXELS / width);
    const canvas = document.createElement("canvas");
    canvas.width = Math.round(width * scale);
    canvas.height = Math.round(height * scale);
    paintScene(canvas.getContext("2d")!, scene, scale);
    savePng(`${name}.png`, canvas);
  };
  const toCsv = () => tree && saveCsv(`${name}.csv`, CSV_HEAD, csvRows(tree));
  return (
    <span class="buttons" role="group" aria-label="Download">
      {([["CSV", toCsv], ["SVG", toSvg], ["PNG", toPng]] as const).map(([words, save]) => (
        <button key={words} class="button" type="button" disabled={!tree} onClick={save}>
          {words}
        </button>
      ))}
    </span>
  );
}
