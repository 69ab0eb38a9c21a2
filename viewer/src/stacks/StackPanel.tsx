// Everything that is known of one row: the call stack, why it has its shape, its memory over
// the events, survivors, sizes, late frees and threads.

import { useState } from "preact/hooks";
import { go, parameter } from "../address";
import type { StackDetail } from "../answers";
import { useAnswer } from "../ask";
import { findFunction } from "../callers/find";
import { beginTrail } from "../callers/trail";
import { Waiting } from "../parts/Waiting";
import { copyText } from "./copy";
import { FrameList, FrameOptions } from "./FrameList";
import { exactPattern, frameLines, stackText } from "./path";
import { allStacks } from "./selection";
import { BirthsChart, SeriesCharts } from "./StackCharts";
import { Deferral, Members, Numbers, SizesTable, ThreadsTable, Why } from "./StackFacts";
import "./panel.css";

export function StackPanel(props: { stack: number; unit: string; onClose: () => void }) {
  const { stack, unit } = props;
  const asked = useAnswer("stack", { side: parameter("side"), events: parameter("events"), stack });
  const detail = asked.answer;
  return (
    <div class="stacks-panel" aria-label="The stack in detail" role="region">
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
              <Why detail={detail} />
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
  const [said, setSaid] = useState("");
  const toCallers = async () => {
    if (!leaf) return;
    try {
      const found = await findFunction(leaf.function, allStacks());
      if (found === null) return setSaid("nothing of this function is live");
      const counter = found.counter === "live" ? "" : found.counter;
      beginTrail();
      go({ view: "callers", function: found.key, counter, file: "", line: "", focus: "" });
    } catch (error) {
      setSaid(error instanceof Error ? error.message : String(error));
    }
  };
  const copy = async () => setSaid((await copyText(stackText(lines))) ? "copied" : "the browser does not let it be copied");
  return (
    <div class="toolbar stacks-panel-actions">
      <strong class="stacks-panel-name">{leaf?.function ?? detail.row.path[detail.row.path.length - 1]}</strong>
      <span class="muted small" role="status">{said}</span>
      {leaf && (
        <>
          <button class="button" onClick={() => go({ view: "flame", focus: exactPattern(leaf.function), root: "" })}>
            Flame graph of this function
          </button>
          <button class="button" onClick={toCallers}>Callers</button>
          <button class="button" onClick={copy}>Copy stack</button>
        </>
      )}
      <button class="button bare" aria-label="Close the detail" title="Close" onClick={props.onClose}>✕</button>
    </div>
  );
}
