import { beforeAll, expect, test, vi } from "vitest";
import type { About, Status } from "../answers";
import type { Question, Source } from "../ask";

// The page's surroundings, as far as these modules touch them.
const seen = { hidden: false, hear: (): void => {} };
vi.stubGlobal("location", { hash: "" });
vi.stubGlobal("addEventListener", () => {});
vi.stubGlobal("document", {
  get hidden() {
    return seen.hidden;
  },
  addEventListener: (_name: string, hear: () => void) => {
    seen.hear = hear;
  },
});
vi.useFakeTimers({ now: 1_000_000 });

let answer: Status = { generation: 3, live: true, ended: false, trouble: null };
let asked: Question[] = [];
let isServerGone = false;
const program = {
  ask: async (question: Question) => {
    asked.push(question);
    if (isServerGone) throw new Error("gone");
    if (question === "status") return answer;
    return { generation: answer.generation, live: true, ended: answer.ended, files: [] } as unknown as About;
  },
} as unknown as Source;

type Modules = typeof import("../ask") & typeof import("./about") & typeof import("./live");
let page: Modules;

beforeAll(async () => {
  page = { ...(await import("../ask")), ...(await import("./about")), ...(await import("./live")) };
  page.answerBy(program);
  page.followProgram();
  await page.refreshAbout();
});

/** What was asked for in so many seconds. */
async function wait(seconds: number): Promise<Question[]> {
  asked = [];
  await vi.advanceTimersByTimeAsync(seconds * 1000);
  return asked;
}

test("a running program is asked for its state each second", async () => {
  expect(await wait(3)).toEqual(["status", "status", "status"]);
  expect(page.watched.value).toEqual({ ended: false, trouble: null, changed_unix_ms: 1_000_000 });
  expect(page.generation.value).toBe(0);
});

test("new data let everything be asked anew, once", async () => {
  answer = { ...answer, generation: 4 };
  expect(await wait(2)).toEqual(["status", "about", "status"]);
  expect(page.generation.value).toBe(4);
  expect(page.about.value?.generation).toBe(4);
  expect(page.watched.value?.changed_unix_ms).toBe(1_004_000);
});

test("nothing is asked while the page is not seen, and at once when it is", async () => {
  seen.hidden = true;
  await wait(1);
  expect(await wait(5)).toEqual([]);
  seen.hidden = false;
  asked = [];
  seen.hear();
  await vi.advanceTimersByTimeAsync(0);
  expect(asked).toEqual(["status"]);
});

test("a server that does not answer is asked again, and it is said", async () => {
  isServerGone = true;
  expect(await wait(2)).toEqual(["status", "status"]);
  expect(page.watched.value?.trouble).toBe("no answer: gone");
  isServerGone = false;
  await wait(1);
  expect(page.watched.value?.trouble).toBeNull();
});

test("an ended program is left alone", async () => {
  answer = { ...answer, generation: 5, ended: true };
  expect(await wait(4)).toEqual(["status", "about"]);
  expect(page.watched.value?.ended).toBe(true);
});
