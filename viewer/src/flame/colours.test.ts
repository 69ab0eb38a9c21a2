import { expect, test } from "vitest";
import {
  changeTone, contrast, css, hash, inkOn, matchTone, mix, paintsOf, paletteBy, parseColour, toneOf, type Colour, type Palette,
} from "./colours";
import { hueOf, HUES } from "./hues";
import { made } from "./made";
import { treeOf } from "./tree";

// As theme.css has them.
const hues = (all: string[]) => Object.fromEntries(all.map((hue, at) => [`--flame-hue-${at}`, hue]));
const LIGHT: Record<string, string> = {
  "--paper": "#ffffff", "--flame-framework": "#d9dce2", "--flame-ink": "#16181d", "--grown": "#c44e00",
  "--shrunk": "#0072b2", "--flame-match": "#7a3fb8", "--accent": "#0063a8",
  ...hues(["#fdb322", "#95ccff", "#42a88a", "#ead777", "#c585bd", "#e78135", "#8488f5", "#96af71", "#c8bda9"]),
};
const DARK: Record<string, string> = {
  "--paper": "#14171c", "--flame-framework": "#3a404b", "--flame-ink": "#f2f3f5", "--grown": "#f58345",
  "--shrunk": "#56a9e0", "--flame-match": "#c9a0f5", "--accent": "#6cb8ee",
  ...hues(["#8f6534", "#3263b6", "#167c54", "#7b6e04", "#8e3d89", "#8c2a2d", "#3f35b7", "#645f65", "#55504a"]),
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

test("a tone depends on hue and name alone", () => {
  expect(toneOf(0, "run", light)).toEqual(toneOf(0, "run", light));
  expect(toneOf(0, "run", light)).not.toEqual(toneOf(1, "run", light));
  expect(toneOf(0, "run", light)).not.toEqual(toneOf(0, "fit", light));
});

/** What people see who lack one kind of cone (Machado, Oliveira and Fernandes, 2009), and who lack none. */
const SEEN = {
  all: [1, 0, 0, 0, 1, 0, 0, 0, 1],
  protan: [0.152286, 1.052583, -0.204868, 0.114503, 0.786281, 0.099216, -0.003882, -0.048116, 1.051998],
  deutan: [0.367322, 0.860646, -0.227968, 0.280085, 0.672501, 0.047413, -0.01182, 0.04294, 0.968881],
  tritan: [1.255528, -0.076749, -0.178779, -0.078411, 0.930809, 0.147602, 0.004733, 0.691367, 0.3039],
};

/** In CIE Lab, in which a step of about 2 is the least that is seen. */
function labSeen(colour: Colour, by: readonly number[]): number[] {
  const linear = colour.map((part) => (part / 255 <= 0.04045 ? part / 255 / 12.92 : ((part / 255 + 0.055) / 1.055) ** 2.4));
  const row = (of: readonly number[], at: number) => of[at]! * linear[0]! + of[at + 1]! * linear[1]! + of[at + 2]! * linear[2]!;
  const [r, g, b] = [0, 3, 6].map((at) => Math.min(1, Math.max(0, row(by, at)))) as [number, number, number];
  const f = (t: number) => (t > 0.008856 ? Math.cbrt(t) : 7.787 * t + 16 / 116);
  const x = f((0.4124564 * r + 0.3575761 * g + 0.1804375 * b) / 0.95047);
  const y = f(0.2126729 * r + 0.7151522 * g + 0.072175 * b);
  const z = f((0.0193339 * r + 0.119192 * g + 0.9503041 * b) / 1.08883);
  return [116 * y - 16, 500 * (x - y), 200 * (y - z)];
}

test("hues can be told apart, by the colour-blind too", () => {
  for (const palette of palettes) {
    const hues = [...palette.hues.slice(0, HUES), palette.framework];
    for (const by of Object.values(SEEN)) {
      const seen = hues.map((hue) => labSeen(hue, by));
      for (const [one, lab] of seen.entries()) {
        for (const other of seen.slice(0, one)) {
          expect(Math.hypot(...lab.map((part, at) => part - other[at]!)), `${css(hues[one]!)}`).toBeGreaterThan(12);
        }
      }
    }
  }
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
    for (let hue = 0; hue <= HUES; hue += 1) {
      for (let name = 0; name < 20; name += 1) {
        const tone = toneOf(hue, `f${name}`, palette);
        expect(contrast(inkOn(tone, palette), tone), css(tone)).toBeGreaterThan(4.5);
      }
    }
    const found = matchTone(palette);
    expect(contrast(inkOn(found, palette), found)).toBeGreaterThan(4.5);
  }
});

test("frameworks and the root are grey, the rest has the hue of its library", () => {
  const fills = paintsOf(treeOf(made()), light, false).map((paint) => paint.fill);
  expect(fills[0]).toBe("#d9dce2");
  expect(fills[5]).toBe("#d9dce2");
  expect(fills[1]).toBe(css(toneOf(hueOf("reco"), "main", light)));
});

test("what does not match steps back", () => {
  const answer = made({ matched: [0, 0, 1, 0, 0, 0, 0], matched_value: 50 });
  const fills = paintsOf(treeOf(answer), light, true).map((paint) => paint.fill);
  expect(fills[2]).toBe(css(matchTone(light)));
  expect(fills[1]).toBe(css(mix(toneOf(hueOf("reco"), "main", light), light.paper, 0.5)));
});

test("a comparison is coloured by its changes", () => {
  const answer = made({ base: [100, 80, 0, 100, 20, 20, 20], base_events: 10, base_whole: 100 });
  const fills = paintsOf(treeOf(answer), light, false).map((paint) => paint.fill);
  expect(fills[1]).toBe("#d9dce2");
  expect(fills[2]).toBe("#c44e00");
  expect(fills[3]).toBe(css(changeTone(-0.5, light)));
});
