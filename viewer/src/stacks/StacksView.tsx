// Call stacks, those that grew most first: who left memory behind.

import { useRef } from "preact/hooks";
import { go, parameter } from "../address";
import type { Stacks, StackVerdict } from "../answers";
import { useAnswer } from "../ask";
import { bytes, eventsText, percent } from "../format";
import { accused, judgedRange, verdictOn } from "../head/judged";
import { fileAbout } from "../page/about";
import { Amount } from "../parts/Number";
import { Waiting } from "../parts/Waiting";
import { selection } from "./selection";
import { orderOf, orderParameters, pressed, shownOf, shownText, type Shown } from "./sorting";
import { StackPanel } from "./StackPanel";
import { StacksTable } from "./StacksTable";
import { StacksToolbar } from "./StacksToolbar";
import "./stacks.css";

const PAGE = 50;

/** What the numbers of the whole recording are. */
const WHOLE: Record<Shown, string> = {
  grew: "whole recording",
  end: "whole recording, what is live at its end",
  peak: "whole recording, what was live when the heap was highest",
};

function accusationOf(stack: StackVerdict, unit: string): string {
  const share = stack.share === null ? "" : `, ${percent(stack.share, 1)} of the growth`;
  return `The verdict names this stack: ${bytes(stack.rate_bytes_per_event)} per ${unit}${share}`;
}

export function StacksView() {
  const file = fileAbout();
  const unit = file?.unit ?? "event";
  const events = parameter("events");
  const shown = shownOf(events, parameter("at"));
  const order = orderOf(parameter("sort"), parameter("ascending"), shown);
  const verdict = verdictOn(file?.side ?? "a");
  const range = judgedRange(verdict, file);
  const guilty = accused(verdict);
  // Where the table shows what the verdict speaks of, those that it names come first.
  const isVerdict = events === range && order.sort === "growth" && !order.isAscending;
  const asked = useAnswer("stacks", {
    ...selection(),
    sort: order.sort,
    ascending: order.isAscending ? "1" : "",
    shape: parameter("shape"),
    first: isVerdict ? guilty.map(({ stack }) => stack).join(",") : "",
    offset: parameter("offset"),
    limit: PAGE,
  });
  const { answer, error, isLoading } = asked;
  const accusations = new Map(guilty.map((stack) => [stack.stack, accusationOf(stack, unit)]));
  const openStack = /^\d+$/.test(parameter("stack")) ? Number(parameter("stack")) : null;
  const isElsewhere = openStack !== null && answer !== null && !answer.rows.some((row) => row.stack === openStack);
  const close = () => go({ stack: "" });
  const top = useRef<HTMLElement>(null);
  const turn = (to: number) => {
    go({ offset: to > 0 ? String(to) : "" });
    top.current?.scrollIntoView({ block: "start" });
  };

  return (
    <section ref={top} class="view view-stacks" aria-label="Stacks" aria-busy={isLoading}>
      <StacksToolbar
        answer={answer}
        isRefused={error !== null && parameter("focus") !== ""}
        file={file?.name ?? "residue"}
        shown={shown}
        unit={unit}
        judged={range}
      />
      <Waiting of={asked} what="stacks" />
      {isElsewhere && (
        <div class="stacks-elsewhere">
          <p class="muted small">The open stack is not among the rows below.</p>
          <StackPanel stack={openStack} unit={unit} onClose={close} />
        </div>
      )}
      {answer && error === null && (
        <div class={isLoading ? "stacks-scroll stacks-stale" : "stacks-scroll"}>
          <Pager answer={answer} shown={shown} unit={unit} onTurn={turn} />
          {answer.rows.length > 0 ? (
            <StacksTable
              answer={answer}
              shown={shown}
              unit={unit}
              accusations={accusations}
              order={order}
              openStack={openStack}
              onSort={(sort) => go({ ...orderParameters(pressed(order, sort), shown), offset: "" })}
              onOpen={(stack) => go({ stack: stack === null ? "" : String(stack) })}
              detail={(row) => <StackPanel stack={row.stack} unit={unit} onClose={close} />}
            />
          ) : (
            <p class="stacks-none muted">No stack passes the filters.</p>
          )}
        </div>
      )}
      {answer && error === null && answer.rows.length > 8 && (
        <Pager answer={answer} shown={shown} unit={unit} onTurn={turn} isBelow />
      )}
    </section>
  );
}

/** Which rows are shown, of how many, and the way to more. */
function Pager(props: {
  answer: Stacks;
  shown: Shown;
  unit: string;
  onTurn: (offset: number) => void;
  isBelow?: boolean;
}) {
  const { answer, unit } = props;
  const { offset, rows, found, looked_at: lookedAt } = answer;
  const isRange = answer.first_event !== null && answer.last_event !== null;
  const next = offset + rows.length;
  return (
    <div class="toolbar stacks-pager" role={props.isBelow ? undefined : "status"}>
      <span class="muted">
        showing {shownText(offset, rows.length)} of <Amount value={found} unit="count" />{" "}
        {found === 1 ? "stack" : "stacks"}
        {" · "}
        {isRange ? (
          <span class="stacks-events">
            {eventsText(unit, answer.first_event!, answer.last_event!)} (<Amount value={answer.events} unit="count" />)
          </span>
        ) : (
          WHOLE[props.shown]
        )}
        {isRange && answer.fallen_bytes > 0 && (
          <>
            {" · "}some fell, by <Amount value={answer.fallen_bytes} unit="bytes" /> in all
          </>
        )}
        {lookedAt !== null && (
          <>
            {" · "}the first <Amount value={lookedAt} unit="count" /> were looked at for their shape
          </>
        )}
      </span>
      <span class="spacer" />
      {offset > 0 && (
        <button class="button" onClick={() => props.onTurn(Math.max(0, offset - PAGE))}>
          Previous
        </button>
      )}
      {next < found && rows.length > 0 && (
        <button class="button" onClick={() => props.onTurn(next)}>
          More
        </button>
      )}
    </div>
  );
}
