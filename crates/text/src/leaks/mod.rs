//! The verdict in words: short, with units, and what to do next.

mod sparkline;

use residue_analysis::account::{GrowthAccount, Parts};
use residue_analysis::churn::Saving;
use residue_analysis::growth::Outcome;
use residue_analysis::sentences;
use residue_analysis::shape::Shape;
use residue_analysis::verdict::{Headline, StackVerdict, Verdict};
use residue_calltree::{Filter, PathReader};
use residue_profile::units::fractional_bytes;
use residue_profile::{Profile, StackKind};
use residue_query::choice::Names;
use residue_query::holders::of_stack;
use residue_query::leaks::words::{
    and_more, counter, follows, misuse, rate_text, reasons, shape, why,
};
use residue_query::leaks::{headline, shown_path, shown_path_of_stack};
use residue_query::pins::of_growth;
use residue_query::slow::words::slowing;
use residue_query::suspects::worth_a_line;
use sparkline::{means, sparkline};

use super::terminal::{Hue, Page};

/// How much is said.
#[derive(Debug, Clone, Copy)]
pub struct Length {
    pub stacks: usize,
    /// Stacks that do not leak, and advice.
    pub with_rest: bool,
}

/// Bars beside the rate of a stack that leaks: the line holds much else.
const SHORT_SPARKLINE: usize = 8;

/// The lines of the verdict, without colours.
pub fn lines(profile: &Profile, verdict: &Verdict, length: Length, names: &Names) -> Vec<String> {
    lines_on(&Page::unlimited(), profile, verdict, length, names)
}

/// The lines of the verdict.
pub fn lines_on(
    page: &Page,
    profile: &Profile,
    verdict: &Verdict,
    length: Length,
    names: &Names,
) -> Vec<String> {
    let filter = Filter::default();
    let paths = &mut names.paths(profile, &filter);
    let unit = verdict.source.unit();
    let mut lines = vec![painted_headline(page, verdict)];
    lines.extend(reasons(verdict).iter().map(|line| page.dim(line)));
    if let Some(trend) = &verdict.slowing {
        let text = slowing(trend);
        lines.push(format!(
            "  events take ever longer: {text}; see `residue slow`"
        ));
    }
    if let Some(account) = &verdict.account {
        lines.extend(account_lines(account, verdict));
    }
    let pinned = of_growth(profile, verdict, paths);
    lines.extend(pinned.into_iter().map(|line| format!("  {line}")));
    lines.extend(follows(profile, verdict).map(|words| format!("  follows {words}")));
    let (guilty, others): (Vec<&StackVerdict>, Vec<&StackVerdict>) = verdict
        .stacks
        .iter()
        .partition(|stack| stack.share.is_some());
    for (rank, stack) in guilty.iter().take(length.stacks).enumerate() {
        lines.extend(guilty_lines(page, profile, paths, rank + 1, stack, unit));
    }
    let rest = guilty.get(length.stacks..).unwrap_or_default();
    lines.extend(and_more(rest, unit).map(|words| format!("  {words}")));
    if length.with_rest {
        let most = others.len().min(length.stacks);
        for stack in &others[..most] {
            lines.extend(other_lines(page, profile, paths, stack, unit));
        }
        lines.extend(advice(profile, paths, &verdict.churn, unit));
    }
    lines.extend(misuse(&profile.timeline.about.misuse));
    lines
}

/// The name of the verdict in its colour, and the rest as it is.
fn painted_headline(page: &Page, verdict: &Verdict) -> String {
    let head = headline(verdict);
    let hue = match verdict.headline {
        Headline::Leak => Hue::Red,
        Headline::NoGrowth => Hue::Green,
        Headline::FreedAtExit
        | Headline::Fragmentation
        | Headline::Growth
        | Headline::Filling
        | Headline::Slowing
        | Headline::Undetermined => Hue::Yellow,
    };
    let text = head.to_string();
    let rest = text.strip_prefix(head.name).unwrap_or_default();
    format!("{}{rest}", page.bold_in(hue, head.name))
}

