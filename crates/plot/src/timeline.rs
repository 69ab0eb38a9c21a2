//! The process over its events: its sizes; and below them what the rate was measured on,
//! nearer, with the line of that rate, the wedge of its interval, and the warm-up.

mod flags;

use crate::fit::Fit;
use crate::page::{Drawing, GAP_PX, LABEL_PX, LINE_PX, Page, SMALL_PX};
use crate::scale::{Scale, byte_ticks, size_range};
use crate::svg::{Anchor, Px, points};
use crate::thin::{envelope, spread};
use crate::words::{cut_middle, wrapped};
use crate::{Subject, guilty};
use flags::{FLAGS_PX, Flag, draw_flags, flags};
use residue_analysis::growth::Growth;
use residue_analysis::history::History;
use residue_analysis::readings;
use residue_analysis::series::Series;
use residue_analysis::verdict::{Basis, Verdict};
use residue_profile::units::{counted_units, fractional_bytes};

const SIZES_PX: f64 = 150.0;
const BASIS_PX: f64 = 190.0;
pub struct Timeline {
    /// The first and the last.
    events: (f64, f64),
    sizes: Vec<Line>,
    /// Part of the resident memory was the recorder's.
    has_recorder: bool,
    basis: Option<Measured>,
    flags: Vec<Flag>,
}

struct Line {
    name: &'static str,
    kind: Size,
    series: Series,
}

#[derive(Clone, Copy)]
enum Size {
    Rss,
    Live,
    Mapped,
    Virtual,
    Basis,
}

/// What the verdict's rate is the rate of.
struct Measured {
    line: Line,
    growth: Growth,
    fit: Option<Fit>,
}

impl Timeline {
    pub fn of(subject: &Subject<'_>, history: Option<&History<'_>>) -> Result<Timeline, String> {
        let unit = subject.unit();
        let Some(history) = history else {
            return Err(format!("fewer than two {unit}s: no timeline"));
        };
        let line = |name, kind, series| Line { name, kind, series };
        let rss = history.readings(readings::Size::Rss).series;
        let live = history.series(|moment| Some(moment.live_bytes? as f64));
        let mapped = history.series(|moment| Some(moment.mapped_bytes? as f64));
        let has_mapped = mapped.values().iter().any(|&bytes| bytes != 0.0);
        let vm = history.readings(readings::Size::Vm).series;
        let mut sizes = vec![
            line("RSS", Size::Rss, rss.clone()),
            line("live heap", Size::Live, live.clone()),
        ];
        if has_mapped {
            sizes.push(line("mapped", Size::Mapped, mapped));
        }
        if rss.is_empty() {
            // Files of other tools may have nothing else.
            sizes.push(line("virtual size", Size::Virtual, vm.clone()));
        }
        sizes.retain(|line| !line.series.is_empty());
        if sizes.is_empty() {
            return Err("no sizes were read: no timeline".to_string());
        }
        let basis = subject.verdict.map(|verdict| {
            let line = match verdict.basis {
                Basis::Stacks => line(
                    "stacks that leak, together",
                    Size::Basis,
                    sum_of_guilty(history, verdict),
                ),
                Basis::Live if has_mapped => {
                    let both = history.series(|moment| {
                        Some(moment.live_bytes? as f64 + moment.mapped_bytes.unwrap_or(0) as f64)
                    });
                    line("live heap and mapped", Size::Basis, both)
                }
                Basis::Live => line("live heap", Size::Live, live),
                Basis::Rss => line("RSS", Size::Rss, rss),
                Basis::Vm => line("virtual size", Size::Virtual, vm),
            };
            Measured {
                fit: Fit::of(&line.series, &verdict.growth),
                growth: verdict.growth.clone(),
                line,
            }
        });
        Ok(Timeline {
            events: (history.first_event().into(), history.last_event().into()),
            sizes,
            has_recorder: history.moments().any(|moment| moment.recorder_bytes > 0),
            basis: basis.filter(|basis| !basis.line.series.is_empty()),
            flags: flags(subject, history),
        })
    }
}

impl Drawing for Timeline {
    fn events(&self) -> Option<(f64, f64)> {
        Some(self.events)
    }

