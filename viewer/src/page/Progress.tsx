// A thin line below the bar while answers are awaited, and words for those who hear the page.

import { useEffect, useState } from "preact/hooks";
import { waiting, type Question } from "../ask";

const WORDS: Partial<Record<Question, string>> = {
  about: "what was recorded",
  suspects: "stacks to look at first",
  growers: "top growers",
  stack: "one stack",
  flame: "the flame graph",
  functions: "functions",
  callers: "callers and callees",
  source: "source lines",
  time: "times of events",
  churn: "churn",
  sizes: "sizes of blocks",
  compare: "the comparison",
};

/** What is awaited, each thing once. */
function awaited(questions: readonly Question[]): string {
  return [...new Set(questions)].map((one) => WORDS[one] ?? one).join(", ");
}

/** What is answered at once needs no line. */
const PATIENCE_MS = 250;

export function Progress() {
  // The state of a running program is asked for all the time.
  const questions = waiting.value.filter((one) => one !== "status");
  const isWaiting = questions.length > 0;
  const [isShown, setIsShown] = useState(false);
  useEffect(() => {
    if (!isWaiting) {
      setIsShown(false);
      return;
    }
    const timer = setTimeout(() => setIsShown(true), PATIENCE_MS);
    return () => clearTimeout(timer);
  }, [isWaiting]);
  return (
    <div class="page-progress" role="status">
      {isShown && isWaiting && (
        <>
          <span class="page-progress-line" aria-hidden="true" />
          <span class="page-progress-text">
            Loading {awaited(questions)} …
          </span>
        </>
      )}
    </div>
  );
}
