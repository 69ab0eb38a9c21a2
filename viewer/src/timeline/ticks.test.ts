import { describe, expect, it } from "vitest";
import {
  apart, byteEnds, byteLabels, byteStep, byteTicks, countEnds, countLabel, countTicks, eventTicks, roundStep, timeLabels,
  timeStep, timeTicks,
} from "./ticks";

const KIB = 1024;
const MIB = 1024 * KIB;
const GIB = 1024 * MIB;

describe("bytes", () => {
  it("steps by powers of two", () => {
    expect(byteStep(0, 10 * MIB, 5)).toBe(2 * MIB);
    expect(byteStep(0, 11 * MIB, 5)).toBe(4 * MIB);
    expect(byteStep(0, 1, 5)).toBe(1);
    expect(byteTicks(0, 10 * MIB, 5)).toEqual([0, 2, 4, 6, 8, 10].map((n) => n * MIB));
    expect(byteTicks(500 * MIB, 507 * MIB, 4)).toEqual([500, 502, 504, 506].map((n) => n * MIB));
  });
  it("labels all ticks in one unit", () => {
    expect(byteLabels([0, 2 * MIB, 4 * MIB])).toEqual(["0", "2 MiB", "4 MiB"]);
    expect(byteLabels([0, 0.5 * GIB, GIB, 1.5 * GIB])).toEqual(["0", "0.5 GiB", "1.0 GiB", "1.5 GiB"]);
    expect(byteLabels([0, 256 * MIB, 512 * MIB])).toEqual(["0", "256 MiB", "512 MiB"]);
    expect(byteLabels([GIB, 1.25 * GIB])).toEqual(["1.00 GiB", "1.25 GiB"]);
    expect(byteLabels([1024 * MIB, 1040 * MIB])).toEqual(["1024 MiB", "1040 MiB"]);
    expect(byteLabels([0, 256, 512])).toEqual(["0", "256 B", "512 B"]);
    expect(byteLabels([-2 * KIB, 0, 2 * KIB])).toEqual(["-2 KiB", "0", "2 KiB"]);
  });
  it("begins at zero unless all readings are far from it", () => {
    expect(byteEnds(0, 100_000)).toEqual([0, 106_000]);
    expect(byteEnds(40_000, 100_000)).toEqual([0, 103_600]);
    expect(byteEnds(500_000, 600_000)).toEqual([494_000, 606_000]);
    expect(byteEnds(null, null)).toEqual([0, 1024]);
  });
  it("does not blow up what hardly differs", () => {
    expect(byteEnds(1_000_000, 1_000_000)).toEqual([1_000_000 - 512 - 61.44, 1_000_000 + 512 + 61.44]);
    expect(byteEnds(100, 100)).toEqual([0, 100 + 512 + 61.44]);
  });
});

describe("events and counts", () => {
  it("steps by one, two, five and ten", () => {
    expect(roundStep(0, 100, 10)).toBe(10);
    expect(roundStep(0, 101, 10)).toBe(20);
    expect(roundStep(0, 30, 10)).toBe(5);
    expect(roundStep(0, 0.3, 3)).toBeCloseTo(0.1, 12);
    expect(eventTicks(1, 11, 20)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
    expect(eventTicks(1, 101, 6)).toEqual([20, 40, 60, 80, 100]);
    expect(countTicks(0, 6.5, 2)).toEqual([0, 5]);
  });
  it("keeps zero in view", () => {
    expect(countEnds(3, 10)).toEqual([0, 10.8]);
    expect(countEnds(-10, 10)).toEqual([-10, 11.6]);
    expect(countEnds(0, 0)).toEqual([0, 1]);
    expect(countEnds(null, null)).toEqual([0, 1]);
  });
  it("shortens large counts", () => {
    expect(countLabel(0)).toBe("0");
    expect(countLabel(5000)).toBe("5\u202f000");
    expect(countLabel(2_500_000)).toBe("2.5 M");
    expect(countLabel(3e9)).toBe("3 G");
  });
});

describe("times", () => {
  it("steps by what clocks show", () => {
    expect(timeStep(0, 2e9, 10)).toBe(0.2e9);
    expect(timeStep(0, 100e9, 10)).toBe(10e9);
    expect(timeStep(0, 600e9, 10)).toBe(60e9);
    expect(timeStep(0, 36_000e9, 10)).toBe(3600e9);
    expect(timeStep(0, 10 * 86_400e9, 5)).toBe(2 * 86_400e9);
    expect(timeTicks(0, 1e9, 4)).toEqual([0, 0.5e9, 1e9]);
  });
  it("labels in the unit that suits", () => {
    expect(timeLabels([0, 0.5e9, 1e9])).toEqual(["0", "0.5 s", "1.0 s"]);
    expect(timeLabels([2e6, 4e6])).toEqual(["2 ms", "4 ms"]);
    expect(timeLabels([1.25e9, 1.3e9])).toEqual(["1.25 s", "1.30 s"]);
    expect(timeLabels([1e9, 1.000002e9])).toEqual(["1000.000 ms", "1000.002 ms"]);
    expect(timeLabels([100e9, 110e9])).toEqual(["100 s", "110 s"]);
    expect(timeLabels([0, 60e9, 120e9])).toEqual(["0:00", "1:00", "2:00"]);
    expect(timeLabels([3600e9, 7200e9])).toEqual(["1:00:00", "2:00:00"]);
  });
});

describe("marks", () => {
  it("leaves out those that stand too close", () => {
    expect(apart([0, 1, 2, 3, 7, 8, 20], (one) => one, 3)).toEqual([0, 3, 7, 20]);
  });
});
