//! The report on paper: the views that were asked for, one below the other.

use super::counter;
use super::report_advice::{self, advice};
use super::report_callers::callers;
use super::report_callers_text;
use super::report_flat::{self, Flat, Limit, Side};
use super::report_grid::Grid;
use super::report_groups as groups;
use super::report_source::Source;
use super::report_stacks::Stacks;
use super::report_tree::tree;
use super::report_view::View;
use super::summary;
use super::terminal::Page;
use super::units::{counted, share};
use crate::commands::report::Options;

/// The whole text, with a line end behind every line.
pub fn text(source: &Source<'_>, options: &Options, views: &[View], page: &Page) -> String {
    let mut text = String::new();
    for &view in views {
        let section = section(source, options, view, page);
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
    if let Some(note) = names_note(options, views) {
        text.push_str(&format!("\n{}\n", page.dim(&note)));
    }
    text
}

fn section(source: &Source<'_>, options: &Options, view: View, page: &Page) -> Vec<String> {
    let limit = options.limit();
    let counter = source.counter();
    match view {
        View::Summary => {
            let mut lines = summary::lines(source.profile);
            lines.extend(filter_line(source));
            let wrapped = lines.iter().map(|line| page.wrap(line, summary::INDENT));
            wrapped.flatten().collect()
        }
        View::Own | View::Cumulative => {
            let side = match view {
                View::Own => Side::Own,
                _ => Side::Cumulative,
            };
            let flat = report_flat::functions(source, side, limit);
            flat_lines(source, &flat, ["function", "functions"], page)
        }
        View::Library => {
            let flat = report_flat::libraries(source, limit);
            flat_lines(source, &flat, ["library", "libraries"], page)
        }
        View::Callers => {
            let callers = callers(source, options.threshold(), options.function.as_ref());
            let heading = report_callers_text::heading(&callers, counter);
            let lines = report_callers_text::lines(&callers, counter, page);
            under(&heading, lines, page)
        }
        View::Tree => {
            let tree = tree(source, options.threshold(), options.inverted);
            under(&tree.heading(counter), tree.lines(counter, page), page)
        }
        View::Stacks => {
            let stacks = Stacks::of(source, limit.rows);
            let lines = stacks.lines(source, options.max_frames, page);
            under(&stacks.heading(source.profile), lines, page)
        }
        View::Scope if !groups::has_scopes(source.profile) => {
            vec!["scopes: the program marked none".to_string()]
        }
        View::Scope => {
            let what = format!(
                "scopes, the outermost of each stack, by {}",
                counter.subject()
            );
            grid_lines(&what, &groups::scopes(source), limit, page)
        }
        View::Thread => match groups::threads(source) {
            Some(grid) => grid_lines("threads, by bytes that each made", &grid, limit, page),
            None => vec!["threads: the profile does not tell them apart".to_string()],
        },
        View::Size => match groups::sizes(source) {
            Some(grid) => {
                let heading = "sizes: blocks by size, all that were made and those that are live";
                under(heading, grid.lines(page), page)
            }
            None => vec!["sizes: not known of a moment or a thread".to_string()],
        },
        View::Advice => match &advice(source)[..] {
            [] if options.view.is_empty() => Vec::new(),
            [] => vec!["advice: none".to_string()],
            some => under(
                report_advice::HEADING,
                report_advice::lines(source, some, page),
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
    let heading = flat.heading(source, what);
    match flat.found {
        0 => vec![heading],
        _ => under(&heading, flat.grid.lines(page), page),
    }
}

fn grid_lines(heading: &str, grid: &Grid, limit: Limit, page: &Page) -> Vec<String> {
    let mut lines = grid.lines(page);
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
    let kind = source.kind;
    let of_kind = source
        .profile
        .stacks
        .iter()
        .filter(|it| kind.holds(it.kind));
    let (stacks, shown) = (of_kind.count() as u64, source.admitted().count() as u64);
    let sum = source.admitted().fold(0_u64, |sum, stack| {
        sum.saturating_add(source.value(counter, stack))
    });
    let whole = counter.whole(source.profile, kind);
    Some(format!(
        "{:<10} {} of {} pass, with {} {}, {} of all",
        "filters",
        super::units::count(shown),
        counted(stacks, "stack", "stacks"),
        counter::amount(counter, sum),
        counter.subject(),
        share(sum, whole)
    ))
}

/// That names are not what the linker calls them is said where any are shown.
fn names_note(options: &Options, views: &[View]) -> Option<String> {
    let naming = &options.reading.naming;
    if naming.no_rules || !views.iter().any(|view| view.has_names()) {
        return None;
    }
    let own: Vec<String> = naming
        .rules
        .iter()
        .map(|path| path.display().to_string())
        .collect();
    let rules = match own.is_empty() {
        true => "the built-in rules".to_string(),
        false => format!("the built-in rules and {}", own.join(", ")),
    };
    Some(match naming.full_names {
        true => format!("frames hidden and merged by {rules}; --no-rules shows every frame"),
        false => format!("names shortened by {rules}; --no-rules shows every frame"),
    })
}
