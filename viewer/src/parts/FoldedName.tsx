// A name that is folded where it is long, and unfolds.

import { useState } from "preact/hooks";
import { foldedName } from "./foldedname";

export function FoldedName(props: { name: string }) {
  const { name } = props;
  const [isWhole, setWhole] = useState(false);
  const folded = foldedName(name);
  if (folded === name) return <>{name}</>;
  return (
    <>
      {isWhole ? name : folded}
      <button
        type="button"
        class="unfold"
        aria-expanded={isWhole}
        aria-label={isWhole ? "Fold the name" : "Show the whole name"}
        title={isWhole ? "Fold the name" : "Show the whole name"}
        onKeyDown={(event) => event.stopPropagation()}
        onClick={(event) => {
          event.stopPropagation();
          setWhole(!isWhole);
        }}
      >
        {isWhole ? "\u2039" : "\u203a"}
      </button>
    </>
  );
}