fn account_lines(account: &GrowthAccount, verdict: &Verdict) -> Vec<String> {
    let parts = &account.bytes_per_event;
    let unit = verdict.source.unit();
    let largest = parts.program_rss.abs().max(parts.live_heap.abs());
    let is_worth_it = match verdict.headline {
        Headline::NoGrowth | Headline::Undetermined => {
            let rss = verdict.rss.as_ref();
            rss.is_some_and(|rss| rss.outcome == Outcome::Growing)
        }
        _ => true,
    };
    if largest < 1.0 || !is_worth_it {
        return Vec::new();
    }
    let mut terms = vec![("live heap", parts.live_heap)];
    let Parts {
        untouched,
        heap_metadata,
        allocator_slack,
        mapped,
        thread_stacks,
        files,
        unexplained,
        ..
    } = *parts;
    let unwritten = match untouched >= 0.0 {
        true => "never written",
        false => "allocated earlier, first touched now",
    };
    for (name, value) in [
        (unwritten, -untouched),
        ("heap metadata", heap_metadata),
        ("allocator slack", allocator_slack),
        ("mapped", mapped),
        ("thread stacks", thread_stacks),
        ("files", files),
        ("unexplained", unexplained),
    ] {
        if value.abs() >= largest / 1000.0 {
            terms.push((name, value));
        }
    }
    let sum: Vec<String> = terms
        .iter()
        .map(|(name, value)| format!("{name} {}", fractional_bytes(*value)))
        .collect();
    vec![format!(
        "  RSS growth {} = {}",
        rate_text(parts.program_rss, unit),
        sum.join(" + ")
    )]
}

fn guilty_lines(
    page: &Page,
    profile: &Profile,
    paths: &mut PathReader<'_>,
    rank: usize,
    stack: &StackVerdict,
    unit: &str,
) -> Vec<String> {
    let growth = &stack.verdict.growth;
    let mut first = format!(
        "  #{rank}  {}  {}",
        rate_text(growth.rate, unit),
        sparkline(&means(&stack.sparkline, SHORT_SPARKLINE))
    );
    if let Some(followed) = &stack.counter {
        first.push_str(&format!("   {}", counter(profile, followed, unit)));
    }
    if let Some(share) = stack.share {
        first.push_str(&format!("   {:.1} % of the growth", share * 100.0));
    }
    let kind = match stack.kind {
        StackKind::Mapping => "mapped: ",
        _ => "",
    };
    let mut lines = vec![
        first,
        page.bold(&format!(
            "      {kind}{}",
            shown_path_of_stack(profile, paths, stack.stack).line()
        )),
    ];
    lines.push(page.dim(&format!("      {}", why(stack, unit))));
    let disagreement = sentences::of_disagreement(&stack.verdict, unit);
    lines.extend(disagreement.map(|how| page.dim(&format!("      {how}"))));
    let held = of_stack(profile, paths, stack.stack);
    lines.extend(held.map(|held| format!("      {held}")));
    lines
}

fn other_lines(
    page: &Page,
    profile: &Profile,
    paths: &mut PathReader<'_>,
    stack: &StackVerdict,
    unit: &str,
) -> Vec<String> {
    let mut lines = vec![
        format!(
            "  {:<13} {}  up to {}",
            shape(stack.verdict.shape),
            sparkline(&stack.sparkline),
            fractional_bytes(stack.sparkline.iter().copied().fold(0.0, f64::max)),
        ),
        format!(
            "      {}",
            shown_path_of_stack(profile, paths, stack.stack).line()
        ),
        page.dim(&format!(
            "      {}",
            sentences::of_shape(&stack.verdict, unit)
        )),
    ];
    let disagreement = sentences::of_disagreement(&stack.verdict, unit);
    lines.extend(disagreement.map(|how| page.dim(&format!("      {how}"))));
    if let (Shape::Deferred, Some(node)) = (stack.verdict.shape, stack.freed_at) {
        let freeing = shown_path(paths, node).line();
        lines.push(format!("      freed in a later {unit} by {freeing}"));
    }
    lines
}

fn advice(
    profile: &Profile,
    paths: &mut PathReader<'_>,
    churn: &[Saving],
    unit: &str,
) -> Vec<String> {
    let advice = worth_a_line(profile, paths, churn, unit).into_iter();
    let lines = advice.flat_map(|one| {
        let first = format!("  {:<13} {}", one.action, one.words);
        [first, format!("      {}", one.path.line())]
    });
    lines.collect()
}
