// The server has ended: what that means, and the command that starts it again.

import { useState } from "preact/hooks";
import { place, write } from "../address";
import { askAgain, isServerGone } from "../ask";
import { copyText } from "../parts/copy";
import { about, refreshAbout } from "./about";
import { commandFor } from "./command";

function tryAgain(): void {
  askAgain();
  void refreshAbout();
}

export function ServerGone() {
  const [isCopied, setCopied] = useState(false);
  if (!isServerGone.value) return null;
  const command = commandFor(about.value, write(place.value).slice(1));
  return (
    <div class="page-gone" role="alert">
      <p>
        <strong>The server of this page does not answer.</strong> <code>residue view</code> has ended, or the connection is
        gone. What is shown stays; anything else needs the server. Start it again, in the folder of the file, and go on
        in the page that it opens:
      </p>
      <p class="page-gone-command">
        <code>{command}</code>
        <button type="button" class="button small" onClick={() => void copyText(command).then(setCopied)}>
          {isCopied ? "Copied" : "Copy the command"}
        </button>
        <button type="button" class="button small" onClick={tryAgain}>
          Try again
        </button>
      </p>
    </div>
  );
}
