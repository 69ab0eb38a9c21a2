// Which live blocks are lost, which are held, and who holds them: what `residue holders` says.

import { useRef } from "preact/hooks";
import { go, parameter } from "../address";
import type { HoldersAnswer, HoldersDocument, HoldersWhich } from "../answers";
import { useAnswer } from "../ask";
import { saveCsv } from "../download";
import { count, counted, share } from "../format";
import { fileAbout } from "../page/about";
import { IgnoreChip } from "../parts/IgnoreChip";
import { SearchField } from "../parts/SearchField";
import { Waiting } from "../parts/Waiting";
import { amountText, heldOf, HOLDERS_HEAD, holdersRows, lostOf } from "./amounts";
import { HolderPanel } from "./HolderPanel";
import { HoldersTable } from "./HoldersTable";
import { RetainedTable } from "./RetainedTable";
import "./holders.css";

const PAGE = 50;

const WHICH: { which: HoldersWhich; words: string; title: string }[] = [
  { which: "all", words: "All", title: "All stacks with live blocks, the largest loss first" },
  { which: "lost", words: "Lost", title: "Stacks that lost anything" },
  { which: "held", words: "Held", title: "Stacks of which anything is held, the most first" },
];

export function HoldersView() {
  const which = parameter("which", "all");
  const asked = useAnswer("holders", {
    side: parameter("side"),
    focus: parameter("focus"),
    ignore: parameter("ignore"),
    which: parameter("which"),
    offset: parameter("offset"),
    limit: PAGE,
  });
  const { answer, error } = asked;
  const picture = error === null ? (answer?.picture ?? null) : null;
  const rows = picture?.stacks ?? [];
  return (
    <section class="view view-holders" aria-label="Holders" aria-busy={asked.isLoading}>
      <div class="toolbar">
        <SearchField
          value={parameter("focus")}
          label="Only stacks through a function"
          placeholder="Through function (regular expression)"
          isRefused={error !== null && parameter("focus") !== ""}
          onSearch={(focus) => go({ focus, offset: "" }, { quiet: true })}
        />
        <IgnoreChip />
        <div class="buttons" role="group" aria-label="Which stacks">
          {WHICH.map((one) => (
            <button
              type="button"
              key={one.which}
              class="button"
              aria-pressed={one.which === which}
              title={one.title}
              onClick={() => go({ which: one.which === "all" ? "" : one.which, offset: "" })}
            >
              {one.words}
            </button>
          ))}
        </div>
        <span class="spacer" />
        <button
          type="button"
          class="button"
          disabled={rows.length === 0}
          onClick={() => saveCsv(`${fileAbout()?.name ?? "profile"}.holders.csv`, HOLDERS_HEAD, holdersRows(rows))}
        >
          CSV
        </button>
      </div>
      <Waiting of={asked} what="holders" />
      {answer?.missing && <p class="panel holders-missing">{answer.missing}</p>}
      {answer && picture && <Picture of={picture} answer={answer} />}
    </section>
  );
}

function Picture(props: { of: HoldersDocument; answer: HoldersAnswer }) {
  const { of, answer } = props;
  const stack = /^\d+$/.test(parameter("stack")) ? Number(parameter("stack")) : null;
  const top = useRef<HTMLHeadingElement>(null);
  return (
    <>
      <div class="muted small">
        {of.about.map((line) => (
          <p key={line}>{line}</p>
        ))}
        {parameter("events") && <p>A picture is of one moment: the range of events does not narrow it.</p>}
      </div>
      <Sums of={of} />
      {stack !== null && <HolderPanel stack={stack} unit={of.unit} />}
      <h3 ref={top}>Stacks</h3>
      <Pager of={answer} onTurn={() => top.current?.scrollIntoView({ block: "start" })} />
      {of.stacks.length > 0 && <HoldersTable rows={of.stacks} openStack={stack} />}
      <RetainedTable of={of.retained} />
    </>
  );
}

/** All live blocks: what is lost of them, and what is held. */
function Sums(props: { of: HoldersDocument }) {
  const [lost, held] = [lostOf(props.of.all), heldOf(props.of.all)];
  const whole = lost.bytes + held.bytes;
  return (
    <p class="holders-sums">
      <strong class={`head-word ${lost.blocks > 0 ? "head-word-leak" : "holders-none"}`}>
        {lost.blocks > 0 ? "LOST" : "NOTHING LOST"}
      </strong>
      {lost.blocks > 0 && (
        <span class="holders-all-lost" data-value={lost.bytes}>
          {amountText(lost)} ({share(lost.bytes, whole)})
        </span>
      )}{" "}
      <span class="holders-all-held" data-value={held.bytes}>
        held: {amountText(held)} ({share(held.bytes, whole)})
      </span>
    </p>
  );
}

function Pager(props: { of: HoldersAnswer; onTurn: () => void }) {
  const { found, offset, picture } = props.of;
  const next = offset + (picture?.stacks.length ?? 0);
  const turn = (to: number) => {
    go({ offset: to > 0 ? String(to) : "" });
    props.onTurn();
  };
  return (
    <div class="toolbar" role="status">
      <span class="muted">
        {next > offset ? `showing ${count(offset + 1)} to ${count(next)} of ${counted(found, "stack")}` : `none of ${counted(found, "stack")}`}
      </span>
      <span class="spacer" />
      {offset > 0 && (
        <button type="button" class="button" onClick={() => turn(Math.max(0, offset - PAGE))}>
          Previous
        </button>
      )}
      {next < found && next > offset && (
        <button type="button" class="button" onClick={() => turn(next)}>
          More
        </button>
      )}
    </div>
  );
}
