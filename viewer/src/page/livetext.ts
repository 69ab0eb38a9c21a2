// The state of a running program in words.

export interface Watched {
  ended: boolean;
  /** Why the last reading failed, if it did. */
  trouble: string | null;
  /** When the data last changed. */
  changed_unix_ms: number;
}

export function liveText(watched: Watched, now_unix_ms: number): string {
  if (watched.trouble !== null) return watched.trouble;
  if (watched.ended) return "the program has ended; this is its last reading";
  const seconds = Math.max(0, Math.round((now_unix_ms - watched.changed_unix_ms) / 1000));
  return `running, updated ${seconds} s ago`;
}
