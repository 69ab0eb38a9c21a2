// A call path in one line, the innermost function first.

import { innermost } from "../stacks/path";

export function PathText(props: { of: readonly string[] }) {
  const { name, callers } = innermost(props.of);
  return (
    <span class="churn-path">
      <b>{name}</b>
      <span class="muted">{callers.map((caller) => ` < ${caller}`).join("")}</span>
    </span>
  );
}

/** One function a line, for a tooltip. */
export function wholePath(path: readonly string[]): string {
  return [...path].reverse().join("\n< ");
}
