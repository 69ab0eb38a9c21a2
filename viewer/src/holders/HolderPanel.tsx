// One stack: what of it is lost and held, the chains from a root to its blocks, and what its blocks hold.

import { useEffect, useRef } from "preact/hooks";
import { go, parameter } from "../address";
import type { HeldStack, HolderAnswer, Holds } from "../answers";
import { useAnswer } from "../ask";
import { openStack } from "../churn/open";
import { counted } from "../format";
import { Amount } from "../parts/Number";
import { revealed } from "../parts/reveal";
import { Waiting } from "../parts/Waiting";
import { useFollow } from "../stacks/follow";
import { amountText, bornText, partsOf } from "./amounts";
import { ChainSteps, stepText } from "./ChainSteps";
import { openHolder } from "./open";
import { ShownPathText } from "./ShownPathText";
import { StackLink } from "./StackLink";

export function HolderPanel(props: { stack: number; unit: string }) {
  const { stack, unit } = props;
  const asked = useAnswer("holder", { side: parameter("side"), stack });
  const { answer, error } = asked;
  const panel = useRef<HTMLElement>(null);
  useEffect(() => {
    if (answer !== null && panel.current) revealed(`holder ${stack}`, panel.current);
  }, [stack, answer]);
  return (
    <section ref={panel} class="panel holders-panel" aria-label="The stack, and who holds it" aria-busy={asked.isLoading} tabIndex={-1}>
      <Actions stack={stack} of={error === null ? (answer?.stack ?? null) : null} />
      <Waiting of={asked} what="this stack" />
      {answer && error === null && (
        <>
          {answer.stack === null && <p>Nothing of stack {stack} was live when the picture was taken.</p>}
          {answer.stack && <HeldBy of={answer.stack} unit={unit} />}
          <HoldsTable of={answer} />
        </>
      )}
    </section>
  );
}

function Actions(props: { stack: number; of: HeldStack | null }) {
  const { stack, of } = props;
  const { said, toFlame, toCallers } = useFollow();
  const what = { stack, kind: "heap", part: { events: "", counter: "live" } } as const;
  return (
    <div class="toolbar">
      <strong>{of ? <ShownPathText of={of} /> : `stack ${stack}`}</strong>
      <span class="spacer" />
      <span class="muted small" role="status">{said}</span>
      {of && (
        <>
          <button type="button" class="button" onClick={() => openStack(stack)}>Stack</button>
          <button type="button" class="button" onClick={() => toFlame(what)}>Flame graph</button>
          <button type="button" class="button" onClick={() => toCallers(what)}>Callers</button>
        </>
      )}
      <button type="button" class="button bare" aria-label="Close the stack" title="Close" onClick={() => go({ stack: "" })}>✕</button>
    </div>
  );
}

function HeldBy(props: { of: HeldStack; unit: string }) {
  const { of, unit } = props;
  return (
    <>
      <ul class="holders-parts">
        {partsOf(of).map(({ state, words, amount }) => (
          <li key={state} data-state={state}>
            <strong>{amountText(amount)}</strong> {words}
            <span class="muted">{bornOf(of, state, unit)}</span>
          </li>
        ))}
      </ul>
      {of.chains.length > 0 && <h4>Held by</h4>}
      {of.chains.map((chain, at) => (
        <ChainSteps key={at} of={chain} />
      ))}
    </>
  );
}

function bornOf(of: HeldStack, state: string, unit: string): string {
  const born = bornText(state.startsWith("held") && state !== "held_by_lost" ? of.held_births : of.lost_births, unit);
  return born === null ? "" : `, ${born}`;
}

function HoldsTable(props: { of: HolderAnswer }) {
  const { holds, holds_found: found } = props.of;
  if (holds.length === 0) return null;
  return (
    <>
      <h4>Holds</h4>
      <table class="table holders-holds" aria-label="What its blocks hold">
        <thead>
          <tr>
            <th scope="col" class="number">bytes</th>
            <th scope="col" class="number">blocks</th>
            <th scope="col">how</th>
            <th scope="col">stack</th>
          </tr>
        </thead>
        <tbody>
          {holds.map((one) => (
            <tr key={one.stack} data-key={one.stack}>
              <td class="number holders-bytes">
                <Amount value={one.bytes} unit="bytes" />
              </td>
              <td class="number holders-blocks">
                <Amount value={one.blocks} unit="count" />
              </td>
              <td>{howText(one)}</td>
              <td>
                <StackLink of={one} open={openHolder} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {holds.length < found && <p class="muted small">and {counted(found - holds.length, "stack")} more</p>}
    </>
  );
}

function howText({ between, by }: Holds): string {
  const over = between === 0 ? "" : `, over blocks of ${counted(between, "other stack")}`;
  return `${stepText(by)}${over}`;
}
