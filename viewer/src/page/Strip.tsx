// Verdict and timeline in one line, where a view has the whole window.

import { go, parameter } from "../address";
import { judged } from "../head/judged";
import { VerdictIcon } from "../head/VerdictIcon";
import { Amount } from "../parts/Number";
import { fileAbout } from "./about";
import { fold } from "./folded";
import "./folded.css";

export function Strip() {
  const verdict = judged.value?.answer.verdict ?? null;
  const events = parameter("events");
  const unit = fileAbout()?.unit ?? "event";
  return (
    <div class="page-strip">
      {verdict === null ? (
        <span class="muted">no verdict</span>
      ) : (
        <>
          <strong class={`head-word head-word-${verdict.verdict}`}>
            <VerdictIcon of={verdict.verdict} />
            {verdict.headline.name}
          </strong>
          {verdict.headline.bytes_per_event !== null && (
            <span>
              <Amount value={verdict.headline.bytes_per_event} unit="bytes" />/{verdict.headline.unit}
            </span>
          )}
        </>
      )}
      <span class="chip">
        {events ? `${unit}s ${events}` : "whole recording"}
        {events && (
          <button type="button" class="page-strip-clear" aria-label={`Clear ${unit}s ${events}`} onClick={() => go({ events: undefined })}>
            {"\u00d7"}
          </button>
        )}
      </span>
      <span class="spacer" />
      <button type="button" class="button small" title="f" onClick={() => fold(false)}>
        Show verdict and timeline
      </button>
    </div>
  );
}
