//! Files made to do harm: right checksums around wrong content.

mod common;

use std::time::{Duration, Instant};

use common::timelines::full_sample;
use common::*;
use proptest::prelude::*;
use residue_profile::*;

fn varint(mut value: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    while value >= 0x80 {
        bytes.push(value as u8 | 0x80);
        value >>= 7;
    }
    bytes.push(value as u8);
    bytes
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    /// Any payload under any tag.
    #[test]
    fn any_payload_is_read_or_refused(
        which in 0..Tag::ALL.len() - 1,
        raw in proptest::collection::vec(prop_oneof![0..6u8, any::<u8>()], 0..120),
    ) {
        let tag = Tag::ALL[which];
        let file = with_payload(&encode(&full_sample()).unwrap(), tag, &raw);
        let (mut profile, damages) = decode_lossy(&file).unwrap();
        prop_assert_eq!(decode(&file).is_err(), !damages.is_empty());
        prop_assert_eq!(profile.repair(), vec![]);
    }

    /// One byte of a payload changed, checksums made to fit.
    #[test]
    fn any_changed_payload_is_read_or_refused(
        which in 0..Tag::ALL.len() - 1,
        at in any::<prop::sample::Index>(),
        byte: u8,
    ) {
        let file = encode(&full_sample()).unwrap();
        let (tag, mut raw) = raw_sections(&file).swap_remove(which);
        let at = at.index(raw.len());
        raw[at] = byte;
        let (mut profile, _) = decode_lossy(&with_payload(&file, tag, &raw)).unwrap();
        prop_assert_eq!(profile.repair(), vec![]);
    }
}

#[test]
fn counts_that_the_bytes_cannot_hold_are_refused() {
    let file = encode(&full_sample()).unwrap();
    let json = [
        Tag::META,
        Tag::MODS,
        Tag::THRD,
        Tag::TIME,
        Tag::ACCT,
        Tag::HOLD,
        Tag::END,
    ];
    for tag in Tag::ALL.into_iter().filter(|tag| !json.contains(tag)) {
        for count in [100, 1 << 31, u64::MAX] {
            let mut raw = varint(count);
            raw.extend([0; 20]);
            let error = decode(&with_payload(&file, tag, &raw)).unwrap_err();
            assert_eq!(error.section, tag);
            assert!(matches!(error.reason, Reason::BadValue(_)), "{error}");
        }
    }
    // No row, and yet as many columns as one can write down.
    let endless = [varint(0), varint(u64::MAX)].concat();
    let error = decode(&with_payload(&file, Tag::CNTR, &endless)).unwrap_err();
    assert_eq!(error.section, Tag::CNTR);
    // Lengths whose sum overflows.
    let lengths = [varint(3), varint(u64::MAX), varint(u64::MAX), varint(2)].concat();
    for tag in [
        Tag::FUNC,
        Tag::HTOT,
        Tag::BRTH,
        Tag::FILE,
        Tag::PLAC,
        Tag::THST,
    ] {
        let error = decode(&with_payload(&file, tag, &lengths)).unwrap_err();
        assert_eq!(error.section, tag);
    }
}

#[test]
fn a_bomb_is_not_unpacked() {
    let zeros = vec![0; 64 << 20];
    let bomb = zstd::encode_all(&zeros[..], 3).unwrap();
    assert!(bomb.len() < 8 << 10);
    // With its true length it is too large ...
    let honest = file_of(&[section(Tag::FUNC, zeros.len() as u64, &bomb)]);
    let error = decode(&honest).unwrap_err();
    assert!(matches!(error.reason, Reason::TooLarge { .. }), "{error}");
    // ... and with a false one it is not what it says.
    let lying = file_of(&[section(Tag::FUNC, 1 << 20, &bomb)]);
    let error = decode(&lying).unwrap_err();
    assert!(matches!(error.reason, Reason::BadValue(_)), "{error}");
    let shorter = file_of(&[section(
        Tag::FUNC,
        100,
        &zstd::encode_all(&b"x"[..], 3).unwrap(),
    )]);
    let error = decode(&shorter).unwrap_err();
    assert!(matches!(error.reason, Reason::BadValue(_)), "{error}");
    let garbage = file_of(&[section(Tag::FUNC, 100, b"not zstd at all")]);
    let error = decode(&garbage).unwrap_err();
    assert!(matches!(error.reason, Reason::Compression(_)), "{error}");
}

/// Their sum is more than a number holds.
#[test]
fn lengths_that_no_memory_holds_are_refused() {
    for tag in [Tag::FUNC, Tag::CHNG] {
        let endless = section(tag, u64::MAX, &zstd::encode_all(&b"x"[..], 3).unwrap());
        let (_, damages) = decode_lossy(&file_of(&[endless.clone(), endless])).unwrap();
        let too_large = |damage: &&Damage| {
            damage.section == tag && matches!(damage.reason, Reason::TooLarge { .. })
        };
        assert_eq!(damages.iter().filter(too_large).count(), 2, "{damages:?}");
    }
}

#[test]
fn a_window_larger_than_any_writer_needs_is_refused() {
    // A frame header that asks for a window of 2^30 bytes, and one empty block.
    let frame = [
        0x28,
        0xB5,
        0x2F,
        0xFD,
        0x00,
        (30 - 10) << 3,
        0x01,
        0x00,
        0x00,
    ];
    let error = decode(&file_of(&[section(Tag::FUNC, 0, &frame)])).unwrap_err();
    assert!(matches!(error.reason, Reason::Compression(_)), "{error}");
}

/// Each header claims the whole rest of the file, so that a reader that checks
/// every claim would hash it thousands of times over.
#[test]
fn a_file_made_of_headers_is_soon_given_up() {
    let mut file = file_header(1, 0);
    let header = &section(Tag::NODE, 1, &[0; 1 << 20])[..SECTION_HEADER_BYTES];
    while file.len() < 4 << 20 {
        file.extend(header);
    }
    let start = Instant::now();
    let (_, damages) = decode_lossy(&file).unwrap();
    assert!(start.elapsed() < Duration::from_secs(20));
    let given_up = damages
        .iter()
        .any(|damage| matches!(damage.reason, Reason::TooManySections { .. }));
    assert!(given_up);
}

#[test]
fn markers_without_headers_are_passed_over() {
    let mut file = file_header(1, 0);
    file.extend(b"\xF5SEC".repeat(50_000));
    file.extend(&encode(&full_sample()).unwrap()[FILE_HEADER_BYTES..]);
    let (profile, damages) = decode_lossy(&file).unwrap();
    assert_eq!(profile, full_sample());
    assert_eq!(damages.len(), 1);
}
