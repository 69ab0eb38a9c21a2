//! The page that panels are drawn on, one below the other, with a common axis of events.
//!
//! ```text
//!   | sizes |  events →                         | labels of lines, |
//!   |       |                                   | stages, stacks   |
//! ```

use crate::scale::{Scale, event_ticks};
use crate::svg::{Anchor, Px, Svg, Type};
use crate::theme::Theme;
use crate::words::width_px;

pub const MARGIN_PX: f64 = 20.0;
/// For the sizes at the axes.
const LEFT_PX: f64 = 92.0;
/// For labels; less on a narrow page.
const MOST_RIGHT_PX: f64 = 268.0;
const MOST_RIGHT_SHARE: f64 = 0.34;

/// No text is smaller.
pub const SMALL_PX: f64 = 11.0;
pub const LABEL_PX: f64 = 12.0;
pub const HEAD_PX: f64 = 14.0;
pub const TITLE_PX: f64 = 20.0;
/// From one line of small text to the next.
pub const LINE_PX: f64 = 15.0;
/// Between the plot and its labels.
pub const GAP_PX: f64 = 10.0;
const SWATCH_PX: f64 = 10.0;

/// A panel with its data.
pub trait Drawing {
    /// The first and the last event that it shows, if it has an axis of events.
    fn events(&self) -> Option<(f64, f64)>;
    /// Draws it from `top` on; gives where it ends.
    fn draw(&self, page: &mut Page, top: f64) -> f64;
}

#[derive(Debug)]
pub struct Page {
    pub svg: Svg,
    pub theme: Theme,
    pub width: f64,
    /// Where plots begin and end.
    pub left: f64,
    pub right: f64,
    pub events: Scale,
    /// What one turn is called.
    pub unit: String,
}

impl Page {
    pub fn new(theme: Theme, width: f64, events: (f64, f64), unit: &str) -> Page {
        let left = LEFT_PX;
        let right = width - MARGIN_PX - MOST_RIGHT_PX.min(width * MOST_RIGHT_SHARE);
        Page {
            svg: Svg::default(),
            theme,
            width,
            left,
            right,
            // Half an event at either end: bars are as wide as one.
            events: Scale::new((events.0 - 0.5, events.1 + 0.5), (left, right)),
            unit: unit.to_string(),
        }
    }

    pub fn plot_px(&self) -> f64 {
        self.right - self.left
    }

    /// Where labels begin, and their room.
    pub fn labels(&self) -> (f64, f64) {
        let start = self.right + GAP_PX;
        (start, self.width - MARGIN_PX - start)
    }

    pub fn small(&self, anchor: Anchor) -> Type<'static> {
        self.typed(SMALL_PX, anchor, self.theme.muted)
    }

    pub fn label(&self, anchor: Anchor) -> Type<'static> {
        self.typed(LABEL_PX, anchor, self.theme.ink)
    }

    fn typed(&self, size_px: f64, anchor: Anchor, colour: &'static str) -> Type<'static> {
        Type {
            size_px,
            is_bold: false,
            anchor,
            colour,
        }
    }

    pub fn bold(&self, size_px: f64) -> Type<'static> {
        Type {
            is_bold: true,
            ..self.typed(size_px, Anchor::Start, self.theme.ink)
        }
    }

    /// The heading of a panel and what it shows; gives where the panel goes on.
    pub fn heading(&mut self, top: f64, heading: &str, what: &str) -> f64 {
        let base = top + HEAD_PX;
        self.svg
            .text((MARGIN_PX, base), self.bold(HEAD_PX), heading);
        let start = MARGIN_PX + width_px(heading, HEAD_PX, true) + GAP_PX;
        let room = self.width - MARGIN_PX - start;
        let what = crate::words::cut_middle(what, SMALL_PX, room);
        self.svg
            .text((start, base), self.small(Anchor::Start), &what);
        base + GAP_PX
    }

    /// An axis of sizes with lines across the plot.
    pub fn size_axis(&mut self, scale: &Scale, ticks: &[crate::scale::Tick]) {
        for tick in ticks {
            let y = scale.at(tick.value);
            self.svg
                .line((self.left, y), (self.right, y), self.theme.grid, 1.0);
            let place = (self.left - 6.0, y + SMALL_PX * 0.36);
            self.svg.text(place, self.small(Anchor::End), &tick.label);
        }
    }

    /// The axis of events below a plot, without numbers where another stands below;
    /// gives where the next thing may stand.
    pub fn event_axis(&mut self, bottom: f64, has_numbers: bool) -> f64 {
        let muted = self.theme.muted;
        self.svg
            .line((self.left, bottom), (self.right, bottom), muted, 1.0);
        let base = bottom + 5.0 + SMALL_PX;
        let mut end = self.right;
        for tick in event_ticks(&self.events, (self.plot_px() / 80.0) as usize) {
            let x = self.events.at(tick.value);
            self.svg.line((x, bottom), (x, bottom + 4.0), muted, 1.0);
            if has_numbers {
                self.svg
                    .text((x, base), self.small(Anchor::Middle), &tick.label);
                end = end.max(x + width_px(&tick.label, SMALL_PX, false) / 2.0);
            }
        }
        if !has_numbers {
            return bottom + 5.0;
        }
        let unit = self.unit.clone();
        self.svg
            .text((end + GAP_PX, base), self.small(Anchor::Start), &unit);
        base + 3.0
    }

    /// A small square of a colour, to stand before a label.
    pub fn swatch(&mut self, (x, base): (f64, f64), colour: &str) -> f64 {
        self.svg
            .rect((x, base - SWATCH_PX + 1.0), (SWATCH_PX, SWATCH_PX), colour);
        x + SWATCH_PX + 6.0
    }

    /// Everything that is drawn until `unclip` shows inside this rectangle only.
    pub fn clip(&mut self, name: &str, (x, y): (f64, f64), (width, height): (f64, f64)) {
        let name = format!("residue-{name}");
        self.svg.open("clipPath", &[("id", &name)]);
        self.svg.element(
            "rect",
            &[
                ("x", &Px(x)),
                ("y", &Px(y)),
                ("width", &Px(width)),
                ("height", &Px(height)),
            ],
        );
        self.svg.close("clipPath");
        self.svg
            .open("g", &[("clip-path", &format!("url(#{name})"))]);
    }

    pub fn unclip(&mut self) {
        self.svg.close("g");
    }
}
