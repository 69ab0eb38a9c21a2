// A field for a regular expression. It waits until typing pauses before it tells.

import { useTyped } from "./typed";

export function SearchField(props: {
  value: string;
  label: string;
  placeholder: string;
  /** The last search was refused. */
  isRefused: boolean;
  onSearch: (text: string) => void;
}) {
  const { text, type, finish } = useTyped(props.value, props.onSearch);
  return (
    <input
      class="search"
      type="search"
      data-search
      aria-label={props.label}
      aria-invalid={props.isRefused}
      placeholder={props.placeholder}
      title="A regular expression; case is ignored unless it has a capital letter"
      spellcheck={false}
      value={text}
      onInput={(event) => type(event.currentTarget.value)}
      onKeyDown={(event) => event.key === "Enter" && finish()}
    />
  );
}
