// What the table of stacks is of: what grew, what is live at the end, what was at the peak.

import { go, parameter } from "../address";
import type { Shown } from "./sorting";

/** Rows and their order are others then. */
const ANEW = { sort: "", ascending: "", offset: "" };

export function ShownSwitch(props: { shown: Shown; unit: string; judged: string | null }) {
  const { shown, unit, judged } = props;
  const events = parameter("events") || judged;
  const choices: { name: Shown; words: string; title: string; steps: Record<string, string> | null }[] = [
    {
      name: "grew",
      words: "What grew",
      title: events === null ? `Stacks at single ${unit}s: not recorded` : `Growth over ${unit}s ${events}`,
      steps: events === null ? null : { events, at: "" },
    },
    {
      name: "end",
      words: "Live at end",
      title: "What was not freed when the recording ended",
      steps: { events: "", at: "" },
    },
    {
      name: "peak",
      words: "At peak",
      title: "What was live when the heap was highest",
      steps: { events: "", at: "peak" },
    },
  ];
  return (
    <span class="buttons stacks-shown" role="group" aria-label="What is shown">
      {choices.map(({ name, words, title, steps }) => (
        <button
          key={name}
          type="button"
          class="button"
          data-shown={name}
          aria-pressed={shown === name}
          disabled={steps === null}
          title={title}
          onClick={() => steps && go({ ...ANEW, ...steps })}
        >
          {words}
        </button>
      ))}
    </span>
  );
}
