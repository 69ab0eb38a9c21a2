// The charts themselves: one of bytes, and below it a small one for each counter that is
// shown, all over the same stretch of the axis. uPlot draws lines and axes; the rest is in
// draw.ts.

import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import type { Axis, Plot } from "./axis";
import { drawFlags, drawHatched, drawPin, drawRange, drawSlow, drawStamps, drawTitle, type Mark } from "./draw";
import { readLook, type Look } from "./look";
import { stretchOf, type Range } from "./range";
import type { Series } from "./series";
import type { SlowRow } from "./slowmarks";
import * as ticks from "./ticks";
import { count, duration } from "../format";

/** All that is drawn. */
export interface Scene {
  axis: Axis;
  /** The events that are shown. */
  view: Range;
  unit: "event" | "tick";
  /** Those shown alone. */
  series: Series[];
  selection: Range | null;
  against: Range | null;
  /** A value of the axis that was clicked on. */
  pin: number | null;
  snapshots: Mark[];
  stamps: Mark[];
  /** Those shown alone. */
  slow: SlowRow[];
}

/** What others must know to place things over the charts, in CSS pixels. */
export interface Layout extends Plot {
  /** Upper edge of the first plot. */
  top: number;
  /** Moments in the stretch that is shown. */
  points: number;
}

/** Between labels and plot, in CSS pixels, and what labels have at least in widths of letters. */
/** Labels of an axis in its unit. */
function labelsOf(unit: Series["unit"], splits: number[]): string[] {
  if (unit === "ns") return splits.map((ns) => duration(ns));
  return unit === "bytes" ? ticks.byteLabels(splits) : splits.map(ticks.countLabel);
}

const LEFT_GAP_PX = 6;
const LEFT_LEAST_EM = 5;

interface Small {
  key: string;
  chart: uPlot;
}

export class Charts {
  private look: Look = readLook();
  private main: uPlot | null = null;
  private small: Small[] = [];
  private madeFor = "";
  /** Width of the labels on the left, in CSS pixels: the same of all charts, whose plots stand
      below each other. It grows with the labels. */
  private left_px = 0;

  constructor(
    private readonly element: HTMLElement,
    private scene: Scene,
    private readonly onLayout: (layout: Layout) => void,
  ) {
    this.update(scene);
  }

  /** Draws what has changed; charts are made anew only where their lines differ. */
  update(scene: Scene): void {
    this.scene = scene;
    const kinds = scene.series.map((one) => one.key).join("\n") + scene.axis.isTime + scene.unit + this.isFlagged();
    if (kinds !== this.madeFor) {
      this.madeFor = kinds;
      this.make();
      return;
    }
    this.setData();
  }

  /** Other colours or sizes of letters. */
  restyle(): void {
    this.look = readLook();
    this.left_px = 0;
    this.make();
  }

  resize(): void {
    const hosts = [...this.element.querySelectorAll<HTMLElement>(":scope > .timeline-host")];
    [this.main, ...this.small.map((one) => one.chart)].forEach((chart, at) => {
      const host = hosts[at];
      if (!chart || !host || host.clientWidth === 0) return;
      if (chart.width === host.clientWidth && chart.height === host.clientHeight) return;
      chart.setSize({ width: host.clientWidth, height: host.clientHeight });
    });
  }

  /** The canvases from top to bottom. */
  canvases(): HTMLCanvasElement[] {
    return [this.main, ...this.small.map((one) => one.chart)].flatMap((chart) => (chart ? [chart.ctx.canvas] : []));
  }

  /** Where a value of a series is drawn, in CSS pixels from the top of the element. */
  heightOf(series: Series, value: number): number | null {
    const chart = series.isMain ? this.main : this.small.find((one) => one.key === series.key)?.chart;
    if (!chart) return null;
    return this.offsetOf(chart) + chart.bbox.top / uPlot.pxRatio + chart.valToPos(value, "y");
  }

  destroy(): void {
    this.main?.destroy();
    for (const one of this.small) one.chart.destroy();
    for (const host of this.element.querySelectorAll(":scope > .timeline-host")) host.remove();
    this.main = null;
    this.small = [];
  }

