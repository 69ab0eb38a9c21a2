import { describe, expect, it } from "vitest";
import { tableOf } from "./files";
import { made } from "./made";
import { isShown, parseKeys, seriesOf, summary, sumText, toggled, writeKeys, type Choice } from "./series";

const timeline = made([["begin", 1, 1024], ["end", 1, 2048], ["begin", 2, 4096]]);
const rich = {
  ...timeline,
  series: { ...timeline.series, vm: [9, 9, 9], mapped: [0, 0, 0] },
  counters: [{ name: "hits, all", values: [3, null, 4] }, { name: "tracks", values: [1, null, 1] }],
  counted_events: [1, null, 2],
};
const nothing: Choice = { show: new Set(), hide: new Set() };
const usual = (from: typeof rich): string[] => seriesOf(from).filter((one) => isShown(one, nothing)).map((one) => one.key);

describe("what is shown", () => {
  it("has a series for all that is known", () => {
    expect(seriesOf(rich).map((one) => one.key)).toEqual(["rss", "live", "mapped", "vm", "counter:hits, all", "counter:tracks"]);
  });
  it("leaves out VM, and mapped memory where there is none", () => {
    expect(usual(rich)).toEqual(["rss", "live", "counter:hits, all"]);
    expect(usual({ ...rich, series: { ...rich.series, mapped: [0, 4096, 0] } })).toEqual(["rss", "live", "mapped", "counter:hits, all"]);
  });
  it("goes by the address", () => {
    const choice = { show: parseKeys("vm,counter:tracks"), hide: parseKeys("rss") };
    expect(seriesOf(rich).filter((one) => isShown(one, choice)).map((one) => one.key)).toEqual(["live", "vm", "counter:hits, all", "counter:tracks"]);
  });
  it("is switched over and back", () => {
    const [rss, , , vm] = seriesOf(rich);
    const without = toggled(rss!, nothing);
    expect([...without.hide]).toEqual(["rss"]);
    expect([...toggled(rss!, without).hide]).toEqual([]);
    expect([...toggled(vm!, nothing).show]).toEqual(["vm"]);
  });
  it("keeps commas in names apart from commas between them", () => {
    expect(writeKeys(["counter:hits, all", "vm", "counter:50%"])).toBe("counter:hits%2C all,vm,counter:50%25");
    expect([...parseKeys("counter:hits%2C all,vm,counter:50%25")]).toEqual(["counter:hits, all", "vm", "counter:50%"]);
    expect([...parseKeys("50%,rss")]).toEqual(["50%", "rss"]);
    expect([...parseKeys("")]).toEqual([]);
  });
});

describe("a counter", () => {
  it("is a mean where events were thinned, and says what it is a mean of", () => {
    const hits = seriesOf(rich).find((one) => one.label === "hits, all")!;
    expect(hits.values).toEqual([3, null, 2]);
    expect([sumText(hits, 0, "event"), sumText(hits, 2, "tick")]).toEqual([null, "sum over 2 ticks: 4"]);
    expect(sumText(seriesOf(rich)[0]!, 0, "event")).toBeNull();
  });
});

describe("in words and as a table", () => {
  it("tells the first and the last reading", () => {
    const rss = seriesOf(rich).slice(0, 1);
    expect(summary(rss, { first: 1, last: 2 }, "event", 0, 3)).toBe("RSS from 1.00 KiB to 4.00 KiB, over events 1 to 2");
    expect(summary([], { first: 1, last: 2 }, "tick", 0, 3)).toBe("Nothing is shown over ticks 1 to 2");
  });
  it("has a row for each moment in view", () => {
    const shown = seriesOf(rich).filter((one) => isShown(one, nothing));
    expect(tableOf(rich, shown, [1, 1.5, 2], 1.2, 3)).toEqual({
      head: ["event", "moment", "time_ns", "rss_bytes", "live_bytes", "hits, all", "hits, all_events"],
      rows: [[1, "end", 2048, 2048, 1, null, null], [2, "begin", 4096, 4096, 2, 4, 2]],
    });
  });
});
