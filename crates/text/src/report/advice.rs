//! Advice on paper.

use residue_profile::units::{bytes, count, counted, exact_bytes};
use residue_query::report::advice::Advice;
use residue_query::report::source::Source;

use crate::paths;
use crate::terminal::Page;

pub const HEADING: &str = "advice: containers that reallocate as they grow";

/// Three lines each: what to do and what it saves, what was seen, and where.
pub fn lines(source: &Source<'_>, advice: &[Advice], page: &Page) -> Vec<String> {
    let mut paths = source.paths();
    let mut lines = Vec::new();
    for one in advice {
        let containers = match one.containers {
            Some(1) | None => "a container".to_string(),
            Some(many) => format!("{} containers", count(many)),
        };
        let saved = match one.saved_bytes_low == one.saved_bytes_high {
            true => exact_bytes(one.saved_bytes_low),
            false => format!("at least {}", bytes(one.saved_bytes_low)),
        };
        let what = format!(
            "  reserve the capacity of {containers}: {} fewer, {saved} less",
            counted(one.saved_allocations, "allocation", "allocations"),
        );
        lines.extend(page.wrap(&what, 6));
        lines.push(format!(
            "      of {} and {} while growing",
            counted(one.allocations, "allocation", "allocations"),
            bytes(one.bytes_allocated)
        ));
        let path = paths.steps(&source.profile.stacks[one.stack]);
        lines.push(format!("      {}", paths::one_line(&path, page, 6)));
    }
    lines
}
