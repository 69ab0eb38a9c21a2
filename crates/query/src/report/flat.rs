//! Functions and libraries by what they allocated, each in one row.

use residue_calltree::{CallTree, Detail, FunctionSums, Label};

use crate::report::source::Source;
use crate::table::{Column, Grid, TableRow};
use residue_profile::Counter;

/// What rows are ranked by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    Own,
    Cumulative,
}

/// How many rows.
#[derive(Debug, Clone, Copy)]
pub struct Limit {
    pub rows: usize,
    pub min_percent: f64,
}

/// A table, and what there is to say about it.
pub struct Flat {
    pub grid: Grid,
    pub whole: u64,
    /// Functions or libraries with anything at all.
    pub found: usize,
    /// What the rows have together; for rows by self only, which do not overlap.
    pub together: Option<u64>,
    pub title: &'static str,
}

/// Functions by their own allocations, or with those of all that they called.
pub fn functions(source: &Source<'_>, side: Side, limit: Limit) -> Flat {
    let named = Named {
        tree: source.tree(),
        sums: source.sums(),
        names: &["function", "library"],
        title: match side {
            Side::Own => "self",
            Side::Cumulative => "cumulative",
        },
        with_callers: false,
        is_known: source.is_known(),
    };
    flat(source, &named, side, limit)
}

/// Libraries, with both.
pub fn libraries(source: &Source<'_>, limit: Limit) -> Flat {
    let tree = source.tree_of(Detail::Library);
    let named = Named {
        tree: &tree,
        sums: &source.sums_of(&tree),
        names: &["library"],
        title: "libraries",
        with_callers: true,
        is_known: source.is_known(),
    };
    flat(source, &named, Side::Own, limit)
}

/// What has a row: the labels of a tree with the sums of all counters.
struct Named<'a> {
    tree: &'a CallTree,
    sums: &'a [FunctionSums],
    names: &'static [&'static str],
    title: &'static str,
    /// Also those that only called what allocated.
    with_callers: bool,
    /// By counter: whether it was recorded.
    is_known: Vec<bool>,
}

impl Named<'_> {
    fn is_shown_without(&self, sums: &FunctionSums, label: usize) -> bool {
        self.with_callers && sums.cumulative[label] > 0
    }
}

fn flat(source: &Source<'_>, named: &Named<'_>, side: Side, limit: Limit) -> Flat {
    let whole = source.whole(source.counter());
    let values = |sums: &FunctionSums, label: usize| match side {
        Side::Own => sums.own[label],
        Side::Cumulative => sums.cumulative[label],
    };
    let first = &named.sums[0];
    let mut ranked: Vec<(u64, usize)> = (0..named.tree.labels.len())
        .map(|label| (values(first, label), label))
        .filter(|&(value, label)| value > 0 || named.is_shown_without(first, label))
        .collect();
    let found = ranked.len();
    ranked.retain(|&(value, _)| is_enough(value, whole, limit.min_percent));
    let name = |label: usize| {
        let Label { name, module, .. } = &named.tree.labels[label];
        (name, module)
    };
    // Of functions that call one another, and nothing else, the one that allocates
    // says most.
    ranked.sort_unstable_by(|&(one_value, one), &(other_value, other)| {
        let by_value = other_value.cmp(&one_value);
        let both = |label: usize| (first.own[label], first.cumulative[label]);
        let by_value = by_value.then_with(|| both(other).cmp(&both(one)));
        by_value.then_with(|| name(one).cmp(&name(other)))
    });
    ranked.truncate(limit.rows);
    let rows = ranked.iter().map(|&(_, label)| row(named, side, label));
    let merge = source.counter().merge();
    let together = merge.all(ranked.iter().map(|(value, _)| *value));
    Flat {
        grid: Grid {
            names: named.names,
            columns: columns(source, side, whole),
            rows: rows.collect(),
        },
        whole,
        found,
        together: (side == Side::Own && has_share_together(source.counter())).then_some(together),
        title: named.title,
    }
}

/// Peaks fall on different moments, and largest blocks are no parts of one.
fn has_share_together(counter: Counter) -> bool {
    counter != Counter::Peak && counter.adds_up()
}

/// Whether a value is at least so much of the whole.
pub fn is_enough(value: u64, whole: u64, min_percent: f64) -> bool {
    value as f64 * 100.0 >= min_percent * whole as f64
}

/// Self and cumulative of the counter that ranks, then the others on the side that
/// ranks.
fn columns(source: &Source<'_>, side: Side, whole: u64) -> Vec<Column> {
    let column = |side: Side, counter: Counter, head: &str, whole: Option<u64>| Column {
        key: format!("{}_{}", key(side), counter.name().replace('-', "_")),
        head: head.to_string(),
        unit: counter.unit(),
        whole,
    };
    let ranking = source.counter();
    let whole = ranking.adds_up().then_some(whole);
    let mut columns = vec![
        column(Side::Own, ranking, "self", whole),
        column(Side::Cumulative, ranking, "cumulative", whole),
    ];
    for &counter in &source.counters[1..] {
        columns.push(column(side, counter, counter.name(), None));
    }
    columns
}

fn key(side: Side) -> &'static str {
    match side {
        Side::Own => "self",
        Side::Cumulative => "cumulative",
    }
}

fn row(named: &Named<'_>, side: Side, label: usize) -> TableRow {
    let first = &named.sums[0];
    let mut numbers = vec![
        Some(first.own[label].into()),
        Some(first.cumulative[label].into()),
    ];
    for (sums, is_known) in named.sums.iter().zip(&named.is_known).skip(1) {
        let value = match side {
            Side::Own => sums.own[label],
            Side::Cumulative => sums.cumulative[label],
        };
        numbers.push(is_known.then_some(value.into()));
    }
    let label = &named.tree.labels[label];
    let mut both = vec![label.name.to_string(), label.module.to_string()];
    both.truncate(named.names.len());
    TableRow {
        names: both,
        numbers,
        is_framework: label.is_framework,
    }
}
