// What a press has opened is brought into view, once it is there.

let wanted: { panel: string; by: "click" | "key" } | null = null;

/** A panel is about to open: `stack 12`, `source`. */
export function reveal(panel: string, by: "click" | "key"): void {
  wanted = { panel, by };
}

/** The panel is there. It takes the focus after a click; keys go on from where they are. */
export function revealed(panel: string, element: HTMLElement): void {
  if (wanted?.panel !== panel) return;
  if (wanted.by === "click") element.focus({ preventScroll: true });
  wanted = null;
  element.scrollIntoView({ block: "nearest" });
}
