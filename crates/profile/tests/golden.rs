//! Version 1 stays readable: this file was written once and is never rewritten.

mod common;

use common::*;
use residue_profile::*;

/// Not named `.residue`, since git is told to ignore those.
const GOLDEN: &[u8] = include_bytes!("golden/v1.bin");

#[test]
fn the_golden_file_reads_as_it_was_written() {
    assert_eq!(decode(GOLDEN).unwrap(), sample());
}

/// Compared before compression, since a newer zstd may choose other bytes for
/// the same content; and without META, whose JSON may gain fields.
#[test]
fn the_same_content_still_gives_the_same_bytes() {
    let tables = |file: &[u8]| {
        let mut sections = raw_sections(file);
        sections.retain(|(tag, _)| *tag != Tag::META && *tag != Tag::END);
        sections
    };
    let file = encode(&sample()).unwrap();
    assert_eq!(file[..FILE_HEADER_BYTES], GOLDEN[..FILE_HEADER_BYTES]);
    assert_eq!(tables(&file), tables(GOLDEN));
    assert_eq!(tables(GOLDEN).len(), 9);
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
