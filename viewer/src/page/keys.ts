// What keys do wherever the focus is.

import type { View } from "../address";

export type Action =
  | { kind: "view"; view: View }
  | { kind: "search" }
  | { kind: "help" }
  | { kind: "fold" }
  | { kind: "range" }
  | { kind: "clear-range" };

export interface Pressed {
  key: string;
  /** Control, Alt or Meta is held: the browser's own. */
  hasModifier: boolean;
  /** The focus is where text is written or chosen. */
  isTyping: boolean;
  isDialogOpen: boolean;
}

/** `views` in the order of their digits. */
export function actionOf(pressed: Pressed, views: readonly View[]): Action | null {
  if (pressed.hasModifier || pressed.isTyping || pressed.isDialogOpen) return null;
  switch (pressed.key) {
    case "/":
      return { kind: "search" };
    case "e":
      return { kind: "range" };
    case "f":
      return { kind: "fold" };
    case "?":
      return { kind: "help" };
    case "Escape":
      return { kind: "clear-range" };
  }
  // The tenth is on the key behind the nine.
  const view = /^[0-9]$/.test(pressed.key) ? views[(Number(pressed.key) + 9) % 10] : undefined;
  return view ? { kind: "view", view } : null;
}

/** Where the arrows lead from one of `count` tabs, or null for another key. */
export function nextTab(key: string, from: number, count: number): number | null {
  switch (key) {
    case "ArrowRight":
      return (from + 1) % count;
    case "ArrowLeft":
      return (from + count - 1) % count;
    case "Home":
      return 0;
    case "End":
      return count - 1;
    default:
      return null;
  }
}
