// Kinds of memory, as the page calls them.

import type { Kind } from "../answers";

export const KINDS: { kind: Kind; words: string }[] = [
  { kind: "heap", words: "heap" },
  { kind: "mapping", words: "mappings" },
  { kind: "reported", words: "reported" },
  { kind: "all", words: "all kinds" },
];
