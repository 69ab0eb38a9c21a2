//! massif's snapshots.

use super::*;

#[test]
fn massif_has_live_stacks_and_a_history() {
    let imported = import("massif.out.1", &fixture("shop.massif"));
    assert_eq!(imported.format, Format::Massif);
    let profile = &imported.profile;
    let live = |live_bytes, at_peak_bytes| Counters {
        live_bytes,
        at_peak_bytes,
        ..Counters::default()
    };
    let heap = StackKind::Heap;
    let expected = [
        ("", StackKind::Overflow, live(0, 10)),
        ("main(shop.c:10);open(shop.c:20)", heap, live(1000, 1000)),
        (
            "main(shop.c:10);serve(shop.c:30);order(int, char const*)(shop.c:40)",
            heap,
            live(300, 200),
        ),
        ("order(int, char const*)(shop.c:40)", heap, live(0, 100)),
        ("serve;libparse.so+0x7f0050", heap, live(0, 90)),
    ];
    let expected = expected.map(|(path, kind, counters)| (path.to_string(), kind, counters));
    assert_eq!(stacks(profile), expected);
    assert_eq!(
        (profile.heap.peak_bytes, profile.heap.live_bytes),
        (1400, 1300)
    );
    let timeline = &profile.timeline;
    let moments: Vec<_> = timeline
        .moments
        .iter()
        .map(|moment| {
            (
                moment.time_ns / 1_000_000,
                moment.live_bytes,
                moment.has_changes,
            )
        })
        .collect();
    let expected = [
        (0, Some(0), false),
        (5, Some(1000), true),
        (9, Some(1400), true),
        (12, Some(1300), false),
        (15, Some(1300), true),
        (15, Some(1300), true),
    ];
    assert_eq!(moments, expected);
    let mut sums = vec![0; profile.stacks.len()];
    for change in &timeline.changes {
        sums[change.stack as usize] += change.bytes;
    }
    let live: Vec<i64> = profile
        .stacks
        .iter()
        .map(|s| s.counters.live_bytes as i64)
        .collect();
    assert_eq!(sums, live);
    assert_eq!(profile.meta.program, "shop");
    let text = String::from_utf8(fixture("shop.massif")).unwrap();
    let wrong = text.replace("  n0: 1000 0x401010", "  n0: 1001 0x401010");
    let refusal = refusal("m", &wrong);
    assert!(
        refusal.contains("line 22: the callers of a node have more bytes"),
        "{refusal}"
    );
}

#[test]
fn massif_of_pages_counts_mappings() {
    let text = String::from_utf8(fixture("shop.massif")).unwrap();
    let pages = text.replace(
        "(heap allocation functions) malloc/new/new[]",
        "(page allocation syscalls) mmap/mremap/brk",
    );
    let imported = import("massif.out.2", pages.as_bytes());
    let profile = &imported.profile;
    assert_eq!(
        (profile.heap.live_bytes, profile.mappings.live_bytes),
        (0, 1300)
    );
    assert_eq!(
        (profile.heap.peak_bytes, profile.mappings.peak_bytes),
        (0, 1400)
    );
    assert!(
        profile
            .timeline
            .moments
            .iter()
            .all(|m| m.live_bytes.is_none())
    );
    assert_eq!(profile.timeline.moments[1].mapped_bytes, Some(1000));
}
