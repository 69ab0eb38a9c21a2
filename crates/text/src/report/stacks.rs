//! The highest stacks, one after the other: all their numbers and their paths.

use std::io::{self, Write};

use crate::amount::{amount, share_of};
use residue_profile::Measured;
use residue_profile::units::{bytes, count, counted, share};
use residue_query::report::source::Source;
use residue_query::report::stacks::Stacks;

use super::bins;
use crate::terminal::Page;
use crate::{csv, paths};
use residue_profile::{Counter, MemoryKind};

/// Columns before a frame.
const PATH_INDENT: usize = 8;

pub fn heading(source: &Source<'_>, stacks: &Stacks) -> String {
    let kind = match source.kind() {
        MemoryKind::Heap => "heap ",
        MemoryKind::Mapping => "mapping ",
        MemoryKind::Reported => "reported ",
        MemoryKind::Cpu | MemoryKind::All => "",
    };
    let counter = stacks.counter;
    let subject = counter.subject();
    let top = &stacks.selection.top;
    if stacks.selection.stacks == 0 {
        return format!("stacks: no {kind}stack has any {subject}");
    }
    let ranked = format!(
        "stacks: {} of {} by {subject}",
        count(top.len() as u64),
        counted(
            stacks.selection.stacks as u64,
            &format!("{kind}stack"),
            &format!("{kind}stacks")
        )
    );
    let whole = amount(counter, stacks.whole);
    if counter == Counter::Peak {
        return format!("{ranked}; the peak of all together was {whole}");
    }
    if !counter.adds_up() {
        return format!("{ranked}; the largest of all is {whole}");
    }
    let together = top.iter().fold(0_u64, |sum, &index| {
        sum.saturating_add(source.value(counter, index))
    });
    let share = share(together, stacks.whole);
    format!("{ranked}, together {share} of {whole}")
}

/// A paragraph a stack, each after an empty line but the first.
pub fn lines(source: &Source<'_>, stacks: &Stacks, max_frames: usize, page: &Page) -> Vec<String> {
    let mut reader = source.paths();
    let mut lines = Vec::new();
    let mut by_frame_pointer = false;
    for (rank, &index) in stacks.selection.top.iter().enumerate() {
        if rank > 0 {
            lines.push(String::new());
        }
        lines.push(page.bold(&title(source, stacks, rank, index)));
        let detail = |text: String| format!("      {text}");
        let numbers = numbers(source, index).into_iter();
        lines.extend(numbers.flat_map(|line| page.wrap(&detail(line), PATH_INDENT)));
        let path = reader.steps(&source.profile.stacks[index]);
        by_frame_pointer |= path.iter().any(|step| step.by_frame_pointer);
        let path = paths::lines(&path, max_frames, page, PATH_INDENT);
        lines.extend(path.into_iter().map(|line| detail(format!("  {line}"))));
    }
    if by_frame_pointer {
        lines.push(String::new());
        let about = page.wrap(paths::ABOUT_FRAME_POINTERS, 4);
        lines.extend(about.iter().map(|line| page.dim(line)));
    }
    lines
}

fn title(source: &Source<'_>, stacks: &Stacks, rank: usize, index: usize) -> String {
    let value = source.value(stacks.counter, index);
    let share = match share_of(stacks.counter, value, stacks.whole) {
        none if none.is_empty() => none,
        share => format!(", {share}"),
    };
    format!(
        "{:>3}.  {} {}{share}",
        rank + 1,
        amount(stacks.counter, value),
        stacks.counter.name().replace('-', " "),
    )
}

/// One line a stack, with every counter and the path, root first.
pub fn write_csv(source: &Source<'_>, stacks: &Stacks, out: &mut dyn Write) -> io::Result<()> {
    let counters = Counter::ALL.map(|counter| counter.name().replace('-', "_"));
    let head = ["rank", "stack", "kind"].map(String::from).into_iter();
    csv::write_row(out, head.chain(counters).chain(["path".to_string()]))?;
    let mut reader = source.paths();
    for (rank, &index) in stacks.selection.top.iter().enumerate() {
        let stack = &source.profile.stacks[index];
        let path = reader.steps(stack);
        let names: Vec<&str> = path.iter().map(|step| &*step.label.name).collect();
        let kind = stack.kind.name().to_string();
        let head = [(rank + 1).to_string(), index.to_string(), kind].into_iter();
        let text = |value: Option<u64>| value.map_or(String::new(), |value| value.to_string());
        let values = Counter::ALL.map(|counter| text(source.known_value(counter, index)));
        csv::write_row(out, head.chain(values).chain([names.join(";")]))?;
    }
    Ok(())
}

/// What is known of a stack beside its path.
fn numbers(source: &Source<'_>, index: usize) -> Vec<String> {
    let profile = source.profile;
    let counters = &profile.stacks[index].counters;
    let blocks = || counted(counters.live_blocks, "block", "blocks");
    let mut lines = vec![match source.choice.measured {
        Measured::Everything => format!(
            "{}, {} total, {} live in {}, peak {}, at peak {}",
            counted(counters.calls, "call", "calls"),
            bytes(counters.total_bytes),
            bytes(counters.live_bytes),
            blocks(),
            bytes(counters.peak_bytes),
            bytes(counters.at_peak_bytes)
        ),
        Measured::WithTotals => format!(
            "{}, {} total, {}, {} live in {}",
            counted(counters.calls, "call", "calls"),
            bytes(counters.total_bytes),
            counted(counters.frees, "free", "frees"),
            bytes(counters.live_bytes),
            blocks()
        ),
        Measured::LiveOnly => format!("{} live in {}", bytes(counters.live_bytes), blocks()),
        Measured::ByThread => format!(
            "{}, {} total, {}",
            counted(counters.calls, "call", "calls"),
            bytes(counters.total_bytes),
            counted(counters.frees, "free", "frees")
        ),
    }];
    // In the title where it ranks.
    if source
        .counters
        .iter()
        .skip(1)
        .any(|it| *it == Counter::Largest)
        && let Some(largest) = source.known_value(Counter::Largest, index)
    {
        lines[0].push_str(&format!(", largest block {}", bytes(largest)));
    }
    let sizes = bins::sizes_line(profile.sizes_total.row(index));
    lines.extend(sizes.map(|sizes| format!("sizes: {sizes}")));
    let births = bins::births_line(profile.births.row(index), &profile.meta.birth_unit);
    lines.extend(births.map(|births| format!("born: {births}")));
    lines
}
