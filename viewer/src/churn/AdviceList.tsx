// What need not be allocated: containers that could reserve their elements, blocks that could be reused.

import type { ChurnAnswer } from "../answers";
import { openStack } from "./open";
import { PathText, wholePath } from "./PathText";

/** `isRange`: other numbers are of some events only. */
export function AdviceList(props: { of: ChurnAnswer; isRange: boolean }) {
  const { advice, advice_title: title } = props.of;
  return (
    <>
      <h3 class="churn-title">
        <span class="churn-advice-words">{title}</span>
        {props.isRange && (
          <small class="stacks-whole" title="Of the whole recording, not of the range that is selected">
            whole run
          </small>
        )}
      </h3>
      {advice.map(({ stack, action, words, path }) => (
        <div key={`${action} ${stack}`} class="panel churn-advice" data-key={stack} data-action={action}>
          <p>
            <span class="chip">{action}</span> <span class="churn-sentence">{words}</span>
          </p>
          <button type="button" class="churn-open" title={`Open this stack: ${wholePath(path)}`} onClick={() => openStack(stack)}>
            <PathText of={path} />
          </button>
        </div>
      ))}
    </>
  );
}
