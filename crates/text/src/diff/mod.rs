//! A comparison as a person reads it: what is compared, what grew, what fell, and that
//! it all adds up.

pub mod head;
pub mod numbers;

use residue_calltree::diff::{ComparedRow, Pair};
use residue_calltree::{CallNodeId, Label, PathStep};

use crate::diff::numbers::{amount, percent, plain, rate, signed, to_before, unit};
use crate::paths;
use crate::terminal::Page;
use residue_profile::Counter;
use residue_profile::units::{count, counted};
use residue_query::compare::comparison::Comparison;
use residue_query::compare::rows::{By, Table};
use residue_query::visible::visible;

/// What of the table is shown, and on what.
#[derive(Debug, Clone, Copy)]
pub struct Look {
    /// Rows of each direction.
    pub top: usize,
    /// Rows with a smaller part of the growth, or of the fall, are left out.
    pub min_percent: f64,
    /// Frames of each stack; 0 for all.
    pub max_frames: usize,
    pub page: Page,
}

/// Where the names of a table begin.
const NAME_COLUMN: usize = 67;
/// However narrow the terminal, so much of a name is shown.
const NAME_LEAST: usize = 24;
const FRAME_INDENT: usize = 10;

pub fn lines(comparison: &Comparison, table: &Table, look: &Look) -> Vec<String> {
    let text = Text {
        comparison,
        table,
        look,
    };
    let mut lines = head::lines(comparison, table);
    let more: Vec<&ComparedRow> = table.more().iter().collect();
    let less: Vec<&ComparedRow> = table.less().iter().rev().collect();
    if !table.rows.is_empty() {
        lines.push(String::new());
        lines.push(text.heading());
    }
    text.part(&more, "grown", &mut lines);
    text.part(&less, "fallen", &mut lines);
    text.end(&mut lines);
    for line in &mut lines {
        line.truncate(line.trim_end().len());
    }
    lines
}

/// The name of a row, as it stands in a sentence: a function, or a path leaf first.
pub fn row_name(comparison: &Comparison, by: By, row: &ComparedRow) -> String {
    match by {
        By::Stack => {
            let path = comparison.tree.path_leaf_first(row.id);
            let names: Vec<&str> = path.map(|label| &*label.name).collect();
            match names.is_empty() {
                true => NO_PATH.to_string(),
                false => visible(&names.join(" < ")),
            }
        }
        By::Function | By::Library => {
            label_name(&comparison.tree.labels[row.id as usize]).into_owned()
        }
    }
}

const NO_PATH: &str = "[no path]";

fn label_name(label: &Label) -> std::borrow::Cow<'_, str> {
    match &*label.name {
        "" => NO_PATH.into(),
        name => visible(name).into(),
    }
}

struct Text<'a> {
    comparison: &'a Comparison,
    table: &'a Table,
    look: &'a Look,
}

