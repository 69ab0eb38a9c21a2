// Call stacks, those that grew most first: who left memory behind.

import { useRef } from "preact/hooks";
import { go, parameter } from "../address";
import type { Stacks } from "../answers";
import { useAnswer } from "../ask";
import { fileAbout } from "../page/about";
import { Amount } from "../parts/Number";
import { Waiting } from "../parts/Waiting";
import { selection } from "./selection";
import { orderOf, orderParameters, pressed, shownText } from "./sorting";
import { StackPanel } from "./StackPanel";
import { StacksTable } from "./StacksTable";
import { StacksToolbar } from "./StacksToolbar";
import "./stacks.css";

const PAGE = 50;

export function StacksView() {
  const isRange = parameter("events") !== "";
  const order = orderOf(parameter("sort"), parameter("ascending"), isRange);
  const asked = useAnswer("stacks", {
    ...selection(),
    sort: order.sort,
    ascending: order.isAscending ? "1" : "",
    shape: parameter("shape"),
    offset: parameter("offset"),
    limit: PAGE,
  });
  const { answer, error, isLoading } = asked;
  const file = fileAbout();
  const unit = file?.unit ?? "event";
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
      />
      <Waiting of={asked} what="stacks" />
      {isElsewhere && (
        <div class="stacks-elsewhere">
          <p class="muted small">The open stack is not among the rows below.</p>
          <StackPanel stack={openStack} unit={unit} onClose={close} />
        </div>
      )}
      {answer && (
        <div class={isLoading ? "stacks-scroll stacks-stale" : "stacks-scroll"}>
          <Pager answer={answer} isRange={isRange} unit={unit} onTurn={turn} />
          {answer.rows.length > 0 ? (
            <StacksTable
              answer={answer}
              isRange={isRange}
              unit={unit}
              order={order}
              openStack={openStack}
              onSort={(sort) => go({ ...orderParameters(pressed(order, sort)), offset: "" })}
              onOpen={(stack) => go({ stack: stack === null ? "" : String(stack) })}
              detail={(row) => <StackPanel stack={row.stack} unit={unit} onClose={close} />}
            />
          ) : (
            <p class="stacks-none muted">No stack passes the filters.</p>
          )}
        </div>
      )}
      {answer && answer.rows.length > 8 && <Pager answer={answer} isRange={isRange} unit={unit} onTurn={turn} isBelow />}
    </section>
  );
}

/** Which rows are shown, of how many, and the way to more. */
function Pager(props: {
  answer: Stacks;
  isRange: boolean;
  unit: string;
  onTurn: (offset: number) => void;
  isBelow?: boolean;
}) {
  const { answer, isRange, unit } = props;
  const { offset, rows, found, looked_at: lookedAt } = answer;
  const next = offset + rows.length;
  return (
    <div class="toolbar stacks-pager" role={props.isBelow ? undefined : "status"}>
      <span class="muted">
        showing {shownText(offset, rows.length)} of <Amount value={found} unit="count" /> stacks
        {" · "}
        {isRange ? `${unit}s ${parameter("events")}` : "whole recording"}
        {isRange && (
          <>
            {" "}(<Amount value={answer.events} unit="count" />)
          </>
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
