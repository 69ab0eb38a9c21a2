//! Callers and callees on paper: for every function a block, callers above its own
//! line and callees below.

use std::io::{self, Write};

use crate::text::amount::amount;
use crate::text::csv;
use crate::text::report::grid::{NOT_RECORDED, name_beside};
use crate::text::terminal::Page;
use residue_profile::Counter;
use residue_profile::units::{bytes, count, counted, share};
use residue_query::report::callers::{Callers, Function, Other};
use residue_query::report::flat::is_enough;

/// Columns before the name: shares of all and of the function, value, calls.
const NUMBERS: usize = 8 + 8 + 12 + 16;
const SHORTEST_NAME: usize = 20;

/// What one line says.
struct Line<'a> {
    of_all: String,
    of_it: String,
    value: String,
    calls: String,
    indent: &'a str,
    name: &'a str,
    library: &'a str,
    is_framework: bool,
    is_own: bool,
}

impl Line<'_> {
    fn text(&self, page: &Page) -> String {
        let numbers = format!(
            "{:>8}{:>8}{:>12}{:>14}  ",
            self.of_all, self.of_it, self.value, self.calls
        );
        let room = page.width.saturating_sub(NUMBERS + self.indent.len());
        let room = room.max(SHORTEST_NAME);
        let name = name_beside(page, self.name, self.library, self.is_framework, room);
        match self.is_own {
            true => page.bold(&format!("{numbers}{}{}", self.indent, name)),
            false => format!("{numbers}{}{name}", self.indent),
        }
    }
}

pub fn heading(callers: &Callers, counter: Counter) -> String {
    format!(
        "callers and callees by {}: {} with at least {} % of {}",
        counter.subject(),
        counted(callers.functions.len() as u64, "function", "functions"),
        callers.min_percent,
        amount(counter, callers.whole),
    )
}

pub fn lines(callers: &Callers, counter: Counter, page: &Page) -> Vec<String> {
    let head = format!(
        "{:>8}{:>8}{:>12}{:>14}  function  library",
        "of all",
        "of it",
        counter.name(),
        "calls"
    );
    let mut lines = vec![page.bold(&head)];
    let block = Block {
        callers,
        counter,
        page,
    };
    for (rank, function) in callers.functions.iter().enumerate() {
        lines.push(page.dim(&"-".repeat(page.width.min(100))));
        block.add(rank + 1, function, &mut lines);
    }
    lines
}

struct Block<'a> {
    callers: &'a Callers,
    counter: Counter,
    page: &'a Page,
}

impl Block<'_> {
    fn amount(&self, value: u64) -> String {
        match self.counter.is_bytes() {
            true => bytes(value),
            false => count(value),
        }
    }

    fn add(&self, rank: usize, function: &Function, lines: &mut Vec<String>) {
        self.others(&function.callers, function, lines);
        let own = Line {
            of_all: share(function.cumulative, self.callers.whole),
            of_it: String::new(),
            value: self.amount(function.cumulative),
            calls: calls_text(function.cumulative_calls),
            indent: &format!("[{rank}] "),
            name: &function.function,
            library: &function.library,
            is_framework: false,
            is_own: true,
        };
        lines.push(own.text(self.page));
        if function.own > 0 {
            lines.push(self.line(function, "(itself)", "", function.own, function.self_calls));
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
                of_all: share(other.value, whole),
                of_it: share(other.value, function.cumulative),
                value: self.amount(other.value),
                calls: calls_text(other.calls),
                indent: "    ",
                name: &name,
                library: &other.library,
                is_framework: other.framework,
                is_own: false,
            };
            lines.push(line.text(self.page));
        }
        let rest = others
            .iter()
            .filter(|it| !is_enough(it.value, whole, min_percent));
        let rest = rest.fold((0_u64, 0_u64, Some(0_u64)), |sum, other| {
            let calls = sum.2.zip(other.calls);
            let calls = calls.map(|(sum, calls)| sum.saturating_add(calls));
            (sum.0 + 1, sum.1.saturating_add(other.value), calls)
        });
        if rest.0 > 0 {
            let name = format!("({})", counted(rest.0, "other", "others"));
            lines.push(self.line(function, &name, "", rest.1, rest.2));
        }
    }

    fn line(
        &self,
        function: &Function,
        name: &str,
        library: &str,
        value: u64,
        calls: Option<u64>,
    ) -> String {
        let line = Line {
            of_all: share(value, self.callers.whole),
            of_it: share(value, function.cumulative),
            value: self.amount(value),
            calls: calls_text(calls),
            indent: "    ",
            name,
            library,
            is_framework: true,
            is_own: false,
        };
        line.text(self.page)
    }
}

fn calls_text(calls: Option<u64>) -> String {
    calls.map_or(NOT_RECORDED.to_string(), count)
}

/// One line for each function itself, and one for each of its callers and callees.
pub fn write_csv(callers: &Callers, out: &mut dyn Write) -> io::Result<()> {
    let head = [
        "function",
        "library",
        "relation",
        "other",
        "other_library",
        "value",
        "calls",
        "recursive",
    ];
    csv::write_row(out, head)?;
    for function in &callers.functions {
        let mut row = |relation: &str, other: [&str; 2], numbers: [Option<u64>; 3]| {
            let names = [
                &*function.function,
                &*function.library,
                relation,
                other[0],
                other[1],
            ];
            let names = names.map(String::from).into_iter();
            let text = |number: Option<u64>| number.map_or(String::new(), |it| it.to_string());
            csv::write_row(out, names.chain(numbers.map(text)))
        };
        row(
            "cumulative",
            ["", ""],
            [
                Some(function.cumulative),
                function.cumulative_calls,
                Some(0),
            ],
        )?;
        row(
            "self",
            ["", ""],
            [Some(function.own), function.self_calls, Some(0)],
        )?;
        for (relation, others) in [("caller", &function.callers), ("callee", &function.callees)] {
            for other in others {
                let names = [&*other.function, &*other.library];
                let numbers = [Some(other.value), other.calls, Some(other.recursive)];
                row(relation, names, numbers)?;
            }
        }
    }
    Ok(())
}
