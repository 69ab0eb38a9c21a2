//! Who made and who freed: the part of each thread in the blocks of each stack.

use crate::support::Lab;
use crate::support::ledger::Ledger;
use crate::support::truth::Truths;
use residue_profile::{StackKind, ThreadCounters};

const FUNCTIONS: [&str; 2] = ["shared_make", "own_make"];

/// The number of the one thread with this name.
fn thread_named(ledger: &Ledger, name: &str) -> u32 {
    let threads = ledger.profile.threads.iter().zip(0..);
    let numbers: Vec<u32> = threads
        .filter(|(thread, _)| thread.name == name)
        .map(|(_, number)| number)
        .collect();
    assert_eq!(numbers.len(), 1, "{name}: {:?}", ledger.profile.threads);
    numbers[0]
}

/// What a thread did with the blocks of a function, over all its stacks.
fn part(ledger: &Ledger, function: &str, thread: u32) -> ThreadCounters {
    let mut sum = ThreadCounters {
        thread,
        ..ThreadCounters::default()
    };
    let stacks = ledger.stacks_with(function);
    for (index, _) in stacks.filter(|(_, stack)| stack.kind == StackKind::Heap) {
        let row = ledger.profile.by_thread.row(index);
        for these in row.iter().filter(|these| these.thread == thread) {
            sum.calls += these.calls;
            sum.total_bytes += these.total_bytes;
            sum.frees += these.frees;
            sum.net_bytes += these.net_bytes;
        }
    }
    sum
}

/// What the workload says a thread did, under the name it has there.
fn truth_of_part(truths: &Truths, function: &str, name: &str, thread: u32) -> ThreadCounters {
    let of = |what: &str| truths.get(&format!("{function}.{name}.{what}"));
    ThreadCounters {
        thread,
        calls: of("calls"),
        total_bytes: of("total"),
        frees: of("frees"),
        net_bytes: of("total") as i64 - of("freed") as i64,
        ..ThreadCounters::default()
    }
}

/// The parts of the threads are the whole, at every stack of any kind.
fn expect_parts_to_add_up(ledger: &Ledger) {
    let profile = &ledger.profile;
    assert_eq!(profile.by_thread.rows(), profile.stacks.len());
    for (index, stack) in profile.stacks.iter().enumerate() {
        let row = profile.by_thread.row(index);
        let sum = |of: fn(&ThreadCounters) -> u64| row.iter().map(of).sum::<u64>();
        let counters = &stack.counters;
        assert_eq!(sum(|t| t.calls), counters.calls, "{stack:?}");
        assert_eq!(sum(|t| t.total_bytes), counters.total_bytes, "{stack:?}");
        assert_eq!(sum(|t| t.frees), counters.frees, "{stack:?}");
        let net: i64 = row.iter().map(|t| t.net_bytes).sum();
        assert_eq!(net, counters.live_bytes as i64, "{stack:?}");
        let largest = row.iter().map(|t| t.largest_bytes).max();
        assert_eq!(largest.unwrap_or(0), counters.largest_bytes, "{stack:?}");
        assert!(row.is_sorted_by(|a, b| a.thread < b.thread), "{row:?}");
        assert!(
            row.iter()
                .all(|t| (t.thread as usize) < profile.threads.len())
        );
    }
}

/// Checks the part of each thread in both functions; `names` are (in the truth, in the
/// profile).
pub fn expect_parts(ledger: &Ledger, truths: &Truths, names: &[(&str, &str)]) {
    for &(told, recorded) in names {
        let thread = thread_named(ledger, recorded);
        for function in FUNCTIONS {
            // Main makes and frees nothing of the makers' own.
            if function == "own_make" && told == "by_thread" {
                continue;
            }
            assert_eq!(
                part(ledger, function, thread),
                truth_of_part(truths, function, told, thread),
                "{function} in {recorded}"
            );
        }
    }
    expect_parts_to_add_up(ledger);
}

pub const ALL: [(&str, &str); 6] = [
    ("maker-0", "maker-0"),
    ("maker-1", "maker-1"),
    ("maker-2", "maker-2"),
    ("maker-3", "maker-3"),
    ("freer", "freer"),
    ("by_thread", "by_thread"),
];

