//! What would give memory back, and how much.

use residue_calltree::PathReader;
use residue_profile::Profile;
use residue_profile::pins::{Pins, StackPins};
use residue_profile::timeline::StackId;
use residue_profile::units::{bytes, counted};
use serde::Serialize;
use std::cmp::Reverse;

use crate::leaks::shown_path_of_stack;

const PAGE_BYTES: u64 = 4096;
/// Less is not worth a change, and a part of the heap that is not worth it.
const LEAST_SAVED_BYTES: u64 = 256 << 10;
const LEAST_SAVED_PART: u64 = 20;
/// Stacks that are told to move.
const MOST_STACKS: usize = 3;

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "PinsAdvice"))]
pub struct Advice {
    /// `pool`: blocks of their own pages; `trim`: free pages given back.
    pub action: &'static str,
    /// The stack whose blocks are meant; null where all are.
    pub stack: Option<StackId>,
    pub saved_bytes: u64,
    pub words: String,
}

pub(crate) fn advice(profile: &Profile, paths: &mut PathReader<'_>, pins: &Pins) -> Vec<Advice> {
    let is_worth_it = |saved_bytes: u64| {
        saved_bytes >= LEAST_SAVED_BYTES.max(pins.heap.resident_bytes / LEAST_SAVED_PART)
    };
    let mut stacks: Vec<&StackPins> = pins.stacks.iter().collect();
    stacks.sort_by_key(|of| Reverse(saved_by_a_pool(of)));
    let stacks = stacks.into_iter().take(MOST_STACKS);
    let pools = stacks.map(|of| pool(profile, paths, of));
    let free_pages = pins.heap.free_page_bytes;
    let trim = Advice {
        action: "trim",
        stack: None,
        saved_bytes: free_pages,
        words: format!(
            "{} are on pages without a live block: {}",
            bytes(free_pages),
            giving_back(&profile.meta.allocator)
        ),
    };
    let all = pools.chain([trim]);
    let mut worth: Vec<Advice> = all.filter(|it| is_worth_it(it.saved_bytes)).collect();
    worth.sort_by_key(|it| Reverse(it.saved_bytes));
    worth
}

/// The pages that a stack alone keeps, less those that its blocks would need side by side.
fn saved_by_a_pool(of: &StackPins) -> u64 {
    let packed = of.used_bytes.div_ceil(PAGE_BYTES);
    of.alone_pages
        .saturating_sub(packed)
        .saturating_mul(PAGE_BYTES)
}

fn pool(profile: &Profile, paths: &mut PathReader<'_>, of: &StackPins) -> Advice {
    let saved_bytes = saved_by_a_pool(of);
    let path = shown_path_of_stack(profile, paths, of.stack);
    let function = path.shown.rsplit(" > ").next().unwrap_or_default();
    let packed = of.used_bytes.div_ceil(PAGE_BYTES);
    Advice {
        action: "pool",
        stack: Some(of.stack),
        saved_bytes,
        words: format!(
            "{} of {function} would fit on {} and keep {} alone: a pool or an arena for them, or \
             allocating them before what is freed around them, saves {}",
            bytes(of.used_bytes),
            counted(packed, "page", "pages"),
            counted(of.alone_pages, "page", "pages"),
            bytes(saved_bytes)
        ),
    }
}

/// How an allocator is told to.
fn giving_back(allocator: &str) -> &'static str {
    let is = |name: &str| allocator.contains(name);
    match () {
        _ if is("jemalloc") => "a shorter dirty_decay_ms in MALLOC_CONF gives them back sooner",
        _ if is("tcmalloc") => "MallocExtension::ReleaseFreeMemory gives them back",
        _ if is("mimalloc") => "mi_collect(true) gives them back",
        _ if is("libc") => "malloc_trim(0) gives most of them back",
        _ => "the allocator has not given them back",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pool_saves_what_is_kept_alone_less_what_it_needs() {
        let of = StackPins {
            used_bytes: 10_000,
            alone_pages: 103,
            ..StackPins::default()
        };
        assert_eq!(saved_by_a_pool(&of), 100 * PAGE_BYTES);
        let packed = StackPins {
            used_bytes: 1 << 20,
            alone_pages: 256,
            ..StackPins::default()
        };
        assert_eq!(saved_by_a_pool(&packed), 0);
    }
}
