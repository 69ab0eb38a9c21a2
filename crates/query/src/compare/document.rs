//! A comparison as one JSON document: whole numbers to the last digit, and rates beside
//! them where sides are compared by event.

use std::io::Write;

use anyhow::Result;
use residue_calltree::diff::{Class, ComparedRow, Pair};
use serde::Serialize;

use crate::compare::comparison::{About, Comparison};
use crate::compare::rows::{By, Table};

#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct Head<'a> {
    format: &'static str,
    version: u32,
    /// What a row is: `stack`, `function` or `library`.
    by: &'static str,
    /// Rows are ordered by, and have shares of, what they did with all they called.
    is_cumulative: bool,
    /// Counter that is compared.
    counter: &'static str,
    /// Of this counter: `bytes` or `count`.
    unit: &'static str,
    /// What rates are per, where numbers are compared so.
    per: Option<&'static str>,
    /// The two sides.
    before: SideHead<'a>,
    after: SideHead<'a>,
    /// Events between two moments of one run.
    events_between: Option<u64>,
    /// Of the whole.
    change: Change,
    /// Sums of all changes up, and of all changes down; whole numbers where nothing is
    /// divided.
    growth: Number,
    fall: Number,
    /// How many rows there are of each class.
    rows_new: u64,
    rows_grown: u64,
    rows_shrunk: u64,
    rows_gone: u64,
    rows_unchanged: u64,
    /// Whether a limit was passed, if there was one.
    above: Option<bool>,
}

/// Whole where nothing is divided.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(untagged)]
pub enum Number {
    Whole(i128),
    Rate(f64),
}

impl Number {
    /// A weight of the comparison in its unit.
    pub fn of(comparison: &Comparison, weight: i128) -> Number {
        match comparison.per {
            None => Number::Whole(weight),
            Some(_) => Number::Rate(comparison.scale.unweigh(weight)),
        }
    }
}

#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct SideHead<'a> {
    /// File and moment as they were given.
    address: &'a str,
    program: &'a str,
    command: &'a [String],
    /// Events of this side, if it has any.
    events: Option<u64>,
    /// That these are others than were asked for, where they are.
    other_events: Option<&'a str>,
    /// The counter over all stacks of this side.
    total: i64,
}

/// A number on both sides.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct Change {
    /// Exact whole numbers.
    before: i64,
    after: i64,
    delta: i128,
    /// Null where numbers are not divided.
    rate_before: Option<f64>,
    rate_after: Option<f64>,
    rate_delta: Option<f64>,
    /// The change as a part of what was before; null where that was nothing.
    to_before: Option<f64>,
}

#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct RowLine<'a> {
    /// `new`, `grown`, `shrunk` or `gone`.
    class: &'static str,
    #[serde(flatten)]
    change: Change,
    /// Of all growth, or of all fall.
    share: f64,
    /// Of the net change; null where that is zero.
    share_of_net: Option<f64>,
    /// The counter that belongs to this one.
    beside: Option<Change>,
    /// Functions and libraries: itself, and with all that it called.
    own: Option<Change>,
    cumulative: Option<Change>,
    /// Functions and libraries: the name.
    name: Option<&'a str>,
    /// Stacks: leaf first.
    frames: Option<Vec<&'a str>>,
}

/// What is written, member by member.
#[cfg(feature = "schema")]
#[derive(schemars::JsonSchema)]
#[expect(dead_code, reason = "only its schema is made")]
pub struct Whole<'a> {
    #[schemars(flatten)]
    head: Head<'a>,
    /// The counter that belongs to this one.
    beside: Option<&'a str>,
    /// The greatest growth first, then the greatest fall.
    rows: Vec<RowLine<'a>>,
}

/// Which rows are written.
pub struct Limits {
    /// Of each direction.
    pub top: usize,
    pub min_percent: f64,
}

/// Writes the document, a row a line.
pub fn write(
    comparison: &Comparison,
    table: &Table,
    limits: &Limits,
    above: Option<bool>,
    out: &mut dyn Write,
) -> Result<()> {
    let head = serde_json::to_string(&head(comparison, table, above))?;
    // The rows become the last member.
    let head = head.strip_suffix('}').unwrap_or(&head);
    write!(out, "{head},\"beside\":")?;
    let beside = comparison
        .beside
        .as_ref()
        .map(|(counter, _)| counter.name());
    serde_json::to_writer(&mut *out, &beside)?;
    write!(out, ",\"rows\":[")?;
    let is_shown = |row: &&ComparedRow| table.sums.share(row.weight) * 100.0 >= limits.min_percent;
    let more = table.more().iter().take(limits.top);
    let less = table.less().iter().rev().take(limits.top);
    for (index, row) in more.chain(less).filter(is_shown).enumerate() {
        out.write_all(if index == 0 { b"\n" } else { b",\n" })?;
        serde_json::to_writer(&mut *out, &line(comparison, table, row))?;
    }
    writeln!(out, "\n]}}")?;
    Ok(())
}

fn head<'a>(comparison: &'a Comparison, table: &Table, above: Option<bool>) -> Head<'a> {
    let Comparison {
        before,
        after,
        counter,
        ..
    } = comparison;
    let sums = &table.sums;
    let number = |weight: i128| Number::of(comparison, weight);
    Head {
        format: "residue-diff",
        version: 1,
        by: table.by.name(),
        is_cumulative: table.is_cumulative,
        counter: counter.name(),
        unit: counter.unit().name(),
        per: comparison.per,
        before: side(before, table.whole.before),
        after: side(after, table.whole.after),
        events_between: comparison.events_between,
        change: change(comparison, table.whole),
        growth: number(sums.growth),
        fall: number(sums.fall),
        rows_new: sums.count(Class::New),
        rows_grown: sums.count(Class::Grown),
        rows_shrunk: sums.count(Class::Shrunk),
        rows_gone: sums.count(Class::Gone),
        rows_unchanged: sums.unchanged,
        above,
    }
}

fn side(about: &About, total: i64) -> SideHead<'_> {
    SideHead {
        address: &about.address,
        program: &about.program,
        command: &about.command,
        events: about.events,
        other_events: about.other_events.as_deref(),
        total,
    }
}

fn change(comparison: &Comparison, pair: Pair) -> Change {
    let scale = comparison.scale;
    let rate = |value: f64| comparison.per.map(|_| value);
    let before = scale.before(pair);
    Change {
        before: pair.before,
        after: pair.after,
        delta: pair.delta(),
        rate_before: rate(before),
        rate_after: rate(scale.after(pair)),
        rate_delta: rate(scale.delta(pair)),
        to_before: (before > 0.0).then(|| scale.delta(pair) / before),
    }
}

fn line<'a>(comparison: &'a Comparison, table: &Table, row: &ComparedRow) -> RowLine<'a> {
    let change = |pair: Pair| change(comparison, pair);
    let net = table.sums.net();
    let parts = table.own_and_cumulative(row);
    let is_stack = table.by == By::Stack;
    let path = comparison
        .tree
        .path_leaf_first(if is_stack { row.id } else { 0 });
    RowLine {
        class: row.class.name(),
        change: change(row.pair),
        share: table.sums.share(row.weight),
        share_of_net: (net != 0).then(|| row.weight as f64 / net as f64),
        beside: table.beside(comparison, row).map(change),
        own: parts.map(|(own, _)| change(own)),
        cumulative: parts.map(|(_, cumulative)| change(cumulative)),
        name: (!is_stack).then(|| &*comparison.tree.labels[row.id as usize].name),
        frames: is_stack.then(|| path.map(|label| &*label.name).collect()),
    }
}
