// What a press has opened is brought into view, once it is there.

let wanted: { stack: number; by: "click" | "key" } | null = null;

/** The detail of this stack is about to open. */
export function reveal(stack: number, by: "click" | "key"): void {
  wanted = { stack, by };
}

/** The detail is there. It takes the focus after a click; keys go on from where they are. */
export function revealed(stack: number, panel: HTMLElement): void {
  if (wanted?.stack !== stack) return;
  if (wanted.by === "click") panel.focus({ preventScroll: true });
  wanted = null;
  panel.scrollIntoView({ block: "nearest" });
}
