//! What the growth of the resident size is made of, as one bar: parts that grow go to
//! the right of zero, parts that shrink to the left.

use crate::Subject;
use crate::page::{Drawing, GAP_PX, LABEL_PX, LINE_PX, Page, SMALL_PX};
use crate::scale::{Scale, byte_ticks};
use crate::svg::{Anchor, Type};
use crate::theme::{Theme, ink_on};
use crate::words::width_px;
use residue_analysis::account::{GrowthAccount, Parts};
use residue_profile::units::fractional_bytes;

const BAR_PX: f64 = 34.0;
/// Smaller parts of the largest are left out, except what is unexplained.
const LEAST_SHARE: f64 = 0.001;

#[derive(Debug)]
pub struct Account {
    /// Growth without the recorder, bytes per event.
    whole: f64,
    parts: Vec<Part>,
    from_event: u32,
    to_event: u32,
    accounts: usize,
}

#[derive(Debug, Clone, Copy, PartialEq)]
struct Part {
    name: &'static str,
    bytes: f64,
    colour: Colour,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Colour {
    Live,
    Unwritten,
    Metadata,
    Slack,
    Mapped,
    ThreadStacks,
    Files,
    Unexplained,
}

impl Account {
    pub fn of(subject: &Subject<'_>) -> Result<Account, String> {
        let account = subject.verdict.and_then(|verdict| verdict.account.as_ref());
        let Some(account) = account else {
            let unit = subject.unit();
            return Err(format!("no accounts of two {unit}s: no account of RSS"));
        };
        let parts = parts(&account.bytes_per_event);
        if parts.iter().all(|part| part.bytes == 0.0) {
            return Err("RSS does not change: no account of RSS".to_string());
        }
        let GrowthAccount {
            from_event,
            to_event,
            accounts,
            ..
        } = *account;
        Ok(Account {
            whole: account.bytes_per_event.program_rss,
            parts,
            from_event,
            to_event,
            accounts,
        })
    }

    fn draw_bar(&self, page: &mut Page, scale: &Scale, top: f64) {
        let (mut falls, mut rises) = (0.0, 0.0);
        for part in &self.parts {
            let end = if part.bytes < 0.0 {
                &mut falls
            } else {
                &mut rises
            };
            let (from, to) = (*end, *end + part.bytes);
            *end = to;
            let (start, end) = (scale.at(from.min(to)), scale.at(from.max(to)));
            let colour = colour(&page.theme, part.colour);
            page.svg.open(
                "g",
                &[("data-part", &part.name), ("data-bytes", &part.bytes)],
            );
            page.svg.rect((start, top), (end - start, BAR_PX), colour);
            if width_px(part.name, SMALL_PX, false) + 8.0 < end - start {
                let look = Type {
                    colour: ink_on(colour),
                    ..page.small(Anchor::Middle)
                };
                let place = ((start + end) / 2.0, top + BAR_PX / 2.0 + SMALL_PX * 0.36);
                page.svg.text(place, look, part.name);
            }
            page.svg.close("g");
        }
    }

    fn draw_axis(&self, page: &mut Page, scale: &Scale, bottom: f64) {
        page.svg.line(
            (page.left, bottom),
            (page.right, bottom),
            page.theme.muted,
            1.0,
        );
        let most = (page.plot_px() / 80.0) as usize;
        for tick in byte_ticks(scale, most) {
            let x = scale.at(tick.value);
            page.svg
                .line((x, bottom), (x, bottom + 4.0), page.theme.muted, 1.0);
            let place = (x, bottom + 5.0 + SMALL_PX);
            page.svg
                .text(place, page.small(Anchor::Middle), &tick.label);
        }
    }

    /// Where the sum ends.
    fn draw_whole(&self, page: &mut Page, scale: &Scale, (top, bottom): (f64, f64)) {
        let x = scale.at(self.whole);
        page.svg
            .line((x, top - 6.0), (x, bottom + 4.0), page.theme.ink, 2.0);
        let text = format!("RSS {}/{}", fractional_bytes(self.whole), page.unit);
        let half = width_px(&text, LABEL_PX, true) / 2.0;
        let middle = x.clamp(page.left + half, (page.right - half).max(page.left + half));
        let look = Type {
            anchor: Anchor::Middle,
            ..page.bold(LABEL_PX)
        };
        page.svg.text((middle, top - 9.0), look, &text);
    }

