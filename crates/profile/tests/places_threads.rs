//! Places in the source and threads in the file: what is written, and what is
//! made of ids that point nowhere.

mod common;

use common::timelines::full_sample;
use common::*;
use residue_profile::*;

const ADDED: [Tag; 5] = [Tag::NTAB, Tag::FILE, Tag::PLAC, Tag::THRD, Tag::THST];

fn raw(file: &[u8], tag: Tag) -> Vec<u8> {
    let found = raw_sections(file).into_iter().find(|(at, _)| *at == tag);
    found.unwrap().1
}

/// Byte for byte what docs/FORMAT.md says.
#[test]
fn the_tables_are_laid_out_as_documented() {
    let file = encode(&full_sample()).unwrap();
    // Frames 1 3.
    assert_eq!(raw(&file, Tag::NTAB), [2, 2, 4]);
    let files = [
        &[3, 16, 0, 16][..],
        "/src/größe.cpp/usr/include/new".as_bytes(),
    ];
    assert_eq!(raw(&file, Tag::FILE), files.concat());
    let places = [
        &[4, 2, 0, 1, 1][..],          // frames, places of each
        &[8, 3, 1, 8],                 // functions 2 0 NONE 3
        &[8, 3, 1, 2],                 // files 2 0 NONE 0
        &[0x92, 2, 0xAE, 0x3C],        // lines 137, 4000
        &[0xBF, 0x3E],                 // 0
        &[0xFE, 0xFF, 0xFF, 0xFF, 31], // 2^32 - 1
    ];
    assert_eq!(raw(&file, Tag::PLAC), places.concat());
    let threads: serde_json::Value = serde_json::from_slice(&raw(&file, Tag::THRD)).unwrap();
    assert_eq!(threads[0]["tid"], 4711);
    assert_eq!(threads[0]["name"], "sérver");
    let by_thread = [
        &[5, 2, 1, 1, 0, 1][..],           // stacks, threads of each
        &[0, 2, 1, 0, 0],                  // threads 0 2, 1, 0, 0
        &[0xBF, 0x84, 0x3D, 1, 100, 2, 1], // calls, the first 999 999
        &[1, 2, 6, 2, 2],                  // calls - frees: -1 1 3 1 1
        &[0xC0, 0x9F, 0xC2, 0x1E, 64],     // total bytes: 63 999 936, 64,
        &[0xA0, 0x8D, 6, 0x80, 0x40, 24],  // 100 000, 8192, 24
        &[127, 0x80, 1],                   // net bytes: -64, 64,
        &[0xF0, 0x2E, 0x80, 0x40, 48],     // 3000, 4096, 24
    ];
    assert_eq!(raw(&file, Tag::THST), by_thread.concat());
}

#[test]
fn what_is_not_there_takes_no_section() {
    let tags = |profile: &Profile| -> Vec<Tag> {
        let file = encode(profile).unwrap();
        assert_eq!(decode(&file).unwrap(), *profile);
        spans(&file).iter().map(|span| span.tag).collect()
    };
    let mut profile = full_sample();
    assert_eq!(tags(&profile), Tag::ALL);
    profile.without_table.clear();
    profile.files.clear();
    profile.places = Ragged::default();
    profile.threads.clear();
    profile.by_thread = Ragged::default();
    let without = Tag::ALL.into_iter().filter(|tag| !ADDED.contains(tag));
    assert_eq!(tags(&profile), without.collect::<Vec<_>>());
}

/// They need no other version: an older reader skips them and reads the rest.
#[test]
fn the_version_stays_the_lowest() {
    let mut profile = full_sample();
    profile.stacks[3].kind = StackKind::Pooled;
    assert_eq!(encode(&profile).unwrap()[8], 1);
}

