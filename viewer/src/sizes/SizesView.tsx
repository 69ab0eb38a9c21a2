// How large blocks are: all that were allocated, and those that are live. Only numbers of
// blocks are known in each bin, not their bytes.

import { useMemo, useRef } from "preact/hooks";
import { go, parameter } from "../address";
import type { Sizes } from "../answers";
import { useAnswer } from "../ask";
import { saveCsv, saveSvg } from "../download";
import { fileAbout } from "../page/about";
import { Waiting } from "../parts/Waiting";
import { SearchField } from "../parts/SearchField";
import { IgnoreChip } from "../parts/IgnoreChip";
import { KindSelect } from "../parts/KindSelect";
import { csvRows, sizeRows, SIZES_HEAD } from "./bins";
import type { Axis } from "./chart";
import { svgText } from "./picture";
import { SizesChart } from "./SizesChart";
import { SizesTable } from "./SizesTable";
import "./sizes.css";

export function SizesView() {
  const kind = parameter("kind", "heap");
  const asked = useAnswer("sizes", { side: parameter("side"), kind, focus: parameter("focus"), ignore: parameter("ignore") });
  const { answer } = asked;
  const rows = useMemo(() => (answer ? sizeRows(answer) : []), [answer]);
  const axis: Axis = parameter("scale") === "linear" ? "linear" : "log";
  const drawing = useRef<SVGSVGElement>(null);
  const name = `${fileAbout()?.name ?? "profile"}.sizes`;
  return (
    <section class="view view-sizes" aria-label="Sizes" aria-busy={asked.isLoading}>
      <div class="toolbar">
        <SearchField
          value={parameter("focus")}
          label="Only blocks through a function"
          placeholder="Through function (regular expression)"
          isRefused={asked.error !== null}
          onSearch={(focus) => go({ focus, offset: "" }, { quiet: true })}
        />
        <IgnoreChip />
        <KindSelect label="Kind" />
        <div class="buttons" role="group" aria-label="Scale of the bars">
          <button type="button" class="button" aria-pressed={axis === "log"} onClick={() => go({ scale: "" })}>
            Logarithmic
          </button>
          <button type="button" class="button" aria-pressed={axis === "linear"} onClick={() => go({ scale: "linear" })}>
            Linear
          </button>
        </div>
        <span class="spacer" />
        <button type="button" class="button" disabled={rows.length === 0} onClick={() => saveCsv(`${name}.csv`, SIZES_HEAD, csvRows(rows))}>
          CSV
        </button>
        <button
          type="button"
          class="button"
          disabled={rows.length === 0}
          onClick={() => drawing.current && saveSvg(`${name}.svg`, svgText(drawing.current))}
        >
          SVG
        </button>
      </div>
      {parameter("events") && (
        <p class="sizes-note">
          <span class="chip">note</span> Sizes are counted over the whole recording: the chosen range,{" "}
          {parameter("events")}, does not narrow them.
        </p>
      )}
      <Waiting of={asked} what="sizes" />
      {answer && rows.length === 0 && <p class="panel">{whyNothing(answer)}</p>}
      {rows.length > 0 && (
        <div class="sizes-both">
          <div class="sizes-drawing">
            <SizesChart rows={rows} axis={axis} drawing={drawing} />
          </div>
          <div>
            <SizesTable rows={rows} />
            <p class="small muted sizes-hint">
              Each line holds twice the sizes of the one above. Bars of the two charts have scales of their own.
            </p>
          </div>
        </div>
      )}
    </section>
  );
}

function whyNothing(answer: Sizes): string {
  if (answer.total === null && answer.live === null) return "Sizes of blocks were not recorded in this profile.";
  return "No blocks pass the filters.";
}
