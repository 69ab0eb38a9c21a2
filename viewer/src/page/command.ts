// The command that opens what is shown now, for a terminal.

import { write, type Place } from "../address";
import type { About } from "../answers";

/** As a shell takes it for one word. */
function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

/** `residue view job.residue --at 'flame?events=51..100'`. */
export function commandFor(known: About | null, at: Place): string {
  const files = known?.files ?? [];
  const what = known?.live ? ["--pid", String(files[0]?.pid ?? "PID")] : files.map((file) => quoted(file.name));
  return ["residue view", ...(what.length > 0 ? what : ["FILE"]), "--at", quoted(write(at).slice(1))].join(" ");
}
