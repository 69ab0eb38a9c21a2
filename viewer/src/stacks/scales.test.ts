import { describe, expect, it } from "vitest";
import { at, eventScale, roundStep, valueAt, valueScale } from "./scales";

describe("roundStep", () => {
  it("is 1, 2 or 5 times a power of ten for counts", () => {
    expect(roundStep(100, 4, "count")).toBe(50);
    expect(roundStep(80, 4, "count")).toBe(20);
    expect(roundStep(3, 4, "count")).toBe(1);
    expect(roundStep(12000, 6, "count")).toBe(2000);
  });
  it("is a power of two for bytes", () => {
    expect(roundStep(4096, 4, "bytes")).toBe(1024);
    expect(roundStep(5000, 4, "bytes")).toBe(2048);
    expect(roundStep(0, 4, "bytes")).toBe(1);
  });
});

describe("valueScale", () => {
  it("begins at zero and ends at a mark", () => {
    expect(valueScale([300, 4000], "bytes")).toEqual({ from: 0, to: 4096, ticks: [0, 1024, 2048, 3072, 4096] });
  });
  it("goes below zero where values do", () => {
    expect(valueScale([-30, 50], "count")).toEqual({ from: -40, to: 60, ticks: [-40, -20, 0, 20, 40, 60] });
  });
  it("has a height where all is zero", () => {
    expect(valueScale([0, 0], "count")).toEqual({ from: 0, to: 1, ticks: [0, 1] });
  });
});

describe("eventScale", () => {
  it("has its marks at round events inside", () => {
    expect(eventScale(51, 100, 5)).toEqual({ from: 51, to: 100, ticks: [60, 70, 80, 90, 100] });
  });
  it("has a width for one event", () => {
    expect(eventScale(7, 7)).toEqual({ from: 7, to: 8, ticks: [7, 8] });
  });
});

describe("at and valueAt", () => {
  it("are each other's opposite", () => {
    const scale = { from: 50, to: 100, ticks: [] };
    expect(at(scale, 75, 10, 210)).toBe(110);
    expect(valueAt(scale, 110, 10, 210)).toBe(75);
    expect(at(scale, 50, 90, 10)).toBe(90);
  });
});
