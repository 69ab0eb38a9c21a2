// What a verdict rests on: the readings, what was fitted to them, how sure that is, and what was
// left out.

import type { Growth, Verdict } from "../answers";
import { bytes, eventsText } from "../format";
import { Amount } from "../parts/Number";

const SERIES: [keyof Verdict["series"], string][] = [["live", "live memory"], ["rss", "RSS"], ["vm", "VM"]];

function interval({ low, high }: Growth): string {
  if (low === null || high === null) return "unknown";
  return low === high ? "exact" : `${bytes(low)} .. ${bytes(high)}`;
}

function Row(props: { name: string; of: Growth; unit: string }) {
  const { of, unit } = props;
  return (
    <>
      <tr>
        <th scope="row">{props.name}</th>
        <td>{of.outcome}</td>
        <td><Amount value={of.rate} unit="bytes" /></td>
        <td class="number">{interval(of)}</td>
        <td><Amount value={of.end_to_end_rate} unit="bytes" /></td>
        <td><Amount value={of.line_fit_rate} unit="bytes" /></td>
        <td>{of.smallest_visible === null ? "unknown" : <Amount value={of.smallest_visible} unit="bytes" />}</td>
        <td>{eventsText(unit, of.first_event, of.last_event)}</td>
        <td>{of.warm_up_events === 0 ? "nothing" : `the first ${of.warm_up_events}`}</td>
        <td>{of.method}</td>
      </tr>
      {of.reasons.length > 0 && (
        <tr>
          <td />
          <td colSpan={9} class="muted">{of.reasons.join("; ")}</td>
        </tr>
      )}
    </>
  );
}

/** `words`: the sentences of the verdict. */
export function Evidence(props: { verdict: Verdict; words: readonly string[] }) {
  const { verdict, words } = props;
  const { unit, account, pinned } = verdict;
  const series = SERIES.flatMap(([key, name]) => (verdict.series[key] ? [{ name, of: verdict.series[key] }] : []));
  const sentences = [...words, ...(account?.reasons ?? [])];
  return (
    <details class="head-evidence small">
      <summary>What this rests on</summary>
      {sentences.length > 0 && (
        <ul>
          {sentences.map((sentence, index) => (
            <li key={index}>{sentence}</li>
          ))}
        </ul>
      )}
      {pinned.length > 0 && (
        <div class="head-pinned">
          {pinned.map((sentence, index) => (
            <p key={index}>{sentence}</p>
          ))}
        </div>
      )}
      <p>
        The rate of the verdict was measured on <strong>{verdict.basis}</strong>, {eventsText(unit, verdict.first_event, verdict.last_event)} of {verdict.events}.
      </p>
      {series.length > 0 && (
        <div class="head-evidence-scroll">
          <table class="table">
            <thead>
              <tr>
                {["readings", "outcome", `rate/${unit}`, "95 % interval", "end to end", "line fit", "detection limit", "used", "left out", "method"].map((title) => (
                  <th key={title} scope="col">{title}</th>
                ))}
              </tr>
            </thead>
            <tbody>
              {series.map((one) => (
                <Row key={one.name} {...one} unit={unit} />
              ))}
            </tbody>
          </table>
        </div>
      )}
    </details>
  );
}
