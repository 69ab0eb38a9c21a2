// The largest turns of the loop. Choosing one chooses its event for the whole page.

import { go } from "../address";
import type { StagesAnswer } from "../answers";
import { count } from "../format";
import { Change } from "./Change";
import { stageText } from "./values";

export function Jumps(props: { answer: StagesAnswer; unit: string; selected: string }) {
  const { answer, unit, selected } = props;
  if (answer.jumps.length === 0) return null;
  return (
    <div class="stages-jumps">
      <h3>Largest jumps</h3>
      <table class="table">
        <thead>
          <tr>
            <th scope="col" class="number">
              {unit}
            </th>
            <th scope="col" class="number">
              Change
            </th>
            <th scope="col">Stage</th>
          </tr>
        </thead>
        <tbody>
          {answer.jumps.map((jump, index) => {
            const range = `${jump.event}..${jump.event}`;
            return (
              <tr key={index} data-key={jump.event} class={selected === range ? "chosen" : ""}>
                <td class="number">
                  <button
                    type="button"
                    class="stages-jump"
                    aria-pressed={selected === range}
                    title={`Show ${unit} ${jump.event} alone`}
                    onClick={() => go({ events: selected === range ? "" : range })}
                  >
                    {count(jump.event)}
                  </button>
                </td>
                <td class="number">
                  <Change value={jump.value} unit={answer.unit} />
                </td>
                <td>{stageText(jump.interval)}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}
