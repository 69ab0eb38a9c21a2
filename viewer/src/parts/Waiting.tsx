// What stands in a view while its answer is awaited, or when none came.

import type { Asked } from "../ask";

/** Says what is loading, or what went wrong; nothing once there is an answer. */
export function Waiting(props: { of: Asked<unknown>; what: string }) {
  const { answer, error, isLoading } = props.of;
  if (error) {
    return (
      <p class="trouble" role="alert">
        {props.what}: {error}
      </p>
    );
  }
  if (isLoading && answer === null) {
    return (
      <p class="waiting" role="status">
        Loading {props.what} …
      </p>
    );
  }
  return null;
}