    /// Every part with its number, in columns.
    fn draw_list(&self, page: &mut Page, top: f64) -> f64 {
        let unit = page.unit.clone();
        let texts: Vec<String> = self
            .parts
            .iter()
            .map(|part| format!("{} {}/{unit}", part.name, fractional_bytes(part.bytes)))
            .collect();
        let widths = texts.iter().map(|text| width_px(text, SMALL_PX, false));
        let widest = widths.fold(0.0, f64::max) + 40.0;
        let room = page.width - page.left;
        let columns = ((room / widest) as usize).clamp(1, 4);
        for (index, (part, text)) in self.parts.iter().zip(&texts).enumerate() {
            let x = page.left + widest * (index % columns) as f64;
            let base = top + LABEL_PX + LINE_PX * (index / columns) as f64;
            let start = page.swatch((x, base), colour(&page.theme, part.colour));
            page.svg
                .text((start, base), page.small(Anchor::Start), text);
        }
        let lines = self.parts.len().div_ceil(columns);
        top + LABEL_PX + LINE_PX * (lines - 1) as f64 + GAP_PX
    }
}

impl Drawing for Account {
    fn events(&self) -> Option<(f64, f64)> {
        None
    }

    fn draw(&self, page: &mut Page, top: f64) -> f64 {
        page.svg.open("g", &[("data-panel", &"account")]);
        let unit = page.unit.clone();
        let what = format!(
            "growth of RSS per {unit} by {} accounts of {unit}s {}..{}; without the recorder",
            self.accounts, self.from_event, self.to_event
        );
        let top = page.heading(top, "Account", &what) + LABEL_PX + 4.0;
        let side = |is_in: fn(f64) -> bool| -> f64 {
            let sizes = self.parts.iter().map(|part| part.bytes);
            sizes.filter(|&bytes| is_in(bytes)).sum()
        };
        let (low, high) = (side(|bytes| bytes < 0.0), side(|bytes| bytes > 0.0));
        let room = (high - low) * 0.02;
        let low = if low < 0.0 { low - room } else { 0.0 };
        let scale = Scale::new((low, high + room), (page.left, page.right));
        let bottom = top + BAR_PX;
        self.draw_bar(page, &scale, top);
        self.draw_axis(page, &scale, bottom);
        self.draw_whole(page, &scale, (top, bottom));
        let end = self.draw_list(page, bottom + SMALL_PX + 14.0);
        page.svg.close("g");
        end
    }
}

fn parts(parts: &Parts) -> Vec<Part> {
    let part = |name, bytes: f64, colour| Part {
        name,
        // What is left of rounding is nothing.
        bytes: if bytes.is_finite() && bytes.abs() >= 1e-6 {
            bytes
        } else {
            0.0
        },
        colour,
    };
    let unwritten = match parts.untouched >= 0.0 {
        true => "never written",
        false => "allocated earlier, first touched now",
    };
    let all = [
        part("live heap", parts.live_heap, Colour::Live),
        part(unwritten, -parts.untouched, Colour::Unwritten),
        part("heap metadata", parts.heap_metadata, Colour::Metadata),
        part("allocator slack", parts.allocator_slack, Colour::Slack),
        part("mapped", parts.mapped, Colour::Mapped),
        part("thread stacks", parts.thread_stacks, Colour::ThreadStacks),
        part("files", parts.files, Colour::Files),
        part("unexplained", parts.unexplained, Colour::Unexplained),
    ];
    let largest = all.iter().map(|part| part.bytes.abs()).fold(0.0, f64::max);
    all.into_iter()
        .filter(|part| {
            let is_large = part.bytes.abs() > largest * LEAST_SHARE;
            is_large || part.colour == Colour::Unexplained
        })
        .collect()
}

fn colour(theme: &Theme, colour: Colour) -> &'static str {
    match colour {
        Colour::Live => theme.live,
        Colour::Unwritten => theme.unwritten,
        Colour::Metadata => theme.metadata,
        Colour::Slack => theme.slack,
        Colour::Mapped => theme.mapped,
        Colour::ThreadStacks => theme.thread_stacks,
        Colour::Files => theme.files,
        Colour::Unexplained => theme.rest,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_add_up_and_the_rest_is_always_shown() {
        let shown = parts(&Parts {
            rss: 1100.0,
            program_rss: 1000.0,
            live_heap: 1200.0,
            untouched: 300.0,
            heap_metadata: 99.5,
            allocator_slack: 0.5,
            recorder: 100.0,
            ..Parts::default()
        });
        let names: Vec<&str> = shown.iter().map(|part| part.name).collect();
        assert_eq!(
            names,
            ["live heap", "never written", "heap metadata", "unexplained"]
        );
        let sizes: Vec<f64> = shown.iter().map(|part| part.bytes).collect();
        assert_eq!(sizes, [1200.0, -300.0, 99.5, 0.0]);
    }

    #[test]
    fn numbers_that_are_none_count_as_nothing() {
        let shown = parts(&Parts {
            live_heap: f64::NAN,
            mapped: f64::INFINITY,
            ..Parts::default()
        });
        assert_eq!(shown.len(), 1);
        assert_eq!((shown[0].name, shown[0].bytes), ("unexplained", 0.0));
    }
}
