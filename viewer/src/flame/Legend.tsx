// What colours mean.

import type { Flame, FlameBy } from "../answers";
import { isPerEvent } from "./difference";
import type { SideNames } from "./Tooltip";

export function Legend(props: { answer: Flame; sides: SideNames | null; turn: string; by: FlameBy }) {
  const { answer, sides, turn } = props;
  if (answer.base !== null && sides !== null) {
    const what = isPerEvent(answer) ? ` per ${turn}` : "";
    return (
      <div class="flame-legend small">
        <span>{"\u2212 shrunk or gone"}</span>
        <span class="flame-scale" aria-hidden="true" />
        <span>+ grown or new</span>
        <span class="muted">{`${sides.before} \u2192 ${sides.after}${what}; width: the larger of the two`}</span>
      </div>
    );
  }
  return (
    <div class="flame-legend small muted">
      <span class="flame-swatch flame-swatch-own" aria-hidden="true" />
      <span>a tone for each library</span>
      {answer.framework.includes(1) && (
        <>
          <span class="flame-swatch flame-swatch-framework" aria-hidden="true" />
          <span>framework</span>
        </>
      )}
      {answer.matched_value !== null && (
        <>
          <span class="flame-swatch flame-swatch-match" aria-hidden="true" />
          <span>matches</span>
        </>
      )}
    </div>
  );
}
