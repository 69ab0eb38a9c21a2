// Hears the keys that work wherever the focus is.

import { useEffect } from "preact/hooks";
import { go, place, VIEWS } from "../address";
import { fold, isFolded } from "./folded";
import { actionOf } from "./keys";
import { open } from "./Tabs";

const TYPING =
  "input:not([type=checkbox], [type=radio], [type=range], [type=button]), select, textarea, [contenteditable]";

/** Frames that something is waited for. */
const PATIENCE_FRAMES = 120;

/** Marks the text of a field, which may be drawn a few frames later. */
function focusOnceThere(selector: string, frames = PATIENCE_FRAMES): void {
  const field = document.querySelector<HTMLInputElement>(selector);
  if (field) field.select();
  else if (frames > 0) requestAnimationFrame(() => focusOnceThere(selector, frames - 1));
}

export function useKeys(onHelp: () => void): void {
  useEffect(() => {
    const hear = (event: KeyboardEvent) => {
      if (event.defaultPrevented) return;
      const target = event.target instanceof Element ? event.target : null;
      const action = actionOf(
        {
          key: event.key,
          hasModifier: event.ctrlKey || event.altKey || event.metaKey,
          isTyping: target?.closest(TYPING) != null,
          isDialogOpen: document.querySelector("dialog[open]") !== null,
        },
        VIEWS,
      );
      switch (action?.kind) {
        case "view":
          open(action.view);
          break;
        case "range": {
          // Where the rest is folded it is unfolded first.
          if (isFolded()) fold(false);
          focusOnceThere(".range-first");
          break;
        }
        case "fold":
          fold(!isFolded());
          break;
        case "help":
          onHelp();
          break;
        case "clear-range":
          if (!place.peek().parameters["events"]) return;
          go({ events: undefined });
          break;
        case "search": {
          const field = document.querySelector<HTMLInputElement>("#view [data-search]");
          if (field === null) return;
          field.focus();
          field.select();
          break;
        }
        case undefined:
          return;
      }
      event.preventDefault();
    };
    document.addEventListener("keydown", hear);
    return () => document.removeEventListener("keydown", hear);
  }, [onHelp]);
}
