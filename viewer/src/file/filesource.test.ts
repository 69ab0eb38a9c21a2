import { expect, test } from "vitest";
import { FileSource } from "./filesource";
import { made } from "./made";

const source = new FileSource(made());

test("what stands in the file is given", async () => {
  const about = await source.ask("about", "");
  expect(about.left_out).toEqual(["This file holds 4 call paths of 7."]);
  expect(about.files[0]!.has).toEqual({ changes: true, stages: true, sizes: true, births: true, threads: false, peak: true, cpu: true, picture: true, totals: false });
  expect(await source.ask("status", "")).toEqual({ generation: 3, live: false, ended: true, trouble: null });
  expect((await source.ask("verdict", "side=a")).words).toEqual(["of the whole"]);
  expect((await source.ask("time", "")).missing).toBe("no event times: no clock was read");
  expect((await source.ask("pins", "")).missing).toBe("which pages were resident is not known");
  // A range of all events is the whole recording.
  expect((await source.ask("churn", "events=1..4")).title).toBe("churn of the heap");
  expect((await source.ask("churn", "kind=all&events=0..9")).title).toBe("churn of all");
  expect((await source.ask("stages", "value=time")).value).toBe("time");
  // Stamps have no rss here.
  expect((await source.ask("stages", "")).value).toBe("vm");
  expect((await source.ask("sizes", "kind=mapping")).total![0]!.blocks).toBe(2);
  expect((await source.ask("sizes", "")).total![0]!.blocks).toBe(1);
});

test("what does not is said", async () => {
  const range = await source.ask("verdict", "events=1..2");
  expect(range).toEqual({
    verdict: null, words: ["Verdicts of ranges are not in this file; use `residue view`."],
    missing: null,
  });
  const text = await source.ask("source", "file=1&counter=calls");
  expect(text).toEqual({ file: "", missing: "Source text is not in this file.", lines: [], unit: "count" });
  await expect(source.ask("sizes", "focus=x")).rejects.toThrow("sizes of single functions are not in this file");
  await expect(source.ask("churn", "focus=x")).rejects.toThrow("churn of single functions is not in this file");
  await expect(source.ask("churn", "events=2..4")).rejects.toThrow("churn of ranges of events is not in this file");
  await expect(source.ask("churn", "events=1..3")).rejects.toThrow("churn of ranges of events is not in this file");
  await expect(source.ask("holders", "focus=x")).rejects.toThrow("holders of single functions are not in this file");
  await expect(source.ask("holder", "stack=20")).rejects.toThrow("who holds stack 20 is not in this file");
  await expect(source.ask("functions", "counter=largest")).rejects.toThrow("largest blocks of functions are not in this file");
  await expect(source.ask("compare", "")).rejects.toThrow("only one profile is in this file");
  await expect(source.ask("stacks", "side=b")).rejects.toThrow("only one profile is in this file");
});

test("the same question has the same answer again", async () => {
  const first = await source.ask("flame", "events=2..3");
  await source.ask("flame", "events=1..1");
  expect(await source.ask("flame", "events=2..3")).toEqual(first);
  expect((await source.ask("flame", "events=2..3&kind=mapping")).whole).toBe(4096);
});

test("holders come by what they lost or held, in parts", async () => {
  const of = async (query: string) => {
    const { picture, found } = await source.ask("holders", query);
    return [picture!.stacks.map(({ stack }) => stack), found];
  };
  expect(await of("")).toEqual([[10, 20, 30], 3]);
  expect(await of("which=lost")).toEqual([[10, 20], 2]);
  expect(await of("which=held&limit=1")).toEqual([[30], 2]);
  expect(await of("which=held&offset=1")).toEqual([[20], 2]);
  expect((await source.ask("holder", "stack=10")).stack!.stack).toBe(10);
});
