// The memory as boxes: each function as wide as what was allocated in it and below it.

import { useMemo, useRef } from "preact/hooks";
import { go, place } from "../address";
import type { FileAbout, Flame } from "../answers";
import { useAnswer } from "../ask";
import { saveCsv, savePng, saveSvg } from "../download";
import { counted } from "../format";
import { about, fileAbout } from "../page/about";
import { Amount, Share } from "../parts/Number";
import { Waiting } from "../parts/Waiting";
import { BoxTable } from "./BoxTable";
import { Breadcrumbs } from "./Breadcrumbs";
import { crumbsOf } from "./crumbs";
import { CSV_HEAD, csvRows } from "./files";
import { FlameCanvas } from "./FlameCanvas";
import { Legend } from "./Legend";
import { paintScene } from "./paint";
import type { Picture } from "./picture";
import { byOf, COUNTERS, counterOf, isByThread, questionOf, rangeOf, stepsInto, type Given } from "./question";
import { svgOf } from "./svg";
import { Toolbar } from "./Toolbar";
import type { SideNames } from "./Tooltip";
import { treeOf } from "./tree";
import "./flame.css";

/** A canvas that browsers still make is no higher. */
const MOST_PNG_PIXELS = 16_000;

/** What the two sides are called, where two are compared. */
function sidesOf(given: Given, file: FileAbout | null): SideNames | null {
  const against = given["against"];
  if (!against) return null;
  const turns = `${file?.unit ?? "event"}s`;
  if (rangeOf(against)) {
    return { before: `${turns} ${against}`, after: given["events"] ? `${turns} ${given["events"]}` : "whole recording" };
  }
  const names = ["a", "b"].map((side) => about.value?.files.find((one) => one.side === side)?.name ?? side);
  return { before: names[0]!, after: names[1]! };
}

function headingOf(given: Given, file: FileAbout | null, sides: SideNames | null, path: string): string {
  const words = [file?.program || file?.name || "Residue"];
  words.push(COUNTERS.find((one) => one.name === counterOf(given, fileAbout()?.has.totals ?? false))!.words);
  if (given["events"]) words.push(`what ${file?.unit ?? "event"}s ${given["events"]} left`);
  if (sides) words.push(`${sides.before} \u2192 ${sides.after}`);
  if (given["focus"]) words.push(`only stacks with ${given["focus"]}`);
  words.push(path);
  return words.join(" \u2014 ");
}

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

function Matched(props: { answer: Flame }) {
  const { matched_value, unit, whole } = props.answer;
  if (matched_value === null) return null;
  return (
    <span class="flame-matched">
      matched: <Amount value={matched_value} unit={unit} /> (<Share part={matched_value} whole={whole} />)
    </span>
  );
}

export function FlameView() {
  const given = place.value.parameters;
  const file = fileAbout();
  const asked = useAnswer("flame", questionOf(given, fileAbout()?.has.totals ?? false));
  const { answer } = asked;
  const picture = useRef<Picture | null>(null);

  const turn = file?.unit ?? "event";
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
  const sides = answer?.base ? sidesOf(given, file) : null;
  const name = `${(file?.program || file?.name || "residue").replace(/[^\w.+-]+/g, "_")}-flame`;

  const out = () => {
    const before = crumbs[crumbs.length - 2];
    if (before) go(before.steps);
    return before !== undefined;
  };
  const press = (event: KeyboardEvent) => {
    if (event.key !== "Backspace" && event.key !== "Escape") return;
    if (event.defaultPrevented || (event.target as Element).closest("input, select")) return;
    if (out()) event.preventDefault();
  };
  const heading = () => headingOf(given, file, sides, crumbs.map((one) => one.name).join(" \u203a "));
  const toSvg = () => {
    const scene = picture.current?.whole();
    if (scene) saveSvg(`${name}.svg`, svgOf(scene, heading()));
  };
  const toPng = () => {
    const scene = picture.current?.whole();
    if (!scene) return;
    const { width, height } = scene.area;
    const scale = Math.min(devicePixelRatio || 1, MOST_PNG_PIXELS / height, MOST_PNG_PIXELS / width);
    const canvas = document.createElement("canvas");
    canvas.width = Math.round(width * scale);
    canvas.height = Math.round(height * scale);
    paintScene(canvas.getContext("2d")!, scene, scale);
    savePng(`${name}.png`, canvas);
  };

  return (
    <section class="view view-flame" aria-label="Flame graph" onKeyDown={press}>
      <Toolbar file={file} matched={answer && <Matched answer={answer} />}>
        <span class="spacer" />
        <span class="buttons" role="group" aria-label="Download">
          <button class="button" type="button" disabled={!tree} onClick={() => tree && saveCsv(`${name}.csv`, CSV_HEAD, csvRows(tree))}>
            CSV
          </button>
          <button class="button" type="button" disabled={!tree} onClick={toSvg}>
            SVG
          </button>
          <button class="button" type="button" disabled={!tree} onClick={toPng}>
            PNG
          </button>
        </span>
      </Toolbar>
      <Waiting of={asked} what="flame graph" />
      {asked.error && (given["root"] || tid) && (
        <p>
          <button class="button" type="button" onClick={() => go({ root: undefined, thread: undefined })}>
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
            </span>
          </div>
          {answer.weight[0]! > 0 ? (
            <FlameCanvas
              tree={tree}
              root={root}
              direction={given["layout"] === "flame" ? "flame" : "icicle"}
              isLoading={asked.isLoading}
              sides={sides}
              turn={turn}
              picture={picture}
              onEnter={(key) => go(stepsInto(key))}
              onOut={out}
              onCallers={(key) => {
                // Boxes of libraries and lines are no functions.
                if (key && byOf(given) !== "module" && byOf(given) !== "line") go({ view: "callers", function: key });
              }}
            />
          ) : (
            <p class="flame-nothing muted">No stack has any of this counter.</p>
          )}
          <div class="flame-under">
            <Legend answer={answer} sides={sides} turn={turn} by={byOf(given)} />
            <Remarks answer={answer} isWhole={isByThread(given) && Boolean(given["events"])} />
          </div>
          <details class="flame-boxes">
            <summary>Boxes as a table</summary>
            <BoxTable tree={tree} root={root} sides={sides} turn={turn} />
          </details>
        </>
      )}
    </section>
  );
}
