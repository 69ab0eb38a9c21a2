//! What is written is what is read.

mod common;

use common::arbitrary::{tame, wild};
use common::timelines::full_sample;
use common::*;
use proptest::prelude::*;
use residue_profile::*;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn every_sensible_profile_survives(profile in tame()) {
        let bytes = encode(&profile).unwrap();
        prop_assert_eq!(decode(&bytes).unwrap(), profile);
    }

    /// A broken profile is refused, yet comes back repaired, once and for all.
    #[test]
    fn every_other_profile_is_repaired(profile in wild()) {
        let bytes = encode(&profile).unwrap();
        let mut repaired = profile.clone();
        let changes = repaired.repair();
        let (read, damages) = decode_lossy(&bytes).unwrap();
        prop_assert_eq!(decode(&bytes).is_err(), !changes.is_empty());
        prop_assert_eq!(damages, changes);
        prop_assert_eq!(&read, &repaired);
        prop_assert_eq!(decode(&encode(&read).unwrap()).unwrap(), read);
    }
}

#[test]
fn the_empty_profile_survives() {
    let bytes = encode(&Profile::default()).unwrap();
    assert_eq!(decode(&bytes).unwrap(), Profile::default());
}

#[test]
fn sections_come_in_the_documented_order() {
    let file = encode(&full_sample()).unwrap();
    let tags: Vec<Tag> = spans(&file).iter().map(|span| span.tag).collect();
    assert_eq!(tags, Tag::ALL);
}

#[test]
fn the_frame_is_as_documented() {
    let file = encode(&full_sample()).unwrap();
    let packed = |(tag, raw): &(Tag, Vec<u8>)| packed(*tag, raw);
    let rebuilt: Vec<_> = raw_sections(&file).iter().map(packed).collect();
    assert_eq!(decode(&file_of(&rebuilt)).unwrap(), full_sample());
}

#[test]
fn sections_may_come_in_any_order() {
    let file = encode(&full_sample()).unwrap();
    let packed = |(tag, raw): &(Tag, Vec<u8>)| packed(*tag, raw);
    let backwards: Vec<_> = raw_sections(&file).iter().rev().map(packed).collect();
    assert_eq!(decode(&file_of(&backwards)).unwrap(), full_sample());
}

#[test]
fn what_only_a_newer_version_knows_is_skipped_and_noted() {
    let file = encode(&sample()).unwrap();
    let packed_section = |(tag, raw): &(Tag, Vec<u8>)| packed(*tag, raw);
    let mut sections: Vec<_> = raw_sections(&file).iter().map(packed_section).collect();
    sections.insert(3, packed(Tag(*b"XTRA"), b"whatever"));
    let (profile, damages) = decode_lossy(&file_of(&sections)).unwrap();
    assert_eq!(damages, []);
    assert_eq!(profile.meta.notes.len(), 2);
    assert!(profile.meta.notes[1].contains("XTRA"));
    assert_eq!(profile.frames, sample().frames);
    assert_eq!(decode(&file_of(&sections)).unwrap(), profile);
}

#[test]
fn unknown_and_missing_fields_of_meta_are_no_matter() {
    let file = encode(&sample()).unwrap();
    let json =
        br#"{"meta":{"program":"p","shoe_size":43,"end":{"kind":"ascended","to":1}},"x":[]}"#;
    let profile = decode(&with_payload(&file, Tag::META, json)).unwrap();
    assert_eq!(profile.meta.program, "p");
    assert_eq!(profile.meta.end, End::Unknown);
    assert_eq!(profile.heap, Totals::default());
}

#[test]
fn further_counters_of_a_newer_version_are_skipped() {
    let file = encode(&sample()).unwrap();
    let (_, mut raw) = raw_sections(&file).swap_remove(6);
    assert_eq!(raw[..2], [5, 11]);
    raw[1] = 14;
    // CPU time, largest blocks, and what is not known here.
    raw.extend([0; 5]);
    raw.extend([0; 5]);
    raw.extend([1; 5]);
    let newer = with_payload(&file, Tag::CNTR, &raw);
    let with_largest = Profile {
        has_largest: true,
        ..sample()
    };
    assert_eq!(decode(&newer).unwrap(), with_largest);
}

/// Even columns of nothing but zeros must not look like a zip bomb.
#[test]
fn what_compresses_too_well_is_padded_and_read() {
    let mut profile = sample();
    let stack = Stack {
        node: ROOT,
        kind: StackKind::Heap,
        counters: Counters::default(),
    };
    profile.stacks = vec![stack; 2_000_000];
    profile.sizes_total = Ragged::default();
    profile.sizes_live = Ragged::default();
    profile.births = Ragged::default();
    for _ in 0..profile.stacks.len() {
        profile.sizes_total.push_row([]);
        profile.sizes_live.push_row([]);
        profile.births.push_row([]);
    }
    let file = encode(&profile).unwrap();
    assert!(file.len() < 1 << 20, "{} bytes", file.len());
    assert!(decode(&file).unwrap() == profile);
}
