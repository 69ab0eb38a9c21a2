// A drawing of the page as a file of its own: colours and letters come from the page's
// styles, so they are written into each element first.

import { saveSvg } from "../download";

const STYLES = ["fill", "fill-opacity", "stroke", "stroke-width", "stroke-dasharray", "font-family", "font-size"];

export function saveDrawing(name: string, drawing: SVGSVGElement | null | undefined): void {
  if (!drawing) return;
  const copy = drawing.cloneNode(true) as SVGSVGElement;
  const from = [drawing, ...drawing.querySelectorAll("*")];
  const to = [copy, ...copy.querySelectorAll("*")];
  from.forEach((element, i) => {
    const styles = getComputedStyle(element);
    for (const style of STYLES) to[i]!.setAttribute(style, styles.getPropertyValue(style));
    to[i]!.removeAttribute("class");
  });
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  copy.setAttribute("style", `background: ${getComputedStyle(document.body).backgroundColor}`);
  saveSvg(name, new XMLSerializer().serializeToString(copy));
}
