// A number as people read it, with the exact one at hand: in its tooltip, and in
// `data-value` for programs. What was not recorded is no number, and not zero.

import type { Unit } from "../answers";
import { amount, exactAmount, percent } from "../format";

export function Amount(props: { value: number | null; unit: Unit; signed?: boolean }) {
  const { value, unit, signed } = props;
  if (value === null) return <span class="muted">not recorded</span>;
  const sign = signed && value > 0 ? "+" : "";
  const exact = sign + exactAmount(value, unit);
  return (
    <span class="number" data-value={value} title={exact}>
      {sign + amount(value, unit)}
    </span>
  );
}

export function Share(props: { part: number; whole: number }) {
  return <span class="number share">{percent(props.part, props.whole)}</span>;
}
