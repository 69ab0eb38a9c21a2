use super::*;
use residue_profile::timeline::AllocatorState;

const MIB: u64 = 1 << 20;

/// An account of a process at rest: 10 MiB live, 11 in use, 1 free, all resident.
fn at_rest() -> Account {
    Account {
        heap_bytes: 12 * MIB,
        mapped_bytes: 3 * MIB,
        stacks_bytes: MIB / 8,
        files_bytes: 5 * MIB,
        recorder_bytes: 4 * MIB,
        other_bytes: 4096,
        live_bytes: 10 * MIB,
        allocator: Some(AllocatorState {
            in_use_bytes: 11 * MIB,
            free_bytes: MIB,
            system_bytes: 12 * MIB,
        }),
        ..Account::default()
    }
}

fn moment(kind: MomentKind, event: EventNumber, rss_bytes: Option<u64>) -> Moment {
    Moment {
        id: u64::from(event),
        rss_bytes,
        ..Moment::unread(kind, event, u64::from(event) * 1_000_000)
    }
}

fn push(timeline: &mut Timeline, moment: Moment, mut account: Account) {
    account.moment = timeline.moments.len() as u32;
    timeline.moments.push(moment);
    timeline.accounts.push(account);
}

/// Accounts at the begin of each event, each changed by `change(event, account)`.
fn timeline(
    events: impl IntoIterator<Item = EventNumber>,
    change: impl Fn(u64, &mut Account),
) -> Timeline {
    let mut timeline = Timeline::default();
    for event in events {
        let mut account = at_rest();
        change(u64::from(event), &mut account);
        let rss = sum_of_kinds(&account) as u64;
        push(
            &mut timeline,
            moment(MomentKind::Begin, event, Some(rss)),
            account,
        );
    }
    timeline
}

fn allocator(account: &mut Account) -> &mut AllocatorState {
    account.allocator.as_mut().unwrap()
}

fn assert_near(value: f64, expected: f64) {
    assert!((value - expected).abs() < 1e-3, "{value} is not {expected}");
}

fn assert_adds_up(parts: &Parts) {
    let sum = parts.live_heap - parts.untouched
        + parts.heap_metadata
        + parts.allocator_slack
        + parts.mapped
        + parts.thread_stacks
        + parts.files
        + parts.recorder
        + parts.unexplained;
    assert_near(sum, parts.rss);
    assert_near(parts.rss - parts.recorder, parts.program_rss);
}

/// The account of 100 events of which each changes the process as told.
fn after_100_events(change: impl Fn(u64, &mut Account)) -> GrowthAccount {
    let account = account(&timeline(1..=100, change), 1, 100).unwrap();
    assert_eq!((account.from_event, account.to_event), (1, 100));
    assert_eq!(account.accounts, 100);
    assert_adds_up(&account.bytes_per_event);
    account
}

#[test]
fn a_touched_leak() {
    let found = after_100_events(|event, account| {
        account.live_bytes += 1000 * event;
        allocator(account).in_use_bytes += 1024 * event;
        account.heap_bytes += 1034 * event;
    });
    let parts = found.bytes_per_event;
    assert_near(parts.rss, 1034.0);
    assert_near(parts.live_heap, 1000.0);
    assert_near(parts.heap_metadata, 24.0);
    assert_near(parts.allocator_slack, 10.0);
    assert_near(parts.untouched, 0.0);
    assert_near(parts.unexplained, 0.0);
    assert_near(found.explained_share.unwrap(), 1.0);
    assert!(!found.is_fragmentation);
    assert!(!found.is_untouched);
    assert_eq!(
        found.reasons,
        [Reason::LineFit {
            accounts: 100,
            from_event: 1,
            to_event: 100
        }]
    );
}

#[test]
fn an_untouched_leak() {
    let found = after_100_events(|event, account| {
        account.live_bytes += 100_000 * event;
        allocator(account).in_use_bytes += 100_016 * event;
        account.heap_bytes += 4096 * event;
    });
    let parts = found.bytes_per_event;
    assert_near(parts.rss, 4096.0);
    assert_near(parts.live_heap, 100_000.0);
    assert_near(parts.heap_metadata, 16.0);
    assert_near(parts.untouched, 95_920.0);
    assert_near(parts.allocator_slack, 0.0);
    assert!(found.is_untouched);
    assert!(!found.is_fragmentation);
}

