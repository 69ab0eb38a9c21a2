//! pprof's protocol buffers.

use super::*;

#[test]
fn pprof_packed_or_not() {
    let plain = protobuf::shop().0;
    let imported = import("heap.pb", &plain);
    assert_eq!(imported.format, Format::Pprof);
    let profile = &imported.profile;
    let expected = [
        (
            "main(shop.c:10);open(shop.c:20)",
            made([1, 1000, 1000, 1, 0]),
        ),
        (
            "main(shop.c:10);serve(shop.c:30);_Z5orderi(shop.c:40)",
            made([3, 400, 300, 2, 1]),
        ),
        (
            "main(shop.c:10);serve(shop.c:30);read(parse.c:7)<parse(shop.c:50)",
            made([4, 200, 0, 0, 4]),
        ),
    ];
    let expected = expected.map(|(path, counters)| (path.to_string(), StackKind::Heap, counters));
    assert_eq!(stacks(profile), expected);
    let module = &profile.modules[0];
    assert_eq!(
        (module.path.as_str(), module.build_id.as_str()),
        ("/opt/shop", "0abc")
    );
    assert_eq!(
        (module.bias, profile.frames[0].address),
        (0x40_0000, 0x1010)
    );
    let order = profile
        .stacks
        .iter()
        .position(|s| s.counters.calls == 3)
        .unwrap();
    let bins: Vec<(u8, u64)> = profile
        .sizes_total
        .row(order)
        .iter()
        .map(|b| (b.bits, b.blocks))
        .collect();
    assert_eq!(bins, [(7, 2), (8, 1)]);
    let notes = notes(&imported);
    for note in [
        "do not count memory: latency",
        "labels: request",
        "one sample in 512 (inuse_space)",
    ] {
        assert!(notes.contains(note), "{notes}");
    }
    assert!(
        notes.contains("no peak, at-peak, at-peak-blocks, temporaries, reallocs;"),
        "{notes}"
    );
    assert_eq!(profile.meta.duration_ns, 2_000_000_000);
    assert_eq!(import("heap.pb", &gzipped(&plain)), imported);
}

#[test]
fn pprof_that_is_of_something_else_or_broken() {
    use protobuf::Message;
    let strings = |mut profile: Message| {
        for string in protobuf::STRINGS {
            profile = profile.bytes(6, string.as_bytes());
        }
        profile
    };
    let kind = |name| Message::default().message(1, Message::default().number(1, name));
    let refused = |profile: Message| {
        import_as("x.pb", &profile.0, Some(Format::Pprof))
            .unwrap_err()
            .to_string()
    };
    let time = strings(kind(7));
    assert!(refused(time).contains("none of its values (\"latency\") is of memory"));
    let negative = Message::default()
        .packed(1, &[])
        .number(2, 5_u64.wrapping_neg());
    let refusal = refused(strings(kind(6).message(2, negative)));
    assert!(refusal.contains("byte 6: a value is negative"), "{refusal}");
    let lost = Message::default().packed(1, &[9]).number(2, 5);
    assert!(refused(strings(kind(6).message(2, lost))).contains("there is no location 9"));
    let few = Message::default().packed(1, &[]);
    assert!(refused(strings(kind(6).message(2, few))).contains("0 values where 1 are named"));
    let cut = Message(vec![0x0a, 0x7f, 1]);
    assert!(refused(cut).contains("byte 2: a field of 127 bytes, but only 1 are left"));
    let unknown = Message(vec![0x0f]);
    assert!(refused(unknown).contains("unknown protobuf wire type 7"));
}
