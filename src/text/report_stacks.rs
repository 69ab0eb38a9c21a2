//! The highest stacks, one after the other: all their numbers and their paths.

use std::io::{self, Write};

use residue_profile::Profile;

use super::counter::{self, Counter, Kind};
use super::report_source::Source;
use super::select::{Selection, select};
use super::terminal::Page;
use super::units::{bytes, count, counted, share};
use super::{bins, csv, paths};

/// Columns before a frame.
const PATH_INDENT: usize = 8;

pub struct Stacks {
    pub selection: Selection,
    pub whole: u64,
    counter: Counter,
    kind: Kind,
}

impl Stacks {
    pub fn of(source: &Source<'_>, limit: usize) -> Stacks {
        let counter = source.counter();
        let is_meant = |stack: usize| source.admits(stack);
        Stacks {
            selection: select(source.profile, counter, is_meant, limit),
            whole: source.whole(counter),
            counter,
            kind: source.kind,
        }
    }

    pub fn heading(&self, profile: &Profile) -> String {
        let kind = match self.kind {
            Kind::Heap => "heap ",
            Kind::Mapping => "mapping ",
            Kind::Reported => "reported ",
            Kind::All => "",
        };
        let counter = self.counter;
        let subject = counter.subject();
        let top = &self.selection.top;
        if self.selection.stacks == 0 {
            return format!("stacks: no {kind}stack has any {subject}");
        }
        let ranked = format!(
            "stacks: {} of {} by {subject}",
            count(top.len() as u64),
            counted(
                self.selection.stacks as u64,
                &format!("{kind}stack"),
                &format!("{kind}stacks")
            )
        );
        let whole = counter::amount(counter, self.whole);
        if counter == Counter::Peak {
            return format!("{ranked}; the peak of all together was {whole}");
        }
        let together = top.iter().fold(0_u64, |sum, &index| {
            sum.saturating_add(counter.value(&profile.stacks[index]))
        });
        let share = share(together, self.whole);
        format!("{ranked}, together {share} of {whole}")
    }

    /// A paragraph a stack, each after an empty line but the first.
    pub fn lines(&self, source: &Source<'_>, max_frames: usize, page: &Page) -> Vec<String> {
        let mut reader = source.paths();
        let mut lines = Vec::new();
        for (rank, &index) in self.selection.top.iter().enumerate() {
            if rank > 0 {
                lines.push(String::new());
            }
            lines.push(page.bold(&self.title(source.profile, rank, index)));
            let detail = |text: String| format!("      {text}");
            let numbers = numbers(source.profile, index).into_iter();
            lines.extend(numbers.flat_map(|line| page.wrap(&detail(line), PATH_INDENT)));
            let path = reader.steps(&source.profile.stacks[index]);
            let path = paths::lines(&path, max_frames, page, PATH_INDENT);
            lines.extend(path.into_iter().map(|line| detail(format!("  {line}"))));
        }
        lines
    }

    fn title(&self, profile: &Profile, rank: usize, index: usize) -> String {
        let value = self.counter.value(&profile.stacks[index]);
        format!(
            "{:>3}.  {} {}, {}",
            rank + 1,
            counter::amount(self.counter, value),
            self.counter.name().replace('-', " "),
            share(value, self.whole)
        )
    }

    /// One line a stack, with every counter and the path, root first.
    pub fn write_csv(&self, source: &Source<'_>, out: &mut dyn Write) -> io::Result<()> {
        let counters = Counter::ALL.map(|counter| counter.name().replace('-', "_"));
        let head = ["rank", "stack", "kind"].map(String::from).into_iter();
        csv::write_row(out, head.chain(counters).chain(["path".to_string()]))?;
        let mut reader = source.paths();
        for (rank, &index) in self.selection.top.iter().enumerate() {
            let stack = &source.profile.stacks[index];
            let path = reader.steps(stack);
            let names: Vec<&str> = path.iter().map(|step| &*step.label.name).collect();
            let kind = stack.kind.name().to_string();
            let head = [(rank + 1).to_string(), index.to_string(), kind].into_iter();
            let values = Counter::ALL.map(|counter| counter.value(stack).to_string());
            csv::write_row(out, head.chain(values).chain([names.join(";")]))?;
        }
        Ok(())
    }
}

/// What is known of a stack beside its path.
fn numbers(profile: &Profile, index: usize) -> Vec<String> {
    let counters = &profile.stacks[index].counters;
    let mut lines = vec![format!(
        "{}, {} total, {} live in {}, peak {}, at peak {}",
        counted(counters.calls, "call", "calls"),
        bytes(counters.total_bytes),
        bytes(counters.live_bytes),
        counted(counters.live_blocks, "block", "blocks"),
        bytes(counters.peak_bytes),
        bytes(counters.at_peak_bytes)
    )];
    let sizes = bins::sizes_line(profile.sizes_total.row(index));
    lines.extend(sizes.map(|sizes| format!("sizes: {sizes}")));
    let births = bins::births_line(profile.births.row(index), &profile.meta.birth_unit);
    lines.extend(births.map(|births| format!("born: {births}")));
    lines
}
