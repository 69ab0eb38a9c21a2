// What was allocated and which CPU time was used in ranges:
//
//   row 50   main → grow   allocates in events 1 to 4; told at 1, 3 and the end of 4
//   row 60   main → run    CPU time; told at 1, 2 and the end of 4

import { expect, test } from "vitest";
import { flame } from "./flame";
import { GROW, MAIN, made, part, rowOfParts, RUN } from "./made";
import { Question } from "./question";
import { Recording } from "./recording";

function recording(): Recording {
  const data = made();
  data.allocated_at = [0, 2, 4];
  data.cpu_at = [0, 1, 4];
  const heap = part([MAIN, GROW], {
    live: [10, 1], made: [100, 9], changes: [1, 30, 3, 3, -20, -2], allocated: [-1, 1, 5, 0, 0, 5, 60, 1, 2, 3, 35, 2],
  });
  const cpu = part([MAIN, RUN], { live: [0, 0], made: [0, 0], changes: [], cpu: [0, 7000, 1, 9000] });
  data.rows = [rowOfParts(50, "heap", [heap]), rowOfParts(60, "cpu", [cpu])];
  data.details = {};
  return new Recording(data);
}

const whole = (query: string) => flame(recording(), new Question(query)).whole;

test("ranges between moments that the file has are exact", () => {
  expect(["calls", "total", "temporaries", "frees"].map((counter) => whole(`counter=${counter}&events=1..2`))).toEqual([5, 60, 1, 2]);
  expect(["calls", "total", "temporaries", "frees"].map((counter) => whole(`counter=${counter}&events=1..4`))).toEqual([8, 95, 3, 7]);
  expect([whole("counter=cpu&events=1..1"), whole("counter=cpu&events=2..4"), whole("counter=cpu")]).toEqual([7000, 9000, 16000]);
  expect(flame(recording(), new Question("counter=calls&events=1..2&against=3..4")).base_whole).toBe(3);
});

test("others are refused, with the nearest that is known", () => {
  const only = (counter: string, known: string) => `\`${counter}\` is not known of this range of events, only ${known}`;
  expect(() => whole("counter=calls&events=2..2")).toThrow(`${only("calls", "live and live-blocks")}; in this file it is known of events 1..2`);
  expect(() => whole("counter=cpu&events=3..3")).toThrow("in this file it is known of events 2..4");
  expect(() => whole("counter=peak&events=1..2")).toThrow(only("peak", "calls, total, live, live-blocks, frees"));
  expect(() => whole("counter=calls&events=1..2&against=2..3")).toThrow("known of events 1..4");
});
