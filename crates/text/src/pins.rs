//! Who keeps pages of the heap resident, in lines: the heap's parts, stacks, sizes, ages, advice.

use residue_profile::units::{bytes, count, counted, fractional_bytes, share};
use residue_query::pins::Document;
use residue_query::pins::document::{Age, SizeClass, Stack};

use super::terminal::Page;

/// Classes that keep less than one part in so many are not shown.
const LEAST_PART: u64 = 200;

/// `most`: stacks that are shown.
pub fn lines(page: &Page, document: &Document, most: usize) -> Vec<String> {
    let heap = &document.heap;
    let mut lines: Vec<String> = document.about.iter().map(|line| page.dim(line)).collect();
    let head = page.bold("RESIDENT HEAP");
    lines.push(format!("{head}  {}", bytes(heap.resident_bytes)));
    for (part, name) in [
        (heap.used_bytes, "in live blocks, with their heads"),
        (heap.free_bytes, "free on pages that live blocks keep"),
        (heap.free_page_bytes, "on pages without a live block"),
    ] {
        let of_all = share(part, heap.resident_bytes);
        lines.push(format!("  {} ({of_all}) {name}", bytes(part)));
    }
    lines.push(page.bold("KEPT BY"));
    for stack in document.stacks.iter().take(most) {
        let path = page.bold(&format!("      {}", stack.path.line()));
        lines.extend([first_line(stack, heap.free_bytes, &document.unit), path]);
        lines.push(page.dim(&format!("      {}", second_line(stack, &document.unit))));
    }
    let left = document.stacks.len().saturating_sub(most) as u64;
    let left = left.saturating_add(document.other_stacks);
    if left > 0 {
        let stacks = counted(left, "stack", "stacks");
        lines.push(format!("  and {stacks} more (--top N shows more)"));
    }
    let worth = |free: u64| free > 0 && free >= heap.free_bytes / LEAST_PART;
    lines.push(page.bold("BY SIZE OF BLOCK"));
    let sizes = document.sizes.iter().filter(|of| worth(of.free_bytes));
    lines.extend(sizes.map(size));
    lines.push(page.bold("BY AGE OF BLOCK"));
    let ages = document.ages.iter().filter(|of| worth(of.free_bytes));
    lines.extend(ages.map(|of| age(of, &document.unit)));
    if !document.freed.is_empty() {
        lines.push(page.bold("LIVE AT THE PEAK, FREED SINCE"));
    }
    for one in &document.freed {
        let (peak, live) = (bytes(one.at_peak_bytes), bytes(one.live_bytes));
        lines.push(format!("  {peak}, now {live}"));
        lines.push(page.bold(&format!("      {}", one.path.line())));
    }
    if !document.advice.is_empty() {
        lines.push(page.bold("WHAT WOULD HELP"));
    }
    let advice = document.advice.iter();
    lines.extend(advice.map(|one| format!("  {:<5} {}", one.action, one.words)));
    lines
}

/// What it keeps, and what that grows by.
fn first_line(stack: &Stack, all_free: u64, unit: &str) -> String {
    let pins = &stack.pins;
    let mut line = format!(
        "  {} ({}) free on {}, {} of them alone",
        bytes(pins.free_bytes),
        share(pins.free_bytes, all_free),
        counted(pins.pages, "page", "pages"),
        count(pins.alone_pages)
    );
    if let Some(growth) = &stack.growth {
        let sign = if growth.bytes_per_event < 0.0 {
            ""
        } else {
            "+"
        };
        let rate = fractional_bytes(growth.bytes_per_event);
        line.push_str(&format!(
            "; {sign}{rate}/{unit} since {}",
            growth.since_event
        ));
    }
    line
}

/// The blocks that keep it.
fn second_line(stack: &Stack, unit: &str) -> String {
    let pins = &stack.pins;
    let sizes = match pins.smallest == pins.largest {
        true => bytes(pins.smallest),
        false => format!("{} to {}", bytes(pins.smallest), bytes(pins.largest)),
    };
    let births = match pins.first_birth == pins.last_birth {
        true => format!("{unit} {}", pins.first_birth),
        false => format!("{unit}s {}..{}", pins.first_birth, pins.last_birth),
    };
    let blocks = counted(pins.blocks, "block", "blocks");
    format!(
        "{blocks} of {sizes}, born in {births}; {} with their heads",
        bytes(pins.used_bytes)
    )
}

fn size(of: &SizeClass) -> String {
    let range = match of.from_bytes == of.to_bytes {
        true => bytes(of.to_bytes),
        false => format!("{} to {}", bytes(of.from_bytes), bytes(of.to_bytes)),
    };
    kept(of.free_bytes, of.used_bytes, &range)
}

fn age(of: &Age, unit: &str) -> String {
    let births = match of.first_birth == of.last_birth {
        true => format!("born in {unit} {}", of.last_birth),
        false => format!("born in {unit}s {}..{}", of.first_birth, of.last_birth),
    };
    kept(of.free_bytes, of.used_bytes, &births)
}

fn kept(free: u64, used: u64, by: &str) -> String {
    format!(
        "  {} free, kept by {} of blocks {by}",
        bytes(free),
        bytes(used)
    )
}
