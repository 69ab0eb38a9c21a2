// What the search found: how much it holds, and the way from one match to the next.

import type { Flame } from "../answers";
import { count } from "../format";
import { Amount, Share } from "../parts/Number";

export function Matched(props: {
  answer: Flame;
  /** Matching boxes that are drawn. */
  found: number;
  /** Which of them was stepped to, from zero; -1 for none. */
  at: number;
  onStep: (by: 1 | -1) => void;
}) {
  const { answer, found, at, onStep } = props;
  const { matched_value, unit } = answer;
  if (matched_value === null) return null;
  const step = (words: string, sign: string, by: 1 | -1) => (
    <button class="button" type="button" aria-label={words} title={words} disabled={found === 0} onClick={() => onStep(by)}>
      {sign}
    </button>
  );
  return (
    <>
      <span class="flame-matched" role="status">
        <span class="flame-match-count" data-found={found} data-at={at}>
          {at >= 0 ? `${count(at + 1)} of ${count(found)}` : `${count(found)} found`}
        </span>
        {": "}
        <Amount value={matched_value} unit={unit} /> (<Share part={matched_value} whole={answer.whole} />)
      </span>
      <span class="buttons" role="group" aria-label="Matches">
        {step("Previous match (Shift+Enter)", "\u2039", -1)}
        {step("Next match (Enter)", "\u203a", 1)}
      </span>
    </>
  );
}