  private isFlagged(): boolean {
    return this.scene.snapshots.length > 0;
  }

  private stretch(): { min: number; max: number } {
    const { from, to } = stretchOf(this.scene.view);
    const [min, max] = [this.scene.axis.valueOf(from), this.scene.axis.valueOf(to)];
    return { min, max: max > min ? max : min + 1 };
  }

  private bytesData(): uPlot.AlignedData {
    const lines = this.scene.series.filter((one) => one.isMain);
    return [this.scene.axis.values, ...lines.map((one) => one.values)];
  }

  private countData(series: Series): uPlot.AlignedData {
    return [this.scene.axis.values, series.values];
  }

  private setData(): void {
    const stretch = this.stretch();
    const renew = (chart: uPlot, data: uPlot.AlignedData): void =>
      chart.batch(() => {
        chart.setData(data, false);
        chart.setScale("x", stretch);
      });
    if (this.main) renew(this.main, this.bytesData());
    for (const { key, chart } of this.small) {
      const series = this.scene.series.find((one) => one.key === key);
      if (series) renew(chart, this.countData(series));
    }
    for (const chart of [this.main, ...this.small.map((one) => one.chart)]) {
      // Labels of another chart may have needed more room than there was for this one.
      if (chart && chart.bbox.left / uPlot.pxRatio < this.left_px) chart.redraw(false, true);
    }
  }

  private make(): void {
    this.destroy();
    const counters = this.scene.series.filter((one) => !one.isMain);
    this.main = this.chart("timeline-host timeline-main", this.bytesData(), (host) => this.mainOptions(host));
    this.small = counters.map((series) => ({
      key: series.key,
      chart: this.chart("timeline-host timeline-small", this.countData(series), (host) => this.smallOptions(host, series)),
    }));
    this.setData();
  }

  private chart(name: string, data: uPlot.AlignedData, options: (host: HTMLElement) => uPlot.Options): uPlot {
    const host = document.createElement("div");
    host.className = name;
    this.element.append(host);
    return new uPlot(options(host), data, host);
  }

  private mainOptions(host: HTMLElement): uPlot.Options {
    const { look } = this;
    const lines = this.scene.series.filter((one) => one.isMain);
    const most = (chart: uPlot): number => Math.max(2, chart.bbox.height / uPlot.pxRatio / (look.small_px * 2.4));
    return {
      ...this.shared(host, this.isFlagged() ? Math.round(look.small_px * 1.7) : 8),
      scales: {
        x: { time: false },
        y: { range: (_chart, low, high) => ticks.byteEnds(low, high) },
      },
      series: [{}, ...lines.map((one) => this.line(one))],
      axes: [
        this.bottomAxis(),
        {
          ...this.leftAxis(),
          splits: (chart, _at, low, high) => ticks.byteTicks(low, high, most(chart)),
          values: (_chart, splits) => ticks.byteLabels(splits),
        },
      ],
      hooks: {
        drawClear: [(chart) => this.drawBelow(chart)],
        draw: [
          (chart) => {
            drawStamps(chart, this.scene.stamps, this.look);
            drawFlags(chart, this.scene.snapshots, true, this.look);
            drawSlow(chart, this.scene.slow, this.look);
            this.drawAbove(chart);
            this.report(chart);
          },
        ],
      },
    };
  }

  private smallOptions(host: HTMLElement, series: Series): uPlot.Options {
    return {
      ...this.shared(host, 4),
      scales: {
        x: { time: false },
        y: { range: (_chart, low, high) => (series.unit === "bytes" ? ticks.byteEnds : ticks.countEnds)(low, high) },
      },
      series: [{}, { ...this.line(series), paths: uPlot.paths.stepped!({ align: 1, extend: true }) }],
      axes: [
        { ...this.bottomAxis(), size: 4, values: (_chart, splits) => splits.map(() => "") },
        {
          ...this.leftAxis(),
          splits: (_chart, _at, low, high) => (series.unit === "bytes" ? ticks.byteTicks : ticks.countTicks)(low, high, 2),
          values: (_chart, splits) => labelsOf(series.unit, splits),
        },
      ],
      hooks: {
        drawClear: [(chart) => this.drawBelow(chart)],
        draw: [
          (chart) => {
            drawFlags(chart, this.scene.snapshots, false, this.look);
            drawTitle(chart, series.label, this.look);
            this.drawAbove(chart);
          },
        ],
      },
    };
  }

