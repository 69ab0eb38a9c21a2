//! Packed files, and what is packed to do harm.

use super::*;

#[test]
fn packed_files_are_the_same_and_progress_is_told() {
    let plain = fixture("shop.igprof");
    let imported = import("job", &plain);
    assert_eq!(import("job", &gzipped(&plain)), imported);
    assert_eq!(import("job", &zstd_packed(&plain)), imported);
    let packed = gzipped(&plain);
    let cut = import_as("job", &packed[..packed.len() - 20], None)
        .unwrap_err()
        .to_string();
    assert!(
        cut.contains("the compressed data ends here, too early"),
        "{cut}"
    );

    let path = Path::new(FIXTURES).join("shop.igprof");
    let mut told = Vec::new();
    read_watched(&path, &Options::default(), &mut |done, of| {
        told.push((done, of))
    })
    .unwrap();
    let whole = plain.len() as u64;
    assert!(told.is_sorted() && told.last() == Some(&(whole, whole)));
}

#[test]
fn what_unpacks_to_far_too_much_is_refused() {
    const BOMB_BYTES: usize = 70 << 20;
    let refused = |start: &str| {
        let mut bytes = start.as_bytes().to_vec();
        bytes.resize(start.len() + BOMB_BYTES, b'7');
        let packed = zstd_packed(&bytes);
        assert!(packed.len() < 100_000);
        import_as("bomb", &packed, None).unwrap_err().to_string()
    };
    for start in [
        "v 10400 3\ns 5 ",
        "P=(HEX ID=1 N=(a) T=0)\nC1 FN",
        "the shop\n_mpTrace_;",
    ] {
        let refusal = refused(start);
        assert!(
            refusal.contains("line 2: it cannot be read: it unpacks to far more"),
            "{refusal}"
        );
    }
    let refusal = refused("\u{a}");
    assert!(refusal.contains("byte 671"), "{refusal}");
    // A loop of allocations shrinks nearly as much, and is fine.
    let mut text = fixture("shop.heaptrack");
    for _ in 0..500_000 {
        text.extend_from_slice(b"+ 3\n- 3\n");
    }
    let packed = zstd_packed(&text);
    assert!(packed.len() < text.len() / 1000);
    assert_eq!(
        import_as("loop", &packed, None).unwrap().profile.heap.calls,
        500_008
    );
}