    fn draw(&self, page: &mut Page, top: f64) -> f64 {
        page.svg.open("g", &[("data-panel", &"timeline")]);
        let mut what = format!("sizes where each {} begins", page.unit);
        if self.has_recorder {
            what.push_str("; RSS without the recorder");
        }
        let mut top = page.heading(top, "Timeline", &what);
        if !self.flags.is_empty() {
            top += FLAGS_PX;
        }
        let warm_up = self.basis.as_ref().map(|basis| &basis.growth);
        let bottom = top + SIZES_PX;
        let highest = self.sizes.iter().flat_map(|line| line.series.values());
        let highest = highest.copied().fold(0.0, f64::max);
        let scale = Scale::new((0.0, highest * 1.06), (bottom, top));
        shade_warm_up(page, warm_up, (top, bottom));
        page.size_axis(&scale, &byte_ticks(&scale, 5));
        for line in &self.sizes {
            draw_line(page, line, &scale, 1.5);
        }
        draw_labels(page, &self.sizes, &scale, (top, bottom));
        draw_flags(page, &self.flags, (top, bottom));
        let mut bottom = page.event_axis(bottom, self.basis.is_none());
        if let Some(basis) = &self.basis {
            bottom = basis.draw(page, bottom + 2.0 * GAP_PX);
        }
        page.svg.close("g");
        bottom
    }
}

impl Measured {
    fn draw(&self, page: &mut Page, top: f64) -> f64 {
        let bottom = top + BASIS_PX;
        let (low, high) = self.range();
        let scale = Scale::new(size_range(low, high), (bottom, top));
        shade_warm_up(page, Some(&self.growth), (top, bottom));
        page.size_axis(&scale, &byte_ticks(&scale, 6));
        page.clip("basis", (page.left, top), (page.plot_px(), BASIS_PX));
        if let Some(wedge) = self.fit.as_ref().and_then(|fit| fit.wedge) {
            let wedge = wedge.map(|(event, bytes)| (page.events.at(event), scale.at(bytes)));
            page.svg.element(
                "polygon",
                &[
                    ("points", &points(&wedge)),
                    ("fill", &page.theme.ink),
                    ("fill-opacity", &"0.14"),
                    ("data-low", &self.growth.low),
                    ("data-high", &self.growth.high),
                ],
            );
        }
        draw_line(page, &self.line, &scale, 1.5);
        if let Some(fit) = &self.fit {
            let line = fit
                .line
                .map(|(event, bytes)| (page.events.at(event), scale.at(bytes)));
            page.svg.element(
                "polyline",
                &[
                    ("points", &points(&line)),
                    ("fill", &"none"),
                    ("stroke", &page.theme.ink),
                    ("stroke-width", &Px(1.6)),
                    ("stroke-dasharray", &"7 4"),
                    ("data-rate", &self.growth.rate),
                ],
            );
        }
        page.unclip();
        self.draw_words(page, top);
        page.event_axis(bottom, true)
    }

    /// The readings, the line, and as much of the wedge as leaves them large enough.
    fn range(&self) -> (f64, f64) {
        const MOST_FOR_WEDGE: f64 = 0.3;
        let readings = self.line.series.values().iter().copied();
        let line = self.fit.iter().flat_map(|fit| &fit.line);
        let shown = readings.chain(line.map(|&(_, bytes)| bytes));
        let low = shown.clone().fold(f64::INFINITY, f64::min);
        let high = shown.fold(f64::NEG_INFINITY, f64::max);
        let wedge = self.fit.iter().filter_map(|fit| fit.wedge.as_ref());
        let wedge = wedge.flatten().map(|&(_, bytes)| bytes);
        let room = (high - low) * MOST_FOR_WEDGE;
        // Nothing holds less than nothing, whatever the wedge says.
        let floor = (low - room).max(low.min(0.0));
        (
            wedge.clone().fold(low, f64::min).max(floor),
            wedge.fold(high, f64::max).min(high + room),
        )
    }

    fn draw_words(&self, page: &mut Page, top: f64) {
        let (x, room) = page.labels();
        let colour = colour(page, self.line.kind);
        let mut base = top + LABEL_PX;
        let start = page.swatch((x, base), colour);
        for line in wrapped(self.line.name, LABEL_PX, room - (start - x)) {
            page.svg
                .text((start, base), page.label(Anchor::Start), &line);
            base += LINE_PX;
        }
        for line in self.growth_words(&page.unit.clone()) {
            for line in wrapped(&line, SMALL_PX, room - (start - x)) {
                page.svg
                    .text((start, base), page.small(Anchor::Start), &line);
                base += LINE_PX;
            }
        }
    }

