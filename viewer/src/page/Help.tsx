// Keys, and what the views mean.

import { useEffect, useRef } from "preact/hooks";
import { VIEWS } from "../address";
import { HOW_TO_COMPARE, MEANINGS, TITLES } from "./viewnames";

const KEYS: [string[], string][] = [
  [["1", "…", "9", "0"], "open a view"],
  [["/"], "search in the view"],
  [["f"], "fold verdict and timeline, or unfold them"],
  [["e"], "type a range of events"],
  [["Esc"], "clear the selected range of events"],
  [["←", "→"], "move between tabs, in the timeline, and in the flame graph"],
  [["Shift", "←", "→"], "move the range of events, in the timeline"],
  [["Tab"], "in the timeline, to the marks of slow events; Enter chooses one"],
  [["↑", "↓"], "move between rows"],
  [["Enter"], "open the row or box that has the focus"],
  [["+", "-"], "zoom in the timeline and the flame graph"],
  [["Backspace"], "in the flame graph, back out"],
  [["m"], "in the flame graph, the menu of a box"],
  [["c"], "in the flame graph, the callers of a function"],
  [["s"], "in the flame graph, a function between callers and callees"],
  [["n", "N"], "in the flame graph, to the next match, or the one before"],
  [["?"], "this help"],
];

export function Help(props: { isOpen: boolean; onClose: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    if (props.isOpen && !dialog.current?.open) dialog.current?.showModal();
    if (!props.isOpen) dialog.current?.close();
  }, [props.isOpen]);
  const closeFromOutside = (event: MouseEvent) => {
    if (event.target === dialog.current) props.onClose();
  };
  return (
    <dialog ref={dialog} class="page-help" aria-labelledby="page-help-title" onClose={props.onClose} onClick={closeFromOutside}>
      <div class="page-help-head">
        <h2 id="page-help-title">Residue</h2>
        <button type="button" class="button" onClick={props.onClose}>
          Close
        </button>
      </div>
      <p>
        The head says whether the program leaks, how fast, and who is to blame. Drag over the timeline to
        look at some events alone: everything below then shows what these events left behind.
      </p>
      <h3>Views</h3>
      <dl class="page-help-list">
        {VIEWS.map((view, index) => (
          <div key={view}>
            <dt>
              <kbd>{index + 1}</kbd> {TITLES[view]}
            </dt>
            <dd>
              {MEANINGS[view]}
              {view === "compare" && ` ${HOW_TO_COMPARE}.`}
            </dd>
          </div>
        ))}
      </dl>
      <h3>Keys</h3>
      <dl class="page-help-list">
        {KEYS.map(([keys, meaning]) => (
          <div key={meaning}>
            <dt>{keys.map((key) => (key === "…" ? " … " : <kbd key={key}>{key}</kbd>))}</dt>
            <dd>{meaning}</dd>
          </div>
        ))}
      </dl>
      <p class="muted">
        The address of the page holds what is shown; copy it to show the same to somebody else. Exact numbers
        appear when the pointer rests on a number.
      </p>
    </dialog>
  );
}
