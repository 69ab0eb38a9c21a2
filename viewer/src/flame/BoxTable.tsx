// The widest boxes as a table, with numbers that can be copied.

import { go } from "../address";
import { count } from "../format";
import { Amount, Share } from "../parts/Number";
import { changeOf, isPerEvent } from "./difference";
import { stepsInto } from "./question";
import type { SideNames } from "./Tooltip";
import { below, libraryOf, nameOf, widest, type Tree } from "./tree";

const MOST_ROWS = 100;

export function BoxTable(props: { tree: Tree; root: number; sides: SideNames | null; turn: string }) {
  const { tree, root, sides, turn } = props;
  const { answer } = tree;
  const boxes = widest(tree, root, MOST_ROWS);
  const all = below(tree, root).length - 1;
  const isCompared = sides !== null && answer.base !== null;
  const isRated = isCompared && isPerEvent(answer);
  if (boxes.length === 0) return <p class="muted">There are no boxes below this one.</p>;
  return (
    <>
      {all > boxes.length && <p class="muted small">{`The widest ${boxes.length} of ${count(all)} boxes.`}</p>}
      <table class="table flame-table">
        <thead>
          <tr>
            <th scope="col">Name</th>
            <th scope="col">Library</th>
            {isCompared && <th scope="col" class="number">{`Before: ${sides.before}`}</th>}
            <th scope="col" class="number">{isCompared ? `After: ${sides.after}` : "With all below"}</th>
            {isCompared && <th scope="col" class="number">Difference</th>}
            {isRated && <th scope="col" class="number">{`Per ${turn}`}</th>}
            <th scope="col" class="number">Share</th>
            <th scope="col" class="number">Own</th>
          </tr>
        </thead>
        <tbody>
          {boxes.map((box) => {
            const change = changeOf(tree, box);
            const key = answer.key[box]!;
            return (
              <tr key={key} data-key={key}>
                <td class="flame-table-name">
                  <button class="flame-table-zoom" type="button" title={nameOf(tree, box)} onClick={() => go(stepsInto(key))}>
                    {nameOf(tree, box)}
                  </button>
                </td>
                <td class="muted flame-table-library">{libraryOf(tree, box)}</td>
                {change && isCompared && <td class="number"><Amount value={change.before} unit={answer.unit} /></td>}
                <td class="number"><Amount value={answer.value[box]!} unit={answer.unit} /></td>
                {change && isCompared && <td class="number"><Amount value={change.difference} unit={answer.unit} signed /></td>}
                {change?.rate && isRated && <td class="number"><Amount value={change.rate.difference} unit={answer.unit} signed /></td>}
                <td class="number"><Share part={answer.value[box]!} whole={answer.whole} /></td>
                <td class="number"><Amount value={answer.own[box]!} unit={answer.unit} /></td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </>
  );
}
