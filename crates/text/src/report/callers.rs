//! Callers and callees on paper: for every function a block, callers above its own
//! line and callees below.

use std::io::{self, Write};

use crate::amount::{amount, share_of};
use crate::csv;
use crate::report::grid::{NOT_RECORDED, name_beside};
use crate::terminal::Page;
use residue_profile::Counter;
use residue_profile::units::{count, counted};
use residue_query::report::callers::{Callers, CounterValues, Function, Other};
use residue_query::report::flat::is_enough;

/// Columns of the shares of all and of the function, and of each counter.
const SHARE: usize = 8;
const VALUE: usize = 14;
const SHORTEST_NAME: usize = 20;

/// What one line says.
struct Line<'a> {
    of_all: String,
    of_it: String,
    values: Vec<String>,
    indent: &'a str,
    name: &'a str,
    library: &'a str,
    is_framework: bool,
    is_own: bool,
}

impl Line<'_> {
    fn text(&self, page: &Page) -> String {
        let numbers = numbers(&self.of_all, &self.of_it, &self.values);
        let room = page
            .width
            .saturating_sub(numbers.chars().count() + self.indent.len());
        let room = room.max(SHORTEST_NAME);
        let name = name_beside(page, self.name, self.library, self.is_framework, room);
        match self.is_own {
            true => page.bold(&format!("{numbers}{}{}", self.indent, name)),
            false => format!("{numbers}{}{name}", self.indent),
        }
    }
}

fn numbers(of_all: &str, of_it: &str, values: &[String]) -> String {
    let mut numbers = format!("{of_all:>SHARE$}{of_it:>SHARE$}");
    for value in values {
        numbers.push_str(&format!("{value:>VALUE$}"));
    }
    numbers + "  "
}

pub fn heading(callers: &Callers, counter: Counter) -> String {
    format!(
        "callers and callees by {}: {} of {} with at least {} % of {}{}",
        counter.subject(),
        count(callers.functions.len() as u64),
        counted(callers.found as u64, "function", "functions"),
        callers.min_percent,
        match counter.adds_up() {
            true => "",
            false => "the largest, ",
        },
        amount(counter, callers.whole),
    )
}

pub fn lines(callers: &Callers, counters: &[Counter], page: &Page) -> Vec<String> {
    let names: Vec<String> = counters.iter().map(|it| it.name().to_string()).collect();
    let head = numbers("of all", "of it", &names) + "function  library";
    let mut lines = vec![page.bold(&head)];
    let block = Block {
        callers,
        counter: counters.first().copied().unwrap_or_default(),
        page,
    };
    for function in &callers.functions {
        lines.push(page.dim(&"-".repeat(page.width.min(100))));
        block.add(function, &mut lines);
    }
    lines
}

struct Block<'a> {
    callers: &'a Callers,
    /// That ranks.
    counter: Counter,
    page: &'a Page,
}

/// Numbers with their units, in the order of the columns.
fn texts(values: &CounterValues) -> Vec<String> {
    let text = |&(counter, value): &(Counter, Option<u64>)| match value {
        None => NOT_RECORDED.to_string(),
        Some(value) => counter.unit().amount(value),
    };
    values.0.iter().map(text).collect()
}

impl Block<'_> {
    fn share(&self, value: u64, whole: u64) -> String {
        share_of(self.counter, value, whole)
    }

    fn add(&self, function: &Function, lines: &mut Vec<String>) {
        self.others(&function.callers, function, lines);
        let own = Line {
            of_all: self.share(function.cumulative, self.callers.whole),
            of_it: String::new(),
            values: texts(&function.cumulative_counters),
            indent: &format!("[{}] ", function.rank),
            name: &function.function,
            library: &function.library,
            is_framework: false,
            is_own: true,
        };
        lines.push(own.text(self.page));
        if function.own > 0 {
            let values = texts(&function.self_counters);
            lines.push(self.line(function, "(itself)", function.own, values));
        }
        self.others(&function.callees, function, lines);
    }

    /// Those below the threshold are put together.
    fn others(&self, others: &[Other], function: &Function, lines: &mut Vec<String>) {
        let Callers {
            whole, min_percent, ..
        } = *self.callers;
        let shown = others
            .iter()
            .filter(|it| is_enough(it.value, whole, min_percent));
        for other in shown {
            let name = match other.recursive {
                0 => other.function.clone(),
                _ => format!("{} (recursive)", other.function),
            };
            let line = Line {
                of_all: self.share(other.value, whole),
                of_it: self.share(other.value, function.cumulative),
                values: texts(&other.counters),
                indent: "    ",
                name: &name,
                library: &other.library,
                is_framework: other.framework,
                is_own: false,
            };
            lines.push(line.text(self.page));
        }
        let rest: Vec<&Other> = others
            .iter()
            .filter(|it| !is_enough(it.value, whole, min_percent))
            .collect();
        if !rest.is_empty() {
            let name = format!("({})", counted(rest.len() as u64, "other", "others"));
            let value = self.counter.merge().all(rest.iter().map(|it| it.value));
            lines.push(self.line(function, &name, value, texts(&together(&rest))));
        }
    }

    fn line(&self, function: &Function, name: &str, value: u64, values: Vec<String>) -> String {
        let line = Line {
            of_all: self.share(value, self.callers.whole),
            of_it: self.share(value, function.cumulative),
            values,
            indent: "    ",
            name,
            library: "",
            is_framework: true,
            is_own: false,
        };
        line.text(self.page)
    }
}

/// What several have together, counter by counter.
fn together(others: &[&Other]) -> CounterValues {
    let counters = others.first().map_or(0, |other| other.counters.0.len());
    let of_counter = |place: usize| {
        let counter = others[0].counters.0[place].0;
        let values = others.iter().map(|other| other.counters.0[place].1);
        let all = values.reduce(|one, other| Some(counter.merge().join(one?, other?)));
        (counter, all.flatten())
    };
    CounterValues((0..counters).map(of_counter).collect())
}

/// One line for each function itself, and one for each of its callers and callees. The value is
/// of the counter that ranks; the others stand under their names.
pub fn write_csv(callers: &Callers, counters: &[Counter], out: &mut dyn Write) -> io::Result<()> {
    let names = [
        "function",
        "library",
        "relation",
        "other",
        "other_library",
        "value",
    ];
    let beside = counters.iter().skip(1).map(|counter| counter.name());
    csv::write_row(out, names.into_iter().chain(beside).chain(["recursive"]))?;
    for function in &callers.functions {
        let mut row = |relation: &str, other: [&str; 2], values: &CounterValues, recursive: u64| {
            let names = [
                &*function.function,
                &*function.library,
                relation,
                other[0],
                other[1],
            ];
            let text = |value: Option<u64>| value.map_or(String::new(), |it| it.to_string());
            let values = values.0.iter().map(|(_, value)| text(*value));
            let names = names.map(String::from).into_iter();
            csv::write_row(out, names.chain(values).chain([recursive.to_string()]))
        };
        row("cumulative", ["", ""], &function.cumulative_counters, 0)?;
        row("self", ["", ""], &function.self_counters, 0)?;
        for (relation, others) in [("caller", &function.callers), ("callee", &function.callees)] {
            for other in others {
                let names = [&*other.function, &*other.library];
                row(relation, names, &other.counters, other.recursive)?;
            }
        }
    }
    Ok(())
}
