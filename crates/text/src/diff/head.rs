//! The head of a comparison: what is compared, and what changed in all.

use residue_calltree::diff::{Class, Pair};

use crate::diff::numbers::{amount, exact, rate, signed, to_before};
use residue_names::cut_middle;
use residue_profile::Counter;
use residue_profile::units::{count, counted};
use residue_profile::{Part, Point};
use residue_query::compare::comparison::{About, Comparison};
use residue_query::compare::rows::Table;
use residue_query::visible::{command_line, visible};

/// Characters of a command that are shown.
const LONGEST_COMMAND: usize = 60;

/// One fact a line, under its heading.
pub fn lines(comparison: &Comparison, table: &Table) -> Vec<String> {
    Head { comparison, table }.lines()
}

struct Head<'a> {
    comparison: &'a Comparison,
    table: &'a Table,
}

impl Head<'_> {
    fn lines(&self) -> Vec<String> {
        let Comparison {
            before,
            after,
            counter,
            per,
            ..
        } = self.comparison;
        let whole = self.table.whole;
        let mut lines = Vec::new();
        let mut row = |heading: &str, text: String| lines.push(format!("{heading:<10} {text}"));
        let of = if self.table.is_cumulative {
            ", each with its callees"
        } else {
            ""
        };
        row(
            "compared",
            format!("{} by {}{of}", counter.subject(), self.table.by.name()),
        );
        row("before", self.side(before, whole.before));
        row("after", self.side(after, whole.after));
        if let Some(per) = per {
            let why = match self.comparison.events_between {
                Some(events) => format!(
                    "divided by the {} between the two moments",
                    counted(events, per, &format!("{per}s"))
                ),
                None => format!(
                    "each side is divided by its {per}s, and so is what is made once a run; \
                     FILE@51..end leaves that out"
                ),
            };
            row(&format!("per {per}"), why);
        }
        for why in [before, after]
            .iter()
            .filter_map(|it| it.other_events.as_ref())
        {
            row("note", why.clone());
        }
        if *counter == Counter::Peak {
            let why = "stacks reach their own peaks at different moments; their sum is no peak";
            row("note", why.to_string());
        }
        row("change", self.change(whole));
        row("", self.classes());
        lines
    }

    fn side(&self, about: &About, total: i64) -> String {
        let what = match &about.part {
            None => String::new(),
            Some(Part::At(Point::Event(event))) => {
                format!(", when {} {event} began", about.source.unit())
            }
            Some(Part::At(Point::End)) => ", after the last event".to_string(),
            Some(Part::At(moment)) => format!(", at `{}`", visible(&moment.to_string())),
            Some(Part::Between { .. }) => ", what changed".to_string(),
        };
        let unit = about.source.unit();
        let events = match about.events {
            Some(events) => format!(", {}", counted(events, unit, &format!("{unit}s"))),
            None => String::new(),
        };
        let command = match self.has_two_commands() {
            true => format!(
                ": {}",
                cut_middle(&command_line(&about.command), LONGEST_COMMAND)
            ),
            false => String::new(),
        };
        format!(
            "{}{what}: {}{command}{events}, {}",
            visible(&about.address),
            visible(&about.program),
            exact(self.comparison.counter, i128::from(total), false)
        )
    }

    /// Whether the commands tell the sides apart.
    fn has_two_commands(&self) -> bool {
        let Comparison { before, after, .. } = self.comparison;
        before.program == after.program && before.command != after.command
    }

    fn change(&self, whole: Pair) -> String {
        let mut text = match self.comparison.per {
            Some(per) => format!("{} per {per}", signed(self.comparison, whole)),
            None => exact(self.comparison.counter, whole.delta(), true),
        };
        if let Some(percent) = to_before(self.comparison, whole) {
            text = format!("{text}, {percent}");
        }
        let is_absolute = self.comparison.per.is_none();
        if let Some(events @ 1..) = self.comparison.events_between.filter(|_| is_absolute) {
            let unit = self.comparison.before.source.unit();
            let rate = rate(
                self.comparison.counter,
                whole.delta() as f64 / events as f64,
                true,
            );
            text = format!("{text}; {rate} per {unit} over {} {unit}s", count(events));
        }
        text
    }

    /// How many rows of which kind make up the growth and the fall.
    fn classes(&self) -> String {
        let sums = &self.table.sums;
        let scale = self.comparison.scale;
        let what = |weight: i128| match self.comparison.per {
            _ if weight == 0 => "0".to_string(),
            Some(_) => rate(self.comparison.counter, scale.unweigh(weight), true),
            None => amount(self.comparison.counter, weight, true),
        };
        let rows = |one: Class, other: Class| {
            let number = |class: Class| format!("{} {}", count(sums.count(class)), class.name());
            format!("{}, {}", number(one), number(other))
        };
        format!(
            "growth {} ({}), fall {} ({}); {} {} unchanged",
            what(sums.growth),
            rows(Class::New, Class::Grown),
            what(-sums.fall),
            rows(Class::Gone, Class::Shrunk),
            count(sums.unchanged),
            self.table.by.plural(),
        )
    }
}
