import { expect, test } from "vitest";
import { paintsOf, paletteBy } from "./colours";
import { CSV_HEAD, csvRows } from "./files";
import { Measure } from "./label";
import { sightOf } from "./layout";
import { made } from "./made";
import type { Scene } from "./scene";
import { exactWords, svgOf } from "./svg";
import { treeOf, type Tree } from "./tree";

function sceneOf(tree: Tree): Scene {
  const palette = paletteBy(() => "#fff");
  return {
    tree,
    sight: sightOf(tree, 0),
    area: { width: 1000, height: 80, rowHeight: 20, direction: "icicle", scrolled: 0 },
    palette,
    paints: paintsOf(tree, palette, false),
    measure: new Measure(() => 7),
    font: { size: 12, family: '"A", sans-serif' },
    hovered: -1,
    cursor: -1,
    marked: null,
  };
}

test("every box with its exact numbers, and nothing unescaped", () => {
  const svg = svgOf(sceneOf(treeOf(made())), "a <b> & c");
  expect(svg.match(/<g>/g)).toHaveLength(7);
  expect(svg).toContain('width="1000" height="109"');
  expect(svg).toContain("<title>a &lt;b&gt; &amp; c</title>");
  expect(svg).toContain('font-family="&quot;A&quot;, sans-serif"');
  expect(svg).toContain("<title>fit&lt;A &amp; B&gt; \u00b7 reco \u00b7 50 bytes (50.0 %) \u00b7 own 50 bytes</title>");
  // 29 for the heading, two rows above; one pixel less than the step to the next box.
  expect(svg).toContain('<rect x="500" y="69" width="199" height="19"');
  expect(svg).not.toContain("<A");
});

test("both sides of a comparison", () => {
  const tree = treeOf(made({ base: [90, 80, 0, 25, 40, 0, 20], base_events: 10 }));
  expect(exactWords(tree, 4)).toBe(
    "load \u00b7 reco \u00b7 20 bytes (20.0 %) \u00b7 before 40 bytes \u00b7 after 20 bytes \u00b7 difference -20 bytes \u00b7 own 20 bytes",
  );
  expect(svgOf(sceneOf(tree), "x")).toContain(">+ run</text>");
  expect(svgOf(sceneOf(tree), "x")).toContain(">\u2212 load</text>");
});

test("rows for a file have the whole path", () => {
  const rows = csvRows(treeOf(made()));
  expect(rows).toHaveLength(7);
  expect(rows[3]).toEqual([3, "fit<A & B>", "reco", 50, 50, undefined, 0, 0, "f", "everything;main;run;fit<A & B>"]);
  expect(rows[3]).toHaveLength(CSV_HEAD.length);
});
