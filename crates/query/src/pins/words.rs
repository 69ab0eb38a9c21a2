//! Pins in words: when it was, and what of them a verdict says.

use residue_analysis::verdict::{Headline, Verdict};
use residue_calltree::PathReader;
use residue_profile::Profile;
use residue_profile::holders::Picture;
use residue_profile::pins::Pins;
use residue_profile::units::{bytes, counted, share};

use super::advice::advice;
use super::document::freed;
use crate::leaks::shown_path_of_stack;

/// When the picture was taken, and what it does not know.
pub(super) fn moment(picture: &Picture, unit: &str) -> Vec<String> {
    let mut lines = vec![format!("picture {}", picture.when(unit))];
    if picture.is_incomplete {
        lines.push(
            "the table of live blocks changed and could not be kept: pages may seem free"
                .to_string(),
        );
    }
    lines
}

/// What a picture said of pages, where the process grows and the live heap does not explain it.
pub fn of_verdict<'a>(profile: &'a Profile, verdict: &Verdict) -> Option<&'a Pins> {
    let pins = profile.picture.as_ref().and_then(|it| it.pins.as_ref());
    let is_meant = matches!(verdict.headline, Headline::Fragmentation | Headline::Growth)
        || verdict.rss_beyond_leak().is_some();
    pins.filter(|_| is_meant)
}

/// Why the process grows where the live heap does not: who keeps pages resident, what lay between,
/// what would help. Empty where the verdict is another, or there is no picture.
pub fn of_growth(profile: &Profile, verdict: &Verdict, paths: &mut PathReader<'_>) -> Vec<String> {
    let Some(pins) = of_verdict(profile, verdict) else {
        return Vec::new();
    };
    let heap = &pins.heap;
    let mut lines = vec![format!(
        "of {} of resident heap {} is free on pages that live blocks keep, {} on pages without one",
        bytes(heap.resident_bytes),
        bytes(heap.free_bytes),
        bytes(heap.free_page_bytes)
    )];
    let first = pins.stacks.first().filter(|of| of.free_bytes > 0);
    if let Some(of) = first {
        lines.push(format!(
            "{} of that kept by {} in {}: {}",
            share(of.free_bytes, heap.free_bytes),
            bytes(of.used_bytes),
            counted(of.blocks, "block", "blocks"),
            shown_path_of_stack(profile, paths, of.stack).line()
        ));
    }
    if let Some(gone) = freed(profile, paths, 1).first().filter(|_| first.is_some()) {
        lines.push(format!(
            "freed since the peak: {} of {}",
            bytes(gone.at_peak_bytes.saturating_sub(gone.live_bytes)),
            gone.path.line()
        ));
    }
    let advice = advice(profile, paths, pins);
    lines.extend(advice.into_iter().next().map(|it| it.words));
    lines
}
