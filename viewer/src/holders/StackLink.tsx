// A call path that leads to what is known of its stack.

import type { HolderStep } from "../answers";
import { ShownPathText } from "./ShownPathText";

type Of = Pick<HolderStep, "stack" | "path" | "shown" | "place">;

export function StackLink(props: { of: Of; open: (stack: number) => void }) {
  const { of, open } = props;
  return (
    <button type="button" class="holders-link" onClick={() => open(of.stack)}>
      <ShownPathText of={of} />
    </button>
  );
}
