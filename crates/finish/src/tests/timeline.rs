//! What programs and their lines of output say about events.

use super::*;
use residue_profile::timeline::Account;

fn line(event: u32, id: u64, number: u32, counts: &[(&str, f64)]) -> Seen {
    Seen {
        has_totals: false,
        made_blocks: None,
        made_bytes: None,
        process_cpu_ns: None,
        kind: MomentKind::Begin,
        number,
        event,
        id,
        time_ns: u64::from(event) * 10,
        vm_bytes: 0,
        rss_bytes: 4096,
        shared_bytes: 0,
        live_bytes: 1,
        mapped_bytes: 2,
        recorder_bytes: 3,
        threads: 1,
        name: None,
        counts: counts
            .iter()
            .map(|&(name, value)| (name.to_string(), value))
            .collect(),
        skipped_counts: Default::default(),
        account: None,
        proc_maps: None,
    }
}

/// Kind, number and id of the moments.
fn named(profile: &Profile) -> Vec<(MomentKind, u32, u64)> {
    let moments = profile.timeline.moments.iter();
    let named = moments.map(|moment| (moment.kind, moment.event, moment.id));
    named.collect()
}

#[test]
fn a_line_with_counters_names_and_counts_the_event_that_it_ends() {
    let mut arena = ArenaBytes::new();
    let hits = arena.name("hits");
    arena.set(header::INTERVAL, 3);
    arena.set(header::SOURCE, header::SOURCE_LINES);
    arena.set(header::EVENTS, 3);
    arena.set(header::LATE_LINES, 1);
    arena.set(header::BIRTH, 3);
    let loaded = arena.name("loaded");
    let stamp = MomentRow {
        name: Some(loaded),
        ..moment(KIND_STAMP, 1, 15)
    };
    arena.row(Region::Moments, stamp, 0);
    let seen = vec![
        line(1, 100, 1, &[]),
        line(2, 101, 2, &[("hits", 5.0)]),
        line(3, 102, 3, &[("hits", 2.0), ("misses", 1.0)]),
    ];
    let profile = profile_seen(arena, seen);
    assert_eq!(
        named(&profile),
        [
            (MomentKind::Begin, 1, 100),
            (MomentKind::Begin, 2, 101),
            (MomentKind::Begin, 3, 102),
            (MomentKind::End, 3, 102),
            (MomentKind::Last, 3, 102),
        ]
    );
    let timeline = &profile.timeline;
    assert_eq!(timeline.about.late_lines, 1);
    assert_eq!(timeline.names, ["hits", "loaded", "misses"]);
    let counts: Vec<(u32, u32, f64)> = timeline
        .counts
        .iter()
        .map(|count| (count.event, count.name, count.value))
        .collect();
    assert_eq!(counts, [(2, hits, 5.0), (3, hits, 2.0), (3, 2, 1.0)]);
    let totals: Vec<(u32, u32, f64)> = timeline
        .totals
        .iter()
        .map(|total| (total.moment, total.name, total.total))
        .collect();
    assert_eq!(totals, [(2, hits, 5.0), (3, hits, 7.0), (3, 2, 1.0)]);
    let stamps: Vec<u32> = timeline.stamps.iter().map(|stamp| stamp.event).collect();
    assert_eq!(stamps, [2], "between the first line and the second");
}

#[test]
fn a_line_without_counters_begins_its_event() {
    let mut arena = ArenaBytes::new();
    arena.set(header::INTERVAL, 2);
    arena.set(header::SOURCE, header::SOURCE_LINES);
    arena.set(header::EVENTS, 2);
    let profile = profile_seen(arena, vec![line(1, 100, 1, &[]), line(2, 101, 2, &[])]);
    assert_eq!(
        named(&profile),
        [
            (MomentKind::Begin, 1, 100),
            (MomentKind::Begin, 2, 101),
            (MomentKind::Last, 2, 101),
        ]
    );
}

#[test]
fn lines_that_are_not_kept_count_in_the_totals() {
    let mut arena = ArenaBytes::new();
    let hits = arena.name("hits");
    arena.set(header::INTERVAL, 2);
    arena.set(header::EVENTS, 9);
    let later = Seen {
        skipped_counts: [("hits".to_string(), 30.0)].into(),
        ..line(9, 108, 2, &[("hits", 2.0)])
    };
    let profile = profile_seen(arena, vec![line(1, 100, 1, &[("hits", 5.0)]), later]);
    let mut totals = profile.timeline.totals.iter();
    let last = totals.rfind(|total| total.name == hits);
    assert_eq!(last.map(|total| total.total), Some(37.0));
    assert_eq!(
        named(&profile)[1],
        (MomentKind::Begin, 2, 2),
        "its line was not kept"
    );
}

#[test]
fn stamps_counts_and_snapshots_are_tied_to_moments() {
    let mut arena = ArenaBytes::new();
    let (loaded, hits, before) = (
        arena.name("loaded"),
        arena.name("hits"),
        arena.name("before"),
    );
    let row = |kind, name, time_ns, value: f64| MomentRow {
        id: value.to_bits(),
        name: Some(name),
        ..moment(kind, 1, time_ns)
    };
    let begin = arena.moment(moment(KIND_BEGIN, 1, 10));
    arena.row(Region::Moments, row(KIND_STAMP, loaded, 11, 0.0), 0);
    arena.row(Region::Moments, row(KIND_COUNT, hits, 12, 2.0), 0);
    arena.row(Region::Moments, row(KIND_COUNT, hits, 13, 3.0), 0);
    let end = arena.moment(moment(KIND_END, 1, 20));
    arena.row(Region::Moments, row(KIND_TOTAL, hits, 20, 9.0), end);
    arena.snapshot(before, begin, ["maps", "smaps", ""]);
    let mut seen = line(1, 1, 3, &[]);
    seen.kind = MomentKind::Snapshot;
    seen.name = Some("asked for".to_string());
    seen.proc_maps = Some(["a", "b", "c"].map(String::from));
    seen.account = Some(Account {
        heap_bytes: 5,
        ..Account::default()
    });
    seen.time_ns = 30;
    let profile = profile_seen(arena, vec![seen]);
    let timeline = &profile.timeline;
    assert_eq!(timeline.names, ["loaded", "hits", "before", "asked for"]);
    let stamp = &timeline.stamps[0];
    assert_eq!((stamp.name, stamp.event, stamp.time_ns), (loaded, 1, 11));
    assert_eq!(timeline.counts.len(), 1);
    assert_eq!(timeline.counts[0].value, 5.0);
    assert_eq!(
        (timeline.totals[0].moment, timeline.totals[0].total),
        (1, 9.0)
    );
    let snapshots = timeline.snapshots.iter();
    let snapshots: Vec<(u32, u32, &[u8])> = snapshots
        .map(|of| (of.name, of.moment, of.maps.as_slice()))
        .collect();
    assert_eq!(snapshots, [(before, 0, &b"maps"[..]), (3, 2, b"a")]);
    assert_eq!(
        (timeline.accounts[0].moment, timeline.accounts[0].heap_bytes),
        (2, 5)
    );
}
