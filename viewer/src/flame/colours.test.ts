import { expect, test } from "vitest";
import {
  changeTone, contrast, css, hash, inkOn, matchTone, mix, paintsOf, paletteBy, parseColour, toneOf, type Palette,
} from "./colours";
import { made } from "./made";
import { treeOf } from "./tree";

const LIGHT: Record<string, string> = {
  "--paper": "#ffffff", "--flame-low": "#f5d9a8", "--flame-high": "#e69f00", "--vermilion": "#c44e00",
  "--flame-framework": "#d9dce2", "--flame-ink": "#16181d", "--grown": "#c44e00", "--shrunk": "#0072b2",
  "--flame-match": "#7a3fb8", "--accent": "#0063a8",
};
const DARK: Record<string, string> = {
  "--paper": "#14171c", "--flame-low": "#5a4622", "--flame-high": "#96691a", "--vermilion": "#f58345",
  "--flame-framework": "#3a404b", "--flame-ink": "#f2f3f5", "--grown": "#f58345", "--shrunk": "#56a9e0",
  "--flame-match": "#c9a0f5", "--accent": "#6cb8ee",
};
const palettes: Palette[] = [LIGHT, DARK].map((theme) => paletteBy((name) => ` ${theme[name]}`));
const light = palettes[0]!;

test("colours are read and written", () => {
  expect(parseColour(" #f5d9a8")).toEqual([245, 217, 168]);
  expect(parseColour("#fff")).toEqual([255, 255, 255]);
  expect(parseColour("rebeccapurple")).toEqual([128, 128, 128]);
  expect(css([245, 217, 168])).toBe("#f5d9a8");
  expect(css(mix([0, 0, 0], [255, 100, 10], 0.5))).toBe("#803205");
});

test("the hash is FNV-1a", () => {
  expect(hash("")).toBe(0x811c9dc5);
  expect(hash("a")).toBe(0xe40c292c);
  expect(hash("foobar")).toBe(0xbf9cf968);
});

test("a tone depends on library and name alone", () => {
  expect(toneOf("reco", "run", light)).toEqual(toneOf("reco", "run", light));
  expect(toneOf("reco", "run", light)).not.toEqual(toneOf("libc.so.6", "run", light));
  expect(toneOf("reco", "run", light)).not.toEqual(toneOf("reco", "fit", light));
});

test("changes go from shrunk over neutral to grown", () => {
  expect(css(changeTone(1, light))).toBe("#c44e00");
  expect(css(changeTone(0, light))).toBe("#d9dce2");
  expect(css(changeTone(-1, light))).toBe("#0072b2");
  // The least change is told from none.
  expect(css(changeTone(0.001, light))).not.toBe("#d9dce2");
});

test("contrast is that of black on white at most", () => {
  expect(contrast([0, 0, 0], [255, 255, 255])).toBeCloseTo(21, 9);
  expect(contrast([9, 9, 9], [9, 9, 9])).toBe(1);
});

test("names can be read on every box of both themes", () => {
  for (const palette of palettes) {
    for (let step = -20; step <= 20; step += 1) {
      const tone = changeTone(step / 20, palette);
      expect(contrast(inkOn(tone, palette), tone)).toBeGreaterThan(4);
    }
    for (let library = 0; library < 60; library += 1) {
      const tone = toneOf(`lib${library}.so`, `f${library}`, palette);
      expect(contrast(inkOn(tone, palette), tone)).toBeGreaterThan(4);
    }
    const found = matchTone(palette);
    expect(contrast(inkOn(found, palette), found)).toBeGreaterThan(4.5);
  }
});

test("frameworks and the root are grey, the rest is warm", () => {
  const fills = paintsOf(treeOf(made()), light, false).map((paint) => paint.fill);
  expect(fills[0]).toBe("#d9dce2");
  expect(fills[5]).toBe("#d9dce2");
  expect(fills[1]).toBe(css(toneOf("reco", "main", light)));
});

test("what does not match steps back", () => {
  const answer = made({ matched: [0, 0, 1, 0, 0, 0, 0], matched_value: 50 });
  const fills = paintsOf(treeOf(answer), light, true).map((paint) => paint.fill);
  expect(fills[2]).toBe(css(matchTone(light)));
  expect(fills[1]).toBe(css(mix(toneOf("reco", "main", light), light.paper, 0.5)));
});

test("a comparison is coloured by its changes", () => {
  const answer = made({ base: [100, 80, 0, 100, 20, 20, 20], base_events: 10, base_whole: 100 });
  const fills = paintsOf(treeOf(answer), light, false).map((paint) => paint.fill);
  expect(fills[1]).toBe("#d9dce2");
  expect(fills[2]).toBe("#c44e00");
  expect(fills[3]).toBe(css(changeTone(-0.5, light)));
});
