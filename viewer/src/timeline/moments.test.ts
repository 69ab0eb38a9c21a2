import { describe, expect, it } from "vitest";
import { made } from "./made";
import { endsOf, eventsOf, lastBelow, nearest, readingAt, spliced } from "./moments";

describe("splicing", () => {
  const whole = made([["begin", 1, 100], ["begin", 3, 300], ["begin", 5, 500], ["begin", 7, 700], ["last", 8, 900]]);
  const detail = made([["begin", 3, 300], ["end", 3, 380], ["begin", 4, 400], ["end", 4, 480], ["begin", 5, 500]]);
  it("puts the exact moments in the place of the thinned ones", () => {
    const both = spliced(whole, detail);
    expect(both.time_ns).toEqual([100, 300, 380, 400, 480, 500, 700, 900]);
    expect(both.event).toEqual([1, 3, 3, 4, 4, 5, 7, 8]);
    expect(both.kind[2]).toBe("end");
    expect(both.series.rss).toEqual([100, 300, 380, 400, 480, 500, 700, 900]);
    expect(both.series.vm.length).toBe(8);
  });
  it("keeps counters aligned, also one that the detail does not know", () => {
    const counted = { ...whole, counters: [{ name: "hits", values: [1, 3, 5, 7, null] }, { name: "new", values: [9, 9, 9, 9, 9] }] };
    const inner = { ...detail, counters: [{ name: "hits", values: [3, null, 4, null, 5] }] };
    const both = spliced(counted, inner);
    expect(both.counters[0]).toEqual({ name: "hits", values: [1, 3, null, 4, null, 5, 7, null] });
    expect(both.counters[1]).toEqual({ name: "new", values: [9, null, null, null, null, null, 9, 9] });
  });
  it("takes the stamps of the detail where it has them", () => {
    const stamp = (time_ns: number) => ({ name: "s", event: Math.floor(time_ns / 100), time_ns });
    const both = spliced({ ...whole, stamps: [150, 350, 750].map(stamp) }, { ...detail, stamps: [310, 320, 410].map(stamp) });
    expect(both.stamps.map((one) => one.time_ns)).toEqual([150, 310, 320, 410, 750]);
  });
  it("is thinned only if the detail is", () => {
    expect(spliced({ ...whole, thinned: true }, detail).thinned).toBe(false);
    expect(spliced({ ...whole, thinned: true }, { ...detail, thinned: true }).thinned).toBe(true);
  });
  it("is the whole without a detail", () => {
    expect(spliced(whole, null)).toBe(whole);
    expect(spliced(whole, made([]))).toBe(whole);
  });
});

describe("readings", () => {
  it("knows the events", () => {
    expect(eventsOf(made([["begin", 2, 0], ["begin", 9, 1], ["end", 2, 2]]))).toEqual({ first: 2, last: 9 });
    expect(eventsOf(made([]))).toBeNull();
  });
  it("finds the nearest moment", () => {
    const values = [1, 1.8, 2, 3];
    expect(nearest(values, 0)).toBe(0);
    expect(nearest(values, 1.5)).toBe(1);
    expect(nearest(values, 2.4)).toBe(2);
    expect(nearest(values, 2.6)).toBe(3);
    expect(nearest(values, 99)).toBe(3);
  });
  it("finds the last moment before an edge", () => {
    expect(lastBelow([1, 1.8, 2, 2, 3], 2)).toBe(1);
    expect(lastBelow([1, 1.8, 2, 2, 3], 9)).toBe(4);
    expect(lastBelow([1, 2], 1)).toBe(0);
    expect(lastBelow([1, 2], 0)).toBe(0);
  });
  it("takes the last reading where none was taken", () => {
    expect(readingAt([7, null, null, 9], 2)).toBe(7);
    expect(readingAt([7, null, null, 9], 3)).toBe(9);
    expect(readingAt([null, 5], 0)).toBeNull();
    expect(readingAt([0, null], 1)).toBe(0);
  });
  it("tells the first and the last of a part", () => {
    expect(endsOf([null, 4, 5, null, 6], 0, 4)).toEqual([4, 5]);
    expect(endsOf([null, null], 0, 2)).toBeNull();
  });
});
