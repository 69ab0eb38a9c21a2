// A call path in one line, root first, as the verdict shows it.

import type { HolderStep } from "../answers";

export function ShownPathText(props: { of: Pick<HolderStep, "path" | "shown" | "place"> }) {
  const { path, shown, place } = props.of;
  const at = shown.lastIndexOf(" > ") + 1;
  return (
    <span class="holders-path" title={path.join(" › ")}>
      <span class="muted">{shown.slice(0, at && at + 2)}</span>
      <b>{shown.slice(at && at + 2)}</b>
      {place && <span class="muted mono"> {place}</span>}
    </span>
  );
}
