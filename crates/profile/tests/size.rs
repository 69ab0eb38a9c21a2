//! Large recordings stay small on disk and quick to write.

mod common;

use std::time::Instant;

use common::*;
use residue_profile::timeline::Snapshot;
use residue_profile::*;
use residue_testkit::random::Random;

#[test]
fn two_hundred_thousand_stacks_take_less_than_twelve_megabytes() {
    let profile = timelines::large(200_000);
    let file = encode(&profile).unwrap();
    assert!(file.len() < 12_000_000, "{} bytes", file.len());
    assert!(decode(&file).unwrap() == profile);
}

#[test]
fn a_million_changes_of_a_leak_take_less_than_two_and_a_half_bytes_each() {
    let profile = timelines::leaking(20_000);
    let changes = profile.timeline.changes.len();
    assert_eq!(changes, 20_000 * timelines::CHANGES_AT_MOMENT);
    let file = encode(&profile).unwrap();
    assert_eq!(decode(&file).unwrap().timeline, profile.timeline);
    let span = span(&file, Tag::CHNG);
    let stored = span.end - span.payload_at;
    // 1.8 bytes when this was written.
    assert!(stored < changes * 5 / 2, "{stored} bytes");
}

/// Each snapshot's maps are like the last one's, three megabytes back.
#[test]
fn snapshots_cost_what_is_new_in_them() {
    let mut random = Random::new(1);
    let mut maps = |count: usize| -> Vec<Vec<u8>> {
        let maps: String = (0..100_000)
            .map(|_| {
                format!(
                    "{:012x} rw-p {}\n",
                    random.below(1 << 48),
                    random.below(1000)
                )
            })
            .collect();
        vec![maps.into_bytes(); count]
    };
    let mut stored = |count: usize| {
        let mut profile = timelines::full_sample();
        let first = profile.timeline.snapshots[0].clone();
        let snapshots = maps(count).into_iter();
        profile.timeline.snapshots = snapshots
            .map(|maps| Snapshot {
                maps,
                ..first.clone()
            })
            .collect();
        let file = encode(&profile).unwrap();
        let span = span(&file, Tag::SNAP);
        span.end - span.payload_at
    };
    let one = stored(1);
    let eight = stored(8);
    assert!(
        eight < one * 3 / 2,
        "{one} bytes for one, {eight} for eight"
    );
}

/// Prints what it measures; meaningful only with `--release -- --ignored --nocapture`.
#[test]
#[ignore = "a measurement"]
fn a_million_stacks() {
    let profile = timelines::large(1_000_000);
    let start = Instant::now();
    let file = encode(&profile).unwrap();
    let encoded_in = start.elapsed();
    let start = Instant::now();
    let same = decode(&file).unwrap() == profile;
    let decoded_in = start.elapsed();
    assert!(same);
    println!(
        "{} bytes, encoded in {encoded_in:?}, decoded in {decoded_in:?}",
        file.len()
    );
    for (span, (_, raw)) in spans(&file).iter().zip(raw_sections(&file)) {
        let stored = span.end - span.payload_at;
        println!("{} {} -> {stored} bytes", span.tag, raw.len());
    }
}
