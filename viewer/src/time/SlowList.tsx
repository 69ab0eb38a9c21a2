// Slow events of one measure, the slowest first. Choosing one chooses its event for the whole page.

import { go, parameter } from "../address";
import type { SlowEvents } from "../answers";
import { count } from "../format";
import { Amount } from "../parts/Number";
import { SLOW_BY } from "./slow";

export function SlowList(props: { of: SlowEvents }) {
  const { measure, events, found } = props.of;
  const selected = parameter("events");
  return (
    <div class="time-list" role="region" aria-label={`Events ${SLOW_BY[measure]}`} tabIndex={0}>
      <table class="table time-events">
        <thead>
          <tr>
            <th scope="col" class="number">
              event
            </th>
            <th scope="col" class="number">
              {measure === "waited" ? "waits" : measure === "cpu" ? "CPU time" : "wall time"}
            </th>
            <th scope="col" class="number">
              expected
            </th>
            <th scope="col" class="number">
              more
            </th>
          </tr>
        </thead>
        <tbody>
          {events.map(({ event, id, value_ns, expected_ns }) => {
            const range = `${event}..${event}`;
            return (
              <tr key={event} data-key={event} class={selected === range ? "chosen" : ""}>
                <td class="number">
                  <button
                    type="button"
                    class="time-event"
                    aria-pressed={selected === range}
                    title={`Show event ${event} alone${id === event ? "" : `; the program calls it ${id}`}`}
                    onClick={() => go({ events: selected === range ? "" : range })}
                  >
                    {count(event)}
                  </button>
                </td>
                {[value_ns, expected_ns, value_ns - expected_ns].map((value, index) => (
                  <td key={index} class="number">
                    <Amount value={value} unit="ns" signed={index === 2} />
                  </td>
                ))}
              </tr>
            );
          })}
        </tbody>
      </table>
      {events.length < found && (
        <p class="small muted">
          the slowest {count(events.length)} of {count(found)}; `residue slow --json` has all
        </p>
      )}
    </div>
  );
}
