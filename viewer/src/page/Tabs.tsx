// The views as a list of tabs: arrows move, digits open.

import { useRef } from "preact/hooks";
import { go, place, VIEWS, type View } from "../address";
import { about, fileAbout } from "./about";
import { fold, foldedFor, isFolded } from "./folded";
import { nextTab } from "./keys";
import { readiness, TITLES } from "./viewnames";

export const tabId = (view: View) => `tab-${view}`;

/** Opens a view unless there is nothing to open. */
export function open(view: View): void {
  if (readiness(view, about.peek(), fileAbout()).isDisabled) return;
  // How a table is ordered and which part of it is seen is a matter of that table.
  go({ view, offset: undefined, sort: undefined, ascending: undefined, full: foldedFor(view) });
}

export function Tabs() {
  const list = useRef<HTMLDivElement>(null);
  const current = place.value.view;
  const move = (event: KeyboardEvent, from: number) => {
    const next = nextTab(event.key, from, VIEWS.length);
    if (next === null) return;
    event.preventDefault();
    list.current?.querySelectorAll<HTMLElement>("[role=tab]")[next]?.focus();
    open(VIEWS[next]!);
  };
  return (
    <div class="page-tabs">
    <div class="tabs" role="tablist" aria-label="Views" ref={list}>
      {VIEWS.map((view, index) => {
        const { isDisabled, why } = readiness(view, about.value, fileAbout());
        return (
          <button
            type="button"
            key={view}
            id={tabId(view)}
            role="tab"
            class={why === null ? undefined : "page-tab-empty"}
            aria-selected={view === current}
            aria-disabled={isDisabled}
            aria-controls="view"
            tabIndex={view === current ? 0 : -1}
            title={why ?? `${TITLES[view]} (${index + 1})`}
            onClick={() => open(view)}
            onKeyDown={(event) => move(event, index)}
          >
            {TITLES[view]}
          </button>
        );
      })}
    </div>
    {!isFolded() && (
      <button type="button" class="button small" title="The view fills the window (f)" onClick={() => fold(true)}>
        Full height
      </button>
    )}
    </div>
  );
}
