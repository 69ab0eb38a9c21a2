// Whether events take ever longer, what one takes, which are slow, and what those do that
// others do not: the words of `residue slow`.

import { parameter } from "../address";
import type { GrowingFunction, MeasureTimes, SlowFunction, TimeVerdict } from "../answers";
import { useAnswer } from "../ask";
import { Amount } from "../parts/Number";
import { Waiting } from "../parts/Waiting";
import { headlineParts, otherReasons } from "./slow";
import { SlowList } from "./SlowList";
import "./time.css";

export function TimeView() {
  const asked = useAnswer("time", { side: parameter("side") });
  const { answer } = asked;
  return (
    <section class="view view-time" aria-label="Time" aria-busy={asked.isLoading}>
      <Waiting of={asked} what="times of events" />
      {answer?.missing && <p class="panel time-missing">{answer.missing}</p>}
      {answer?.verdict && <Verdict of={answer.verdict} />}
    </section>
  );
}

function Verdict(props: { of: TimeVerdict }) {
  const verdict = props.of;
  return (
    <>
      <div class="time-verdict">
        <TimeHeadline of={verdict} />
        {otherReasons(verdict).map((reason) => (
          <p key={reason} class="muted">
            {reason}
          </p>
        ))}
        {verdict.growing.map((one, index) => (
          <TimeFunction key={index} of={one} />
        ))}
      </div>
      <Measures of={verdict.measures} />
      {verdict.counter && <p>{verdict.counter.words}</p>}
      {verdict.no_slow_events && <p>{verdict.no_slow_events}</p>}
      {verdict.slow.map((slow) => (
        <div key={slow.measure} class="panel time-slow" data-measure={slow.measure}>
          <p class="time-slow-words">{slow.words}</p>
          {slow.functions.map((one, index) => (
            <TimeFunction key={index} of={one} />
          ))}
          {[...slow.stages, ...slow.allocations].map(({ words }) => (
            <p key={words} class="time-cause">
              {words}
            </p>
          ))}
          {slow.no_cause && <p class="time-cause muted">{slow.no_cause}</p>}
          <SlowList of={slow} />
        </div>
      ))}
      {verdict.limits.map((limit) => (
        <p key={limit} class="time-limit muted">
          {limit}
        </p>
      ))}
    </>
  );
}

export function TimeHeadline(props: { of: TimeVerdict }) {
  const { word, rest } = headlineParts(props.of);
  return (
    <p class="time-headline">
      <strong class={`head-word time-word-${props.of.verdict}`} data-verdict={props.of.verdict}>
        {word}
      </strong>{" "}
      <span>{rest}</span>
    </p>
  );
}

/** What a function has to do with it, and its path. */
function TimeFunction(props: { of: GrowingFunction | SlowFunction }) {
  const { words, path, shown, place } = props.of;
  return (
    <div class="time-cause">
      <p>{words}</p>
      <p class="time-path mono" title={path.join(" › ")}>
        {shown}
        {place && <span class="muted"> {place}</span>}
      </p>
    </div>
  );
}

function Measures(props: { of: MeasureTimes[] }) {
  return (
    <table class="table time-measures">
      <thead>
        <tr>
          <th scope="col">per event</th>
          {["mean", "median", "95 %", "longest"].map((name) => (
            <th key={name} scope="col" class="number">
              {name}
            </th>
          ))}
          <th scope="col">from event to event</th>
        </tr>
      </thead>
      <tbody>
        {props.of.map(({ measure, name, mean_ns, median_ns, quantile_95_ns, longest_ns, course }) => (
          <tr key={measure} data-key={measure}>
            <th scope="row">{name}</th>
            {[mean_ns, median_ns, quantile_95_ns, longest_ns].map((value, index) => (
              <td key={index} class="number">
                <Amount value={value} unit="ns" />
              </td>
            ))}
            <td>{course}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
