// The head of the page: the verdict, what the growth is made of, and whether the recording
// can be trusted. With two files open, of the one that is chosen.

import { about, fileAbout } from "../page/about";
import { Completeness, Facts } from "./Recording";
import { Verdicts } from "./Verdicts";
import "./head.css";

export function Head() {
  const file = fileAbout();
  if (file === null) {
    return (
      <section class="head" aria-label="Verdict">
        <p class="waiting" role="status">
          Opening the recording …
        </p>
      </section>
    );
  }
  return (
    <section class="head" aria-label="Verdict">
      <Verdicts key={file.side} side={file.side} unit={file.unit} />
      <div class="head-recording">
        <Completeness file={file} isLive={about.value?.live ?? false} />
        <Facts file={file} />
      </div>
    </section>
  );
}
