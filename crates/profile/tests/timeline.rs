//! The timeline in the file: what is written, what may be missing, and what a
//! table in parts does when one is lost.

mod common;

use common::timelines::full_sample;
use common::*;
use residue_profile::timeline::*;
use residue_profile::*;

const TIMELINE: [Tag; 11] = [
    Tag::TIME,
    Tag::MOMT,
    Tag::STMP,
    Tag::CNTS,
    Tag::CTOT,
    Tag::CHNG,
    Tag::CPUT,
    Tag::ALOC,
    Tag::ACCT,
    Tag::SNAP,
    Tag::DEFR,
];

fn raw(file: &[u8], tag: Tag) -> Vec<u8> {
    let found = raw_sections(file).into_iter().find(|(at, _)| *at == tag);
    found.unwrap().1
}

/// A file of the same sections, changed, with the END that belongs to them.
fn rebuilt(file: &[u8], change: impl FnOnce(&mut Vec<(Tag, Vec<u8>)>)) -> Vec<u8> {
    let mut sections: Vec<(Tag, Vec<u8>)> = spans(file)
        .into_iter()
        .filter(|span| span.tag != Tag::END)
        .map(|span| (span.tag, file[span.header_at..span.end].to_vec()))
        .collect();
    change(&mut sections);
    let sections: Vec<Vec<u8>> = sections.into_iter().map(|(_, bytes)| bytes).collect();
    file_of(&sections)
}

/// Byte for byte what docs/FORMAT.md says.
#[test]
fn the_tables_are_laid_out_as_documented() {
    let file = encode(&full_sample()).unwrap();
    let time: serde_json::Value = serde_json::from_slice(&raw(&file, Tag::TIME)).unwrap();
    assert_eq!(time["about"]["source"], "marks");
    assert_eq!(time["about"]["misuse"]["end_without_begin"], 3);
    assert_eq!(time["names"][1], "größe");
    let moments = [
        &[4][..],
        &[0, 1, 3, 4], // kinds
        // flags: with totals but for the second; all have calls
        &[0xFF, 0x16, 0x82, 0x0E, 0xE0, 0x0A, 0xE0, 0x0E],
        &[2, 0, 0, 0],                   // events
        &[0x9A, 1, 0, 0x99, 1, 0],       // ids
        &[0, 0, 1, 0],                   // streams
        &[0, 0, 3, 0],                   // names
        &[0xD0, 0x0F, 0xD0, 0x0F, 2, 0], // times
        &[0x80, 0x80, 1],                // virtual size of the first
        &[0x80, 0x40, 1],                // resident: the first, one less
        &[0],                            // shared
        &[1],                            // live: 2^64 - 1 is -1
        &[2],                            // mapped
        &[0x80, 0x40, 0, 0, 0],          // recorder
        &[2, 2, 2, 2],                   // threads
        &[2, 2, 2, 2],                   // calls: 1 2 3 4
        &[0x80, 1, 0x80, 1, 0x80, 2],    // bytes: 64 128, 256
        // CPU time of threads in nanoseconds: 2, 3 and 4 million; of the process: 2 million
        &[0x80, 0x92, 0xF4, 1, 0x80, 0x89, 0x7A, 0x80, 0x89, 0x7A],
        &[0x80, 0x92, 0xF4, 1],
        &[0xE7, 0x24, 0xE7, 0x24, 0xE7, 0x24], // thread 4711
    ];
    assert_eq!(raw(&file, Tag::MOMT), moments.concat());
    let stamps = [
        &[2, 0, 1, 2, 0][..],
        &[0x98, 0x11, 0xC8, 1],
        &[0b101, 0x81, 0x02],
        &[0x80, 0x80, 0x80, 1, 0],
        &[0x80, 1],
        &[10], // calls of the second
    ];
    assert_eq!(raw(&file, Tag::STMP), stamps.concat());
    // 5.0 is 0x4014 and six zero bytes, which come first when reversed.
    let counts = raw(&file, Tag::CNTS);
    assert_eq!(counts[..7], [2, 2, 6, 1, 1, 0xC0, 0x28]);
    assert_eq!(raw(&file, Tag::CTOT)[..6], [2, 0, 4, 1, 1, 0]);
    let changes = [
        &[4, 0][..],      // rows in all, rows before
        &[2, 2, 2, 3, 1], // two series: stack 1 of three rows, stack 2 of one
        &[0, 2, 1, 0],    // moments 0 2 3, and 0
        &[6, 1, 4, 2],    // blocks 3 -1 2, and 1
        &[0xF0, 0x2E, 0], // 3000; -1000 as expected
        &[2, 0x80, 0x40], // 2001, one more than expected; 4096
    ];
    assert_eq!(raw(&file, Tag::CHNG), changes.concat());
    let allocated = [
        &[3, 0, 4, 2][..], // rows; moments 0 2 3
        &[2, 0, 1],        // stacks 1 1 0
        &[3, 1, 7],
        &[0xB8, 0x17, 0xE8, 7, 0xC0, 3], // 3000 1000 448
        &[0, 1, 2],
    ];
    assert_eq!(raw(&file, Tag::ALOC), allocated.concat());
    let accounts: serde_json::Value = serde_json::from_slice(&raw(&file, Tag::ACCT)).unwrap();
    assert_eq!(accounts[0]["heap_bytes"], u64::MAX);
    assert_eq!(accounts[0]["allocator"]["free_bytes"], 7);
    let snapshots = [
        &[1, 0, 1, 2, 4, 23, 10, 0][..],
        b"00400000-00452000 r-xp\nRss: 4 kB\n",
    ];
    assert_eq!(raw(&file, Tag::SNAP), snapshots.concat());
    let deferrals = [2, 2, 1, 9, 1, 0xAC, 2, 1, 0xC8, 1, 1, 10, 9];
    assert_eq!(raw(&file, Tag::DEFR), deferrals);
}

