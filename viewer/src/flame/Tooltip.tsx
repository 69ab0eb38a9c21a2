// The numbers of the box under the mouse, to the last digit.

import { useLayoutEffect, useRef } from "preact/hooks";
import { amount, exactAmount, percent } from "../format";
import { changeOf, signOf } from "./difference";
import { noteAt } from "./layout";
import { libraryOf, nameOf, type Tree } from "./tree";

/** What the two sides of a comparison are called. */
export interface SideNames {
  before: string;
  after: string;
}

function Row(props: { what: string; short: string; long?: string }) {
  return (
    <tr>
      <th scope="row">{props.what}</th>
      <td>{props.short}</td>
      <td class="flame-tip-exact">{props.long}</td>
    </tr>
  );
}

function Compared(props: { tree: Tree; box: number; sides: SideNames; turn: string }) {
  const { answer } = props.tree;
  const change = changeOf(props.tree, props.box)!;
  const { unit } = answer;
  const row = (what: string, value: number, rate: number | undefined, signed = false) => {
    const sign = signed ? signOf(value) : "";
    const size = signed ? Math.abs(value) : value;
    const perTurn = rate === undefined ? undefined : `${signed ? signOf(rate) : ""}${amount(Math.abs(rate), unit)}`;
    return (
      <tr>
        <th scope="row">{what}</th>
        <td>{sign + amount(size, unit)}</td>
        <td class="flame-tip-exact">{sign + exactAmount(size, unit)}</td>
        {perTurn !== undefined && <td class="flame-tip-exact">{`${perTurn} per ${props.turn}`}</td>}
      </tr>
    );
  };
  return (
    <>
      {row(`before, ${props.sides.before}`, change.before, change.rate?.before)}
      {row(`after, ${props.sides.after}`, change.after, change.rate?.after)}
      {row("difference", change.difference, change.rate?.difference, true)}
    </>
  );
}

export function Tooltip(props: {
  tree: Tree;
  box: number;
  root: number;
  mouse: { x: number; y: number };
  sides: SideNames | null;
  turn: string;
}) {
  const { tree, box, root, mouse } = props;
  const { answer } = tree;
  const note = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const element = note.current;
    if (!element) return;
    const size = { width: element.offsetWidth, height: element.offsetHeight };
    const place = noteAt(mouse, size, { width: innerWidth, height: innerHeight });
    element.style.transform = `translate(${place.left}px, ${place.top}px)`;
  });
  const value = answer.value[box]!;
  const rootValue = answer.value[root]!;
  const library = libraryOf(tree, box);
  return (
    <div class="flame-tip" ref={note} aria-hidden="true">
      <div class="flame-tip-name">{nameOf(tree, box)}</div>
      {(library || answer.framework[box] === 1) && (
        <div class="flame-tip-library">
          {[library, answer.framework[box] === 1 ? "framework" : ""].filter(Boolean).join(" \u00b7 ")}
        </div>
      )}
      <table>
        <tbody>
          {props.sides !== null && answer.base !== null ? (
            <Compared tree={tree} box={box} sides={props.sides} turn={props.turn} />
          ) : (
            <Row what="with all below" short={amount(value, answer.unit)} long={exactAmount(value, answer.unit)} />
          )}
          <Row what="own" short={amount(answer.own[box]!, answer.unit)} long={exactAmount(answer.own[box]!, answer.unit)} />
          <Row what="of everything" short={percent(value, answer.whole)} />
          {tree.answer.breadcrumbs.length + root > 0 && box !== root && (
            <Row what="of what is shown" short={percent(value, rootValue)} />
          )}
        </tbody>
      </table>
    </div>
  );
}
