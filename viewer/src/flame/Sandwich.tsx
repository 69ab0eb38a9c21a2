// One function between all that called it, above, and all that it called, below: wherever it
// was called, put together.

import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { go } from "../address";
import { useAnswer, type Parameters } from "../ask";
import { Amount, Share } from "../parts/Number";
import { Waiting } from "../parts/Waiting";
import { Downloads } from "./Downloads";
import { FlameCanvas } from "./FlameCanvas";
import type { Frame } from "./FlameView";
import { spanText, type Direction, type Span } from "./layout";
import { Legend } from "./Legend";
import { menuOf, openSandwich } from "./menu";
import type { Picture } from "./picture";
import { halvesOf, questionOf } from "./question";
import { Toolbar } from "./Toolbar";
import { nameOf, treeOf, type Tree } from "./tree";

function Half(props: {
  frame: Frame;
  question: Parameters;
  what: "callers" | "callees";
  direction: Direction;
  onTree: (tree: Tree) => void;
}) {
  const { frame, what, direction } = props;
  const { given, turn } = frame;
  const [span, setSpan] = useState<Span | null>(null);
  const asked = useAnswer("flame", { ...props.question, span: span ? spanText(span) : undefined });
  const { answer } = asked;
  const picture = useRef<Picture | null>(null);
  const isBaseLater = given["against"] === "b" && given["side"] !== "b";
  const tree = useMemo(
    () => (answer ? treeOf(answer, { rootName: "everything", isBaseLater, turn }) : null),
    [answer, isBaseLater, turn],
  );
  useEffect(() => {
    if (tree) props.onTree(tree);
  }, [tree]);
  const enter = (of: Tree, box: number) => {
    const key = of.answer.function[box];
    if (key) openSandwich(key);
  };
  const words = what === "callers" ? "Callers" : "Callees";
  return (
    <div class={`flame-half flame-half-${what}`}>
      <div class="flame-over">
        <h3>{words}</h3>
        {span && (
          <button class="button small" type="button" onClick={() => picture.current?.reset()}>
            Show the whole width
          </button>
        )}
        <span class="spacer" />
        <Downloads tree={tree} picture={picture} name={`${frame.fileName}-${what}`} heading={() => `${frame.heading} \u2014 ${what}`} />
      </div>
      <Waiting of={asked} what={what} />
      {tree && answer && asked.error === null && (
        <FlameCanvas
          label={words}
          hint="Click a box to put its function in the middle; the wheel or a drag zooms; right click for more."
          tree={tree}
          root={0}
          span={span}
          direction={direction}
          isLoading={asked.isLoading}
          sides={answer.base ? frame.sides : null}
          turn={turn}
          picture={picture}
          onEnter={enter}
          onSpan={setSpan}
          onOut={() => picture.current?.reset()}
          onCallers={(of, box) => of.answer.function[box] && go({ view: "callers", function: of.answer.function[box] })}
          onSandwich={enter}
          onMenu={(at, of, box) =>
            frame.openMenu(
              at,
              nameOf(of, box),
              menuOf(of, box, given, what === "callers", {
                enter: () => picture.current?.reveal(box),
                out: span ? () => picture.current?.reset() : null,
              }),
            )
          }
        />
      )}
    </div>
  );
}

export function Sandwich(props: { frame: Frame; of: string }) {
  const { frame } = props;
  const { given, file } = frame;
  const halves = halvesOf(questionOf(given, file?.has.totals ?? false), props.of);
  const [tree, setTree] = useState<Tree | null>(null);
  const [above, setAbove] = useState<Tree | null>(null);
  const answer = tree?.answer;
  return (
    <>
      <Toolbar file={file} matched={null} isSandwich>
        {null}
      </Toolbar>
      <div class="flame-over flame-middle">
        <h2>{tree ? nameOf(tree, 0) : "\u2026"}</h2>
        {answer && (
          <span class="flame-shown">
            <Amount value={answer.value[0]!} unit={answer.unit} /> (<Share part={answer.value[0]!} whole={answer.whole} />)
          </span>
        )}
        <button class="button" type="button" title="Escape" onClick={() => go({ sandwich: undefined })}>
          Back to the flame graph
        </button>
      </div>
      <Half key={`callers ${props.of}`} frame={frame} question={halves.callers} what="callers" direction="flame" onTree={setAbove} />
      <Half key={`callees ${props.of}`} frame={frame} question={halves.callees} what="callees" direction="icicle" onTree={setTree} />
      {tree && (
        <div class="flame-under">
          <Legend trees={above ? [tree, above] : [tree]} sides={answer?.base ? frame.sides : null} turn={frame.turn} />
        </div>
      )}
    </>
  );
}
