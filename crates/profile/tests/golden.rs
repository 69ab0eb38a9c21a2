//! Files of every version stay readable: these were written once and are never
//! rewritten.

mod common;

use common::timelines::full_sample_of_version_2;
use common::*;
use residue_profile::*;

/// Not named `.residue`, since git is told to ignore those.
const GOLDEN: &[u8] = include_bytes!("golden/v1.bin");
/// With a timeline, places, threads and a reported stack.
const GOLDEN_FULL: &[u8] = include_bytes!("golden/v2.bin");

#[test]
fn the_golden_files_read_as_they_were_written() {
    assert_eq!(decode(GOLDEN).unwrap(), sample());
    assert_eq!(decode(GOLDEN_FULL).unwrap(), full_sample_of_version_2());
    let tags: Vec<Tag> = spans(GOLDEN_FULL).iter().map(|span| span.tag).collect();
    let without = Tag::ALL
        .into_iter()
        .filter(|tag| ![Tag::NTAB, Tag::CPUT, Tag::ALOC, Tag::HOLD].contains(tag));
    assert_eq!(tags, without.collect::<Vec<_>>());
}

/// Compared before compression, since a newer zstd may choose other bytes for
/// the same content; and without JSON, which may gain fields.
#[test]
fn the_same_content_still_gives_the_same_bytes() {
    const JSON: [Tag; 4] = [Tag::META, Tag::THRD, Tag::TIME, Tag::ACCT];
    let tables = |file: &[u8]| {
        let mut sections = raw_sections(file);
        sections.retain(|(tag, _)| !JSON.contains(tag));
        sections
    };
    let full = full_sample_of_version_2();
    for (profile, golden, count) in [(sample(), GOLDEN, 9), (full, GOLDEN_FULL, 19)] {
        let file = encode(&profile).unwrap();
        assert_eq!(file[..FILE_HEADER_BYTES], golden[..FILE_HEADER_BYTES]);
        assert_eq!(tables(&file), tables(golden));
        assert_eq!(tables(golden).len(), count);
    }
}

/// Byte for byte what docs/FORMAT.md says.
#[test]
fn the_tables_are_laid_out_as_documented() {
    let raw = |tag| {
        let sections = raw_sections(GOLDEN);
        let found = sections.into_iter().find(|(at, _)| *at == tag);
        found.unwrap().1
    };
    let functions = [&[4, 4, 0, 9, 7][..], "main_ZN3fooEvgröße".as_bytes()].concat();
    assert_eq!(raw(Tag::FUNC), functions);
    // Modules 0 1 NONE 0, then addresses, then functions 0 NONE NONE 3.
    assert_eq!(raw(Tag::FRAM)[..5], [4, 2, 3, 1, 2]);
    assert!(raw(Tag::FRAM).ends_with(&[4, 1, 0, 8]));
    // Steps back to the parent, then frames NONE 0 1 CUT 3 2.
    let nodes = [6, 0, 1, 1, 2, 1, 1, 2, 2, 2, 5, 10, 1];
    assert_eq!(raw(Tag::NODE), nodes);
    // Nodes 2 5 4 0 0, then kinds.
    assert_eq!(raw(Tag::STAK), [5, 4, 6, 1, 7, 0, 0, 0, 1, 2, 3]);
    // Five stacks, eleven columns, a million calls first.
    assert_eq!(raw(Tag::CNTR)[..5], [5, 11, 0xC0, 0x84, 0x3D]);
    assert_eq!(raw(Tag::HLIV), [5, 0, 1, 1, 0, 1, 10, 13, 5, 3, 1, 1]);
    let births = [
        &[5, 0, 3, 1, 0, 1][..],
        &[0xE8, 7, 7, 7, 0xE8, 7, 0xE8, 7],
        &[1; 5],
        &[0xE8, 7, 0xE8, 7, 0xE8, 7, 0x80, 32, 24],
    ];
    assert_eq!(raw(Tag::BRTH), births.concat());
}

/// Files of before know no largest blocks; in later ones they are a column behind that of CPU time.
#[test]
fn largest_blocks_are_the_last_column() {
    let raw = |profile: &Profile, wanted| {
        let sections = raw_sections(&encode(profile).unwrap());
        let found = sections.into_iter().find(|(tag, _)| *tag == wanted);
        found.unwrap().1
    };
    let older = full_sample_of_version_2();
    assert!(!decode(GOLDEN_FULL).unwrap().has_largest);
    let mut newer = older.clone();
    newer.has_largest = true;
    for (stack, largest_bytes) in newer.stacks.iter_mut().zip([64, 1 << 33, 4096, 0, 24]) {
        stack.counters.largest_bytes = largest_bytes;
    }
    assert_eq!(decode(&encode(&newer).unwrap()).unwrap(), newer);
    let [before, after] = [&older, &newer].map(|profile| raw(profile, Tag::CNTR));
    assert_eq!((before[1], after[1]), (11, 13));
    let largest = [64, 0x80, 0x80, 0x80, 0x80, 0x20, 0x80, 0x20, 0, 24];
    assert_eq!(after[2..], [&before[2..], &[0; 5], &largest].concat());
    // By thread likewise: five rows, none with CPU time, none with a largest block here.
    let [before, after] = [&older, &newer].map(|profile| raw(profile, Tag::THST));
    assert_eq!(after, [&before[..], &[0; 5], &[0; 5]].concat());
}
