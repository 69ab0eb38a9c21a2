// Names inside boxes: widths of characters are measured once, texts are cut to fit.

export class Measure {
  private readonly known = new Map<string, number>();

  /** `widthOf` asks the font for the width of a character. */
  constructor(private readonly widthOf: (character: string) => number) {}

  private character(character: string): number {
    let width = this.known.get(character);
    if (width === undefined) {
      width = this.widthOf(character);
      this.known.set(character, width);
    }
    return width;
  }

  width(text: string): number {
    let width = 0;
    for (const character of text) width += this.character(character);
    return width;
  }

  /** As much of a text as fits, with an ellipsis where it was cut; empty where fewer than
      two characters and the ellipsis do. */
  fit(text: string, room: number): string {
    const ellipsis = this.character("\u2026");
    let width = 0;
    let kept = 0;
    let characters = 0;
    for (const character of text) {
      // Nobody sees the rest, and names of templates can be very long.
      width += this.character(character);
      if (width > room) return characters >= 2 ? `${text.slice(0, kept)}\u2026` : "";
      if (width + ellipsis <= room) {
        kept += character.length;
        characters += 1;
      }
    }
    return text;
  }
}

export interface Label {
  name: string;
  /** The number at the right edge, where there is room for it too. */
  number: string;
}

/** What could be written in a box. */
export interface Words {
  /** Whether it grew or shrank, where that is asked: the last to be left out. */
  sign: string;
  name: string;
  number: string;
}

const GAP = 18;

/** What is written in a box of a width; `padding` is left free on both sides. */
export function labelFor(measure: Measure, words: Words, width: number, padding: number): Label {
  const { sign, name, number } = words;
  const room = width - 2 * padding;
  const before = sign ? `${sign} ` : "";
  const left = room - measure.width(before);
  if (left >= 2 * padding) {
    const both = measure.width(name.slice(0, 400)) + GAP + measure.width(number);
    if (both <= left) return { name: before + name, number };
    const fitting = measure.fit(name, left);
    if (fitting) return { name: before + fitting, number: "" };
  }
  const isRoomForSign = sign !== "" && measure.width(sign) <= width - 3;
  return { name: isRoomForSign ? sign : "", number: "" };
}
