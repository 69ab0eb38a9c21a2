// With two files open: which of them all views show.

import { go } from "../address";
import { about, fileAbout } from "./about";

export function SideSwitch() {
  const chosen = fileAbout();
  const choose = (side: string) => {
    // Stacks and source files are numbered anew in each profile.
    go({ side: side === "a" ? undefined : side, stack: undefined, file: undefined, line: undefined });
  };
  return (
    <span class="buttons" role="group" aria-label="File that is shown">
      {about.value?.files.map((file) => (
        <button
          type="button"
          key={file.side}
          class="button page-side"
          data-side={file.side}
          aria-pressed={file.side === chosen?.side}
          title={`Show ${file.name}, a recording of ${file.program}`}
          onClick={() => choose(file.side)}
        >
          <span class="muted">{file.side === "a" ? "before" : "after"}</span>
          <span class="page-side-name">{file.name}</span>
        </button>
      ))}
    </span>
  );
}
