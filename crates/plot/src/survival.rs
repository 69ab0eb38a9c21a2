//! Who is left of each event: bytes live at the end by the event that they were born
//! in, of the stacks that leak most and of all others.

use crate::page::{Drawing, GAP_PX, LABEL_PX, LINE_PX, Page, SMALL_PX};
use crate::scale::{Scale, byte_ticks};
use crate::svg::Anchor;
use crate::thin::per_bin;
use crate::words::wrapped_end;
use crate::{Subject, guilty};
use residue_analysis::history::History;
use residue_profile::units::{counted_units, fractional_bytes};
use residue_profile::{BirthBin, Profile, StackKind};
use std::collections::HashMap;

const HEIGHT_PX: f64 = 170.0;
const MOST_BARS: u64 = 200;
/// Stacks with a colour of their own.
const NAMED_STACKS: usize = 3;
const MOST_NAME_LINES: usize = 3;

#[derive(Debug)]
pub struct Survival {
    first_event: u32,
    last_event: u32,
    events_per_bar: u64,
    /// The stacks that leak most, and then all others.
    layers: Vec<Layer>,
    /// Born before the first event.
    older_bytes: u64,
}

#[derive(Debug, PartialEq)]
struct Layer {
    name: String,
    whole_bytes: f64,
    /// Bytes, per bar.
    bars: Vec<f64>,
}

impl Survival {
    pub fn of(subject: &Subject<'_>, history: Option<&History<'_>>) -> Result<Survival, String> {
        let profile = subject.profile;
        let range = subject.range;
        let unit = subject.unit();
        let born = || {
            let events = profile.births.items().iter().map(|bin| bin.birth);
            events.filter(|birth| (range.from.max(1)..=range.to).contains(birth))
        };
        let Some(last_born) = born().max() else {
            return Err(format!(
                "no survivors with a known {unit} of birth: no survival"
            ));
        };
        let first_event = match history {
            Some(history) => history.first_event(),
            None => born().min().unwrap_or(last_born),
        };
        let last_event = history.map_or(last_born, |history| history.last_event().max(last_born));
        let events = u64::from(last_event.saturating_sub(first_event)) + 1;
        let mut survival = Survival {
            first_event,
            last_event,
            events_per_bar: per_bin(events, MOST_BARS),
            layers: Vec::new(),
            older_bytes: 0,
        };
        let layer_of = survival.name_layers(subject, history, events);
        survival.count(profile, &layer_of);
        if survival.layers.iter().all(|layer| layer.whole_bytes <= 0.0) {
            return Err(format!("nothing survives of these {unit}s: no survival"));
        }
        Ok(survival)
    }

    /// Makes the layers; says which stacks have one of their own.
    fn name_layers(
        &mut self,
        subject: &Subject<'_>,
        history: Option<&History<'_>>,
        events: u64,
    ) -> HashMap<u32, usize> {
        let bars = events.div_ceil(self.events_per_bar) as usize;
        let layer = |name: String| Layer {
            name,
            whole_bytes: 0.0,
            bars: vec![0.0; bars],
        };
        let mut layer_of = HashMap::new();
        if let (Some(history), Some(verdict)) = (history, subject.verdict) {
            for stack in guilty(verdict).into_iter().take(NAMED_STACKS) {
                let group = history.groups.of_stack.get(stack.stack as usize);
                let members = group.map(|&group| history.groups.members(group));
                for &member in members.into_iter().flatten() {
                    layer_of.insert(member, self.layers.len());
                }
                self.layers.push(layer((subject.stack_name)(stack.stack)));
            }
        }
        let rest = match self.layers.is_empty() {
            true => "all stacks",
            false => "all other stacks",
        };
        self.layers.push(layer(rest.to_string()));
        layer_of
    }

