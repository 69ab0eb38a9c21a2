import { expect, test } from "vitest";
import { Question } from "./question";

test("parameters are read", () => {
  const question = new Question(
    "events=51..100&kind=mapping&counter=live-blocks&limit=900&focus=a%26b%20c&x=&inverted=1",
  );
  expect(question.events("events")).toEqual({ from: 51, to: 100 });
  expect(question.events("against")).toBeNull();
  expect(question.kind()).toBe("mapping");
  expect(question.counter()).toBe("live-blocks");
  expect(question.limit("limit", 50, 200)).toBe(200);
  expect(question.limit("other", 50, 200)).toBe(50);
  expect(question.text("x")).toBeNull();
  expect(question.isSet("inverted")).toBe(true);
  expect(question.pattern("focus")!.test("A&B C")).toBe(true);
  expect(question.word("by", ["function", "module"])).toBe("function");
});

test("a capital makes case matter, as on the command line", () => {
  const matches = (pattern: string, text: string) =>
    new Question(`focus=${encodeURIComponent(pattern)}`).pattern("focus")!.test(text);
  expect(matches("sevt", "SEvt::keep")).toBe(true);
  expect(matches("SEVT", "SEvt::keep")).toBe(false);
  expect(matches("SEvt", "SEvt::keep")).toBe(true);
  expect(matches("^\\Wsevt", " SEvt")).toBe(true);
});

test("what is wrong with one is said", () => {
  const wrong = new Question("events=9..3&kind=x&counter=y&limit=z&offset=-1&focus=(&by=q");
  expect(() => wrong.events("events")).toThrow("events: `9..3` is not a range of events such as 51..100");
  expect(() => wrong.kind()).toThrow("kind: there is no `x`");
  expect(() => wrong.counter()).toThrow("counter: there is no `y`");
  expect(() => wrong.limit("limit", 1, 2)).toThrow("limit: `z` is not a number");
  expect(() => wrong.limit("offset", 1, 2)).toThrow("offset: `-1` is negative");
  expect(() => wrong.pattern("focus")).toThrow("focus: `(` is not a regular expression: ");
  expect(() => wrong.word("by", ["function", "module"])).toThrow("by: `q` is not one of function, module");
});
