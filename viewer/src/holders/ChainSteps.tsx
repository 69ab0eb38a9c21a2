// From a variable, a thread's stack or a register over blocks to those of a stack. A click on a
// step shows what holds that and what it holds.

import type { HolderChain, HolderStep, ShownHolder } from "../answers";
import { amountText } from "./amounts";
import { openHolder } from "./open";
import { ShownPathText } from "./ShownPathText";

export function ChainSteps(props: { of: HolderChain }) {
  const { holder, steps } = props.of;
  return (
    <ol class="holders-chain">
      <Root of={holder} />
      {steps.map((step, at) => (
        <li key={at}>
          <button type="button" class="holders-step" data-key={step.stack} onClick={() => openHolder(step.stack)}>
            <span class="holders-step-words">{stepText(step)}</span>
            <ShownPathText of={step} />
          </button>
        </li>
      ))}
      <li class="holders-end">{amountText(props.of)}</li>
    </ol>
  );
}

function Root(props: { of: ShownHolder }) {
  const { kind, words, place, member, address, file, line } = props.of;
  const whole = [
    place, member, file && (line > 0 ? `${file}:${line}` : file), `0x${address.toString(16)}`,
  ].filter(Boolean).join("\n");
  return (
    <li class="holders-root" data-kind={kind} title={whole}>
      <span class="holders-root-words">{words}</span>
    </li>
  );
}

/** The offset of a container's pointer is known, too. */
export function stepText({ words, shape, offset, is_repeated: isRepeated }: HolderStep): string {
  const at = shape !== null && offset !== null && !isRepeated ? `, at offset ${offset}` : "";
  return words + at;
}
