//! heaptrack's recordings, raw, interpreted and old.

use super::*;

/// What both forms of a recording of heaptrack must come to.
fn check_replay(imported: &Imported, parse_temporaries: u64) {
    assert_eq!(imported.format, Format::Heaptrack);
    let profile = &imported.profile;
    let mut counters: Vec<Counters> = profile.stacks.iter().map(|stack| stack.counters).collect();
    counters.sort_by_key(|counters| counters.calls);
    let open = Counters {
        peak_bytes: 1000,
        at_peak_bytes: 1000,
        at_peak_blocks: 1,
        ..made([1, 1000, 1000, 1, 0])
    };
    let order = Counters {
        peak_bytes: 400,
        at_peak_bytes: 300,
        at_peak_blocks: 2,
        temporaries: 1,
        ..made([3, 400, 300, 2, 1])
    };
    let parse = Counters {
        peak_bytes: 100,
        at_peak_bytes: 100,
        at_peak_blocks: 2,
        temporaries: parse_temporaries,
        ..made([4, 200, 0, 0, 4])
    };
    assert_eq!(counters, [open, order, parse]);
    assert_eq!(profile.heap.peak_bytes, 1400);
    assert_eq!(profile.heap.live_bytes, 1300);
    let timeline = &profile.timeline;
    let moments: Vec<_> = timeline
        .moments
        .iter()
        .map(|m| (m.kind, m.event, m.time_ns, m.live_bytes, m.rss_bytes))
        .collect();
    let expected = [
        (MomentKind::Tick, 1, 10_000_000, Some(1000), Some(0x2000)),
        (MomentKind::Tick, 2, 20_000_000, Some(1300), Some(0x3000)),
        (MomentKind::Last, 2, 20_000_000, Some(1300), None),
    ];
    assert_eq!(moments, expected);
    let changes: Vec<_> = timeline
        .changes
        .iter()
        .map(|c| (c.moment, c.bytes, c.blocks))
        .collect();
    assert_eq!(changes, [(0, 1000, 1), (1, 300, 2)]);
    let order = profile
        .stacks
        .iter()
        .position(|s| s.counters.calls == 3)
        .unwrap();
    let bins = |rows: &residue_profile::Ragged<residue_profile::SizeBin>| -> Vec<(u8, u64)> {
        rows.row(order)
            .iter()
            .map(|bin| (bin.bits, bin.blocks))
            .collect()
    };
    assert_eq!(bins(&profile.sizes_total), [(7, 2), (8, 1)]);
    assert_eq!(bins(&profile.sizes_live), [(7, 1), (8, 1)]);
    assert_eq!(profile.meta.command, ["/opt/shop", "--fast"]);
    assert_eq!(profile.meta.max_rss_bytes, Some(0x3000));
    assert_eq!(profile.meta.duration_ns, 20_000_000);
}

#[test]
fn heaptrack_is_replayed_exactly() {
    let imported = import("heaptrack.shop.1", &fixture("shop.heaptrack"));
    // Blocks of one size and stack cannot be told apart: one of the three was not the
    // last one made.
    check_replay(&imported, 3);
    let paths: Vec<String> = stacks(&imported.profile)
        .into_iter()
        .map(|stack| stack.0)
        .collect();
    let expected = [
        "main(shop.c:10);open(shop.c:20)",
        "main(shop.c:10);serve(shop.c:30);order(shop.c:40)",
        "main(shop.c:10);serve(shop.c:30);read(parse.c:7)<parse(shop.c:50)",
    ];
    assert_eq!(paths, expected);
    // The frame's own function is the one that the other was inlined into.
    let profile = &imported.profile;
    let inlined = profile.frames.last().unwrap();
    assert_eq!(profile.functions[inlined.function as usize], "parse");
}

#[test]
fn raw_heaptrack_keeps_addresses_for_later() {
    let imported = import("heaptrack.shop.1.raw", &fixture("shop.raw.heaptrack"));
    check_replay(&imported, 2);
    let profile = &imported.profile;
    let paths: Vec<String> = stacks(profile).into_iter().map(|stack| stack.0).collect();
    let expected = [
        "shop+0x1010;shop+0x1020",
        "shop+0x1010;shop+0x1030;libp.so+0x50",
        "shop+0x1010;shop+0x1030;shop+0x1040",
    ];
    assert_eq!(paths, expected);
    assert_eq!(profile.modules[0].bias, 0x40_0000);
    assert_eq!(
        (profile.modules[0].start, profile.modules[0].end),
        (0x40_1000, 0x40_1500)
    );
    assert_eq!(profile.recorder.unknown_frees, 1);
    assert!(notes(&imported).contains("addresses but no names"));
}

#[test]
fn older_heaptrack_files_have_strings_without_sizes_and_pointers() {
    let old = "v 10000\nX shop\ns /opt/my shop\ns main\ni 10 1 2\nt 1 0\n+ 64 1 a000\n- a000\n- b000\n+ 5 1 a000\nc 1\n";
    let imported = import("old", old.as_bytes());
    let [(path, _, counters)] = &stacks(&imported.profile)[..] else {
        panic!("one stack");
    };
    assert_eq!(
        (path.as_str(), counters.calls, counters.total_bytes),
        ("main", 2, 105)
    );
    assert_eq!((counters.live_bytes, counters.temporaries), (5, 1));
    assert_eq!(imported.profile.modules[0].path, "/opt/my shop");
    // A trace may go through an address that was not found.
    let lost = format!("{old}t 0 1\n+ 7 2 b000\n");
    let (path, _, counters) = &stacks(&import("old", lost.as_bytes()).profile)[1];
    assert_eq!((path.as_str(), counters.live_bytes), ("main;+0x0", 7));
}

#[test]
fn heaptrack_that_is_cut_is_kept_and_that_makes_no_sense_is_refused() {
    let whole = fixture("shop.heaptrack");
    let half_a_line = whole
        .windows(5)
        .rposition(|five| five == b"- 3\nc")
        .unwrap()
        + 3;
    let cut = import("cut", &whole[..half_a_line]);
    assert_eq!(cut.profile.heap.live_bytes, 1350);
    assert!(
        notes(&cut).contains("the file is cut off at line"),
        "{}",
        notes(&cut)
    );
    // Several blocks, of which the last one is cut.
    let long = [&whole[..], &b"+ 3\n- 3\n".repeat(100_000)].concat();
    let packed = zstd_packed(&long);
    let cut = import("cut", &packed[..packed.len() - 5]);
    assert!((10_000..100_000).contains(&cut.profile.heap.calls));
    assert!(
        notes(&cut).contains("the file is cut off at line"),
        "{}",
        notes(&cut)
    );
    for (line, reason) in [
        ("- 2", "a block is freed that is not there"),
        ("+ 9", "no such allocation was described"),
        ("t 1 77", "there is no trace 77"),
        ("t 77 1", "there is no instruction pointer 77"),
        ("i 1 77", "there is no string 77"),
        ("a 1", "numbers are missing or too large"),
        ("c 123456789abcdef01", "numbers are missing or too large"),
        ("? 1", "unknown kind of line"),
        ("v 10500 4", "version 4 of the format is not known"),
    ] {
        let text = [&whole[..], b"- 2\n- 1\n", line.as_bytes(), b"\n"].concat();
        let error = import_as("a", &text, None).unwrap_err().to_string();
        assert!(error.contains(&format!("line 49: {reason}")), "{error}");
    }
}
