import { expect, test } from "vitest";
import { flame } from "./flame";
import { asked } from "./made";

const of = (query: string) => asked(flame, query);

/** Boxes as `key name value own`, with their parents' keys. */
function boxes(query: string): string[] {
  const { key, name, names, parent, value, own } = of(query);
  return key.map((one, box) => `${one} < ${key[parent[box]!] ?? "-"} ${names[name[box]!]} ${value[box]} ${own[box]}`);
}

test("what is live, the widest first", () => {
  expect(boxes("")).toEqual([
    " < -  112 0", "1 <  main 100 0", "1.2 < 1 run 100 0", "1.2.3 < 1.2 grow 100 0", "1.2.3.4 < 1.2.3 new 100 100",
    "6 <  [pooled: small blocks] 7 7", "7 <  [3 call paths not in this file] 5 5",
  ]);
  const answer = of("counter=calls&kind=all");
  expect([answer.whole, answer.unit, answer.events, answer.fallen, answer.left_out]).toEqual([23, "count", 4, 0, 0]);
  expect([answer.base, answer.base_whole, answer.base_events, answer.matched_value]).toEqual([null, null, null, null]);
  expect(answer.function.slice(0, 2)).toEqual(["", "7"]);
  expect(of("counter=peak").notes).toEqual(["peaks are at different moments: their sum is not a heap size"]);
});

test("a range shows what it left, and says what fell", () => {
  const answer = of("events=2..3&kind=all");
  expect([answer.whole, answer.fallen, answer.events]).toEqual([4116, 30, 2]);
  expect(of("events=2..3&counter=live-blocks").whole).toBe(2);
  expect(() => of("counter=largest")).toThrow("`largest` is a maximum, and a flame graph adds up what lies below");
  expect(() => of("events=2..3&counter=calls")).toThrow(
    "`calls` is not known of this range of events, only live, live-blocks and cpu",
  );
});

test("a box becomes the root, with the way to it", () => {
  const answer = of("counter=total&root=1.2");
  expect(answer.breadcrumbs).toEqual([{ key: "1", name: "main", value: 170 }, { key: "1.2", name: "run", value: 170 }]);
  expect(answer.key).toEqual(["1.2", "1.2.3", "1.2.3.4", "1.2.2", "1.2.2.3"]);
  expect(answer.parent).toEqual([-1, 0, 1, 0, 3]);
  expect([answer.value[0], answer.whole]).toEqual([170, 227]);
  expect(of("counter=total&stack=10&depth=0")).toMatchObject({ key: ["1.2.3.4"], function: ["4"], value: [140] });
  expect(of("by=scope&kind=mapping&stack=30&depth=0").key).toEqual(["5.3"]);
  expect(() => of("stack=11")).toThrow("stack: 11 is not in this flame graph");
  expect(of("depth=1").key).toEqual(["", "1", "6", "7"]);
  expect(() => of("root=1.3")).toThrow("root: there is no such call in this file");
});

test("upside down, from what allocated on", () => {
  expect(boxes("counter=total&kind=all&inverted=1")).toEqual([
    " < -  4323 0", "3 <  grow 4126 0", "3.5 < 3 [load] 4096 4096", "4 <  new 140 0", "4.3 < 4 grow 140 0",
    "4.3.2 < 4.3 run 140 0", "4.3.2.1 < 4.3.2 main 140 140", "7 <  [3 call paths not in this file] 50 50",
    "3.2 < 3 run 30 0", "3.2.2 < 3.2 run 30 0", "3.2.2.1 < 3.2.2 main 30 30", "6 <  [pooled: small blocks] 7 7",
  ]);
  const answer = of("counter=total&kind=all&inverted=1&root=3.2&highlight=run");
  expect(answer.breadcrumbs.map((crumb) => [crumb.key, crumb.value])).toEqual([["3", 4126], ["3.2", 30]]);
  expect([answer.key[0], answer.matched_value]).toEqual(["3.2", 30]);
});

test("by library, and by scope first", () => {
  expect(boxes("by=module&counter=total&focus=main")).toEqual([
    " < -  170 0", "1 <  app 170 0", "1.2 < 1 libgrow.so 170 30", "1.2.3 < 1.2 libc.so 140 140",
  ]);
  expect(of("by=module").function.every((key) => key === "")).toBe(true);
  const scopes = of("by=scope&counter=calls&kind=all&depth=1");
  // What stands for no function is called like a scope, and is none.
  expect(scopes.names).toEqual(["", "(in no scope)", "[load]"]);
  expect(scopes.value).toEqual([23, 22, 1]);
  expect(scopes.function).toEqual(["", "", "5"]);
  expect(() => of("by=thread")).toThrow("threads are not in this file");
  expect(() => of("by=line")).toThrow("lines are not in this file");
  expect(() => of("thread=3")).toThrow("threads are not in this file");
});

test("beside another range the larger side gives the width", () => {
  const answer = of("events=1..1&against=2..3&kind=all");
  expect([answer.whole, answer.base_whole, answer.events, answer.base_events]).toEqual([40, 4116, 1, 2]);
  expect([answer.value[0], answer.base![0], answer.weight[0]]).toEqual([40, 4116, 4146]);
  const leak = answer.key.indexOf("1.2.3.4");
  expect([answer.value[leak], answer.base![leak], answer.weight[leak]]).toEqual([10, 20, 20]);
  expect(() => of("against=b")).toThrow("only one profile is in this file");
  expect(() => of("against=1..2&counter=calls")).toThrow("`calls` is not known of this range of events, only live, live-blocks and cpu");
});

test("matches are marked, and summed with all below them", () => {
  const answer = of("counter=total&highlight=grow");
  expect(answer.matched_value).toBe(170);
  expect(answer.key.filter((_, box) => answer.matched[box])).toEqual(["1.2.3", "1.2.2.3"]);
  expect(of("counter=total&highlight=new").matched_value).toBe(140);
});
