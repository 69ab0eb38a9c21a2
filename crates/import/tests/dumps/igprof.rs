//! IgProf's dumps.

use super::*;

#[test]
fn igprof_has_self_values_and_leaks() {
    let imported = import("shop.igprof", &fixture("shop.igprof"));
    assert_eq!(imported.format, Format::Igprof);
    let with_peak = |counters, [peak_bytes, largest_bytes]: [u64; 2]| Counters {
        peak_bytes,
        largest_bytes,
        ..made(counters)
    };
    let profile = &imported.profile;
    let expected = [
        ("main;open", with_peak([1, 1000, 1000, 1, 0], [1000, 1000])),
        (
            "main;serve;_Z5orderi",
            with_peak([3, 400, 300, 2, 1], [400, 200]),
        ),
        (
            "main;serve;libparse.so+0x50",
            with_peak([4, 200, 0, 0, 4], [100, 50]),
        ),
    ];
    let expected = expected.map(|(path, counters)| (path.to_string(), StackKind::Heap, counters));
    assert_eq!(stacks(profile), expected);
    assert_eq!((profile.heap.calls, profile.heap.live_blocks), (8, 3));
    // Sizes of live blocks are those of the leaks: 100 and 200 bytes.
    let order = profile
        .stacks
        .iter()
        .position(|s| s.counters.calls == 3)
        .unwrap();
    let bins: Vec<(u8, u64)> = profile
        .sizes_live
        .row(order)
        .iter()
        .map(|b| (b.bits, b.blocks))
        .collect();
    assert_eq!(bins, [(7, 1), (8, 1)]);
    assert_eq!(profile.meta.program, "shop");
    assert_eq!((profile.meta.pid, profile.modules.len()), (0x10e1, 2));
    let addresses: Vec<u64> = profile.frames.iter().map(|frame| frame.address).collect();
    assert_eq!(addresses, [0x1010, 0x1020, 0x1030, 0x1040, 0x50]);
    assert!(
        !notes(&imported).contains("MEM_MAX"),
        "{}",
        notes(&imported)
    );
}

#[test]
fn igprof_of_threads_and_of_the_older_kind() {
    let text = String::from_utf8(fixture("shop.igprof")).unwrap();
    let second_thread = "C1 FN0+10\nC2 FN1+8 V3=(MEM_TOTAL):(2,10,10) V4=(MEM_LIVE):(1,8,9)\n";
    let imported = import("two.igprof", (text + second_thread).as_bytes());
    let (_, _, open) = &stacks(&imported.profile)[0];
    assert_eq!((open.calls, open.total_bytes), (3, 1016));
    assert_eq!(
        (open.live_blocks, open.live_bytes, open.peak_bytes),
        (2, 1008, 1009)
    );

    let old = "P=(ID=32365 N=(ls) T=0.010000)\n\
               C1 FN0=(F0=(/lib/libc.so.6)+100 N=(start))+20\n\
               C2 FN1=(F1=(ls)+1000 N=(f(void (*)(int))))+5 V0=(PERF_TICKS):(12,12,12)\n\
               C2 FN1+9 V0:(3,3,3)\n\
               C2 FN2=(F1+-4 N=(@?(nil)))+0 V0:(1,1,1)\n";
    let imported = import("old.igprof", old.as_bytes());
    let profile = &imported.profile;
    let frames: Vec<(String, u64)> = (0..profile.frames.len() as u32)
        .map(|id| (frame_text(profile, id), profile.frames[id as usize].address))
        .collect();
    let expected = [
        ("start", 120),
        ("f(void (*)(int))", 1005),
        ("f(void (*)(int))", 1009),
        ("ls+0xfffffffffffffffc", 4_u64.wrapping_neg()),
    ];
    assert_eq!(
        frames,
        expected.map(|(name, address)| (name.to_string(), address))
    );
    assert_eq!(profile.heap.calls, 16);
    assert!(notes(&imported).contains("a call here is one tick of 0.010000 s"));
}

#[test]
fn igprof_that_makes_no_sense_is_refused_at_its_line() {
    let header = "P=(HEX ID=1 N=(a) T=0)\n";
    let node = "C1 FN0=(F0=(a)+0 N=(f))+0 V0=(MEM_LIVE):(1,1,1)\n";
    for (lines, reason) in [
        (
            "C2 FN0=(F0=(a)+0 N=(f))+0\n",
            "line 2: the depth is not that",
        ),
        (
            "C1 FN1+0\n",
            "line 2: the function is used before it is defined",
        ),
        (
            "C1 FN1=(F7+0 N=(f))+0\n",
            "line 2: the file is used before it is defined",
        ),
        (
            "C1 FN0=(F0=(a)+0 N=(f))+0 V1:(1,1,1)\n",
            "line 2: the counter is used before it is defined",
        ),
        ("x\n", "line 2: a line must begin with C and the depth"),
        ("C1 FN0=(F0=(a)+0 N=(f))+0\n", "no line has a counter"),
        (
            "C1 FN0=(F0=(a)+0 N=(f))+0 V0=(FD_USED):(1,1,1)\n",
            "none of its counters (FD_USED) counts memory or time",
        ),
        (
            &format!("{node}C1 FN0+0 V0:(1,ffffffffffffffff,1)\n"),
            "line 3: the sum is too large",
        ),
        (
            &format!("{node}C1 FN0+0 V0:(1,7fffffffffffffff,1)\n"),
            "add up to more than 63 bits",
        ),
    ] {
        let refusal = refusal("a.igprof", &format!("{header}{lines}"));
        assert!(refusal.starts_with("cannot import a.igprof: "), "{refusal}");
        assert!(refusal.contains(reason), "{refusal}");
    }
}
