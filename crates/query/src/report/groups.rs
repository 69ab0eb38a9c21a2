//! Allocations by what is not a function: scopes, threads, sizes of blocks.

use residue_profile::units::Unit;
use std::collections::BTreeMap;

use residue_calltree::outermost_scopes;
use residue_profile::{MemoryKind, Profile, SizeBin};

use crate::report::source::Source;
use crate::size_bins::size_range;
use crate::table::{Column, Grid, TableRow};
use residue_profile::Counter;

const NO_SCOPE: &str = "(in no scope)";

/// Sums by the outermost scope that each stack lies in, the highest first.
pub fn scopes(source: &Source<'_>) -> Grid {
    let scopes = outermost_scopes(source.profile);
    let mut sums: BTreeMap<Option<&str>, Vec<u64>> = BTreeMap::new();
    for index in source.admitted() {
        let stack = &source.profile.stacks[index];
        let scope = scopes.get(stack.node as usize).copied().flatten();
        let none = || vec![0; source.counters.len()];
        let of_scope = sums.entry(scope).or_insert_with(none);
        for (sum, counter) in of_scope.iter_mut().zip(&source.counters) {
            counter.merge().include(sum, counter.value(stack));
        }
    }
    let mut rows: Vec<TableRow> = sums
        .into_iter()
        .map(|(scope, sums)| TableRow {
            names: vec![scope.unwrap_or(NO_SCOPE).to_string()],
            numbers: sums
                .into_iter()
                .zip(source.is_known())
                .map(|(sum, is_known)| is_known.then_some(i128::from(sum)))
                .collect(),
            is_framework: false,
        })
        .collect();
    rows.sort_by_key(|row| std::cmp::Reverse(row.numbers[0]));
    let ranking = source.counter();
    let column = |&counter: &Counter| Column {
        key: counter.name().replace('-', "_"),
        head: counter.name().to_string(),
        unit: counter.unit(),
        whole: (counter == ranking && counter.adds_up()).then(|| source.whole(counter)),
    };
    Grid {
        names: &["scope"],
        columns: source.counters.iter().map(column).collect(),
        rows,
    }
}

/// What each thread made and freed, those that made most first. `None` where the
/// profile does not tell threads apart.
pub fn threads(source: &Source<'_>) -> Option<Grid> {
    let profile = source.profile;
    if profile.threads.is_empty() || profile.by_thread.items().is_empty() {
        return None;
    }
    if source.kind() == MemoryKind::Cpu {
        return Some(thread_times(source));
    }
    // Total bytes, calls, frees, net bytes.
    let mut sums = vec![[0_i128; 4]; profile.threads.len()];
    let mut largest = vec![0_u64; profile.threads.len()];
    for stack in source.admitted() {
        for part in profile.by_thread.row(stack) {
            if let Some(sum) = sums.get_mut(part.thread as usize) {
                let these: [i128; 4] = [
                    part.total_bytes.into(),
                    part.calls.into(),
                    part.frees.into(),
                    part.net_bytes.into(),
                ];
                *sum = std::array::from_fn(|which| sum[which] + these[which]);
                let of_thread = &mut largest[part.thread as usize];
                Counter::Largest
                    .merge()
                    .include(of_thread, part.largest_bytes);
            }
        }
    }
    let all = sums.iter().fold(0, |all, sum| all + sum[0]);
    let mut rows: Vec<TableRow> = profile
        .threads
        .iter()
        .zip(sums.iter().zip(largest))
        .filter(|(_, (sum, _))| **sum != [0; 4])
        .map(|(thread, (sum, largest))| {
            let largest = source.has(Counter::Largest).then_some(largest.into());
            TableRow {
                names: vec![thread.name.clone(), thread.tid.to_string()],
                numbers: sum.map(Some).into_iter().chain([largest]).collect(),
                is_framework: false,
            }
        })
        .collect();
    rows.sort_by_key(|row| std::cmp::Reverse(row.numbers[0]));
    let column = |key: &str, head: &str, unit, whole| Column {
        key: key.to_string(),
        head: head.to_string(),
        unit,
        whole,
    };
    Some(Grid {
        names: &["name", "tid"],
        columns: vec![
            column("total", "total", Unit::Bytes, u64::try_from(all).ok()),
            column("calls", "calls", Unit::Count, None),
            column("frees", "frees", Unit::Count, None),
            column("net", "net (allocated − freed)", Unit::Bytes, None),
            column("largest", "largest", Unit::Bytes, None),
        ],
        rows,
    })
}