#[test]
fn a_file_without_a_timeline_is_whole() {
    let mut profile = full_sample();
    profile.timeline = Timeline::default();
    let file = encode(&profile).unwrap();
    let tags: Vec<Tag> = spans(&file).iter().map(|span| span.tag).collect();
    let without = Tag::ALL.into_iter().filter(|tag| !TIMELINE.contains(tag));
    assert_eq!(tags, without.collect::<Vec<_>>());
    assert_eq!(decode(&file).unwrap(), profile);
}

/// A writer leaves out tables without rows; nothing else depends on them here.
#[test]
fn tables_without_rows_have_no_section() {
    let mut profile = full_sample();
    profile.timeline.stamps.clear();
    profile.timeline.changes.clear();
    let file = encode(&profile).unwrap();
    let tags: Vec<Tag> = spans(&file).iter().map(|span| span.tag).collect();
    let left_out = [Tag::STMP, Tag::CHNG];
    let expected = Tag::ALL.into_iter().filter(|tag| !left_out.contains(tag));
    assert_eq!(tags, expected.collect::<Vec<_>>());
    assert_eq!(decode(&file).unwrap(), profile);
}

#[test]
fn only_stacks_of_new_kinds_need_higher_versions() {
    let version = |profile: &Profile| encode(profile).unwrap()[8];
    let mut profile = full_sample();
    assert_eq!(version(&profile), 2);
    profile.stacks[4].kind = StackKind::Cpu;
    assert_eq!(version(&profile), 4);
    profile.stacks[3].kind = StackKind::Pooled;
    profile.stacks[4].kind = StackKind::Heap;
    assert_eq!(version(&profile), 1);
}

#[test]
fn every_bit_of_a_value_survives() {
    let mut profile = full_sample();
    let name = 1;
    let values = [
        0.0,
        -0.0,
        0.1,
        f64::MIN,
        f64::MIN_POSITIVE / 2.0,
        f64::INFINITY,
    ];
    let values = values.into_iter().chain([f64::EPSILON, -1e-300]);
    profile.timeline.counts = values
        .map(|value| Count {
            event: 1,
            name,
            value,
        })
        .collect();
    let read = decode(&encode(&profile).unwrap()).unwrap();
    let bits = |profile: &Profile| -> Vec<u64> {
        let counts = profile.timeline.counts.iter();
        counts.map(|count| count.value.to_bits()).collect()
    };
    assert_eq!(bits(&read), bits(&profile));
    assert_eq!(bits(&read)[1], 1 << 63);
}

#[test]
fn further_columns_and_fields_of_a_newer_version_are_skipped() {
    let file = encode(&full_sample()).unwrap();
    let tables = TIMELINE
        .into_iter()
        .filter(|tag| ![Tag::TIME, Tag::ACCT].contains(tag));
    for tag in tables {
        let mut newer = raw(&file, tag);
        newer.extend([1; 10]);
        assert_eq!(
            decode(&with_payload(&file, tag, &newer)).unwrap(),
            full_sample(),
            "{tag}"
        );
    }
    let json = br#"{"about":{"source":"dreams","depth":1,"events":7},"names":["a","b","c"]}"#;
    let read = decode(&with_payload(&file, Tag::TIME, json)).unwrap();
    let about = About {
        events: 7,
        ..About::default()
    };
    assert_eq!(read.timeline.about, about);
    assert_eq!(read.timeline.moments, full_sample().timeline.moments);
}

