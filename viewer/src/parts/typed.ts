// Text that is typed, and told once typing pauses.

import { useEffect, useRef, useState } from "preact/hooks";

const PAUSE_MS = 250;

export interface Typed {
  text: string;
  /** Another letter was typed. */
  type: (next: string) => void;
  /** It is finished: nothing is waited for. */
  finish: () => void;
}

/** `value` is what was told last, by this field or by an address that was pasted. */
export function useTyped(value: string, tell: (text: string) => void): Typed {
  const [text, setText] = useState(value);
  const pause = useRef<ReturnType<typeof setTimeout>>(undefined);
  // What comes back of what was told is older than what has been typed since; only what
  // somebody else put there is taken over.
  const told = useRef(value);
  useEffect(() => {
    if (value !== told.current) setText(value);
    told.current = value;
  }, [value]);
  useEffect(() => () => clearTimeout(pause.current), []);
  const later = (next: string, afterMs: number) => {
    setText(next);
    clearTimeout(pause.current);
    pause.current = setTimeout(() => {
      told.current = next;
      tell(next);
    }, afterMs);
  };
  return { text, type: (next) => later(next, PAUSE_MS), finish: () => later(text, 0) };
}
