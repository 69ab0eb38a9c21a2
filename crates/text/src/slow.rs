//! The verdict of time in lines: whether it slows down, what an event takes, which are slow, why.

use residue_analysis::time::Headline;
use residue_profile::units::fractional_duration;
use residue_query::slow::Document;
use residue_query::slow::document::{MeasureTimes, Slow};
use residue_query::slow::words;

use super::terminal::{Hue, Page};

pub fn lines(page: &Page, verdict: &Document<'_>) -> Vec<String> {
    let mut lines = vec![painted_headline(page, verdict)];
    // Why it is undetermined stands in the headline.
    let reasons = verdict.reasons.iter();
    let reasons = reasons.filter(|reason| !verdict.headline.contains(*reason));
    lines.extend(reasons.map(|reason| page.dim(&format!("  {reason}"))));
    for function in &verdict.growing {
        lines.push(format!("  {}", function.words));
        lines.push(page.bold(&format!("      {}", function.path.line())));
    }
    lines.push(String::new());
    lines.extend(table(&verdict.measures));
    let counter = verdict.counter.iter();
    lines.extend(counter.map(|counter| counter.words.clone()));
    lines.push(String::new());
    lines.extend(verdict.no_slow_events.map(str::to_string));
    for slow in &verdict.slow {
        lines.extend(slow_lines(page, slow));
    }
    let limits = verdict.limits.iter();
    lines.extend(limits.map(|limit| page.dim(limit)));
    lines
}

fn painted_headline(page: &Page, verdict: &Document<'_>) -> String {
    let hue = match verdict.verdict {
        Headline::SlowsDown => Hue::Red,
        Headline::Steady | Headline::SpeedsUp => Hue::Green,
        Headline::Undetermined => Hue::Yellow,
    };
    let name = words::name(verdict.verdict);
    let rest = verdict.headline.strip_prefix(name).unwrap_or_default();
    format!("{}{rest}", page.bold_in(hue, name))
}

fn table(measures: &[MeasureTimes]) -> Vec<String> {
    let head = format!(
        "{:<10}{:>10}{:>10}{:>10}{:>10}   from event to event",
        "per event", "mean", "median", "95 %", "longest"
    );
    let row = |times: &MeasureTimes| {
        let time = fractional_duration;
        format!(
            "{:<10}{:>10}{:>10}{:>10}{:>10}   {}",
            times.name,
            time(times.mean_ns),
            time(times.median_ns),
            time(times.quantile_95_ns),
            time(times.longest_ns),
            times.course,
        )
    };
    std::iter::once(head)
        .chain(measures.iter().map(row))
        .collect()
}

fn slow_lines(page: &Page, slow: &Slow) -> Vec<String> {
    let mut lines = vec![slow.words.clone()];
    for function in &slow.functions {
        lines.push(format!("  {}", function.words));
        lines.push(page.bold(&format!("      {}", function.path.line())));
    }
    let stages = slow.stages.iter().map(|stage| stage.words.as_str());
    let more = slow.allocations.iter().map(|more| more.words.as_str());
    let told = stages.chain(more).chain(slow.no_cause);
    lines.extend(told.map(|words| format!("  {words}")));
    lines
}