#[test]
fn an_untouched_leak_where_the_allocator_is_silent() {
    let found = after_100_events(|event, account| {
        account.allocator = None;
        account.heap_bytes = 10 * MIB;
        account.live_bytes += 100_000 * event;
    });
    let parts = found.bytes_per_event;
    assert_near(parts.rss, 0.0);
    assert_near(parts.untouched, 100_000.0);
    assert_near(parts.heap_metadata, 0.0);
    assert_near(parts.allocator_slack, 0.0);
    assert!(found.is_untouched);
    assert_eq!(found.explained_share, None);
}

#[test]
fn free_memory_that_is_used_up_is_not_untouched() {
    let found = after_100_events(|event, account| {
        account.heap_bytes = 40 * MIB;
        account.live_bytes += 1000 * event;
        allocator(account).in_use_bytes += 1000 * event;
        allocator(account).free_bytes = 29 * MIB - 1000 * event;
    });
    let parts = found.bytes_per_event;
    assert_near(parts.rss, 0.0);
    assert_near(parts.live_heap, 1000.0);
    assert_near(parts.allocator_slack, -1000.0);
    assert_near(parts.untouched, 0.0);
    assert!(!found.is_untouched);
}

#[test]
fn where_the_allocator_is_silent_both_are_possible() {
    let found = after_100_events(|event, account| {
        account.allocator = None;
        account.heap_bytes = 40 * MIB;
        account.live_bytes += 1000 * event;
    });
    assert_near(found.bytes_per_event.allocator_slack, -1000.0);
    assert_near(found.bytes_per_event.untouched, 0.0);
    assert!(found.reasons.contains(&Reason::LiveOutgrowsResidentHeap));
}

#[test]
fn memory_made_before_and_filled_now_is_not_fragmentation() {
    let found = after_100_events(|event, account| {
        account.live_bytes = 1000 * MIB;
        allocator(account).in_use_bytes = 1000 * MIB + 16;
        account.heap_bytes += 50_000 * event;
    });
    let parts = found.bytes_per_event;
    assert_near(parts.rss, 50_000.0);
    assert_near(parts.live_heap, 0.0);
    assert_near(parts.untouched, -50_000.0);
    assert_near(parts.allocator_slack, 0.0);
    assert!(!found.is_fragmentation);
}

#[test]
fn fragmentation() {
    let found = after_100_events(|event, account| {
        account.heap_bytes += 20_000 * event;
        allocator(account).free_bytes += 20_000 * event;
        // What is live goes up and down and stays where it is.
        account.live_bytes += (event % 2) * 500_000;
        allocator(account).in_use_bytes += (event % 2) * 500_000;
    });
    let parts = found.bytes_per_event;
    assert_near(parts.rss, 20_000.0);
    assert!(parts.live_heap.abs() < 200.0, "{}", parts.live_heap);
    assert!((parts.allocator_slack - 20_000.0).abs() < 200.0);
    assert!(found.is_fragmentation);
    assert!(!found.is_untouched);
    let last = found.reasons.last().unwrap();
    assert!(
        matches!(last, Reason::AllocatorKeepsMore { .. }),
        "{last:?}"
    );
}

#[test]
fn a_few_pages_are_no_fragmentation() {
    let found = after_100_events(|event, account| account.heap_bytes += 600 * event);
    assert_near(found.bytes_per_event.allocator_slack, 600.0);
    assert!(!found.is_fragmentation);
}

#[test]
fn memory_that_the_program_maps() {
    let found = after_100_events(|event, account| account.mapped_bytes += 65_536 * event);
    assert_near(found.bytes_per_event.mapped, 65_536.0);
    assert_near(found.bytes_per_event.rss, 65_536.0);
    assert_near(found.explained_share.unwrap(), 1.0);
    assert!(!found.is_fragmentation);
}

#[test]
fn stacks_of_threads_that_never_end() {
    let found = after_100_events(|event, account| account.stacks_bytes += 12_288 * event);
    assert_near(found.bytes_per_event.thread_stacks, 12_288.0);
    assert_near(found.bytes_per_event.rss, 12_288.0);
}

#[test]
fn files_that_stay_mapped() {
    let found = after_100_events(|event, account| account.files_bytes += 8192 * event);
    assert_near(found.bytes_per_event.files, 8192.0);
    assert_near(found.bytes_per_event.rss, 8192.0);
}

