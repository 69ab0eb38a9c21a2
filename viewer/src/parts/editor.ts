// Links that open a line of the source in the reader's editor, which is chosen once.

import { signal } from "@preact/signals";
import { keep, kept } from "./kept";

/** `PATH` is an absolute one. */
const EDITORS: { name: string; link: (path: string, line: number) => string }[] = [
  { name: "VS Code", link: (path, line) => `vscode://file${path}:${line}` },
  { name: "VSCodium", link: (path, line) => `vscodium://file${path}:${line}` },
  { name: "Cursor", link: (path, line) => `cursor://file${path}:${line}` },
  { name: "Zed", link: (path, line) => `zed://file${path}:${line}` },
  { name: "IntelliJ, CLion", link: (path, line) => `idea://open?file=${path}&line=${line}` },
  { name: "Sublime Text", link: (path, line) => `subl://open?url=file://${path}&line=${line}` },
  { name: "Emacs", link: (path, line) => `emacs://open?url=file://${path}&line=${line}` },
];
export const EDITOR_NAMES: readonly string[] = EDITORS.map((one) => one.name);

const KEPT_AS = "editor";

/** Empty for none. */
export const editor = signal(kept(KEPT_AS) ?? "");

export function chooseEditor(name: string): void {
  editor.value = name;
  keep(KEPT_AS, name);
}

/** Null without an editor, or where the file has no absolute path. */
export function editorLink(path: string | null, line: number | null, name = editor.value): string | null {
  const chosen = EDITORS.find((one) => one.name === name);
  if (!chosen || !path?.startsWith("/")) return null;
  const encoded = path.split("/").map(encodeURIComponent).join("/");
  return chosen.link(encoded, line ?? 1);
}
