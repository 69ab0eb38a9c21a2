// Who allocates most in each event, and could stop: what `residue report --view churn,advice` says.

import { go, parameter } from "../address";
import type { ChurnAnswer } from "../answers";
import { useAnswer } from "../ask";
import { saveCsv } from "../download";
import { eventsText } from "../format";
import { fileAbout } from "../page/about";
import { KindSelect } from "../parts/KindSelect";
import { IgnoreChip } from "../parts/IgnoreChip";
import { SearchField } from "../parts/SearchField";
import { Waiting } from "../parts/Waiting";
import { selection } from "../stacks/selection";
import { AdviceList } from "./AdviceList";
import { ChurnTable } from "./ChurnTable";
import { CHURN_HEAD, churnRows } from "./rows";
import "./churn.css";

export function ChurnView() {
  const asked = useAnswer("churn", selection());
  const { answer, error } = asked;
  const rows = answer?.churn?.rows ?? [];
  const isRange = parameter("events") !== "";
  const isUnknown = error !== null || answer?.churn === null;
  return (
    <section class="view view-churn" aria-label="Churn" aria-busy={asked.isLoading}>
      <div class="toolbar">
        <SearchField
          value={parameter("focus")}
          label="Only stacks through a function"
          placeholder="Through function (regular expression)"
          isRefused={error !== null && parameter("focus") !== ""}
          onSearch={(focus) => go({ focus, offset: "" }, { quiet: true })}
        />
        <IgnoreChip />
        <KindSelect label="Kind" />
        <span class="spacer" />
        <button
          type="button"
          class="button"
          disabled={rows.length === 0}
          onClick={() => saveCsv(`${fileAbout()?.name ?? "profile"}.churn.csv`, CHURN_HEAD, churnRows(rows))}
        >
          CSV
        </button>
      </div>
      <Waiting of={asked} what="churn" />
      {answer && error === null && <Answered of={answer} />}
      {isRange && isUnknown && (
        <p>
          <button type="button" class="button" onClick={() => go({ events: "" })}>
            Show the whole recording
          </button>
        </p>
      )}
    </section>
  );
}

function Answered(props: { of: ChurnAnswer }) {
  const { title, churn, first_event: first, last_event: last } = props.of;
  const isRange = first !== null && last !== null;
  return (
    <>
      <h3 class="churn-title">
        <span class="churn-words">{title}</span>
        {churn && isRange && <span class="churn-events muted"> {eventsText(churn.unit, first, last)}</span>}
      </h3>
      {churn && churn.rows.length > 0 && <ChurnTable of={props.of} />}
      <AdviceList of={props.of} isRange={isRange} />
    </>
  );
}
