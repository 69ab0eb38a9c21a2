// The function that the verdict names: where the callers begin when nothing else is chosen.

import { parameter } from "../address";
import type { Key } from "../answers";
import { useAnswer } from "../ask";
import { accused, verdictOn } from "../head/judged";
import { fileAbout } from "../page/about";
import { kindShowing } from "../stacks/links";
import { exactPattern, frameLines, type FrameLine } from "../stacks/path";

export interface GuiltyFunction {
  key: Key;
  /** Where it allocates; null where that is not known. */
  fileId: number | null;
  line: number | null;
}

/** The innermost line that is the program's own and known, else its innermost function. */
export function ownLine(lines: readonly FrameLine[]): FrameLine | null {
  const own = lines.filter((line) => !line.isFramework);
  return own.find((line) => line.file !== null) ?? own[0] ?? lines[0] ?? null;
}

/** Null while it is not known, where there is none, or where its kind of memory is not shown. */
export function useGuilty(isWanted: boolean): GuiltyFunction | null {
  const side = fileAbout()?.side ?? "a";
  const stack = isWanted ? accused(verdictOn(side))[0] : undefined;
  const kind = parameter("kind");
  const isShown = stack !== undefined && kindShowing(kind, stack.kind) === kind;
  const detail = useAnswer("stack", isShown ? { side: parameter("side"), stack: stack.stack } : null).answer;
  const line = isShown && detail !== null ? ownLine(frameLines(detail.frames)) : null;
  const question = { side: parameter("side"), kind: kind || "heap", counter: "total", limit: 20 };
  const found = useAnswer("functions", line ? { ...question, focus: exactPattern(line.function) } : null).answer;
  const row = line && (found?.rows.find((one) => one.library === line.library) ?? found?.rows[0]);
  return line && row ? { key: row.key, fileId: line.fileId, line: line.line } : null;
}