  private shared(host: HTMLElement, top_px: number): Pick<uPlot.Options, "width" | "height" | "padding" | "legend" | "cursor" | "pxAlign"> {
    return {
      width: host.clientWidth || 600,
      height: host.clientHeight || 100,
      // Half of the last label reaches beyond the plot.
      padding: [top_px, Math.round(this.look.small_px * 1.9), 0, 0],
      legend: { show: false },
      cursor: { show: false },
      pxAlign: 1,
    };
  }

  private line(series: Series): uPlot.Series {
    return {
      label: series.label,
      stroke: this.look.colour(series.colour),
      width: series.width,
      dash: series.dash,
      // Not every moment has every reading.
      spanGaps: true,
      points: { show: series.isSparse, size: 5, fill: this.look.colour(series.colour) },
    };
  }

  private bottomAxis(): uPlot.Axis {
    const { look, scene } = this;
    const most = (chart: uPlot): number => Math.max(2, chart.bbox.width / uPlot.pxRatio / (look.small_px * 8));
    return {
      font: look.font,
      stroke: look.colour("ink-soft"),
      size: Math.round(look.small_px * 1.9),
      gap: 3,
      grid: { show: true, stroke: look.colour("line"), width: 1, dash: [1, 3] },
      ticks: { show: true, stroke: look.colour("line"), size: 4, width: 1 },
      splits: (chart, _at, low, high) => (scene.axis.isTime ? ticks.timeTicks : ticks.eventTicks)(low, high, most(chart)),
      values: (_chart, splits) => (scene.axis.isTime ? ticks.timeLabels(splits) : splits.map(count)),
    };
  }

  private leftAxis(): uPlot.Axis {
    const { look } = this;
    return {
      font: look.font,
      stroke: look.colour("ink-soft"),
      size: (chart, labels) => this.roomFor(chart, labels),
      gap: LEFT_GAP_PX,
      grid: { show: true, stroke: look.colour("line"), width: 1 },
      ticks: { show: false },
    };
  }

  /** Room on the left for these labels and those of all other charts. */
  private roomFor(chart: uPlot, labels: string[] | null): number {
    const { ctx } = chart;
    ctx.save();
    ctx.font = this.look.font;
    const widest = Math.max(0, ...(labels ?? []).map((label) => ctx.measureText(label).width));
    ctx.restore();
    const least = this.look.small_px * LEFT_LEAST_EM;
    this.left_px = Math.max(this.left_px, least, Math.ceil(widest) + 2 * LEFT_GAP_PX);
    return this.left_px;
  }

  private drawBelow(chart: uPlot): void {
    const { axis, against, selection } = this.scene;
    const edges = (range: Range): [number, number] => {
      const { from, to } = stretchOf(range);
      return [axis.valueOf(from), axis.valueOf(to)];
    };
    if (against) drawHatched(chart, ...edges(against), this.look);
    if (selection) drawRange(chart, ...edges(selection), this.look);
  }

  private drawAbove(chart: uPlot): void {
    if (this.scene.pin !== null) drawPin(chart, this.scene.pin, this.look);
  }

  private offsetOf(chart: uPlot): number {
    return chart.root.getBoundingClientRect().top - this.element.getBoundingClientRect().top;
  }

  private report(chart: uPlot): void {
    const ratio = uPlot.pxRatio;
    const { left, top, width } = chart.bbox;
    const { min, max } = chart.scales.x!;
    const { values } = this.scene.axis;
    this.onLayout({
      left: left / ratio,
      width: width / ratio,
      from: min!,
      to: max!,
      top: top / ratio,
      points: values.filter((value) => value >= min! && value <= max!).length,
    });
  }
}
