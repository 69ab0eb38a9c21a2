//! Functions line by line, with what each line allocated beside it.

use std::ops::RangeInclusive;

use crate::terminal::Page;
use residue_profile::Counter;
use residue_query::list::document::Source;
use residue_query::list::{Function, Numbers};
use residue_query::visible::visible;

/// More lines than this without a number between two that have one are left out.
const LONGEST_SILENCE: u32 = 30;

/// What is shown of functions.
pub struct Listing<'a> {
    pub counters: &'a [Counter],
    pub functions: &'a [Function],
    /// The file of a path, where it is to be had.
    pub source: &'a dyn Fn(&str) -> Option<Source>,
    /// Lines before the first and after the last that has a number.
    pub context: u32,
}

impl Listing<'_> {
    pub fn text(&self, page: &Page) -> String {
        let mut text = String::new();
        for (index, function) in self.functions.iter().enumerate() {
            if index > 0 {
                text.push('\n');
            }
            for line in self.function(function, page) {
                text.push_str(line.trim_end());
                text.push('\n');
            }
        }
        text
    }

    fn function(&self, function: &Function, page: &Page) -> Vec<String> {
        let libraries: Vec<&str> = function.libraries.iter().map(String::as_str).collect();
        let mut lines = vec![page.bold(&format!(
            "{}  {}",
            page.fit(&function.name, page.width),
            libraries.join(", ")
        ))];
        for (counter, numbers) in self.counters.iter().zip(&function.numbers) {
            lines.push(format!(
                "  {}: {} self, {} with callees",
                counter.subject(),
                amount(*counter, numbers.own),
                amount(*counter, numbers.cumulative)
            ));
        }
        let file = (self.source)(&function.file);
        lines.extend(self.notes(function, file.as_ref()));
        if !function.lines.is_empty() {
            lines.push(String::new());
            lines.extend(self.lines(function, file.as_ref(), page));
        }
        lines
    }

    fn notes(&self, function: &Function, file: Option<&Source>) -> Vec<String> {
        let name = visible(&function.file);
        let mut notes = Vec::new();
        if function.lines.is_empty() {
            notes.push("  no debug information: its lines are unknown".to_string());
            return notes;
        }
        match file {
            None => notes.push(format!(
                "  {name} not found; give the source folder with --source"
            )),
            Some(file) => {
                notes.push(format!("  {}", visible(&file.path)));
                if file.is_newer {
                    notes.push("  changed after the recording: lines may have moved".to_string());
                }
            }
        }
        notes
    }

    fn lines(&self, function: &Function, file: Option<&Source>, page: &Page) -> Vec<String> {
        let mut heads = Vec::new();
        for counter in self.counters {
            heads.push(format!("{} self", counter.name()));
            heads.push("cumulative".to_string());
        }
        let cells = |numbers: &[Numbers]| -> Vec<String> {
            let pairs = self.counters.iter().zip(numbers);
            pairs
                .flat_map(|(counter, numbers)| {
                    [numbers.own, numbers.cumulative].map(|value| match value {
                        0 => "-".to_string(),
                        value => amount(*counter, value),
                    })
                })
                .collect()
        };
        let all: Vec<Vec<String>> = function.lines.values().map(|it| cells(it)).collect();
        let length = |text: &String| text.chars().count();
        let widths: Vec<usize> = (0..heads.len())
            .map(|column| {
                let cells = all.iter().map(|cells| length(&cells[column]));
                cells.chain([length(&heads[column])]).max().unwrap_or(0)
            })
            .collect();
        let row = |cells: &[String], line: &str, text: &str| {
            let mut row = String::new();
            for (column, width) in widths.iter().enumerate() {
                let cell = cells.get(column).map_or("", String::as_str);
                row.push_str(&format!("  {cell:>width$}"));
            }
            let taken = row.chars().count() + 10;
            let text = page.fit_start(text, page.width.saturating_sub(taken).max(40));
            format!("{row}  {line:>6}  {text}")
        };
        let mut lines = vec![page.bold(row(&heads, "line", "").trim_end())];
        let mut next = None;
        for range in self.ranges(function, file) {
            if file.is_some() && next.is_some_and(|next| next != *range.start()) {
                lines.push(row(&[], "…", ""));
            }
            next = Some(range.end() + 1);
            for line in range {
                let source = file.and_then(|file| file.lines.get(line as usize - 1));
                let source =
                    source.map_or(String::new(), |text| visible(&text.replace('\t', "    ")));
                let cells = function
                    .lines
                    .get(&line)
                    .map(|it| cells(it))
                    .unwrap_or_default();
                lines.push(row(&cells, &line.to_string(), &source));
            }
        }
        lines
    }

    /// Which lines to show: those with numbers and what lies between and around them;
    /// those with numbers alone where there is no source.
    fn ranges(&self, function: &Function, file: Option<&Source>) -> Vec<RangeInclusive<u32>> {
        let Some(file) = file else {
            return function.lines.keys().map(|&line| line..=line).collect();
        };
        let last = u32::try_from(file.lines.len()).unwrap_or(u32::MAX);
        let mut ranges: Vec<RangeInclusive<u32>> = Vec::new();
        for &line in function.lines.keys() {
            let start = line.saturating_sub(self.context).max(1);
            let end = line.saturating_add(self.context).min(last.max(line));
            match ranges.last_mut() {
                Some(before) if start <= before.end().saturating_add(LONGEST_SILENCE) => {
                    *before = *before.start()..=end;
                }
                _ => ranges.push(start..=end),
            }
        }
        ranges
    }
}

fn amount(counter: Counter, value: u64) -> String {
    counter.unit().amount(value)
}