    fn count(&mut self, profile: &Profile, layer_of: &HashMap<u32, usize>) {
        let about = &profile.timeline.about;
        let rest = self.layers.len() - 1;
        for (index, stack) in profile.stacks.iter().enumerate() {
            // Reported blocks lie inside of others that are counted.
            if stack.kind == StackKind::Reported {
                continue;
            }
            let layer = layer_of.get(&(index as u32)).copied().unwrap_or(rest);
            for bin in profile.births.row(index) {
                if bin.birth < self.first_event {
                    self.older_bytes = self.older_bytes.saturating_add(bin.bytes);
                } else {
                    self.put(layer, bin, about.events_of_birth(bin.birth));
                }
            }
        }
    }

    /// Shares what was born in some events out among the bars of these.
    fn put(&mut self, layer: usize, born: &BirthBin, events: u32) {
        let layer = &mut self.layers[layer];
        let from = u64::from(born.birth - self.first_event);
        let to = from + u64::from(events);
        let first = from / self.events_per_bar;
        for bar in first..to.div_ceil(self.events_per_bar) {
            let start = (bar * self.events_per_bar).max(from);
            let end = ((bar + 1) * self.events_per_bar).min(to);
            let Some(sum) = layer.bars.get_mut(bar as usize) else {
                return;
            };
            let bytes = born.bytes as f64 * (end - start) as f64 / f64::from(events);
            *sum += bytes;
            layer.whole_bytes += bytes;
        }
    }

    /// Where the axis ends, and the highest bar. What many early events left must not
    /// hide what the guilty stacks leave in each.
    fn heights(&self) -> (f64, f64) {
        const HIDDEN_SHARE: f64 = 0.2;
        const SHOWN_SHARE: f64 = 0.5;
        let count = self.layers[0].bars.len();
        let sum = |layers: &[Layer], bar: usize| layers.iter().map(|layer| layer.bars[bar]).sum();
        let highest = |layers: &[Layer]| -> f64 {
            let sums = (0..count).map(|bar| sum(layers, bar));
            sums.fold(0.0, f64::max)
        };
        let (guilty, all) = (
            highest(&self.layers[..self.layers.len() - 1]),
            highest(&self.layers),
        );
        match guilty > 0.0 && guilty < all * HIDDEN_SHARE {
            true => (guilty / SHOWN_SHARE, all),
            false => (all, all),
        }
    }

    fn sides(&self, page: &Page, bar: u64) -> (f64, f64) {
        let first = f64::from(self.first_event) - 0.5;
        let side = |bar: u64| {
            let event = first + (bar * self.events_per_bar) as f64;
            page.events.at(event.min(f64::from(self.last_event) + 0.5))
        };
        let (start, end) = (side(bar), side(bar + 1));
        // Paper shows between bars that are wide enough to do without.
        let gap = if end - start > 5.0 { 1.0 } else { 0.0 };
        (start, end - gap)
    }

    fn colour(&self, page: &Page, layer: usize) -> &'static str {
        match layer + 1 == self.layers.len() {
            true => page.theme.rest,
            false => page.theme.guilty[layer.min(NAMED_STACKS - 1)],
        }
    }

    fn draw_labels(&self, page: &mut Page, top: f64) -> f64 {
        let (x, room) = page.labels();
        let mut base = top + LABEL_PX;
        for (index, layer) in self.layers.iter().enumerate() {
            if layer.whole_bytes == 0.0 {
                continue;
            }
            let colour = self.colour(page, index);
            let start = page.swatch((x, base), colour);
            let bytes = fractional_bytes(layer.whole_bytes);
            page.svg
                .text((start, base), page.label(Anchor::Start), &bytes);
            base += LINE_PX;
            let room = room - (start - x);
            for line in wrapped_end(&layer.name, SMALL_PX, room, MOST_NAME_LINES) {
                page.svg
                    .text((start, base), page.small(Anchor::Start), &line);
                base += LINE_PX;
            }
            base += GAP_PX / 2.0;
        }
        base - LINE_PX
    }
}

impl Drawing for Survival {
    fn events(&self) -> Option<(f64, f64)> {
        Some((f64::from(self.first_event), f64::from(self.last_event)))
    }

