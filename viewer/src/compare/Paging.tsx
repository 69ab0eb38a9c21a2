// Which rows of the list are shown, and the way to the others.

import { go } from "../address";
import { count } from "../format";

export function Paging(props: { offset: number; shown: number; found: number; limit: number }) {
  const { offset, shown, found, limit } = props;
  if (found <= shown && offset === 0) return null;
  const to = (next: number) => go({ offset: next > 0 ? String(next) : "" });
  return (
    <nav class="compare-paging" aria-label="Pages">
      <button type="button" class="button" disabled={offset === 0} onClick={() => to(Math.max(0, offset - limit))}>
        ← before
      </button>
      <span class="number">
        {shown === 0 ? "none" : `${count(offset + 1)} – ${count(offset + shown)}`} of {count(found)}
      </span>
      <button type="button" class="button" disabled={offset + shown >= found} onClick={() => to(offset + limit)}>
        next →
      </button>
    </nav>
  );
}
