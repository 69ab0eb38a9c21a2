//! Turns what a recording leaves into inputs of the targets, on standard output:
//!
//! ```text
//!   seed sections FILE.residue     the sections of a profile
//!   seed arena FILE.arena          an arena without its holes
//! ```

use std::fs::File;
use std::io::{Write, stdout};
use std::os::unix::fs::FileExt;
use std::path::Path;

use residue_arena::header;
use residue_arena::region::{self, Region};

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [what, file] = &arguments[..] else {
        panic!("seed sections|arena FILE");
    };
    let seed = match what.as_str() {
        "sections" => sections_of(&std::fs::read(file).expect("a profile")),
        "arena" => packed(Path::new(file)),
        other => panic!("no seeds of {other}"),
    };
    stdout().write_all(&seed).expect("standard output");
}

const FILE_HEADER_BYTES: usize = 24;
const SECTION_HEADER_BYTES: usize = 40;

/// The input of `fuzz/src/sections.rs` that a file's sections are, without END and those that
/// are too long.
fn sections_of(file: &[u8]) -> Vec<u8> {
    let mut input = Vec::new();
    let mut at = FILE_HEADER_BYTES;
    while let Some(header) = file.get(at..at + SECTION_HEADER_BYTES) {
        let stored_bytes = word_at(header, 2) as usize;
        at += SECTION_HEADER_BYTES;
        let stored = file.get(at..at + stored_bytes).expect("a whole file");
        at += stored_bytes;
        let content = zstd::decode_all(stored).expect("a whole section");
        let tag = &header[4..8];
        if let (Ok(length), false) = (u16::try_from(content.len()), tag == b"END ") {
            input.extend(tag);
            input.extend(length.to_le_bytes());
            input.extend(content);
        }
    }
    input
}

/// The items of all regions, one region behind the other. An arena has room for far more.
fn packed(path: &Path) -> Vec<u8> {
    let file = File::open(path).expect("an arena");
    let read = |offset: u64, bytes: u64| {
        let mut buffer = vec![0; bytes as usize];
        file.read_exact_at(&mut buffer, offset)
            .expect("a whole arena");
        buffer
    };
    let mut packed = read(0, header::WORDS as u64 * 8);
    for region in region::ALL {
        let word = |packed: &[u8], which| word_at(packed, region.word(which));
        let used = word(&packed, region::USED).min(word(&packed, region::COMMITTED));
        let items = read(word(&packed, region::OFFSET), used * region.item_bytes());
        let offset = packed.len() as u64;
        for (which, value) in [
            (region::OFFSET, offset),
            (region::COMMITTED, used),
            (region::CAPACITY, used),
        ] {
            set_word(&mut packed, region, which, value);
        }
        packed.extend(items);
    }
    packed
}

fn word_at(bytes: &[u8], word: header::Word) -> u64 {
    let bytes = bytes[word * 8..].first_chunk().expect("a whole header");
    u64::from_le_bytes(*bytes)
}

fn set_word(arena: &mut [u8], region: Region, which: usize, value: u64) {
    arena[region.word(which) * 8..][..8].copy_from_slice(&value.to_le_bytes());
}
