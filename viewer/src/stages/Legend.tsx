// What the colours of the heat map mean, in numbers.

import type { StagesAnswer } from "../answers";
import type { Scale } from "./scale";
import { changeText } from "./values";

export function Legend(props: { scale: Scale; answer: StagesAnswer; unit: string }) {
  const { scale, answer, unit } = props;
  const ends = (sign: string, value: number) => `${scale.isCut ? `${sign} ` : ""}${changeText(value, answer.unit)}`;
  const per = answer.events_per_row > 1 ? `sum over ${answer.events_per_row} ${unit}s` : `per ${unit}`;
  const hasMissing = answer.rows.some((row) => row.values.includes(null)) || answer.start_to_start.includes(null);
  return (
    <div class="stages-legend small muted" role="group" aria-label="Colours">
      {scale.limit === 0 ? (
        <span>nothing changes anywhere</span>
      ) : (
        <>
          <span>{scale.hasFall ? ends("≤", -scale.limit) : "0"}</span>
          <span class={`stages-shades ${scale.hasFall ? "stages-both" : "stages-up"}`}>{scale.hasFall ? "0" : "\u00a0"}</span>
          <span>{ends("≥", scale.limit)}</span>
          <span>{per}</span>
        </>
      )}
      {hasMissing && (
        <>
          <span class="stages-none" aria-hidden="true" />
          <span>no value</span>
        </>
      )}
    </div>
  );
}
