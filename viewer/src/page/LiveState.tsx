// Whether the program that is watched still runs, and how old the data are.

import { useEffect, useState } from "preact/hooks";
import { watched } from "./live";
import { liveText } from "./livetext";

export function LiveState() {
  const state = watched.value;
  const isRunning = state !== null && !state.ended;
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    if (!isRunning) return;
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, [isRunning]);
  if (state === null) return null;
  const kind = state.trouble !== null ? "trouble" : state.ended ? "ended" : "running";
  const sign = { trouble: "⚠\ufe0e", ended: "■", running: "●" }[kind];
  return (
    <span class={`chip page-live page-live-${kind}`} data-live={kind}>
      <span class="page-live-sign" aria-hidden="true">
        {sign}
      </span>
      {liveText(state, now)}
    </span>
  );
}
