// A change of a value between two stamps, exact in `data-value`.

import type { StagesAnswer } from "../answers";
import { count } from "../format";
import { Amount } from "../parts/Number";
import { changeText } from "./values";

export function Change(props: { value: number | null; unit: StagesAnswer["unit"] }) {
  const { value, unit } = props;
  if (value === null) {
    return (
      <span class="muted" title="too few values">
        –
      </span>
    );
  }
  if (unit === "bytes") return <Amount value={value} unit="bytes" signed />;
  return (
    <span class="number" data-value={value} title={`${count(value)} ns`}>
      {changeText(value, unit)}
    </span>
  );
}
