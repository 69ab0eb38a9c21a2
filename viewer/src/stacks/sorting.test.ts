import { describe, expect, it } from "vitest";
import { eventRange } from "./range";
import { agreementText, SHAPE_NAMES, SHAPES, shapeSentence } from "./shapes";
import { ariaSort, orderOf, orderParameters, pressed, shownOf, shownText } from "./sorting";

describe("the order of rows", () => {
  it("is by growth unless the address says otherwise", () => {
    expect(orderOf("", "", "grew")).toEqual({ sort: "growth", isAscending: false });
    expect(orderOf("calls", "1", "grew")).toEqual({ sort: "calls", isAscending: true });
    expect(orderOf("cumulative", "", "grew")).toEqual({ sort: "growth", isAscending: false });
  });
  it("takes growth and live for one where there is no range", () => {
    expect(orderOf("live", "", "end").sort).toBe("growth");
    expect(orderOf("live-blocks", "", "end").sort).toBe("growth-blocks");
    expect(orderOf("live", "", "grew").sort).toBe("live");
  });
  it("is by what was live at the peak where that is shown", () => {
    expect(orderOf("", "", "peak").sort).toBe("at-peak");
    expect(orderOf("live", "", "peak").sort).toBe("live");
    expect(orderParameters({ sort: "at-peak", isAscending: false }, "peak").sort).toBe("");
    expect([shownOf("1..9", ""), shownOf("1..9", "peak"), shownOf("", "peak"), shownOf("", "")]).toEqual([
      "grew", "grew", "peak", "end",
    ]);
  });
  it("turns round at the second press", () => {
    const once = pressed({ sort: "growth", isAscending: false }, "calls");
    expect(once).toEqual({ sort: "calls", isAscending: false });
    expect(pressed(once, "calls")).toEqual({ sort: "calls", isAscending: true });
    expect(orderParameters(once, "grew")).toEqual({ sort: "calls", ascending: "" });
    expect(orderParameters({ sort: "growth", isAscending: true }, "grew")).toEqual({ sort: "", ascending: "1" });
  });
  it("is told of its own heading alone", () => {
    expect(ariaSort({ sort: "calls", isAscending: false }, "calls")).toBe("descending");
    expect(ariaSort({ sort: "calls", isAscending: true }, "calls")).toBe("ascending");
    expect(ariaSort({ sort: "calls", isAscending: true }, "live")).toBe(undefined);
    expect(ariaSort({ sort: "calls", isAscending: true }, null)).toBe(undefined);
  });
});

describe("shownText", () => {
  it("counts rows from one", () => {
    expect(shownText(0, 50)).toBe("1..50");
    expect(shownText(100, 7)).toBe("101..107");
    expect(shownText(0, 0)).toBe("none");
  });
});

describe("eventRange", () => {
  it("reads what the address holds", () => {
    expect(eventRange("51..100")).toEqual({ from: 51, to: 100 });
    expect(eventRange("100..51")).toBe(null);
    expect(eventRange("")).toBe(null);
    expect(eventRange("a..b")).toBe(null);
  });
});

describe("shapes", () => {
  it("have a second witness, in words", () => {
    expect(agreementText("agrees")).toBe("The ages of the survivors agree.");
    expect(agreementText("births unknown")).toBe("The ages of the survivors are unknown, or do not tell.");
    expect(agreementText("births look like a cache")).toBe("births look like a cache");
  });
  it("speak of what the recording has", () => {
    expect(shapeSentence("leak", "tick")).toBe("Every tick, or every k-th, leaves something behind.");
    expect(shapeSentence("warm-up", "tick")).toBe("It grew in the first ticks only.");
  });
  it("are thirteen, each with its own drawing and sentence", () => {
    expect(SHAPE_NAMES.length).toBe(13);
    expect(new Set(SHAPE_NAMES.map((name) => SHAPES[name].glyph)).size).toBe(13);
    expect(new Set(SHAPE_NAMES.map((name) => shapeSentence(name, "event"))).size).toBe(13);
  });
});
