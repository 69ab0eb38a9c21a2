//! A profile as far as some of its threads made it.
//!
//! Of a thread is known what it made and what it freed. How much of what it made is
//! live is not: another thread may have freed it.

use crate::function_names::Wanted;
use anyhow::{Result, bail};
use residue_names::glob;
use residue_profile::{Counter, Counters, Profile, Ragged, Thread, Totals};

/// What the threads whose name or number fits the pattern made and freed.
pub fn of(mut profile: Profile, pattern: &str) -> Result<Profile> {
    let is_meant: Vec<bool> = profile
        .threads
        .iter()
        .map(|thread| fits(thread, pattern))
        .collect();
    if !is_meant.contains(&true) {
        let names = profile.threads.iter().map(|thread| &*thread.name);
        let nearest = Wanted::new(pattern).nearest(names).first().copied();
        bail!(
            "no thread is called `{pattern}`; {}{}",
            nearest.map_or(String::new(), |name| format!("did you mean `{name}`? ")),
            known(&profile.threads)
        );
    }
    let mut sums = Totals::default();
    for (index, stack) in profile.stacks.iter_mut().enumerate() {
        let mut counters = Counters::default();
        for of_thread in profile.by_thread.row(index) {
            if is_meant.get(of_thread.thread as usize) == Some(&true) {
                add(&mut counters.calls, of_thread.calls);
                add(&mut counters.total_bytes, of_thread.total_bytes);
                add(&mut counters.frees, of_thread.frees);
                add(&mut counters.cpu_ns, of_thread.cpu_ns);
                let largest = &mut counters.largest_bytes;
                Counter::Largest
                    .merge()
                    .include(largest, of_thread.largest_bytes);
            }
        }
        stack.counters = counters;
        if stack.kind.is_heap() {
            add(&mut sums.calls, counters.calls);
            add(&mut sums.total_bytes, counters.total_bytes);
            add(&mut sums.frees, counters.frees);
        }
    }
    profile.heap = sums;
    profile.sizes_total = Ragged::default();
    profile.sizes_live = Ragged::default();
    profile.births = Ragged::default();
    profile.meta.notes.push(format!(
        "these are the calls, total bytes, frees, largest blocks and CPU time of the threads \
         `{pattern}`; live memory is not known by thread"
    ));
    Ok(profile)
}

/// The file may say anything.
fn add(sum: &mut u64, more: u64) {
    *sum = sum.saturating_add(more);
}

fn fits(thread: &Thread, pattern: &str) -> bool {
    glob(pattern, &thread.name) || thread.tid.to_string() == pattern
}

fn known(threads: &[Thread]) -> String {
    if threads.is_empty() {
        return "threads were not recorded".to_string();
    }
    let names: Vec<String> = threads
        .iter()
        .take(20)
        .map(|thread| format!("{} ({})", thread.tid, thread.name))
        .collect();
    format!("there are {}", names.join(", "))
}
