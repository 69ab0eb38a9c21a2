//! Who holds what is live, in lines: what is lost first, then what hangs on which variable.

use residue_profile::units::{bytes, counted, share};
use residue_query::holders::Document;
use residue_query::holders::document::{Amount, Stack};

use super::terminal::{Hue, Page};

/// How much is said.
#[derive(Debug, Clone, Copy)]
pub struct Length {
    /// Stacks of each kind, lost and held.
    pub stacks: usize,
    pub chains: usize,
}

pub fn lines(page: &Page, document: &Document, length: Length) -> Vec<String> {
    let mut lines: Vec<String> = document.about.iter().map(|line| page.dim(line)).collect();
    let all = &document.all;
    let (lost, held) = (all.all_lost(), all.all_held());
    let whole = lost.bytes.saturating_add(held.bytes);
    let of_whole = |part: Amount| format!("{} ({})", amount(part), share(part.bytes, whole));
    let head = match lost.blocks {
        0 => page.bold_in(Hue::Green, "NOTHING LOST"),
        _ => format!("{}  {}", page.bold_in(Hue::Red, "LOST"), of_whole(lost)),
    };
    lines.push(head);
    let parts = [
        ("nothing points to", all.lost),
        ("in cycles that hold themselves alone", all.lost_in_cycle),
        ("held by lost blocks alone", all.held_by_lost),
    ];
    for (name, part) in parts.into_iter().filter(|(_, part)| part.blocks > 0) {
        lines.push(format!("  {} {name}", amount(part)));
    }
    let (losing, holding): (Vec<&Stack>, Vec<&Stack>) = document
        .stacks
        .iter()
        .partition(|stack| stack.amounts.all_lost().blocks > 0);
    for stack in losing.iter().take(length.stacks) {
        let lost = stack.amounts.all_lost();
        lines.push(format!("  {}  {}", amount(lost), of_stack(stack)));
        lines.push(page.bold(&format!("      {}", stack.path.line())));
    }
    lines.extend(rest(losing.len(), length.stacks));
    lines.push(format!("{}  {}", page.bold("HELD"), of_whole(held)));
    for one in document.retained.iter().take(length.stacks) {
        lines.push(format!(
            "  {}  retained by {}",
            bytes(one.bytes),
            one.holder.words
        ));
    }
    for stack in holding.iter().take(length.stacks) {
        lines.push(format!("  {}", amount(stack.amounts.all_held())));
        lines.push(page.bold(&format!("      {}", stack.path.line())));
        for chain in stack.chains.iter().take(length.chains) {
            lines.push(format!("      {}  {}", amount(chain.amount), chain.words));
        }
    }
    lines.extend(rest(holding.len(), length.stacks));
    lines
}

/// What part of its blocks is lost, and when they were made.
fn of_stack(stack: &Stack) -> String {
    let (lost, held) = (stack.amounts.all_lost(), stack.amounts.all_held());
    let part = share(lost.bytes, lost.bytes + held.bytes);
    let births = match stack.lost_births {
        Some((first, last)) if first == last => format!(", born in {first}"),
        Some((first, last)) => format!(", born in {first}..{last}"),
        None => String::new(),
    };
    format!("{part} of what it left{births}")
}

fn amount(amount: Amount) -> String {
    format!(
        "{} in {}",
        bytes(amount.bytes),
        counted(amount.blocks, "block", "blocks")
    )
}

fn rest(there: usize, shown: usize) -> Option<String> {
    let more = there.checked_sub(shown).filter(|&more| more > 0)?;
    Some(format!(
        "  and {} more (--top N shows more)",
        counted(more as u64, "stack", "stacks")
    ))
}
