// The command that opens what is shown now, for a terminal.

import type { About } from "../answers";

/** As a shell takes it for one word. */
function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

/** `residue view job.residue --at 'flame?events=51..100'`; `at` is what stands in the address after `#`. */
export function commandFor(known: About | null, at: string): string {
  const files = known?.files ?? [];
  const what = known?.live ? ["--pid", String(files[0]?.pid ?? "PID")] : files.map((file) => quoted(file.name));
  return ["residue view", ...(what.length > 0 ? what : ["FILE"]), "--at", quoted(at)].join(" ");
}
