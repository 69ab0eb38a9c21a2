// The address of what is shown now, for an issue or a colleague.

import { useEffect, useState } from "preact/hooks";

const SAID_FOR_MS = 2000;

export function CopyLink() {
  const [said, setSaid] = useState<string | null>(null);
  useEffect(() => {
    if (said === null) return;
    const timer = setTimeout(() => setSaid(null), SAID_FOR_MS);
    return () => clearTimeout(timer);
  }, [said]);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(location.href);
      setSaid("Copied");
    } catch {
      // Without a secure connection there is no clipboard.
      setSaid("Copy it from the address bar");
    }
  };
  return (
    <button type="button" class="button page-copy" title="Copy the address of what is shown" onClick={() => void copy()}>
      <span role="status">{said ?? "Copy link"}</span>
    </button>
  );
}
