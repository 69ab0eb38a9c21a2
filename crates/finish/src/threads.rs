//! Who made and freed the blocks of each stack.
//!
//! The recorder counts by state, and a state passes to another thread when its own has
//! ended. What stands for one thread here is therefore what threads did in one state,
//! one after another: the last of them gives the number. They are called by its name
//! where all had that name, as the threads of a pool do; otherwise the name says that
//! there were others.

use crate::arena_file::{ArenaFile, Error};
use crate::ledger::ByState;
use residue_arena::tables::thread as stat;
use residue_profile::{Ragged, Thread, ThreadCounters};
use rustc_hash::FxHashMap;

/// The words of a state.
type Words = [u64; stat::WORDS];

pub struct Threads {
    pub threads: Vec<Thread>,
    pub by_thread: Ragged<ThreadCounters>,
    /// What the reader has to know about them.
    pub note: Option<String>,
}

/// The threads, and what each did at each of the stacks.
pub fn read(arena: &ArenaFile, mut by_state: ByState, stacks: usize) -> Result<Threads, Error> {
    let states = arena.thread_records()?;
    let (mut threads, thread_of_state) = threads_of(&states);
    number_threads(&mut by_state, &thread_of_state, &mut threads);
    Ok(Threads {
        note: note_shared(&states, threads.len()),
        threads,
        by_thread: add_up(by_state, stacks),
    })
}

/// The threads, and which of them each state is.
fn threads_of(states: &[Words]) -> (Vec<Thread>, Vec<u32>) {
    let mut threads = Vec::new();
    let mut thread_of_state = Vec::with_capacity(states.len());
    // A signal handler that allocates has a second state of the same thread.
    let mut alone: FxHashMap<u32, u32> = FxHashMap::default();
    for state in states {
        let tid = state[stat::TID] as u32;
        let is_alone = tid != 0 && state[stat::EARLIER_THREADS] == 0;
        let known = alone.get(&tid).copied().filter(|_| is_alone);
        let thread = known.unwrap_or_else(|| {
            let name = label(state);
            threads.push(Thread {
                tid,
                name,
                cpu_ns: 0,
            });
            (threads.len() - 1) as u32
        });
        let used_ns = state[stat::CPU_NS].wrapping_add(state[stat::EARLIER_CPU_NS]);
        let cpu_ns = &mut threads[thread as usize].cpu_ns;
        *cpu_ns = cpu_ns.saturating_add(used_ns);
        if is_alone {
            alone.insert(tid, thread);
        }
        thread_of_state.push(thread);
    }
    (threads, thread_of_state)
}

/// Puts numbers of threads in the places of those of states. A thread that came while this was read
/// has pages, but no state yet; its number may be any, since the program can write to the arena.
fn number_threads(by_state: &mut ByState, thread_of_state: &[u32], threads: &mut Vec<Thread>) {
    let mut stateless: FxHashMap<u32, u32> = FxHashMap::default();
    for (_, counters) in by_state {
        let known = thread_of_state.get(counters.thread as usize).copied();
        counters.thread = known.unwrap_or_else(|| {
            *stateless.entry(counters.thread).or_insert_with(|| {
                threads.push(Thread::default());
                (threads.len() - 1) as u32
            })
        });
    }
}

fn label(state: &Words) -> String {
    let name = name_at(state, stat::NAME);
    match state[stat::EARLIER_THREADS] {
        1 if !all_have_one_name(state) => format!("{name} and 1 earlier thread"),
        earlier if !all_have_one_name(state) => format!("{name} and {earlier} earlier threads"),
        _ => name,
    }
}

fn name_at(state: &Words, at: usize) -> String {
    let words = &state[at..at + stat::NAME_WORDS];
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    let name = bytes.split(|&byte| byte == 0).next().unwrap_or_default();
    String::from_utf8_lossy(name).into_owned()
}

/// Whether all threads that had the state were called the same.
fn all_have_one_name(state: &Words) -> bool {
    let words = |at: usize| &state[at..at + stat::NAME_WORDS];
    state[stat::EARLIER_THREADS] == 0
        || state[stat::EARLIER_NAMES_DIFFER] == 0 && words(stat::EARLIER_NAME) == words(stat::NAME)
}

