// Which kind of memory is looked at.

import { go, parameter } from "../address";
import type { Kind } from "../answers";

const KINDS: { kind: Kind; words: string }[] = [
  { kind: "heap", words: "heap" },
  { kind: "mapping", words: "mappings" },
  { kind: "reported", words: "reported" },
  { kind: "all", words: "all kinds" },
];

/** Other memory has other rows: those that were open or leafed to are left. */
export function KindSelect(props: { label: string }) {
  return (
    <label class="field">
      {props.label}
      <select
        value={parameter("kind", "heap")}
        onChange={(event) => {
          const kind = event.currentTarget.value;
          go({ kind: kind === "heap" ? "" : kind, offset: "", stack: "" });
        }}
      >
        {KINDS.map(({ kind, words }) => (
          <option key={kind} value={kind}>
            {words}
          </option>
        ))}
      </select>
    </label>
  );
}
