import { describe, expect, it } from "vitest";
import { eventRange } from "./range";
import { agreementText, SHAPE_NAMES, SHAPES } from "./shapes";
import { ariaSort, orderOf, orderParameters, pressed, shownText } from "./sorting";

describe("the order of rows", () => {
  it("is by growth unless the address says otherwise", () => {
    expect(orderOf("", "", true)).toEqual({ sort: "growth", isAscending: false });
    expect(orderOf("calls", "1", true)).toEqual({ sort: "calls", isAscending: true });
    expect(orderOf("cumulative", "", true)).toEqual({ sort: "growth", isAscending: false });
  });
  it("takes growth and live for one where there is no range", () => {
    expect(orderOf("live", "", false).sort).toBe("growth");
    expect(orderOf("live-blocks", "", false).sort).toBe("growth-blocks");
    expect(orderOf("live", "", true).sort).toBe("live");
  });
  it("turns round at the second press", () => {
    const once = pressed({ sort: "growth", isAscending: false }, "calls");
    expect(once).toEqual({ sort: "calls", isAscending: false });
    expect(pressed(once, "calls")).toEqual({ sort: "calls", isAscending: true });
    expect(orderParameters(once)).toEqual({ sort: "calls", ascending: "" });
    expect(orderParameters({ sort: "growth", isAscending: true })).toEqual({ sort: "", ascending: "1" });
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
    expect(agreementText("agrees")).toBe("The births of what is left agree with it.");
    expect(agreementText("births unknown")).toBe("Births of what is left are not known, or do not tell.");
    expect(agreementText("births look like a cache")).toBe("births look like a cache");
  });
  it("are eleven, each with its own drawing and sentence", () => {
    expect(SHAPE_NAMES.length).toBe(11);
    expect(new Set(SHAPE_NAMES.map((name) => SHAPES[name].glyph)).size).toBe(11);
    expect(new Set(SHAPE_NAMES.map((name) => SHAPES[name].sentence)).size).toBe(11);
  });
});
