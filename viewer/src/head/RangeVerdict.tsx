// The verdict of the events that are selected, alone.

import { useEffect, useState } from "preact/hooks";
import { parameter } from "../address";
import type { Side } from "../answers";
import { useAnswer } from "../ask";
import { fileAbout } from "../page/about";
import { Suspects } from "../suspects/Suspects";
import { judged, judgedRange, verdictOn } from "./judged";
import { rangeLabel, rangeOf } from "./range";
import { otherWords } from "./verdict";
import { Headline, Words } from "./VerdictLines";
import { Judging } from "./Verdicts";

/** A range may still be under way: it is judged once it stays for so long. */
const PATIENCE_MS = 400;

/** The value once it has stayed the same for a while; null until then. */
function useSettled(value: string): string | null {
  const [settled, setSettled] = useState<string | null>(null);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), PATIENCE_MS);
    return () => clearTimeout(timer);
  }, [value]);
  return settled === value ? value : null;
}

function RangeAnswer(props: { side: Side; events: string }) {
  const asked = useAnswer("verdict", props);
  const { answer } = asked;
  return (
    <>
      <Judging of={asked} />
      {answer?.verdict && <Headline verdict={answer.verdict} isSmall />}
      {answer?.verdict && <Suspects {...props} judged={props.events} unit={answer.verdict.unit} isSmall />}
      {answer?.missing && <span class="muted">{answer.missing.reason}</span>}
      {answer !== null && answer.verdict === null && <Words words={otherWords(answer.words, null)} />}
    </>
  );
}

/** Below the timeline, so that nothing moves under the hand that selects. */
export function RangeVerdict() {
  const file = fileAbout();
  const chosen = parameter("events");
  const events = useSettled(chosen);
  if (file === null || rangeOf(chosen) === null) return null;
  // What the verdict on the whole recording is on is said above.
  if (judged.value === null || chosen === judgedRange(verdictOn(file.side), file)) return null;
  return (
    <div class="head-range" data-events={chosen}>
      <span class="head-range-label">{rangeLabel(chosen, file.unit)}</span>
      {events === null ? (
        <span class="muted" role="status">
          Computing the verdict …
        </span>
      ) : (
        <RangeAnswer key={events} side={file.side} events={events} />
      )}
    </div>
  );
}