#[test]
fn rows_that_point_to_nothing_are_dropped_and_counted() {
    let mut profile = full_sample();
    let timeline = &mut profile.timeline;
    timeline.moments[2].name = Some(3);
    timeline.stamps[0].name = 3;
    timeline.counts[1].name = u32::MAX;
    timeline.totals[0].moment = 4;
    timeline.changes[3].moment = 4;
    timeline.changes[1].stack = 5;
    timeline.accounts[0].moment = 9;
    timeline.snapshots[0].name = 9;
    timeline.deferrals[0].freed_at = Some(6);
    timeline.deferrals[1].stack = 5;
    let (read, damages) = decode_lossy(&encode(&profile).unwrap()).unwrap();
    let texts: Vec<String> = damages.iter().map(Damage::to_string).collect();
    assert_eq!(
        texts,
        [
            "section MOMT: bad value: 1 moments point to no name, the first is number 2",
            "section STMP: bad value: 1 stamps point to no name, the first is number 0",
            "section CNTS: bad value: 1 counts point to no name, the first is number 1",
            "section CTOT: bad value: 1 totals point to no moment or name, the first is number 0",
            "section CHNG: bad value: 2 changes point to no moment or stack, the first is number 1",
            "section ACCT: bad value: 1 accounts point to no moment, the first is number 0",
            "section SNAP: bad value: 1 snapshots point to no moment or name, the first is number 0",
            "section DEFR: bad value: 1 deferrals point to no node, the first is number 0",
            "section DEFR: bad value: 1 deferrals point to no stack, the first is number 1",
        ]
    );
    let expected = full_sample().timeline;
    assert_eq!(read.timeline.moments[2].name, None);
    assert_eq!(read.timeline.stamps, expected.stamps[1..]);
    assert_eq!(read.timeline.counts, expected.counts[..1]);
    assert_eq!(read.timeline.totals, expected.totals[1..]);
    assert_eq!(
        read.timeline.changes,
        [expected.changes[0], expected.changes[2]]
    );
    assert_eq!(read.timeline.accounts, []);
    assert_eq!(read.timeline.snapshots, []);
    assert_eq!(read.timeline.deferrals.len(), 1);
    assert_eq!(read.timeline.deferrals[0].freed_at, None);
}

#[test]
fn changes_out_of_order_are_sorted() {
    let mut profile = full_sample();
    profile.timeline.changes.reverse();
    let damages = profile.repair();
    assert_eq!(damages.len(), 1);
    assert_eq!(
        damages[0].to_string(),
        "section CHNG: bad value: changes are not in the order of moments"
    );
    assert_eq!(profile, full_sample());
}

/// Two and a half million changes, in three sections.
fn many_changes() -> Profile {
    let mut profile = full_sample();
    let ended = profile.timeline.moments[1];
    profile.timeline.moments = vec![ended; 1_250_000];
    profile.timeline.changes = (0..2_500_000u32)
        .map(|row| Change {
            moment: row / 2,
            stack: 1 + row % 2,
            bytes: 64,
            blocks: 1,
        })
        .collect();
    profile
}

#[test]
fn a_large_table_stands_in_parts_and_is_read_whole_or_not_at_all() {
    let profile = many_changes();
    let file = encode(&profile).unwrap();
    let parts = spans(&file)
        .iter()
        .filter(|span| span.tag == Tag::CHNG)
        .count();
    assert_eq!(parts, 3);
    assert!(decode(&file).unwrap() == profile);

    let first = spans(&file)
        .iter()
        .position(|span| span.tag == Tag::CHNG)
        .unwrap();
    for lost in first..first + parts {
        let shorter = rebuilt(&file, |sections| {
            sections.remove(lost);
        });
        let (read, damages) = decode_lossy(&shorter).unwrap();
        assert_eq!(read.timeline.changes, []);
        assert_eq!(read.timeline.moments.len(), 1_250_000);
        assert!(damages.iter().all(|damage| damage.section == Tag::CHNG));
        assert!(!damages.is_empty());
    }
    let swapped = rebuilt(&file, |sections| sections.swap(first, first + 1));
    let (read, damages) = decode_lossy(&swapped).unwrap();
    assert_eq!(read.timeline.changes, []);
    assert_eq!(damages[0].section, Tag::CHNG);

    let doubled = rebuilt(&file, |sections| {
        let again = sections[first + 1].clone();
        sections.insert(first + 2, again);
    });
    let (read, damages) = decode_lossy(&doubled).unwrap();
    assert!(read == profile);
    assert_eq!(damages.len(), 1);
    assert_eq!(damages[0].reason, Reason::Duplicate);
}

#[test]
fn snapshots_with_long_maps_stand_in_parts() {
    let mut profile = full_sample();
    let snapshot = Snapshot {
        smaps: b"Rss:                   4 kB\nPss:                   4 kB\n".repeat(600_000),
        ..profile.timeline.snapshots[0].clone()
    };
    assert!(snapshot.smaps.len() > 32 << 20);
    profile.timeline.snapshots = vec![snapshot; 3];
    let file = encode(&profile).unwrap();
    let parts = spans(&file)
        .iter()
        .filter(|span| span.tag == Tag::SNAP)
        .count();
    assert_eq!(parts, 2);
    assert!(decode(&file).unwrap() == profile);
}
