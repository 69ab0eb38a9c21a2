//! MallocProfiler's dumps and series.

use super::*;

#[test]
fn malloc_profiler_dumps_stand_between_other_lines() {
    let imported = import("shop.mdr", &fixture("shop.mdr"));
    assert_eq!(imported.format, Format::Mdr);
    let counters = |calls, total_bytes, live_bytes, peak_bytes| Counters {
        calls,
        total_bytes,
        live_bytes,
        peak_bytes,
        ..Counters::default()
    };
    let heap = StackKind::Heap;
    let expected = [
        ("", StackKind::Pooled, counters(7, 1_500_000, 10, 20)),
        ("main;open", heap, counters(1, 1000, 1000, 1000)),
        (
            "main;serve;order<std::pair<int, int>>",
            heap,
            counters(3, 400, 300, 400),
        ),
        (
            "main;serve;parse;main::$_0::operator() const;malloc",
            heap,
            counters(4, 200, 0, 100),
        ),
    ];
    let expected = expected.map(|(path, kind, counters)| (path.to_string(), kind, counters));
    assert_eq!(stacks(&imported.profile), expected);
    assert_eq!(imported.profile.heap.peak_bytes, 1500);
    assert!(notes(&imported).contains("rounded to six digits"));
    let refusal = refusal("a.mdr", "_mpTrace_;a $1$2$3$4\n_mpTrace_;a;b $1$2$x$4\n");
    assert!(
        refusal.starts_with("cannot import a.mdr: line 2: numbers are missing"),
        "{refusal}"
    );
}

#[test]
fn malloc_profiler_with_lines_and_over_time() {
    let imported = import("shop.mdr", &fixture("shop_details.mdr"));
    let paths: Vec<(String, u64)> = stacks(&imported.profile)
        .into_iter()
        .map(|(path, _, counters)| (path, counters.live_bytes))
        .collect();
    let expected = [
        ("main(/src/shop.c:10);open(/src/shop.c:20);malloc", 1000),
        (
            "main(/src/shop.c:10);serve(/src/shop.c:30);order(int, char const*)(/src/shop.c:40);\
             operator new(unsigned long)(../libsupc++/new_op.cc:50);malloc",
            300,
        ),
    ];
    assert_eq!(paths, expected.map(|(path, live)| (path.to_string(), live)));

    let both = [fixture("shop_details.mdr"), fixture("shop.mdr")].concat();
    let imported = import("both.mdr", &both);
    assert_eq!(imported.profile.heap.live_bytes, 1310);
    assert!(notes(&imported).contains("2 stacks of the detailed dump were left out"));

    let imported = import("memstat_1.mdr", &fixture("shop_series.mdr"));
    let timeline = &imported.profile.timeline;
    let moments: Vec<(u64, Option<u64>)> = timeline
        .moments
        .iter()
        .map(|moment| (moment.time_ns / 1_000_000_000, moment.live_bytes))
        .collect();
    assert_eq!(
        moments,
        [(10, Some(42_114)), (20, Some(43_057)), (30, Some(67_448))]
    );
    assert_eq!(
        (timeline.about.source, timeline.about.events),
        (Source::Imported, 3)
    );
    assert_eq!(imported.profile.heap.peak_bytes, 127_885);
}