impl Text<'_> {
    fn heading(&self) -> String {
        let share = match self.table.by {
            By::Stack => String::new(),
            By::Function | By::Library => format!("{:>9}", "share"),
        };
        format!(
            "{:<8}{:>11}{:>13}{:>13}{:>11}{share}  {}",
            "",
            "before",
            "after",
            "change",
            "to before",
            self.table.by.name()
        )
    }

    /// Rows of one direction, the greatest change first, and a line for those that are
    /// not shown.
    fn part(&self, rows: &[&ComparedRow], what: &str, lines: &mut Vec<String>) {
        let sums = &self.table.sums;
        let is_shown = |row: &ComparedRow| sums.share(row.weight) * 100.0 >= self.look.min_percent;
        let enough = rows.iter().take_while(|row| is_shown(row)).count();
        let (shown, others) = rows.split_at(enough.min(self.look.top));
        for row in shown {
            match self.table.by {
                By::Stack => self.stack(row, lines),
                By::Function | By::Library => lines.push(self.label(row)),
            }
        }
        if others.is_empty() {
            return;
        }
        let name = match shown.is_empty() {
            true => format!("{} {what}", count(others.len() as u64)),
            false => counted(
                others.len() as u64,
                &format!("other {what}"),
                &format!("others {what}"),
            ),
        };
        let pair = add_up(others.iter().map(|row| row.pair));
        // What functions did with all that they called overlaps, and has no sum.
        if self.table.is_cumulative {
            lines.push(format!("        {name}"));
        } else {
            let weight = self.comparison.scale.weigh(pair);
            lines.push(self.row("", pair, weight, &name));
        }
    }

    fn end(&self, lines: &mut Vec<String>) {
        if self.table.rows.is_empty() {
            lines.push(String::new());
            lines.push(format!("no {} differs", self.table.by.name()));
            return;
        }
        if self.table.is_cumulative {
            return;
        }
        let sums = &self.table.sums;
        let changed = add_up(self.table.rows.iter().map(|row| row.pair));
        let whole = self.table.whole;
        let unchanged = Pair::new(
            whole.before.saturating_sub(changed.before),
            whole.after.saturating_sub(changed.after),
        );
        if sums.unchanged > 0 {
            let unchanged_rows = count(sums.unchanged);
            let name = match self.comparison.per {
                None => format!("{unchanged_rows} unchanged"),
                Some(_) => format!("{unchanged_rows} the same in both runs, allocated once"),
            };
            lines.push(self.row("", unchanged, 0, &name));
        }
        lines.push(self.row("", whole, 0, "all"));
    }

    fn stack(&self, row: &ComparedRow, lines: &mut Vec<String>) {
        let share = percent(self.table.sums.share(row.weight));
        let whole = if row.weight > 0 { "growth" } else { "fall" };
        lines.push(self.row(
            row.class.name(),
            row.pair,
            0,
            &format!("{share} of the {whole}"),
        ));
        lines.push(format!("{:FRAME_INDENT$}{}", "", self.exactly(row)));
        let path = self.comparison.tree.path_leaf_first(row.id);
        let mut steps: Vec<PathStep> = path.map(step).collect();
        steps.reverse();
        let mut frames = paths::lines(&steps, self.look.max_frames, &self.look.page, FRAME_INDENT);
        if frames.is_empty() {
            frames.push(NO_PATH.to_string());
        }
        lines.extend(
            frames
                .iter()
                .map(|frame| format!("{:FRAME_INDENT$}{frame}", "")),
        );
        lines.push(String::new());
    }

    /// The change to the byte, and that of the counter beside it.
    fn exactly(&self, row: &ComparedRow) -> String {
        let per = self.comparison.per;
        let of = |counter: Counter, pair: Pair| match per {
            None => format!("{} {}", plain(pair.delta(), true), unit(counter)),
            Some(_) => format!(
                "{} → {} {}",
                plain(pair.before.into(), false),
                plain(pair.after.into(), false),
                unit(counter)
            ),
        };
        let own = of(self.comparison.counter, row.pair);
        let counter = self.comparison.beside.as_ref().map(|(counter, _)| *counter);
        let beside = self.table.beside(self.comparison, row);
        let mut text = match counter.zip(beside) {
            Some((counter, pair)) => format!("{own}, {}", of(counter, pair)),
            None => own,
        };
        if per.is_some() {
            text = format!("in all {text}");
        }
        text
    }

    fn label(&self, row: &ComparedRow) -> String {
        let name = label_name(&self.comparison.tree.labels[row.id as usize]);
        let (other, what) = match (self.table.own_and_cumulative(row), self.table.is_cumulative) {
            (Some((own, _)), true) => (own, "itself"),
            (Some((_, cumulative)), false) => (cumulative, "with callees"),
            (None, _) => (row.pair, ""),
        };
        let name = match other == row.pair {
            true => name.into_owned(),
            false => format!("{name}, {what} {}", signed(self.comparison, other)),
        };
        self.row(row.class.name(), row.pair, row.weight, &name)
    }

    /// One line of the table. A weight of zero has no share.
    fn row(&self, class: &str, pair: Pair, weight: i128, name: &str) -> String {
        let Comparison {
            counter,
            scale,
            per,
            ..
        } = self.comparison;
        let (before, after) = match per {
            Some(_) => (
                rate(*counter, scale.before(pair), false),
                rate(*counter, scale.after(pair), false),
            ),
            None => (
                amount(*counter, pair.before.into(), false),
                amount(*counter, pair.after.into(), false),
            ),
        };
        let change = signed(self.comparison, pair);
        let against = to_before(self.comparison, pair).unwrap_or_default();
        let share = match (self.table.by, weight) {
            (By::Stack, _) => String::new(),
            (_, 0) => format!("{:>9}", ""),
            (_, weight) => format!("{:>9}", percent(self.table.sums.share(weight))),
        };
        let page = &self.look.page;
        let room = page.width.saturating_sub(NAME_COLUMN).max(NAME_LEAST);
        let name = page.fit(name, room);
        format!("{class:<8}{before:>11}{after:>13}{change:>13}{against:>11}{share}  {name}")
    }
}

fn step(label: &Label) -> PathStep {
    PathStep {
        label: label.clone(),
        is_inlined: false,
        by_frame_pointer: false,
    }
}

fn add_up(pairs: impl Iterator<Item = Pair>) -> Pair {
    pairs.fold(Pair::default(), |sum, pair| {
        Pair::new(
            sum.before.saturating_add(pair.before),
            sum.after.saturating_add(pair.after),
        )
    })
}

/// The nodes of a path, for whoever writes it root first.
pub fn names_root_first(comparison: &Comparison, node: CallNodeId) -> Vec<&str> {
    let path = comparison.tree.path_leaf_first(node);
    let mut names: Vec<&str> = path.map(|label| &*label.name).collect();
    names.reverse();
    names
}
