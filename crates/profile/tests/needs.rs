//! Reading less than all: what is asked for is as it was written, the rest is
//! empty, and damage to the rest is still found.

mod common;

use common::timelines::full_sample;
use common::*;
use residue_profile::*;

fn without<T>(rows: &Ragged<T>) -> Ragged<T> {
    let mut empty = Ragged::default();
    (0..rows.rows()).for_each(|_| empty.push_row([]));
    empty
}

/// The sample without what is not needed.
fn expected(needs: Needs) -> Profile {
    let mut profile = full_sample();
    if !needs.sizes {
        profile.sizes_total = without(&profile.sizes_total);
        profile.sizes_live = without(&profile.sizes_live);
    }
    if !needs.births {
        profile.births = without(&profile.births);
    }
    if !needs.places {
        profile.files.clear();
        profile.places = Ragged::default();
    }
    if !needs.by_thread {
        profile.by_thread = Ragged::default();
    }
    if !needs.changes {
        profile.timeline.changes.clear();
        profile.timeline.cpu.clear();
    }
    if !needs.allocated {
        profile.timeline.allocated.clear();
    }
    if !needs.picture {
        profile.picture = None;
    }
    if !needs.proc_maps {
        for snapshot in &mut profile.timeline.snapshots {
            snapshot.maps.clear();
            snapshot.smaps.clear();
            snapshot.numa_maps.clear();
        }
    }
    profile
}

/// All 256 of them.
fn every_choice() -> impl Iterator<Item = Needs> {
    (0..256u32).map(|bits| {
        let has = |bit: u32| bits & (1 << bit) != 0;
        Needs {
            sizes: has(0),
            births: has(1),
            places: has(2),
            by_thread: has(3),
            changes: has(4),
            proc_maps: has(5),
            allocated: has(6),
            picture: has(7),
        }
    })
}

#[test]
fn what_is_needed_is_read_and_nothing_else() {
    let file = encode(&full_sample()).unwrap();
    assert_eq!(every_choice().next(), Some(Needs::LEAST));
    assert_eq!(every_choice().last(), Some(Needs::ALL));
    for needs in every_choice() {
        let (read, damages) = decode_needed(&file, needs).unwrap();
        assert_eq!(damages, [], "{needs:?}");
        assert_eq!(read, expected(needs), "{needs:?}");
    }
}

#[test]
fn damage_is_found_in_what_is_not_needed() {
    let file = encode(&full_sample()).unwrap();
    for span in spans(&file) {
        let mut damaged = file.clone();
        damaged[span.payload_at] ^= 1;
        let (_, damages) = decode_needed(&damaged, Needs::LEAST).unwrap();
        assert_eq!(
            damages[0],
            damage(span.tag, Reason::Checksum),
            "{damages:?}"
        );
    }
    for tag in [Tag::HTOT, Tag::HLIV, Tag::BRTH] {
        let lost = span(&file, tag);
        let mut shorter = file.clone();
        shorter.drain(lost.header_at..lost.end);
        let (_, damages) = decode_needed(&shorter, Needs::LEAST).unwrap();
        assert!(
            damages.contains(&damage(tag, Reason::Missing)),
            "{damages:?}"
        );
    }
}

fn damage(section: Tag, reason: Reason) -> Damage {
    Damage { section, reason }
}

#[test]
fn files_are_read_as_bytes_are() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.residue");
    write_to(&path, &full_sample()).unwrap();
    let (read, damages) = read_needed(&path, Needs::LEAST).unwrap();
    assert_eq!((read, damages), (expected(Needs::LEAST), vec![]));
}

#[test]
fn changes_between_two_moments() {
    let timeline = full_sample().timeline;
    let all = &timeline.changes[..];
    assert_eq!(timeline.changes_between(None, None), all);
    assert_eq!(timeline.changes_between(None, Some(0)), &all[..2]);
    assert_eq!(timeline.changes_between(Some(0), None), &all[2..]);
    assert_eq!(timeline.changes_between(Some(0), Some(2)), &all[2..3]);
    assert_eq!(timeline.changes_between(Some(2), Some(0)), []);
    assert_eq!(timeline.changes_between(Some(9), None), []);
    assert_eq!(Timeline::default().changes_between(None, Some(3)), []);
}
