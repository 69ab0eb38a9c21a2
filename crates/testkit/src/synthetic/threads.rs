//! The threads of the program, and who of them did what.

use residue_profile::{Counters, Thread, ThreadCounters, ThreadId};

use super::tree::Path;
use crate::random::Random;

pub const FIRST_TID: u32 = 4000;
/// One stack in so many is used by several threads.
const SHARED: u64 = 8;

/// The main thread and its workers.
pub fn names(threads: usize) -> Vec<Thread> {
    let threads = threads.max(1) as u32;
    (0..threads)
        .map(|index| Thread {
            tid: FIRST_TID + index,
            name: match index {
                0 => "synthetic".into(),
                _ => format!("worker-{index}"),
            },
            cpu_ns: 0,
        })
        .collect()
}

/// Divides what a stack counts among threads, to the byte. The first makes all
/// blocks or most of them; it is not always the one that frees most.
pub fn shares(
    random: &mut Random,
    path: &Path,
    counters: &Counters,
    threads: usize,
) -> Vec<ThreadCounters> {
    let threads = threads.max(1) as u64;
    let first = match path.is_in_main {
        true => 0,
        false => 1 + random.below(threads - 1),
    };
    let sharing = match random.one_in(SHARED) {
        true => (1 + random.below(3)).min(threads),
        false => 1,
    };
    let freed_bytes = counters.total_bytes - counters.live_bytes;
    let mut shares = Vec::new();
    for place in 0..sharing {
        let part = |whole: u64| match place {
            0 => whole - (sharing - 1) * (whole / (sharing + 1)),
            _ => whole / (sharing + 1),
        };
        // The last one frees what the first makes.
        let turned = |whole: u64| match sharing - 1 - place {
            0 => whole - (sharing - 1) * (whole / (sharing + 1)),
            _ => whole / (sharing + 1),
        };
        let total_bytes = part(counters.total_bytes);
        shares.push(ThreadCounters {
            thread: ((first + place) % threads) as ThreadId,
            calls: part(counters.calls),
            total_bytes,
            frees: turned(counters.frees),
            net_bytes: total_bytes.wrapping_sub(turned(freed_bytes)) as i64,
            cpu_ns: 0,
            // That of the stack was made by its first thread.
            largest_bytes: match place {
                0 => counters.largest_bytes,
                _ => counters.largest_bytes / 2,
            },
        });
    }
    shares.sort_by_key(|share| share.thread);
    shares
}