#[test]
fn ids_that_point_nowhere_are_taken_back_and_counted() {
    let mut profile = full_sample();
    profile.functions.truncate(2);
    profile.files.truncate(1);
    profile.threads.truncate(1);
    let (read, damages) = decode_lossy(&encode(&profile).unwrap()).unwrap();
    let texts: Vec<String> = damages.iter().map(Damage::to_string).collect();
    assert_eq!(
        texts,
        [
            "section FRAM: bad value: 1 frames point to no function, the first is number 3",
            "section PLAC: bad value: 2 places point to no function, the first is number 0",
            "section PLAC: bad value: 1 places point to no file, the first is number 0",
            "section THST: bad value: 2 rows point to no thread, the first is number 0",
        ]
    );
    let place = read.places.row(0)[0];
    assert_eq!((place.function, place.file, place.line), (NONE, NONE, 137));
    assert_eq!(read.places.row(0)[1], full_sample().places.row(0)[1]);
    assert_eq!(read.by_thread.row(0), &full_sample().by_thread.row(0)[..1]);
    assert_eq!(read.by_thread.row(1), []);
}

#[test]
fn rows_are_as_many_as_frames_and_stacks_and_in_order() {
    let mut profile = full_sample();
    profile.places.push_row([]);
    let mut backwards = Ragged::default();
    let mut row = profile.by_thread.row(0).to_vec();
    row.reverse();
    backwards.push_row(row);
    profile.by_thread = backwards;
    let texts: Vec<String> = profile.repair().iter().map(Damage::to_string).collect();
    assert_eq!(
        texts,
        [
            "section PLAC: bad value: 5 rows for 4 frames",
            "section THST: bad value: 1 rows for 5 stacks",
            "section THST: bad value: 1 rows are not in order of threads, the first is number 0",
        ]
    );
    assert_eq!(profile.places, full_sample().places);
    assert_eq!(profile.by_thread.row(0), full_sample().by_thread.row(0));
    assert_eq!(profile.by_thread.rows(), 5);
    assert_eq!(profile.repair(), []);
}

#[test]
fn frames_without_a_table_are_frames_and_in_order() {
    let mut profile = full_sample();
    profile.without_table = vec![1, 1, 9, 0, 3];
    let texts: Vec<String> = profile.repair().iter().map(Damage::to_string).collect();
    assert_eq!(
        texts,
        ["section NTAB: bad value: 3 rows are no frame, or not in order, the first is number 1"]
    );
    assert_eq!(profile, full_sample());
}

#[test]
fn cpu_time_of_threads_comes_back() {
    let mut profile = full_sample();
    let mut by_thread = Ragged::default();
    for row in 0..profile.by_thread.rows() {
        let of_row = profile.by_thread.row(row).iter();
        by_thread.push_row(of_row.map(|&counters| ThreadCounters {
            cpu_ns: 7 * row as u64,
            ..counters
        }));
    }
    profile.by_thread = by_thread;
    let file = encode(&profile).unwrap();
    assert_eq!(raw(&file, Tag::THST)[42..], [0, 0, 7, 14, 28]);
    assert_eq!(decode(&file).unwrap(), profile);
}

#[test]
fn further_columns_of_a_newer_version_are_skipped() {
    let file = encode(&full_sample()).unwrap();
    for tag in [Tag::NTAB, Tag::PLAC, Tag::THST] {
        let mut newer = raw(&file, tag);
        if tag == Tag::THST {
            // CPU time, which is left out where there is none. Of what follows the first would be
            // largest blocks, of which `CNTR` knows nothing here.
            newer.extend([0; 5]);
        }
        newer.extend([1; 10]);
        let read = decode(&with_payload(&file, tag, &newer)).unwrap();
        assert_eq!(read, full_sample(), "{tag}");
    }
    let json = br#"[{"tid":4711,"name":"s","cpu":3},{},{"tid":1}]"#;
    let read = decode(&with_payload(&file, Tag::THRD, json)).unwrap();
    assert_eq!(read.threads[0].name, "s");
    assert_eq!(read.threads[1], Thread::default());
}
