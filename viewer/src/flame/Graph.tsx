// The flame graph of everything, or below the box that was made the root.

import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { go } from "../address";
import type { Flame } from "../answers";
import { useAnswer } from "../ask";
import { counted } from "../format";
import { Amount, Share } from "../parts/Number";
import { Waiting } from "../parts/Waiting";
import { BoxTable } from "./BoxTable";
import { Breadcrumbs } from "./Breadcrumbs";
import { crumbsOf } from "./crumbs";
import { Downloads } from "./Downloads";
import { FlameCanvas } from "./FlameCanvas";
import type { Frame } from "./FlameView";
import { spanText, type Span } from "./layout";
import { Legend } from "./Legend";
import { menuOf, openSandwich, whyNoSandwich } from "./menu";
import type { Picture } from "./picture";
import { byOf, isByThread, questionOf, spanGiven, stepsInto } from "./question";
import { Matched } from "./Search";
import { Toolbar } from "./Toolbar";
import { matchesFrom, nameOf, treeOf, type Tree } from "./tree";

/** `isWhole`: a range is selected, and yet the whole recording shown. */
function Remarks(props: { answer: Flame; isWhole: boolean }) {
  const { answer } = props;
  return (
    <div class="flame-remarks muted small">
      {props.isWhole && <span>threads are known for the whole recording, not for a range</span>}
      {answer.left_out > 0 && <span>{`${counted(answer.left_out, "box", "boxes")} too small to draw`}</span>}
      {answer.fallen > 0 && (
        <span>
          other stacks fell by <Amount value={answer.fallen} unit={answer.unit} />
        </span>
      )}
      {answer.notes.map((note) => (
        <span key={note}>{note}</span>
      ))}
    </div>
  );
}

export function Graph(props: { frame: Frame }) {
  const { frame } = props;
  const { given, file, turn } = frame;
  const asked = useAnswer("flame", questionOf(given, file?.has.totals ?? false));
  const { answer } = asked;
  const picture = useRef<Picture | null>(null);

  const tid = given["thread"] ?? null;
  const threadName = tid === null ? "" : `thread ${file?.threads.find((one) => String(one.tid) === tid)?.name || tid}`;
  // The first of two files is what was before, whichever of them is looked at.
  const isBaseLater = given["against"] === "b" && given["side"] !== "b";
  const tree = useMemo(
    () => (answer ? treeOf(answer, { rootName: threadName || "everything", isBaseLater, turn }) : null),
    [answer, threadName, isBaseLater, turn],
  );
  const wanted = given["root"] ?? (tid === null ? "" : `thread:${tid}`);
  // A box that is there already is zoomed to at once; the answer for it brings finer ones.
  const root = tree?.indexOf.get(wanted) ?? 0;
  const crumbs = useMemo(
    () => (tree ? crumbsOf(tree, root, tid === null ? null : { tid, name: threadName }) : []),
    [tree, root, tid, threadName],
  );
  const sides = answer?.base ? frame.sides : null;
  const span = useMemo(() => spanGiven(given), [given["span"]]);
  const isInverted = Boolean(given["inverted"]);

  const found = useMemo(() => (tree ? matchesFrom(tree, root) : []), [tree, root]);
  // By its key: a finer answer has more of them.
  const [steppedTo, setSteppedTo] = useState<string | null>(null);
  useEffect(() => setSteppedTo(null), [given["highlight"]]);
  const at = steppedTo === null || tree === null ? -1 : found.indexOf(tree.indexOf.get(steppedTo) ?? -1);
  const step = (by: 1 | -1) => {
    if (found.length === 0 || tree === null) return;
    const next = found[at < 0 && by < 0 ? found.length - 1 : (at + by + found.length) % found.length]!;
    setSteppedTo(tree.answer.key[next]!);
    picture.current?.reveal(next);
  };

  const before = crumbs[crumbs.length - 2];
  const out = () => {
    if (span) picture.current?.reset();
    else if (before) go(before.steps);
    else return false;
    return true;
  };
  const press = (event: KeyboardEvent) => {
    if (event.key !== "Backspace" && event.key !== "Escape") return;
    if (event.defaultPrevented || (event.target as Element).closest("input, select, [role=menu]")) return;
    if (out()) event.preventDefault();
  };
  const isFunctions = byOf(given) !== "module" && byOf(given) !== "line";
  const functionOf = (of: Tree, box: number) => of.answer.function[box] ?? "";

  return (
    <div class="flame-graph" onKeyDown={press}>
      <Toolbar
        file={file}
        onStep={step}
        matched={answer && <Matched answer={answer} found={found.length} at={at} onStep={step} />}
      >
        <span class="spacer" />
        <Downloads
          tree={tree}
          picture={picture}
          name={frame.fileName}
          heading={() => `${frame.heading} \u2014 ${crumbs.map((one) => one.name).join(" \u203a ")}`}
        />
      </Toolbar>
      <Waiting of={asked} what="flame graph" />
      {asked.error && (given["root"] || tid || given["span"]) && (
        <p>
          <button class="button" type="button" onClick={() => go({ root: undefined, thread: undefined, span: undefined })}>
            Show everything
          </button>
        </p>
      )}
      {tree && answer && asked.error === null && (
        <>
          <div class="flame-over">
            <Breadcrumbs crumbs={crumbs} unit={answer.unit} />
            <span class="flame-shown">
              <Amount value={answer.value[root]!} unit={answer.unit} />
              {crumbs.length > 1 && (
                <>
                  {" "}(<Share part={answer.value[root]!} whole={answer.whole} />)
                </>
              )}
              {span && (
                <button class="button small flame-unzoom" type="button" onClick={() => picture.current?.reset()}>
                  Show the whole width
                </button>
              )}
            </span>
          </div>
          {answer.weight[0]! > 0 ? (
            <FlameCanvas
              label="Flame graph"
              hint="Click a box to make it the root; the wheel or a drag zooms, Backspace goes back out; right click for more."
              tree={tree}
              root={root}
              span={span}
              direction={given["layout"] === "flame" ? "flame" : "icicle"}
              isLoading={asked.isLoading}
              sides={sides}
              turn={turn}
              picture={picture}
              onEnter={(of, box) => go(stepsInto(of.answer.key[box]!))}
              onSpan={(next: Span | null) => go({ span: next ? spanText(next) : undefined }, { quiet: true })}
              onOut={out}
              onCallers={(of, box) => {
                const key = functionOf(of, box);
                // Boxes of libraries and lines are no functions.
                if (key && isFunctions) go({ view: "callers", function: key });
              }}
              onSandwich={(of, box) => {
                const key = functionOf(of, box);
                if (key && byOf(given) !== "module" && !whyNoSandwich(given)) openSandwich(key);
              }}
              onStep={step}
              onMenu={(at, of, box) =>
                frame.openMenu(
                  at,
                  nameOf(of, box),
                  menuOf(of, box, given, isInverted, {
                    enter: () => go(stepsInto(of.answer.key[box]!)),
                    out: span || before ? out : null,
                  }),
                )
              }
            />
          ) : (
            <p class="flame-nothing muted">No stack has any of this counter.</p>
          )}
          <div class="flame-under">
            <Legend trees={[tree]} sides={sides} turn={turn} />
            <Remarks answer={answer} isWhole={isByThread(given) && Boolean(given["events"])} />
          </div>
          <details class="flame-boxes">
            <summary>Boxes as a table</summary>
            <BoxTable tree={tree} root={root} sides={sides} turn={turn} />
          </details>
        </>
      )}
    </div>
  );
}
