//! Ten thousand damaged files, each different: never a panic, never a hang, never
//! silence, and what is read is consistent. Half of them are damaged as disks and
//! networks do it; the other half have checksums that fit, so that the damage
//! reaches the decoders.

mod common;

use std::panic::{AssertUnwindSafe, catch_unwind};

use common::timelines::{full_sample, leaking};
use common::*;
use residue_profile::*;
use residue_testkit::random::Random;

/// As many of each kind.
const CASES: u64 = 5000;

#[test]
fn ten_thousand_corruptions() {
    corrupt(0..CASES);
}

#[test]
#[ignore = "takes minutes"]
fn two_hundred_thousand_corruptions() {
    corrupt(CASES..105_000);
}

fn corrupt(cases: std::ops::Range<u64>) {
    let files = files().map(Original::new);
    for case in cases {
        let file = &files[case as usize % files.len()];
        for (kind, test) in [
            ("torn", torn as fn(&Original, &mut Random)),
            ("forged", forged),
        ] {
            let mut random = Random::new(case);
            let result = catch_unwind(AssertUnwindSafe(|| test(file, &mut random)));
            assert!(result.is_ok(), "{kind} file number {case}");
        }
    }
}

struct Original {
    file: Vec<u8>,
    sections: Vec<Whole>,
}

#[derive(Clone)]
struct Whole {
    tag: Tag,
    raw: Vec<u8>,
    packed: Vec<u8>,
}

impl Original {
    fn new(file: Vec<u8>) -> Self {
        let whole = |(tag, raw): (Tag, Vec<u8>)| Whole {
            packed: packed(tag, &raw),
            tag,
            raw,
        };
        Original {
            sections: raw_sections(&file).into_iter().map(whole).collect(),
            file,
        }
    }
}

/// With something of everything, with a table in parts, and a larger one.
fn files() -> [Vec<u8>; 3] {
    let small = encode(&full_sample()).unwrap();
    let in_parts = in_parts(&small);
    assert_eq!(decode(&in_parts).unwrap(), full_sample());
    let mut larger = leaking(12);
    larger.nodes.truncate(700);
    larger.stacks.truncate(150);
    larger.repair();
    [small, in_parts, encode(&larger).unwrap()]
}

/// The changes of the sample in two sections.
fn in_parts(file: &[u8]) -> Vec<u8> {
    let first = [
        &[4, 0][..],               // rows in all, rows before
        &[2, 2, 2, 1, 1],          // stacks 1 and 2, one row each
        &[0, 0],                   // moments
        &[6, 2],                   // blocks 3 and 1
        &[0xF0, 0x2E, 0x80, 0x40], // bytes 3000 and 4096
    ];
    let second = [
        &[4, 2][..],
        &[1, 2, 2],       // stack 1, two rows
        &[2, 1],          // moments 2 3
        &[1, 4],          // blocks -1 2
        &[0xCF, 0x0F, 2], // bytes -1000, one more than 2000
    ];
    let mut sections = Vec::new();
    for (tag, raw) in raw_sections(file) {
        match tag {
            Tag::CHNG => {
                sections.push(packed(tag, &first.concat()));
                sections.push(packed(tag, &second.concat()));
            }
            _ => sections.push(packed(tag, &raw)),
        }
    }
    file_of(&sections)
}

/// Damage that no checksum fits: it must be noticed, and the place named.
fn torn(original: &Original, random: &mut Random) {
    let file = &original.file;
    let mut damaged = file.clone();
    while damaged == *file {
        for _ in 0..=random.skewed(3) {
            mutate(&mut damaged, random);
        }
    }
    match decode_lossy(&damaged) {
        Err(damage) => {
            assert_eq!(damage.section, Tag::HEAD);
            assert_eq!(decode(&damaged), Err(damage));
        }
        Ok((profile, damages)) => {
            assert!(!damages.is_empty(), "damage went unnoticed");
            check(profile, &damages, random);
        }
    }
}

/// Damage inside a payload, or of whole sections, with checksums that fit.
fn forged(original: &Original, random: &mut Random) {
    let mut sections = original.sections.clone();
    let which = random.index(sections.len());
    let other = random.index(sections.len());
    let Whole { tag, mut raw, .. } = sections[which].clone();
    let mut is_refused = false;
    match random.below(9) {
        0 => {
            raw.truncate(random.index(raw.len()));
            sections[which].packed = packed(tag, &raw);
            is_refused = true;
        }
        4 => {
            let length = raw.len() as u64;
            let lies = [0, length - 1, length + 1, length << 10, u64::MAX];
            let lie = random.pick(&lies);
            let stored = &sections[which].packed[SECTION_HEADER_BYTES..];
            sections[which].packed = section(tag, lie, stored);
            is_refused = true;
        }
        1 => sections[which].packed = packed(tag, &sections[other].raw),
        2 => {
            sections.remove(which);
        }
        3 => sections.insert(other, sections[which].clone()),
        _ => {
            for _ in 0..=random.skewed(3) {
                mutate(&mut raw, random);
            }
            sections[which].packed = packed(tag, &raw);
        }
    }
    let packed: Vec<Vec<u8>> = sections.into_iter().map(|whole| whole.packed).collect();
    let (profile, damages) = decode_lossy(&file_of(&packed)).unwrap();
    if is_refused {
        assert!(names(&damages, tag), "{tag}: {damages:?}");
    }
    check(profile, &damages, random);
}

/// One change of any size anywhere.
fn mutate(bytes: &mut Vec<u8>, random: &mut Random) {
    let length = bytes.len() as u64;
    if length == 0 {
        return bytes.push(random.below(256) as u8);
    }
    let at = random.below(length) as usize;
    let end = at + 1 + random.skewed(9).min(length - at as u64 - 1) as usize;
    let range = at..end;
    match random.below(7) {
        0 => bytes[at] ^= 1 << random.below(8),
        1 => bytes[at] = random.below(256) as u8,
        2 => bytes[range].fill(random.below(2) as u8 * 0xFF),
        3 => bytes.truncate(at),
        4 => {
            bytes.drain(range);
        }
        5 => {
            let copy = bytes[range].to_vec();
            let to = random.below(length) as usize;
            bytes.splice(to..to, copy);
        }
        _ => {
            // Swaps two ranges, which may lie over each other.
            let to = random.below(length) as usize;
            for step in 0..range.len().min(bytes.len() - at.max(to)) {
                bytes.swap(at + step, to + step);
            }
        }
    }
}

/// Every damage says where it is, and nothing is left to repair.
fn check(mut profile: Profile, damages: &[Damage], random: &mut Random) {
    for damage in damages {
        let is_named = damage.section == Tag::HEAD || Tag::ALL.contains(&damage.section);
        let has_offset = matches!(damage.reason, Reason::HeaderChecksum { .. });
        // A tag that was copied over another may be any four bytes.
        let is_text = damage.to_string().starts_with("section ");
        assert!((is_named || has_offset) && is_text, "{damage}");
    }
    assert_eq!(profile.repair(), []);
    // Whatever was read can be written and read again. That takes much longer than
    // the rest.
    if random.below(16) == 0 {
        let again = encode(&profile).unwrap();
        assert!(decode(&again).as_ref() == Ok(&profile));
    }
}

fn names(damages: &[Damage], tag: Tag) -> bool {
    damages.iter().any(|damage| damage.section == tag)
}