    fn draw(&self, page: &mut Page, top: f64) -> f64 {
        page.svg.open("g", &[("data-panel", &"survival")]);
        let unit = page.unit.clone();
        let bar = counted_units(self.events_per_bar, &unit);
        let mut what = format!("live at the end, by {unit} of birth; a bar: {bar}");
        if self.older_bytes > 0 {
            let older = fractional_bytes(self.older_bytes as f64);
            what.push_str(&format!("; {older} are older"));
        }
        let (axis_end, highest) = self.heights();
        if axis_end < highest {
            let highest = fractional_bytes(highest);
            what.push_str(&format!("; bars are cut, the highest is {highest}"));
        }
        let top = page.heading(top, "Survivors", &what);
        let bottom = top + HEIGHT_PX;
        let scale = Scale::new((0.0, axis_end * 1.06), (bottom, top));
        page.size_axis(&scale, &byte_ticks(&scale, 5));
        let mut floors = vec![0.0; self.layers[0].bars.len()];
        page.clip("survivors", (page.left, top), (page.plot_px(), HEIGHT_PX));
        for (index, layer) in self.layers.iter().enumerate() {
            page.svg.open(
                "g",
                &[
                    ("data-survivors", &layer.name),
                    ("shape-rendering", &"crispEdges"),
                ],
            );
            for (bar, (&bytes, floor)) in layer.bars.iter().zip(&mut floors).enumerate() {
                if bytes > 0.0 {
                    let (start, end) = self.sides(page, bar as u64);
                    let (low, high) = (scale.at(*floor), scale.at(*floor + bytes));
                    let colour = self.colour(page, index);
                    page.svg
                        .rect((start, high), (end - start, low - high), colour);
                }
                *floor += bytes;
            }
            page.svg.close("g");
        }
        page.unclip();
        let end = page.event_axis(bottom, true);
        let labels_end = self.draw_labels(page, top);
        page.svg.close("g");
        end.max(labels_end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn survival(events: u32, events_per_bar: u64) -> Survival {
        let bars = u64::from(events).div_ceil(events_per_bar) as usize;
        let layer = || Layer {
            name: String::new(),
            whole_bytes: 0.0,
            bars: vec![0.0; bars],
        };
        Survival {
            first_event: 1,
            last_event: events,
            events_per_bar,
            layers: vec![layer(), layer()],
            older_bytes: 0,
        }
    }

    fn born(birth: u32, bytes: u64) -> BirthBin {
        BirthBin {
            birth,
            blocks: 1,
            bytes,
        }
    }

    #[test]
    fn what_is_born_in_one_event_stands_in_its_bar() {
        let mut survival = survival(10, 4);
        for event in 1..=10 {
            survival.put(0, &born(event, 100), 1);
        }
        assert_eq!(survival.layers[0].bars, [400.0, 400.0, 200.0]);
        assert_eq!(survival.layers[0].whole_bytes, 1000.0);
        assert_eq!(survival.layers[1].bars, [0.0; 3]);
    }

    #[test]
    fn what_several_events_share_is_shared_out() {
        let mut survival = survival(12, 4);
        survival.put(1, &born(3, 800), 8);
        assert_eq!(survival.layers[1].bars, [200.0, 400.0, 200.0]);
        // What lies behind the last bar has no place.
        survival.put(1, &born(12, 800), 8);
        assert_eq!(survival.layers[1].bars, [200.0, 400.0, 300.0]);
    }

    #[test]
    fn a_large_warm_up_does_not_hide_a_small_leak() {
        let mut survival = survival(3, 1);
        survival.layers[0].bars = vec![10.0, 10.0, 12.0];
        survival.layers[1].bars = vec![40.0, 0.0, 0.0];
        assert_eq!(survival.heights(), (50.0, 50.0));
        survival.layers[1].bars[0] = 90.0;
        assert_eq!(survival.heights(), (24.0, 100.0));
        survival.layers[0].bars = vec![0.0; 3];
        assert_eq!(survival.heights(), (90.0, 90.0));
    }
}
