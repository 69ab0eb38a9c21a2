// Whether the recording is whole, and what was recorded.

import type { ComponentChildren } from "preact";
import type { FileAbout, RecorderStats } from "../answers";
import { count, duration } from "../format";
import { Amount } from "../parts/Number";
import { commandLine, dateText, endedWell, endText, recorderBytes, wholeness } from "./recording";

function Duration(props: { ns: number }) {
  return (
    <span class="number" data-value={props.ns} title={`${count(props.ns)} ns`}>
      {duration(props.ns)}
    </span>
  );
}

/** A number of the recorder's own; a warning where it should be zero and is not. */
function Loss(props: { file: FileAbout; name: keyof RecorderStats; words: string; isBad?: boolean }) {
  const value = props.file.recorder[props.name];
  return (
    <span class={props.isBad && value > 0 ? "head-bad" : undefined} data-recorder={props.name}>
      {props.isBad && value > 0 && "⚠\ufe0e "}
      <Amount value={value} unit="count" /> {props.words}
    </span>
  );
}

function Verified(props: { file: FileAbout }) {
  const { verified_stacks: verified, verify_differences: differences } = props.file.recorder;
  if (verified === 0) return <span title="residue run --verify-stacks compares stacks with those of another unwinder">not verified</span>;
  return (
    <span class={differences > 0 ? "head-bad" : undefined}>
      <Amount value={verified} unit="count" /> stacks verified, <Amount value={differences} unit="count" /> differ
    </span>
  );
}

const WHOLENESS = {
  whole: "✓ Whole recording",
  noted: "⚠\ufe0e Recorded with notes",
  lossy: "⚠\ufe0e Not everything was recorded",
};

/** Whether a program that is watched still runs is told in the bar. */
export function Completeness(props: { file: FileAbout; isLive: boolean }) {
  const { file } = props;
  const state = wholeness(file);
  return (
    <div class="head-complete">
      <strong class={`head-${state}`} data-wholeness={state}>
        {WHOLENESS[state]}
      </strong>
      <span class="head-items">
        <span>
          <Amount value={file.heap.calls} unit="count" /> {file.heap.calls === 1 ? "allocation" : "allocations"}
        </span>
        <Loss file={file} name="dropped" words="dropped" isBad />
        <Loss file={file} name="unknown_frees" words="unknown frees" />
        {file.recorder.inherited_frees > 0 && (
          <Loss file={file} name="inherited_frees" words="inherited frees" />
        )}
        <Loss file={file} name="cut_stacks" words="stacks cut" />
        {file.recorder.early_stacks > 0 && (
          <Loss file={file} name="early_stacks" words="unwound stacks end before the root" />
        )}
        {file.recorder.guessed_stacks > 0 && (
          <Loss file={file} name="guessed_stacks" words="unwound stacks rely on frame pointers" />
        )}
        <Verified file={file} />
        {!props.isLive && (
          <span class={endedWell(file.end) ? undefined : "head-bad"} data-end={file.end.kind}>
            {!endedWell(file.end) && "⚠\ufe0e "}
            {endText(file.end)}
          </span>
        )}
        {recorderBytes(file) > 0 && (
          <span title="The recorder's own time over all threads, and its own memory">
            recorder <Duration ns={file.recorder.time_ns} />, <Amount value={recorderBytes(file)} unit="bytes" />
          </span>
        )}
      </span>
      {file.warnings.length > 0 && (
        <details class="head-warnings">
          <summary>{file.warnings.length === 1 ? "1 note" : `${file.warnings.length} notes`}</summary>
          <ul>
            {file.warnings.map((warning, index) => (
              <li key={index}>{warning}</li>
            ))}
          </ul>
        </details>
      )}
    </div>
  );
}

function Fact(props: { name: string; title?: string; class?: string; children: ComponentChildren }) {
  return (
    <div class={`head-fact ${props.class ?? ""}`} title={props.title}>
      <dt>{props.name}</dt>
      <dd>{props.children}</dd>
    </div>
  );
}

export function Facts(props: { file: FileAbout }) {
  const { file } = props;
  const command = commandLine(file.command);
  return (
    <dl class="head-facts">
      {file.program && (
        <Fact name="program">
          {file.program} <span class="muted">pid {file.pid}</span>
        </Fact>
      )}
      {command && (
        <Fact name="command" title={command} class="head-command">
          <span class="mono">{command}</span>
        </Fact>
      )}
      {file.host && <Fact name="host">{file.host}</Fact>}
      {file.started_unix_ns > 0 && <Fact name="begun">{dateText(file.started_unix_ns)}</Fact>}
      <Fact name="lasted">
        <Duration ns={file.duration_ns} />
      </Fact>
      {file.allocator && <Fact name="allocator">{file.allocator}</Fact>}
      <Fact name={`${file.unit}s`}>
        <Amount value={file.events} unit="count" />
        {file.stride > 1 && <span class="muted">, every {count(file.stride)} kept</span>}
      </Fact>
      <Fact name="stacks">
        <Amount value={file.stacks} unit="count" />
      </Fact>
      <Fact name="peak heap">
        <Amount value={file.heap.peak_bytes} unit="bytes" />
      </Fact>
      {file.max_rss_bytes !== null && (
        <Fact name="highest RSS">
          <Amount value={file.max_rss_bytes} unit="bytes" />
        </Fact>
      )}
    </dl>
  );
}
