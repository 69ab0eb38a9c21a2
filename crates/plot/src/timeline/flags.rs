//! Snapshots as flags above the sizes.

use crate::Subject;
use crate::page::{Page, SMALL_PX};
use crate::svg::{Anchor, points};
use crate::words::{cut_middle, width_px};
use residue_analysis::history::History;
use residue_profile::timeline::MomentKind;

/// Room above the plot.
pub const FLAGS_PX: f64 = 18.0;

/// A snapshot.
pub struct Flag {
    event: f64,
    name: String,
}

pub fn flags(subject: &Subject<'_>, history: &History<'_>) -> Vec<Flag> {
    let timeline = &subject.profile.timeline;
    let range = history.first_event()..=history.last_event();
    let snapshots = timeline
        .moments
        .iter()
        .filter(|moment| moment.kind == MomentKind::Snapshot && range.contains(&moment.event));
    let name = |id: u32| timeline.names.get(id as usize).cloned();
    snapshots
        .map(|moment| Flag {
            event: f64::from(moment.event),
            name: moment.name.and_then(name).unwrap_or_default(),
        })
        .collect()
}

/// Poles with names above the plot, as far as there is room for them.
pub fn draw_flags(page: &mut Page, flags: &[Flag], (top, bottom): (f64, f64)) {
    const LEAST_APART_PX: f64 = 3.0;
    const LONGEST_NAME_PX: f64 = 120.0;
    let (mut last_pole, mut name_end) = (f64::NEG_INFINITY, f64::NEG_INFINITY);
    for flag in flags {
        let x = page.events.at(flag.event);
        if x - last_pole < LEAST_APART_PX {
            continue;
        }
        last_pole = x;
        let head = top - FLAGS_PX + 5.0;
        page.svg.line((x, head), (x, bottom), page.theme.muted, 0.8);
        let pennant = [(x, head), (x + 8.0, head + 4.0), (x, head + 8.0)];
        let attributes: &[(&str, &dyn std::fmt::Display)] =
            &[("points", &points(&pennant)), ("fill", &page.theme.muted)];
        page.svg.element("polygon", attributes);
        let name = cut_middle(&flag.name, SMALL_PX, LONGEST_NAME_PX);
        let end = x + 12.0 + width_px(&name, SMALL_PX, false);
        if x > name_end && end < page.width {
            page.svg
                .text((x + 11.0, head + 9.0), page.small(Anchor::Start), &name);
            name_end = end;
        }
    }
}
