//! The verdict of time in lines: whether it slows down, what an event takes, which are slow, why.

use residue_analysis::growth::Outcome;
use residue_analysis::sentences::time::{measure, of_growth, of_limit, rate, why_undetermined};
use residue_analysis::time::{Headline, SlowEvents, TimeVerdict, Trend};
use residue_calltree::{Filter, PathReader};
use residue_profile::Profile;
use residue_profile::units::fractional_duration;
use residue_query::choice::Names;
use residue_query::leaks::shown_path;
use residue_query::slow::words;

use super::terminal::{Hue, Page};

pub fn lines(page: &Page, profile: &Profile, verdict: &TimeVerdict, names: &Names) -> Vec<String> {
    let filter = Filter::default();
    let paths = &mut names.paths(profile, &filter);
    let mut lines = vec![painted_headline(page, verdict)];
    let growth = &verdict.trend().growth;
    let in_headline = why_undetermined(growth);
    let reasons = of_growth(growth);
    let reasons = reasons
        .iter()
        .filter(|it| Some(*it) != in_headline.as_ref());
    lines.extend(reasons.map(|reason| page.dim(&format!("  {reason}"))));
    for path in &verdict.growing {
        lines.push(format!("  {}", words::growing(path)));
        lines.push(page.bold(&format!("      {}", shown_path(paths, path.node).line())));
    }
    lines.push(String::new());
    lines.extend(table(&verdict.trends));
    if let Some(followed) = &verdict.counter {
        let basis = match verdict.of(residue_analysis::time::Measure::Cpu) {
            Some(cpu) => cpu,
            None => verdict.trend(),
        };
        let what = measure(basis.measure);
        lines.push(format!(
            "{what} follows {}",
            words::counter(profile, followed)
        ));
    }
    lines.push(String::new());
    match verdict.slow.is_empty() {
        true => lines.push("no slow events: none stands out from the others".to_string()),
        false => {
            for slow in &verdict.slow {
                lines.extend(slow_lines(page, profile, paths, slow));
            }
        }
    }
    let limits = verdict.limits.iter().map(of_limit);
    lines.extend(limits.map(|limit| page.dim(&limit)));
    lines
}

fn painted_headline(page: &Page, verdict: &TimeVerdict) -> String {
    let hue = match verdict.headline {
        Headline::SlowsDown => Hue::Red,
        Headline::Steady | Headline::SpeedsUp => Hue::Green,
        Headline::Undetermined => Hue::Yellow,
    };
    let text = words::headline(verdict);
    let name = words::name(verdict.headline);
    let rest = text.strip_prefix(name).unwrap_or_default();
    format!("{}{rest}", page.bold_in(hue, name))
}

fn table(trends: &[Trend]) -> Vec<String> {
    let head = format!(
        "{:<10}{:>10}{:>10}{:>10}{:>10}   from event to event",
        "per event", "mean", "median", "95 %", "longest"
    );
    let row = |trend: &Trend| {
        let time = fractional_duration;
        format!(
            "{:<10}{:>10}{:>10}{:>10}{:>10}   {}",
            measure(trend.measure),
            time(trend.mean_ns),
            time(trend.median_ns),
            time(trend.high_ns),
            time(trend.longest_ns),
            course(trend),
        )
    };
    std::iter::once(head)
        .chain(trends.iter().map(row))
        .collect()
}

/// How a measure goes: `+1.20 µs/event each event`, `steady`.
fn course(trend: &Trend) -> String {
    match trend.growth.outcome {
        Outcome::Growing | Outcome::Shrinking => rate(trend.growth.rate),
        Outcome::NoGrowth => "steady".to_string(),
        Outcome::Undetermined => format!("{} (uncertain)", rate(trend.growth.rate)),
    }
}

fn slow_lines(
    page: &Page,
    profile: &Profile,
    paths: &mut PathReader<'_>,
    slow: &SlowEvents,
) -> Vec<String> {
    let mut lines = vec![words::slow(slow)];
    for path in &slow.paths {
        lines.push(format!("  {}", words::slow_path(path)));
        lines.push(page.bold(&format!("      {}", shown_path(paths, path.node).line())));
    }
    let stages = slow.stages.iter();
    lines.extend(stages.map(|stage| format!("  {}", words::slow_stage(profile, stage))));
    let more = slow.allocations.iter();
    lines.extend(more.map(|more| format!("  {}", words::more_allocated(more))));
    if !slow.has_cause() {
        lines
            .push("  no cause stands out: they do more of the same, or too little is known".into());
    }
    lines
}
