// The timeline by mouse.

import assert from "node:assert/strict";

/** Drags from the begin of one event to the end of another. */
export async function dragEvents(visit, first, last) {
  await visit.settled();
  const chart = visit.page.locator(".timeline-chart");
  await chart.scrollIntoViewIfNeeded();
  const plot = await chart.evaluate((element) => {
    const { plotLeft, plotWidth, firstEvent, lastEvent } = element.dataset;
    const box = element.getBoundingClientRect();
    return {
      left: box.left + Number(plotLeft), width: Number(plotWidth), middle: box.top + box.height * 0.3,
      first: Number(firstEvent), last: Number(lastEvent),
    };
  });
  assert.ok(plot.width > 100, "the timeline is drawn");
  // An event N reaches from N to N + 1.
  const pixel = (position) => plot.left + ((position - plot.first) / (plot.last + 1 - plot.first)) * plot.width;
  const { mouse } = visit.page;
  await mouse.move(pixel(first), plot.middle);
  await mouse.down();
  await mouse.move(pixel((first + last) / 2), plot.middle, { steps: 4 });
  await mouse.move(pixel(last + 1), plot.middle, { steps: 4 });
  await mouse.up();
}
