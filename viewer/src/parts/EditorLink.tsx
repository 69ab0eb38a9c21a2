// The link of a line to the reader's editor, and the choice of one.

import { chooseEditor, editor, EDITOR_NAMES, editorLink } from "./editor";

export function EditorLink(props: { path: string | null; line: number | null; isLong?: boolean }) {
  const link = editorLink(props.path, props.line);
  if (link === null) return null;
  const words = `Open in ${editor.value}`;
  return (
    <a class="editor-link" href={link} title={words} aria-label={words} onClick={(event) => event.stopPropagation()}>
      {props.isLong ? words : "\u2197"}
    </a>
  );
}

export function EditorChoice() {
  return (
    <label class="field small">
      Editor
      <select value={editor.value} onChange={(event) => chooseEditor(event.currentTarget.value)}>
        <option value="">none</option>
        {EDITOR_NAMES.map((name) => (
          <option key={name} value={name}>{name}</option>
        ))}
      </select>
    </label>
  );
}