/// One row for each of the stacks; what one thread did in several states is one entry.
fn add_up(mut records: ByState, stacks: usize) -> Ragged<ThreadCounters> {
    records.sort_unstable_by_key(|(stack, counters)| (*stack, counters.thread));
    records.dedup_by(|(stack, more), (kept_stack, kept)| {
        let is_same = stack == kept_stack && more.thread == kept.thread;
        if is_same {
            kept.add(more);
        }
        is_same
    });
    Ragged::from_sorted(stacks, records)
}

fn note_shared(states: &[Words], threads: usize) -> Option<String> {
    let shared = states.iter().filter(|state| !all_have_one_name(state));
    match shared.count() {
        0 => None,
        count => Some(format!(
            "{count} of {threads} rows in the list of threads {} several threads that ran one \
             after another under different names",
            if count == 1 {
                "stands for"
            } else {
                "stand for"
            }
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn state(tid: u64, name: &[u8], earlier: &[&[u8]]) -> Words {
        let mut words = [0; stat::WORDS];
        let mut put = |at: usize, name: &[u8]| {
            for (index, piece) in name.chunks(8).enumerate() {
                let mut bytes = [0; 8];
                bytes[..piece.len()].copy_from_slice(piece);
                words[at + index] = u64::from_le_bytes(bytes);
            }
        };
        put(stat::NAME, name);
        if let Some(first) = earlier.first() {
            put(stat::EARLIER_NAME, first);
        }
        words[stat::TID] = tid;
        words[stat::EARLIER_THREADS] = earlier.len() as u64;
        words[stat::EARLIER_NAMES_DIFFER] = u64::from(earlier.windows(2).any(|w| w[0] != w[1]));
        words
    }

    #[test]
    fn threads_of_one_name_have_it_and_others_are_told() {
        let pool: &[u8] = b"a pool's worker";
        let names: Vec<String> = [
            state(7, b"main", &[]),
            state(8, pool, &[pool, pool]),
            state(9, b"last", &[b"first"]),
            state(10, b"last", &[b"last", b"first", b"last"]),
        ]
        .iter()
        .map(label)
        .collect();
        assert_eq!(names[0], "main");
        assert_eq!(names[1], "a pool's worker");
        assert_eq!(names[2], "last and 1 earlier thread");
        assert_eq!(names[3], "last and 3 earlier threads");
    }

    #[test]
    fn two_states_of_one_thread_are_one_unless_another_had_one_of_them() {
        let states = [
            state(7, b"main", &[]),
            state(8, b"worker", &[]),
            state(7, b"main", &[]),
            state(8, b"worker", &[b"gone"]),
        ];
        let (threads, thread_of_state) = threads_of(&states);
        assert_eq!(thread_of_state, [0, 1, 0, 2]);
        let tids: Vec<u32> = threads.iter().map(|thread| thread.tid).collect();
        assert_eq!(tids, [7, 8, 8]);
    }

    #[test]
    fn states_that_are_not_there_are_a_thread_each_whatever_their_number() {
        let of_state = |thread| {
            let counters = ThreadCounters {
                thread,
                ..ThreadCounters::default()
            };
            (0, counters)
        };
        let mut by_state: ByState = [1, u32::MAX, 2, u32::MAX].map(of_state).to_vec();
        let mut threads = vec![Thread::default(); 2];
        number_threads(&mut by_state, &[0, 1], &mut threads);
        let numbers: Vec<u32> = by_state
            .iter()
            .map(|(_, counters)| counters.thread)
            .collect();
        assert_eq!(numbers, [1, 2, 3, 2]);
        assert_eq!(threads.len(), 4);
    }

    #[test]
    fn entries_of_one_thread_are_added_up_in_order() {
        let counters = |thread, calls, net_bytes| ThreadCounters {
            thread,
            calls,
            total_bytes: 10 * calls,
            frees: 1,
            net_bytes,
            cpu_ns: 0,
            largest_bytes: 100 + calls,
        };
        let by_thread = add_up(
            vec![
                (2, counters(1, 3, -5)),
                (0, counters(1, 1, 1)),
                (2, counters(0, 1, 7)),
                (2, counters(1, 4, 9)),
            ],
            4,
        );
        assert_eq!(by_thread.rows(), 4);
        assert_eq!(by_thread.row(0), [counters(1, 1, 1)]);
        assert!(by_thread.row(1).is_empty() && by_thread.row(3).is_empty());
        let both = ThreadCounters {
            frees: 2,
            largest_bytes: 104,
            ..counters(1, 7, 4)
        };
        assert_eq!(by_thread.row(2), [counters(0, 1, 7), both]);
    }
}