#[test]
fn makers_and_freers_have_their_parts_under_their_names() {
    let lab = Lab::new();
    let (ledger, truths) = lab.record(&[], &["by_thread", "together"]).expect_exact();
    expect_parts(&ledger, &truths, &ALL);
    assert_eq!(ledger.profile.threads.len(), 6);
    let main = thread_named(&ledger, "by_thread");
    let tid = ledger.profile.threads[main as usize].tid;
    assert_eq!(tid, ledger.profile.meta.pid);
    // All makers share the stacks of their first block, of the others, and of those that
    // they make while they end; their own are apart.
    let stacks = |function| ledger.stacks_with(function).count();
    assert_eq!((stacks("shared_make"), stacks("own_make")), (3, 4));
}

#[test]
fn threads_that_never_end_are_named_when_the_program_does() {
    let lab = Lab::new();
    let (ledger, truths) = lab.record(&[], &["by_thread", "running"]).expect_exact();
    expect_parts(&ledger, &truths, &ALL);
}

#[test]
fn a_killed_program_has_the_parts_and_the_names_that_libc_was_told() {
    let lab = Lab::new();
    let recorded = lab.record(&[], &["by_thread", "killed"]);
    let (ledger, truths) = (recorded.ledger(), recorded.truths());
    ledger.expect_truths(&truths);
    let mut names = ALL.to_vec();
    names.retain(|(told, _)| !["maker-2", "by_thread"].contains(told));
    expect_parts(&ledger, &truths, &names);
    // One maker named itself by a system call and was killed: it has its creator's name.
    let (pid, threads) = (ledger.profile.meta.pid, &ledger.profile.threads);
    let others = threads.iter().zip(0..);
    let others: Vec<u32> = others
        .filter(|(thread, _)| thread.name == "by_thread" && thread.tid != pid)
        .map(|(_, number)| number)
        .collect();
    assert_eq!(others.len(), 1, "{threads:?}");
    for function in FUNCTIONS {
        let truth = truth_of_part(&truths, function, "maker-2", others[0]);
        assert_eq!(part(&ledger, function, others[0]), truth);
    }
}

/// The number of the only thread besides main, and its name.
fn only_thread(ledger: &Ledger) -> (u32, &str) {
    let (pid, threads) = (ledger.profile.meta.pid, &ledger.profile.threads);
    assert_eq!(threads.len(), 2, "{threads:?}");
    let other = threads.iter().position(|thread| thread.tid != pid).unwrap();
    (other as u32, &threads[other].name)
}

/// Threads in turn count in one place, which has all they did.
fn expect_one_place_for_all(count: &str) -> Ledger {
    let lab = Lab::new();
    let (ledger, _) = lab
        .record(&[], &["by_thread", "in_turn", count])
        .expect_exact();
    let (thread, _) = only_thread(&ledger);
    for function in FUNCTIONS {
        let (part, whole) = (part(&ledger, function, thread), ledger.sum(function));
        assert_eq!((part.calls, part.frees), (whole.calls, whole.frees));
        assert_eq!(part.total_bytes, whole.total_bytes);
        assert_eq!(part.net_bytes, whole.live_bytes as i64);
    }
    expect_parts_to_add_up(&ledger);
    ledger
}

#[test]
fn threads_of_one_name_in_turn_are_told_under_that_name() {
    let ledger = expect_one_place_for_all("2");
    assert_eq!(only_thread(&ledger).1, "alike");
    assert_eq!(ledger.profile.recorder.threads, 3);
    assert!(
        ledger.profile.meta.notes.is_empty(),
        "{:?}",
        ledger.profile.meta.notes
    );
}

#[test]
fn threads_of_different_names_in_turn_are_told_together_and_it_is_said() {
    let ledger = expect_one_place_for_all("3");
    assert_eq!(only_thread(&ledger).1, "different and 2 earlier threads");
    let notes = &ledger.profile.meta.notes;
    assert!(
        notes.iter().any(|note| note.contains("1 of 2")),
        "{notes:?}"
    );
}

#[test]
fn two_thousand_threads_leave_parts_that_add_up() {
    let lab = Lab::new();
    let (ledger, _) = lab.record(&[], &["threads_exit"]).expect_exact();
    expect_parts_to_add_up(&ledger);
    assert_eq!(ledger.profile.recorder.threads, 2001);
}

#[test]
fn sixty_four_threads_that_free_each_others_blocks_have_parts_that_add_up() {
    let lab = Lab::new();
    let (ledger, _) = lab
        .record(&[], &["crossfree", "64", "200000"])
        .expect_exact();
    expect_parts_to_add_up(&ledger);
}
