// The thin bar that stays on top: what is open, how it is shown, and help.

import { about, fileAbout } from "./about";
import { CopyLink } from "./CopyLink";
import { LiveState } from "./LiveState";
import { Progress } from "./Progress";
import { SideSwitch } from "./SideSwitch";
import { ThemeSwitch } from "./ThemeSwitch";

function Opened() {
  const file = fileAbout();
  if (file === null) return null;
  const isAlone = about.value?.files.length === 1;
  return (
    <>
      {isAlone ? (
        <strong class="page-file" title={file.name}>
          {file.name}
        </strong>
      ) : (
        <SideSwitch />
      )}
      {file.program && file.program !== file.name && (
        <span class="page-program muted" title={file.program}>
          {file.program}
        </span>
      )}
    </>
  );
}

export function Bar(props: { onHelp: () => void }) {
  return (
    <header class="page-bar">
      <span class="page-name">
        <svg viewBox="0 0 16 16" width="1.15em" height="1.15em" aria-hidden="true">
          <path d="M1 12 L5 9 L8 10 L11 5 L15 3 V15 H1 Z" fill="currentColor" opacity="0.35" />
          <path d="M1 12 L5 9 L8 10 L11 5 L15 3" fill="none" stroke="currentColor" stroke-width="2" />
        </svg>
        Residue
      </span>
      <Opened />
      <LiveState />
      <span class="spacer" />
      <CopyLink />
      <ThemeSwitch />
      <button
        type="button"
        class="button page-help-button"
        aria-label="Keys, and what the views mean"
        title="Keys, and what the views mean (?)"
        onClick={props.onHelp}
      >
        ?
      </button>
      <Progress />
    </header>
  );
}
