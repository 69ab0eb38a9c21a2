// Where the page is, in the part of its address after `#`, so that any view can be
// pasted into an issue and opened again: `#flame?events=51..100&counter=live`.

import { signal, type ReadonlySignal } from "@preact/signals";

export const VIEWS = ["stacks", "flame", "callers", "stages", "time", "churn", "holders", "pins", "sizes", "compare"] as const;
export type View = (typeof VIEWS)[number];

export interface Place {
  view: View;
  /** Parameters that are not at their default; each view reads those that it knows. */
  parameters: Readonly<Record<string, string>>;
}

export function parse(hash: string): Place {
  const text = hash.replace(/^#/, "");
  // A search may hold another question mark.
  const at = text.indexOf("?");
  const view = at < 0 ? text : text.slice(0, at);
  const query = at < 0 ? "" : text.slice(at + 1);
  const known = VIEWS.find((one) => one === view) ?? "stacks";
  return { view: known, parameters: Object.fromEntries(new URLSearchParams(query)) };
}

export function write(place: Place): string {
  const query = new URLSearchParams(place.parameters).toString();
  return `#${place.view}${query ? `?${query}` : ""}`;
}

const current = signal<Place>(parse(location.hash));
/** The address says nothing, and nobody has gone anywhere: the page may choose what to show. */
export const isUnsaid = signal(location.hash.length < 2);
addEventListener("hashchange", () => {
  isUnsaid.value = false;
  current.value = parse(location.hash);
});

/** Where the page is now. */
export const place: ReadonlySignal<Place> = current;

/** One parameter of the place, or its default. */
export function parameter(name: string, otherwise = ""): string {
  return current.value.parameters[name] ?? otherwise;
}

/** Goes to a view with some parameters changed; an empty or missing one is at its default.
    A `quiet` step leaves no entry in the browser's history: typing, dragging. */
export function go(
  changes: { view?: View } & Record<string, string | undefined>,
  how: { quiet?: boolean } = {},
): void {
  const { view, ...rest } = changes;
  const parameters: Record<string, string> = { ...current.value.parameters };
  for (const [name, value] of Object.entries(rest)) {
    if (value) parameters[name] = value;
    else delete parameters[name];
  }
  const next: Place = { view: view ?? current.value.view, parameters };
  const address = write(next);
  isUnsaid.value = false;
  if (address === write(current.value)) return;
  history[how.quiet ? "replaceState" : "pushState"](null, "", address);
  current.value = next;
}

addEventListener("popstate", () => {
  current.value = parse(location.hash);
});
