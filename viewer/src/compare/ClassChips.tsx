// How many rows are new, gone, grown and shrunk; each is a filter.

import { go } from "../address";
import type { Compare } from "../answers";
import { Amount } from "../parts/Number";
import { CLASSES, GLYPHS, MEANINGS, type Class } from "./rows";

export function ClassChips(props: { counts: Compare["counts"]; chosen: Class | "all" }) {
  const { counts, chosen } = props;
  const changed = CLASSES.reduce((sum, one) => sum + counts[one], 0);
  return (
    <div class="compare-chips" role="group" aria-label="Show only">
      <button type="button" class="button compare-chip" aria-pressed={chosen === "all"} onClick={() => go({ class: "", offset: "" })}>
        all that changed <Amount value={changed} unit="count" />
      </button>
      {CLASSES.map((one) => (
        <button
          key={one}
          type="button"
          class="button compare-chip"
          title={MEANINGS[one]}
          aria-pressed={chosen === one}
          disabled={counts[one] === 0 && chosen !== one}
          onClick={() => go({ class: chosen === one ? "" : one, offset: "" })}
        >
          <span class={`compare-glyph compare-${one}`} aria-hidden="true">
            {GLYPHS[one]}
          </span>
          {one} <Amount value={counts[one]} unit="count" />
        </button>
      ))}
      <span class="muted small">
        <Amount value={counts.unchanged} unit="count" /> unchanged
      </span>
    </div>
  );
}
