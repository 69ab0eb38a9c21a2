// Stages one below the other: the name, the heat map, and what each adds per event. The map
// is one canvas beside all lines.

import { useState } from "preact/hooks";
import type { StagesAnswer } from "../answers";
import { Share } from "../parts/Number";
import { Change } from "./Change";
import { HeatMap, type HeatMapProps } from "./HeatMap";
import { changeText, stageText } from "./values";

type Interval = StagesAnswer["intervals"][number];

export function StageTable(props: Omit<HeatMapProps, "onLine">) {
  const { answer, unit } = props;
  const [line, setLine] = useState<number | null>(null);
  const map = (
    <td class="stages-map" rowSpan={answer.intervals.length + 2}>
      <HeatMap {...props} onLine={setLine} />
    </td>
  );
  const { whole } = props.scales;
  const isTime = answer.unit === "nanoseconds";
  return (
    <table class="table stages-table">
      <thead>
        <tr>
          <th scope="col">Stage</th>
          <th scope="col">{answer.events_per_row > 1 ? `${unit}s, ${answer.events_per_row} in each column` : `${unit}s`}</th>
          <th scope="col" class="number">
            Mean per {unit}
          </th>
          <th scope="col" class="number" title="95 % interval of the mean">
            95 %
          </th>
          <th scope="col" class="number" title={isTime ? "of the time of a turn" : "of the growth from start to start"}>
            Share
          </th>
        </tr>
      </thead>
      <tbody>
        {answer.intervals.map((interval, index) => (
          <tr
            key={index}
            data-key={interval.name}
            aria-current={interval.guilty ? "true" : undefined}
            class={line === index ? "stages-pointed" : ""}
          >
            <th scope="row" title={interval.name}>
              <StageName interval={interval} />
            </th>
            {index === 0 && map}
            <td class="number stages-mean">
              <Change value={interval.mean} unit={answer.unit} />
            </td>
            <td class="number stages-interval muted">
              {interval.low !== null && interval.high !== null && (
                <>
                  <Change value={interval.low} unit={answer.unit} /> … <Change value={interval.high} unit={answer.unit} />
                </>
              )}
            </td>
            <td class="number stages-share">{interval.share !== null && <Share part={interval.share} whole={1} />}</td>
          </tr>
        ))}
        <tr class={`stages-whole ${line === answer.intervals.length ? "stages-pointed" : ""}`}>
          <th scope="row" title="From the first stamp of an event to the first of the next">
            the whole turn, start to start
          </th>
          <td colSpan={3} class="number small muted">
            {whole.limit > 0 && `shades of its own, full at ${changeText(whole.limit, answer.unit)}`}
          </td>
        </tr>
        <tr class="stages-axis" aria-hidden="true">
          <td />
          <td colSpan={3} />
        </tr>
      </tbody>
    </table>
  );
}

function StageName(props: { interval: Interval }) {
  const { name, guilty } = props.interval;
  return (
    <span class="stages-name">
      <span>{stageText(name)}</span>
      {guilty && <span class="stages-guilty">guilty ▶</span>}
    </span>
  );
}
