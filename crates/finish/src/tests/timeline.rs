//! What programs and their lines of output say about events.

use super::*;
use residue_profile::timeline::Account;

fn line(event: u32, id: u64, number: u32, counts: &[(&str, f64)]) -> Seen {
    Seen {
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
        is_late: event == 2,
        name: None,
        counts: counts
            .iter()
            .map(|&(name, value)| (name.to_string(), value))
            .collect(),
        account: None,
        papers: None,
    }
}

#[test]
fn lines_name_and_count_the_event_that_they_end() {
    let mut arena = ArenaBytes::new();
    let hits = arena.name("hits");
    arena.set(header::INTERVAL, 3);
    let seen = vec![
        line(1, 100, 1, &[]),
        line(2, 101, 2, &[("hits", 5.0)]),
        line(3, 102, 3, &[("hits", 2.0), ("misses", 1.0)]),
    ];
    let profile = profile_seen(arena, seen);
    let timeline = &profile.timeline;
    let ids: Vec<u64> = timeline.moments.iter().map(|moment| moment.id).collect();
    assert_eq!(ids, [101, 102, 3, 3]);
    assert_eq!(timeline.about.late_lines, 1);
    assert_eq!(timeline.names, ["hits", "misses"]);
    let counts: Vec<(u32, u32, f64)> = timeline
        .counts
        .iter()
        .map(|count| (count.event, count.name, count.value))
        .collect();
    assert_eq!(counts, [(1, hits, 5.0), (2, hits, 2.0), (2, 1, 1.0)]);
    let totals: Vec<(u32, u32, f64)> = timeline
        .totals
        .iter()
        .map(|total| (total.moment, total.name, total.total))
        .collect();
    assert_eq!(totals, [(1, hits, 5.0), (2, hits, 7.0), (2, 1, 1.0)]);
}

#[test]
fn stamps_counts_and_snapshots_are_tied_to_moments() {
    let mut arena = ArenaBytes::new();
    let (loaded, hits, before) = (
        arena.name("loaded"),
        arena.name("hits"),
        arena.name("before"),
    );
    let row = |kind, name, time_ns, value: f64| Row {
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
    seen.papers = Some(["a", "b", "c"].map(String::from));
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
