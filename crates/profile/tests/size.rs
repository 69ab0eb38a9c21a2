//! Large recordings stay small on disk and quick to write.

mod common;

use std::time::Instant;

use common::*;
use residue_profile::*;

#[test]
fn two_hundred_thousand_stacks_take_less_than_twelve_megabytes() {
    let profile = synthetic::large(200_000, 600_000);
    let file = encode(&profile).unwrap();
    assert!(file.len() < 12_000_000, "{} bytes", file.len());
    assert!(decode(&file).unwrap() == profile);
}

/// Prints what it measures; meaningful only with `--release -- --ignored --nocapture`.
#[test]
#[ignore = "a measurement"]
fn a_million_stacks() {
    let profile = synthetic::large(1_000_000, 3_000_000);
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
