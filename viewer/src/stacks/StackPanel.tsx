// Everything that is known of one row: the call stack, why it has its shape, its memory over
// the events, survivors, sizes, late frees and threads.

import { useEffect, useRef } from "preact/hooks";
import { go, parameter } from "../address";
import type { StackDetail } from "../answers";
import { useAnswer } from "../ask";
import { fileAbout } from "../page/about";
import { revealed } from "../parts/reveal";
import { Waiting } from "../parts/Waiting";
import { copyText } from "../parts/copy";
import { type Followed, useFollow } from "./follow";
import { FrameList, FrameOptions } from "./FrameList";
import { kindOf, partWith } from "./links";
import { frameLines, stackText } from "./path";
import { BirthsChart, SeriesCharts } from "./StackCharts";
import { Deferral, Members, Numbers, SizesTable, ThreadsTable, Why } from "./StackFacts";
import "./panel.css";

export function StackPanel(props: { stack: number; unit: string; onClose: () => void }) {
  const { stack, unit } = props;
  const asked = useAnswer("stack", { side: parameter("side"), events: parameter("events"), stack });
  const detail = asked.answer;
  const panel = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (detail !== null && panel.current) revealed(`stack ${stack}`, panel.current);
  }, [stack, detail]);
  return (
    <div ref={panel} class="stacks-panel" aria-label="The stack in detail" role="region" tabIndex={-1}>
      <Waiting of={asked} what="this stack" />
      {detail && (
        <>
          <Actions detail={detail} onClose={props.onClose} />
          <div class="stacks-panel-columns">
            <section class="stacks-panel-path">
              <h4 class="stacks-panel-title">
                Call stack <FrameOptions frames={detail.frames} />
              </h4>
              {detail.no_path !== null && <p class="muted">{detail.no_path}</p>}
              <FrameList frames={detail.frames} label="Call stack" />
              <Members detail={detail} isRange={parameter("events") !== ""} />
            </section>
            <div class="stacks-panel-facts">
              <Why detail={detail} unit={unit} />
              <Numbers row={detail.row} />
              <SeriesCharts detail={detail} unit={unit} />
              <BirthsChart detail={detail} unit={unit} />
              <SizesTable detail={detail} />
              <Deferral detail={detail} unit={unit} />
              <ThreadsTable detail={detail} />
            </div>
          </div>
        </>
      )}
    </div>
  );
}

function Actions(props: { detail: StackDetail; onClose: () => void }) {
  const { detail } = props;
  const lines = frameLines(detail.frames);
  const leaf = lines[0] ?? null;
  const { said, setSaid, toFlame, toCallers } = useFollow();
  const followed = (): Followed => ({
    stack: detail.row.stack,
    kind: kindOf(detail.row.kind),
    part: partWith(detail.row, parameter("events")),
  });
  const copy = async () => setSaid((await copyText(stackText(lines))) ? "copied" : "the browser does not let it be copied");
  return (
    <div class="toolbar stacks-panel-actions">
      <strong class="stacks-panel-name">{leaf?.function ?? detail.row.path[detail.row.path.length - 1]}</strong>
      <span class="muted small" role="status">{said}</span>
      {leaf && (
        <>
          <button class="button" onClick={() => toFlame(followed())}>Flame graph of this stack</button>
          <button class="button" onClick={() => toCallers(followed())}>Callers</button>
          {fileAbout()?.has.picture && (
            <button class="button" onClick={() => go({ view: "holders", which: "" })}>Holders</button>
          )}
          <button class="button" onClick={copy}>Copy stack</button>
        </>
      )}
      <button class="button bare" aria-label="Close the detail" title="Close" onClick={props.onClose}>✕</button>
    </div>
  );
}
