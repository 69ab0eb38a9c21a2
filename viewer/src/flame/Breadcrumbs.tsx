// The way to the root that is shown, each step a button.

import { useState } from "preact/hooks";
import { go } from "../address";
import type { Unit } from "../answers";
import { amount } from "../format";
import type { Crumb } from "./crumbs";

/** At the end of a long way; those before are shown on demand. */
const LAST_SHOWN = 5;

export function Breadcrumbs(props: { crumbs: Crumb[]; unit: Unit }) {
  const { crumbs, unit } = props;
  const [isWhole, setIsWhole] = useState(false);
  const hidden = isWhole ? 0 : Math.max(0, crumbs.length - 1 - LAST_SHOWN);
  return (
    <nav class="flame-crumbs" aria-label="Path to the root shown">
      <ol>
        {crumbs.map((crumb, place) => {
          if (place > 0 && place <= hidden) {
            if (place > 1) return null;
            return (
              <li key="hidden">
                <button class="flame-crumb" type="button" onClick={() => setIsWhole(true)}>
                  {`\u2026 ${hidden} more`}
                </button>
              </li>
            );
          }
          const isLast = place === crumbs.length - 1;
          return (
            <li key={place}>
              <button
                class="flame-crumb"
                type="button"
                aria-current={isLast ? "location" : undefined}
                title={`${crumb.name}\n${amount(crumb.value, unit)}`}
                onClick={() => go(crumb.steps)}
              >
                {crumb.name}
              </button>
            </li>
          );
        })}
      </ol>
      {isWhole && crumbs.length - 1 > LAST_SHOWN && (
        <button class="flame-crumb" type="button" onClick={() => setIsWhole(false)}>
          fewer
        </button>
      )}
    </nav>
  );
}
