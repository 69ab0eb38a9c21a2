// A drawing of the page as a file that stands on its own: the colours of the theme, which
// the page looks up, are written in.

/** Text of an SVG with each `var(--name)` replaced by its value. */
export function withColours(svg: string, valueOf: (name: string) => string): string {
  return svg.replace(/var\((--[a-z-]+)\)/g, (_, name: string) => valueOf(name).replaceAll('"', "'"));
}

export function svgText(drawing: SVGSVGElement): string {
  const style = getComputedStyle(drawing);
  const copy = drawing.cloneNode(true) as SVGSVGElement;
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  return withColours(new XMLSerializer().serializeToString(copy), (name) => style.getPropertyValue(name).trim());
}
