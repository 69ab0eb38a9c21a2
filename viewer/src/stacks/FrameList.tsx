// A call stack, one line a function, with what was inlined.

import { signal } from "@preact/signals";
import { go } from "../address";
import type { FrameDetail } from "../answers";
import { counted } from "../format";
import { EditorLink } from "../parts/EditorLink";
import { FoldedName } from "../parts/FoldedName";
import { reveal } from "../parts/reveal";
import { frameLines, libraryText, placeText, type FrameLine } from "./path";

/** How stacks are read, for all that are opened. */
const rootFirst = signal(false);
const hidesFramework = signal(false);

export function FrameOptions(props: { frames: readonly FrameDetail[] }) {
  const hasFramework = props.frames.some((frame) => frame.framework);
  return (
    <span class="stacks-frame-options">
      <button
        class="button small"
        title="Reverse the call stack"
        onClick={() => (rootFirst.value = !rootFirst.value)}
      >
        {rootFirst.value ? "root first ↓" : "leaf first ↓"}
      </button>
      {hasFramework && (
        <label class="field small">
          <input
            type="checkbox"
            checked={hidesFramework.value}
            onChange={(event) => (hidesFramework.value = event.currentTarget.checked)}
          />
          hide framework
        </label>
      )}
    </span>
  );
}

export function FrameList(props: { frames: readonly FrameDetail[]; label: string }) {
  const all = frameLines(props.frames);
  const kept = hidesFramework.value ? all.filter((line) => !line.isFramework) : all;
  const lines = rootFirst.value ? [...kept].reverse() : kept;
  const hidden = all.length - kept.length;
  return (
    <>
      <ol class="stacks-frames" aria-label={props.label}>
        {lines.map((line, i) => (
          <li key={i} class={line.isFramework ? "stacks-frame stacks-frame-framework" : "stacks-frame"}>
            <span class="stacks-frame-function" title={line.function}><FoldedName name={line.function} /></span>
            {line.isInlined && <span class="chip" title="Inlined into the function that called it">inlined</span>}
            {line.byFramePointer && (
              <span class="chip" title="Less certain: the function that it called has no unwind table">
                by frame pointer
              </span>
            )}
            {line.isFramework && <span class="visually-hidden">framework</span>}
            <FramePlace line={line} />
          </li>
        ))}
      </ol>
      {hidden > 0 && <p class="muted small">{counted(hidden, "framework function")} hidden.</p>}
    </>
  );
}

function FramePlace(props: { line: FrameLine }) {
  const { file, fileId, line, library } = props.line;
  const text = placeText(file, line);
  return (
    <span class="stacks-frame-where muted">
      {text &&
        (fileId === null ? (
          <span class="mono" title={file ?? ""}>{text}</span>
        ) : (
          <button
            class="stacks-link mono"
            title={`${placeText(file, line, true)}: open the source`}
            onClick={() => {
              reveal("source", "click");
              go({ view: "callers", file: String(fileId), line: line === null ? "" : String(line), function: "" });
            }}
          >
            {text}
          </button>
        ))}
      <EditorLink path={file} line={line} />
      <span class="stacks-frame-library" title={library ?? ""}>{libraryText(library)}</span>
    </span>
  );
}
