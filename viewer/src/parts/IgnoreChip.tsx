// That some stacks are left out, where a view does not say so itself.

import { go, parameter } from "../address";

export function IgnoreChip() {
  const pattern = parameter("ignore");
  if (!pattern) return null;
  return (
    <span class="chip ignore-chip">
      without <code>{pattern}</code>
      <button type="button" aria-label={`Show stacks with ${pattern} again`} onClick={() => go({ ignore: "", offset: "" })}>
        {"\u00d7"}
      </button>
    </span>
  );
}