    fn growth_words(&self, unit: &str) -> Vec<String> {
        let growth = &self.growth;
        let mut words = vec![format!("dashed: {}/{unit}", fractional_bytes(growth.rate))];
        let (low, high) = (growth.low, growth.high);
        if low == high {
            words.push("exact".to_string());
        } else if low.is_finite() && high.is_finite() {
            words.push(format!(
                "wedge: 95 %, {} .. {}",
                fractional_bytes(low),
                fractional_bytes(high)
            ));
        } else {
            words.push("interval unknown".to_string());
        }
        if growth.warm_up_events > 0 {
            let events = counted_units(growth.warm_up_events, unit);
            words.push(format!("grey: warm-up, {events}"));
        }
        words
    }
}

/// All stacks that the headline's rate is the sum of.
fn sum_of_guilty(history: &History<'_>, verdict: &Verdict) -> Series {
    let of_stack = &history.groups.of_stack;
    let mut groups: Vec<u32> = guilty(verdict)
        .iter()
        .filter_map(|stack| of_stack.get(stack.stack as usize).copied())
        .collect();
    groups.sort_unstable();
    groups.dedup();
    let courses = history.courses(&groups);
    let Some(first) = courses.first() else {
        return Series::default();
    };
    let mut sum = vec![0.0; first.live.len()];
    for course in &courses {
        for (sum, value) in sum.iter_mut().zip(course.live.values()) {
            *sum += value;
        }
    }
    Series::new(first.live.events().to_vec(), sum)
}

fn colour(page: &Page, kind: Size) -> &'static str {
    match kind {
        Size::Rss => page.theme.rss,
        Size::Live => page.theme.live,
        Size::Mapped => page.theme.mapped,
        Size::Virtual => page.theme.muted,
        Size::Basis => page.theme.basis,
    }
}

fn draw_line(page: &mut Page, line: &Line, scale: &Scale, width_px: f64) {
    let places: Vec<(f64, f64)> = line
        .series
        .events()
        .iter()
        .zip(line.series.values())
        .map(|(&event, &bytes)| (page.events.at(event), scale.at(bytes)))
        .collect();
    let places = envelope(&places, page.plot_px() as usize);
    let stroke = colour(page, line.kind);
    if let [(x, y)] = places[..] {
        let attributes: &[(&str, &dyn std::fmt::Display)] = &[
            ("cx", &Px(x)),
            ("cy", &Px(y)),
            ("r", &Px(2.5)),
            ("fill", &stroke),
        ];
        return page.svg.element("circle", attributes);
    }
    page.svg.element(
        "polyline",
        &[
            ("points", &points(&places)),
            ("fill", &"none"),
            ("stroke", &stroke),
            ("stroke-width", &Px(width_px)),
            ("stroke-linejoin", &"round"),
            ("data-line", &line.name),
        ],
    );
}

/// Names beside the ends of the lines; with the event where that is far from the last.
fn draw_labels(page: &mut Page, lines: &[Line], scale: &Scale, (top, bottom): (f64, f64)) {
    const FAR_SHARE: f64 = 0.1;
    let ends: Vec<f64> = lines
        .iter()
        .map(|line| line.series.values().last().copied().unwrap_or(0.0))
        .collect();
    let wanted: Vec<f64> = ends
        .iter()
        .map(|&bytes| scale.at(bytes) + LABEL_PX * 0.36)
        .collect();
    let bases = spread(&wanted, LINE_PX, top + LABEL_PX, bottom);
    let (x, room) = page.labels();
    for ((line, bytes), base) in lines.iter().zip(ends).zip(bases) {
        let start = page.swatch((x, base), colour(page, line.kind));
        let mut text = format!("{} {}", line.name, fractional_bytes(bytes));
        let last_event = line.series.events().last().copied().unwrap_or(0.0);
        if page.right - page.events.at(last_event) > page.plot_px() * FAR_SHARE {
            text.push_str(&format!(" ({} {last_event})", page.unit));
        }
        let text = cut_middle(&text, LABEL_PX, room - (start - x));
        page.svg
            .text((start, base), page.label(Anchor::Start), &text);
    }
}

fn shade_warm_up(page: &mut Page, growth: Option<&Growth>, (top, bottom): (f64, f64)) {
    let Some(growth) = growth.filter(|growth| growth.warm_up_events > 0) else {
        return;
    };
    let end = page
        .events
        .at(growth.first_event as f64)
        .clamp(page.left, page.right);
    let size = (end - page.left, bottom - top);
    page.svg.rect((page.left, top), size, page.theme.shade);
}
