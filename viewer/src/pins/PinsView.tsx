// Whose blocks keep mostly empty pages of the heap resident: what `residue pins` says.

import { parameter } from "../address";
import type { PinsDocument } from "../answers";
import { useAnswer } from "../ask";
import { openStack } from "../churn/open";
import { saveCsv } from "../download";
import { bytes, counted, share } from "../format";
import { StackLink } from "../holders/StackLink";
import { fileAbout } from "../page/about";
import { Amount } from "../parts/Number";
import { Waiting } from "../parts/Waiting";
import { Classes } from "./Classes";
import { HeapMapView } from "./HeapMap";
import { PinsTable } from "./PinsTable";
import { PINS_HEAD, pinsRows } from "./words";
import "./pins.css";

export function PinsView() {
  const asked = useAnswer("pins", { side: parameter("side") });
  const { answer, error } = asked;
  return (
    <section class="view view-pins" aria-label="Pins" aria-busy={asked.isLoading}>
      <Waiting of={asked} what="pins" />
      {answer?.missing && <p class="panel pins-missing">{answer.missing}</p>}
      {answer?.pins && error === null && <Answered of={answer.pins} />}
    </section>
  );
}

function Answered(props: { of: PinsDocument }) {
  const { of } = props;
  const left = of.other_stacks;
  return (
    <>
      <div class="toolbar">
        <div class="muted small">
          {of.about.map((line) => (
            <p key={line}>{line}</p>
          ))}
          {parameter("events") && <p>A picture is of one moment: the range of events does not narrow it.</p>}
        </div>
        <span class="spacer" />
        <button
          type="button"
          class="button"
          disabled={of.stacks.length === 0}
          onClick={() => saveCsv(`${fileAbout()?.name ?? "profile"}.pins.csv`, PINS_HEAD, pinsRows(of.stacks))}
        >
          CSV
        </button>
      </div>
      <Heap of={of} />
      {of.map && <HeapMapView of={of} map={of.map} />}
      <Advice of={of} />
      <h3>Kept by</h3>
      <PinsTable of={of} />
      {left > 0 && (
        <p class="muted small">
          and {counted(left, "stack")} more: {bytes(of.other_free_bytes)} free, {bytes(of.other_used_bytes)} in blocks
        </p>
      )}
      <Classes of={of} />
      <Freed of={of} />
    </>
  );
}

const PARTS = [
  { part: "used_bytes", words: "in live blocks, with their heads" },
  { part: "free_bytes", words: "free on pages that live blocks keep" },
  { part: "free_page_bytes", words: "on pages without a live block" },
] as const;

/** The resident heap and its parts, which add up to it. */
function Heap(props: { of: PinsDocument }) {
  const { of } = props;
  return (
    <div class="pins-heap">
      <h3>
        Resident heap{" "}
        <span class="pins-resident">
          <Amount value={of.resident_bytes} unit="bytes" />
        </span>
      </h3>
      <div class="pins-bar" aria-hidden="true">
        {PARTS.map(({ part }) => (
          <span key={part} class={`pins-part-${part}`} style={{ flexGrow: of[part] }} />
        ))}
      </div>
      <ul class="pins-parts">
        {PARTS.map(({ part, words }) => (
          <li key={part} data-part={part}>
            <span class={`pins-swatch pins-part-${part}`} aria-hidden="true" />
            <Amount value={of[part]} unit="bytes" /> ({share(of[part], of.resident_bytes)}) {words}
          </li>
        ))}
      </ul>
    </div>
  );
}

function Advice(props: { of: PinsDocument }) {
  const { advice } = props.of;
  if (advice.length === 0) return null;
  return (
    <>
      <h3>What would help</h3>
      {advice.map(({ action, stack, words }) => (
        <p key={`${action} ${stack}`} class="panel pins-advice" data-action={action} data-key={stack ?? ""}>
          <span class="chip">{action}</span> <span class="pins-sentence">{words}</span>
        </p>
      ))}
    </>
  );
}

/** What most likely lay between the blocks that stay. */
function Freed(props: { of: PinsDocument }) {
  const { freed } = props.of;
  if (freed.length === 0) return null;
  return (
    <>
      <h3>Live at the peak, freed since</h3>
      <table class="table pins-freed" aria-label="Live at the peak, freed since">
        <thead>
          <tr>
            <th scope="col" class="number">at the peak</th>
            <th scope="col" class="number">now</th>
            <th scope="col">stack</th>
          </tr>
        </thead>
        <tbody>
          {freed.map((one) => (
            <tr key={one.stack} data-key={one.stack}>
              <td class="number pins-peak">
                <Amount value={one.at_peak_bytes} unit="bytes" />
              </td>
              <td class="number pins-live">
                <Amount value={one.live_bytes} unit="bytes" />
              </td>
              <td>
                <StackLink of={one} open={openStack} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </>
  );
}
