// A field for a regular expression. It waits until typing pauses before it tells.

import { useEffect, useRef, useState } from "preact/hooks";

const PAUSE_MS = 250;

export function SearchField(props: {
  value: string;
  label: string;
  placeholder: string;
  /** The last search was refused. */
  isRefused: boolean;
  onSearch: (text: string) => void;
}) {
  const { value, onSearch } = props;
  const [text, setText] = useState(value);
  const pause = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => setText(value), [value]);
  useEffect(() => () => clearTimeout(pause.current), []);
  const tell = (next: string, afterMs: number) => {
    setText(next);
    clearTimeout(pause.current);
    pause.current = setTimeout(() => onSearch(next), afterMs);
  };
  return (
    <input
      class="stacks-search"
      type="search"
      data-search
      aria-label={props.label}
      aria-invalid={props.isRefused}
      placeholder={props.placeholder}
      title="A regular expression; case is ignored"
      spellcheck={false}
      value={text}
      onInput={(event) => tell(event.currentTarget.value, PAUSE_MS)}
      onKeyDown={(event) => {
        if (event.key === "Enter") tell(text, 0);
      }}
    />
  );
}