/// The CPU time of each thread, those that used most first: what samples say, and the kernel.
fn thread_times(source: &Source<'_>) -> Grid {
    let profile = source.profile;
    let mut sampled_ns = vec![0_u64; profile.threads.len()];
    for stack in source.admitted() {
        for part in profile.by_thread.row(stack) {
            if let Some(sum) = sampled_ns.get_mut(part.thread as usize) {
                *sum = sum.saturating_add(part.cpu_ns);
            }
        }
    }
    let all = sampled_ns
        .iter()
        .fold(0, |all: u64, ns| all.saturating_add(*ns));
    let threads = profile.threads.iter().zip(&sampled_ns);
    let mut rows: Vec<TableRow> = threads
        .filter(|(thread, sampled_ns)| **sampled_ns != 0 || thread.cpu_ns != 0)
        .map(|(thread, sampled_ns)| TableRow {
            names: vec![thread.name.clone(), thread.tid.to_string()],
            numbers: vec![
                Some(i128::from(*sampled_ns)),
                (thread.cpu_ns != 0).then_some(i128::from(thread.cpu_ns)),
            ],
            is_framework: false,
        })
        .collect();
    rows.sort_by_key(|row| std::cmp::Reverse(row.numbers[0]));
    let column = |key: &str, head: &str, whole| Column {
        key: key.to_string(),
        head: head.to_string(),
        unit: Unit::Ns,
        whole,
    };
    Grid {
        names: &["name", "tid"],
        columns: vec![
            column("cpu", "cpu", Some(all)),
            column("thread_clock", "thread's clock", None),
        ],
        rows,
    }
}

/// Blocks by powers of two of their size, all of them and those that are live. `None`
/// where sizes are not known.
pub fn sizes(source: &Source<'_>) -> Option<Grid> {
    let profile = source.profile;
    let total = blocks_by_bits(source, |stack| profile.sizes_total.row(stack));
    let live = blocks_by_bits(source, |stack| profile.sizes_live.row(stack));
    if total.is_empty() && live.is_empty() {
        return None;
    }
    let all = |blocks: &BTreeMap<u8, u64>| {
        let blocks = blocks.values();
        blocks.fold(0, |sum: u64, blocks| sum.saturating_add(*blocks))
    };
    let column = |key: &str, head: &str, whole| Column {
        key: key.to_string(),
        head: head.to_string(),
        unit: Unit::Count,
        whole: Some(whole),
    };
    let columns = vec![
        column("calls", "calls", all(&total)),
        column("live_blocks", "live blocks", all(&live)),
    ];
    let mut bins: Vec<u8> = total.keys().chain(live.keys()).copied().collect();
    bins.sort_unstable();
    bins.dedup();
    let blocks = |of: &BTreeMap<u8, u64>, bits: u8| of.get(&bits).copied().unwrap_or(0).into();
    Some(Grid {
        names: &["size"],
        columns,
        rows: bins
            .into_iter()
            .map(|bits| TableRow {
                names: vec![size_range(bits)],
                numbers: vec![Some(blocks(&total, bits)), Some(blocks(&live, bits))],
                is_framework: false,
            })
            .collect(),
    })
}

fn blocks_by_bits<'a>(
    source: &Source<'_>,
    row: impl Fn(usize) -> &'a [SizeBin],
) -> BTreeMap<u8, u64> {
    let mut blocks: BTreeMap<u8, u64> = BTreeMap::new();
    for bin in source.admitted().flat_map(row) {
        let sum = blocks.entry(bin.bits).or_default();
        *sum = sum.saturating_add(bin.blocks);
    }
    blocks.retain(|_, blocks| *blocks > 0);
    blocks
}

/// Whether the program marked any scope.
pub fn has_scopes(profile: &Profile) -> bool {
    outermost_scopes(profile).iter().any(Option::is_some)
}
