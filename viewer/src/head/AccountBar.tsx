// The growth of the resident size as a bar of its parts, with a legend.

import type { Account } from "../answers";
import { saveSvg } from "../download";
import { bytes, count, percent, signedBytes } from "../format";
import { Amount } from "../parts/Number";
import { bar, type Part, type PartName } from "./account";
import { accountSvg } from "./accountsvg";
import { LOOKS, TILE_PX } from "./patterns";

const patternId = (name: PartName) => `account-${name}`;

function Pattern(props: { name: PartName }) {
  const { colour, lines } = LOOKS[props.name];
  return (
    <pattern id={patternId(props.name)} width={TILE_PX} height={TILE_PX} patternUnits="userSpaceOnUse">
      <rect width={TILE_PX} height={TILE_PX} style={{ fill: `var(${colour})` }} />
      {lines && <path d={lines} class="head-pattern" />}
    </pattern>
  );
}

function exactText(part: Part, unit: string): string {
  return `${part.label}: ${signedBytes(part.bytes_per_event)} per ${unit} (${count(part.bytes_per_event)} bytes)`;
}

const inPercent = (share: number) => `${(share * 100).toFixed(3)}%`;

function saveDrawing(account: Account, unit: string): void {
  const style = getComputedStyle(document.documentElement);
  const title = `RSS grows ${bytes(account.bytes_per_event.rss)} per ${unit}, ${unit}s ${account.from_event}..${account.to_event}`;
  saveSvg("residue-account.svg", accountSvg(title, bar(account), (name) => style.getPropertyValue(name).trim()));
}

export function AccountBar(props: { account: Account; unit: string }) {
  const { account, unit } = props;
  const { parts, zero, absent } = bar(account);
  const { rss, program_rss } = account.bytes_per_event;
  const explained = account.explained_share;
  return (
    <figure class="head-account" aria-label="What the growth of the resident size is made of">
      <figcaption class="head-account-title">
        <span>
          <strong>
            RSS <Amount value={rss} unit="bytes" signed /> per {unit}
          </strong>{" "}
          <span class="muted small">
            of it the program's <Amount value={program_rss} unit="bytes" signed />
            {`, ${unit}s ${account.from_event}..${account.to_event}`}
            {explained !== null && `, ${percent(explained, 1)} explained`}
          </span>
        </span>
        <button type="button" class="button head-save" title="Save this drawing" onClick={() => saveDrawing(account, unit)}>
          SVG
        </button>
      </figcaption>
      <svg class="head-account-bar" role="img" aria-label={parts.map((part) => exactText(part, unit)).join("; ")}>
        <defs>
          {parts.map((part) => (
            <Pattern key={part.name} name={part.name} />
          ))}
        </defs>
        {parts.map((part) => (
          <rect
            key={part.name}
            class="head-account-part"
            data-part={part.name}
            data-value={part.bytes_per_event}
            x={inPercent(part.start)}
            y="12%"
            width={inPercent(part.width)}
            height="76%"
            fill={`url(#${patternId(part.name)})`}
          >
            <title>{exactText(part, unit)}</title>
          </rect>
        ))}
        <line class="head-account-zero" x1={inPercent(zero)} x2={inPercent(zero)} y1="0" y2="100%" />
      </svg>
      <ul class="head-legend">
        {parts.map((part) => (
          <li key={part.name} data-key={part.name}>
            <svg class="head-swatch" aria-hidden="true">
              <rect width="100%" height="100%" fill={`url(#${patternId(part.name)})`} />
            </svg>
            {part.label} <Amount value={part.bytes_per_event} unit="bytes" signed />
          </li>
        ))}
        {absent.length > 0 && <li class="muted">none of it: {absent.join(", ")}</li>}
      </ul>
    </figure>
  );
}