#[test]
fn the_recorder_is_not_the_program() {
    let found = after_100_events(|event, account| {
        account.recorder_bytes += 700 * event;
        account.other_bytes += 300 * event;
        account.files_bytes += 900 * event;
    });
    let parts = found.bytes_per_event;
    assert_near(parts.rss, 1900.0);
    assert_near(parts.recorder, 700.0);
    assert_near(parts.program_rss, 1200.0);
    assert_near(parts.unexplained, 300.0);
    assert_near(found.explained_share.unwrap(), 0.75);
}

#[test]
fn what_no_kind_counts_is_unexplained() {
    let mut timeline = timeline(1..=100, |_, _| {});
    for moment in &mut timeline.moments {
        moment.rss_bytes = moment
            .rss_bytes
            .map(|bytes| bytes + 5000 * u64::from(moment.event));
    }
    let found = account(&timeline, 1, 100).unwrap();
    assert_near(found.bytes_per_event.rss, 5000.0);
    assert_near(found.bytes_per_event.unexplained, 5000.0);
    assert_eq!(found.explained_share, Some(0.0));
    for moment in &mut timeline.moments {
        moment.rss_bytes = None;
    }
    let found = account(&timeline, 1, 100).unwrap();
    assert_near(found.bytes_per_event.rss, 0.0);
    assert!(found.reasons.contains(&Reason::RssIsSumOfKinds));
}

#[test]
fn warm_up_and_what_comes_after_are_left_out() {
    let timeline = timeline((0..=200).step_by(10), |event, account| {
        account.files_bytes += if event < 50 {
            1_000_000 * event
        } else {
            100 * event
        };
    });
    let found = account(&timeline, 45, 155).unwrap();
    assert_eq!((found.from_event, found.to_event), (50, 150));
    assert_eq!(found.accounts, 11);
    assert_near(found.bytes_per_event.files, 100.0);
}

#[test]
fn few_accounts_are_compared_at_their_ends() {
    let timeline = timeline([2, 5, 7, 12], |event, account| {
        account.mapped_bytes += if event == 7 { 900_000 } else { 10 * event };
    });
    let found = account(&timeline, 0, 100).unwrap();
    assert_near(found.bytes_per_event.mapped, 10.0);
    assert_eq!(
        found.reasons,
        [Reason::LastMinusFirst {
            accounts: 4,
            from_event: 2,
            to_event: 12
        }]
    );
}

#[test]
fn the_end_of_the_program_is_not_compared_with_its_events() {
    let mut timeline = timeline([10, 20, 30], |event, account| {
        account.mapped_bytes += 10 * event;
    });
    for kind in [MomentKind::End, MomentKind::Last] {
        let nothing_left = Account::default();
        push(&mut timeline, moment(kind, 30, Some(0)), nothing_left);
    }
    let found = account(&timeline, 0, 100).unwrap();
    assert_eq!(found.accounts, 3);
    assert_near(found.bytes_per_event.mapped, 10.0);
}

#[test]
fn accounts_of_different_kinds_are_better_than_none() {
    let mut timeline = timeline([10], |_, _| {});
    let mut last = at_rest();
    last.mapped_bytes += 4000;
    push(&mut timeline, moment(MomentKind::Snapshot, 20, None), last);
    let found = account(&timeline, 0, 100).unwrap();
    assert_near(found.bytes_per_event.mapped, 400.0);
}

#[test]
fn an_allocator_that_says_too_little_is_not_believed() {
    let found = after_100_events(|event, account| {
        account.live_bytes += 1000 * event;
        account.heap_bytes += 1000 * event;
        allocator(account).in_use_bytes = MIB;
    });
    assert_near(found.bytes_per_event.heap_metadata, 0.0);
    assert_near(found.bytes_per_event.allocator_slack, 0.0);
    assert!(found.reasons.contains(&Reason::AllocatorStatisticsTooLow));
}

#[test]
fn without_two_events_there_is_no_growth() {
    assert_eq!(account(&Timeline::default(), 0, 100), None);
    assert_eq!(account(&timeline([5], |_, _| {}), 0, 100), None);
    assert_eq!(account(&timeline([5, 5, 5], |_, _| {}), 0, 100), None);
    assert_eq!(account(&timeline([5, 90], |_, _| {}), 0, 50), None);
    assert_eq!(account(&timeline([5, 90], |_, _| {}), 100, 0), None);
    let mut broken = timeline([5, 90], |_, _| {});
    broken.accounts[1].moment = 77;
    assert_eq!(account(&broken, 0, 100), None);
}
