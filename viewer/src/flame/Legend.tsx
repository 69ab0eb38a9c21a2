// What colours mean.

import { libraryText } from "../stacks/path";
import { hueVariable } from "./colours";
import { isPerEvent } from "./difference";
import { hueOf, HUES } from "./hues";
import type { SideNames } from "./Tooltip";
import { isEverything, libraryOf, type Tree } from "./tree";

/** Libraries with a box of their own colour, the widest first, with their hues. */
function huesOf(trees: Tree[]): { hue: number; words: string }[] {
  const words = new Map<number, string>();
  for (const tree of trees) {
    tree.answer.key.forEach((_, box) => {
      if (tree.answer.framework[box] || isEverything(tree, box)) return;
      const library = libraryOf(tree, box);
      const hue = hueOf(library);
      if (!words.has(hue)) words.set(hue, hue === HUES ? "other libraries" : libraryText(library) || "no library");
    });
  }
  return [...words].map(([hue, text]) => ({ hue, words: text })).sort((one, other) => one.hue - other.hue);
}

export function Legend(props: { trees: [Tree, ...Tree[]]; sides: SideNames | null; turn: string }) {
  const { trees, sides, turn } = props;
  const { answer } = trees[0];
  const hasFramework = trees.some((tree) => tree.answer.framework.includes(1));
  if (answer.base !== null && sides !== null) {
    const what = isPerEvent(answer) ? ` per ${turn}` : "";
    return (
      <div class="flame-legend small">
        <span>{"\u2212 shrunk or gone"}</span>
        <span class="flame-scale" aria-hidden="true" />
        <span>+ grown or new</span>
        <span class="muted">{`${sides.before} \u2192 ${sides.after}${what}; width: the larger of the two`}</span>
      </div>
    );
  }
  const swatch = (name: string, colour: string, words: string) => (
    <span class="flame-library" key={name}>
      <span class={`flame-swatch ${name}`} style={{ background: colour }} aria-hidden="true" />
      {words}
    </span>
  );
  return (
    <div class="flame-legend small muted">
      {huesOf(trees).map(({ hue, words }) => swatch(`flame-swatch-${hue}`, `var(${hueVariable(hue)})`, words))}
      {hasFramework && swatch("flame-swatch-framework", "var(--flame-framework)", "framework")}
      {answer.matched_value !== null && swatch("flame-swatch-match", "", "matches")}
    </div>
  );
}
