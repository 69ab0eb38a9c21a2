//! The report on paper: the views that were asked for, one below the other.

mod advice;
pub mod bins;
mod callers;
mod churn;
mod csv;
mod flat;
pub mod grid;
mod igprof;
mod stacks;
pub mod summary;
mod tree;

pub use self::csv::write as write_csv;

use residue_profile::MemoryKind;
use residue_profile::units::{count, counted, share};
use residue_query::report::advice::{self as query_advice, advice as find_advice};
use residue_query::report::callers::callers as find_callers;
use residue_query::report::churn::{self as query_churn, churn as find_churn};
use residue_query::report::flat::{Flat, Limit, Side, functions, libraries};
use residue_query::report::source::Source;
use residue_query::report::stacks::Stacks;
use residue_query::report::tree::tree as find_tree;
use residue_query::report::{Request, View, groups};
use residue_query::table::Grid;

use super::amount::amount;
use super::terminal::Page;

/// How a report looks on paper.
pub struct Look<'a> {
    pub page: &'a Page,
    /// Frames of each stack; 0 for all.
    pub max_frames: usize,
    /// Where names were shortened, and by what.
    pub names_note: Option<String>,
    /// Whether a view that has nothing to show says so.
    pub says_nothing: bool,
}

/// The whole text, with a line end behind every line.
pub fn text(source: &Source<'_>, request: &Request, look: &Look<'_>) -> String {
    let mut text = String::new();
    for &view in &request.views {
        let section = section(source, request, view, look);
        if section.is_empty() {
            continue;
        }
        if !text.is_empty() {
            text.push('\n');
        }
        for line in section {
            text.push_str(&line);
            text.push('\n');
        }
    }
    if let Some(note) = &look.names_note {
        text.push_str(&format!("\n{}\n", look.page.dim(note)));
    }
    text
}

fn section(source: &Source<'_>, request: &Request, view: View, look: &Look<'_>) -> Vec<String> {
    let (limit, page) = (request.limit, look.page);
    let counter = source.counter();
    match view {
        View::Summary => {
            let mut lines = summary::lines(source.profile, source.choice.measured);
            lines.extend(filter_line(source));
            let wrapped = lines.iter().map(|line| page.wrap(line, summary::INDENT));
            wrapped.flatten().collect()
        }
        View::Own | View::Cumulative => {
            let side = match view {
                View::Own => Side::Own,
                _ => Side::Cumulative,
            };
            let flat = functions(source, side, limit);
            flat_lines(source, &flat, ["function", "functions"], page)
        }
        View::Library => {
            let flat = libraries(source, limit);
            flat_lines(source, &flat, ["library", "libraries"], page)
        }
        View::Callers => {
            let threshold = request.threshold_percent;
            let found = find_callers(source, threshold, request.function.as_ref(), limit.rows);
            let heading = callers::heading(&found, counter);
            under(
                &heading,
                callers::lines(&found, &source.counters, page),
                page,
            )
        }
        View::IgProf => {
            let threshold = request.threshold_percent;
            let found = find_callers(source, threshold, request.function.as_ref(), limit.rows);
            igprof::lines(&found, counter, page)
        }
        View::Tree => {
            let found = find_tree(source, request.threshold_percent, request.inverted);
            let heading = tree::heading(&found, counter);
            under(&heading, tree::lines(&found, counter, page), page)
        }
        View::Stacks => {
            let found = Stacks::of(source, limit.rows);
            let lines = stacks::lines(source, &found, look.max_frames, page);
            under(&stacks::heading(source, &found), lines, page)
        }
        View::Scope if !groups::has_scopes(source.profile) => {
            vec!["scopes: none marked".to_string()]
        }
        View::Scope => {
            let what = format!(
                "scopes, the outermost of each stack, by {}",
                counter.subject()
            );
            grid_lines(&what, &groups::scopes(source), limit, page)
        }
        View::Thread => match groups::threads(source) {
            Some(grid) => grid_lines(threads_heading(source), &grid, limit, page),
            None => vec!["threads: not recorded".to_string()],
        },
        View::Size => match groups::sizes(source) {
            Some(grid) => {
                let heading = "sizes: blocks by size, all and live";
                under(heading, grid::lines(&grid, page), page)
            }
            None => vec!["sizes: not recorded".to_string()],
        },
        View::Churn => match find_churn(source, limit.rows) {
            Some(found) if found.found > 0 => {
                let lines = churn::lines(source, &found, page);
                under(&found.heading(), lines, page)
            }
            Some(_) => vec![query_churn::NONE.to_string()],
            None => vec![query_churn::not_recorded(
                source.profile,
                source.choice.span,
            )],
        },
        View::Advice => match &find_advice(source)[..] {
            [] if look.says_nothing => vec![query_advice::NONE.to_string()],
            [] => Vec::new(),
            some => under(
                query_advice::HEADING,
                advice::lines(source, some, page),
                page,
            ),
        },
    }
}

fn under(heading: &str, lines: Vec<String>, page: &Page) -> Vec<String> {
    let heading = page.wrap(heading, 4);
    let mut all: Vec<String> = heading.iter().map(|line| page.bold(line)).collect();
    if !lines.is_empty() {
        all.push(String::new());
    }
    all.extend(lines);
    all
}

fn flat_lines(source: &Source<'_>, flat: &Flat, what: [&str; 2], page: &Page) -> Vec<String> {
    let heading = flat::heading(flat, source, what);
    match flat.found {
        0 => vec![heading],
        _ => under(&heading, grid::lines(&flat.grid, page), page),
    }
}

fn threads_heading(source: &Source<'_>) -> &'static str {
    match source.kind() {
        MemoryKind::Cpu => "threads by CPU time",
        _ => "threads by bytes allocated",
    }
}

fn grid_lines(heading: &str, grid: &Grid, limit: Limit, page: &Page) -> Vec<String> {
    let mut lines = grid::lines(grid, page);
    // The heads are a line too.
    let left = lines.len().saturating_sub(limit.rows.saturating_add(1));
    if left > 0 {
        lines.truncate(limit.rows + 1);
        lines.push(page.dim(&format!("  and {left} more; --top all shows them")));
    }
    under(heading, lines, page)
}

/// How much passes the filters, where there are some.
fn filter_line(source: &Source<'_>) -> Option<String> {
    if !source.is_filtered() {
        return None;
    }
    let counter = source.counter();
    let kind = source.kind();
    let of_kind = source
        .profile
        .stacks
        .iter()
        .filter(|it| kind.holds(it.kind));
    let (stacks, shown) = (of_kind.count() as u64, source.admitted().count() as u64);
    let values = source.admitted().map(|stack| source.value(counter, stack));
    let sum = counter.merge().all(values);
    let whole = counter.whole(source.profile, kind);
    Some(format!(
        "{:<10} {} of {} pass, with {} {}{}",
        "filters",
        count(shown),
        counted(stacks, "stack", "stacks"),
        amount(counter, sum),
        counter.subject(),
        match counter.adds_up() {
            true => format!(", {} of all", share(sum, whole)),
            false => String::new(),
        }
    ))
}
