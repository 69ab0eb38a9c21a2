//! No damage goes unnoticed, and none takes more with it than its section.

mod common;

use common::timelines::full_sample;
use common::*;
use proptest::prelude::*;
use residue_profile::*;

/// What is left of the sample when one section is gone.
fn sample_without(tag: Tag) -> Profile {
    let mut profile = full_sample();
    let empty_rows = |stacks: &[Stack]| {
        let mut rows = Ragged::default();
        stacks.iter().for_each(|_| rows.push_row([]));
        rows
    };
    match tag {
        Tag::META => {
            profile.meta = Meta::default();
            profile.recorder = RecorderStats::default();
        }
        Tag::MODS => {
            profile.modules.clear();
            profile.frames.iter_mut().for_each(|f| f.module = NONE);
        }
        Tag::FUNC => {
            profile.functions.clear();
            profile.frames.iter_mut().for_each(|f| f.function = NONE);
            change_places(&mut profile, |place| place.function = NONE);
        }
        Tag::FRAM => {
            profile.frames.clear();
            profile.places = Ragged::default();
            profile.without_table.clear();
            let named = profile.nodes.iter_mut().filter(|node| node.frame != CUT);
            named.for_each(|node| node.frame = NONE);
        }
        Tag::NODE => {
            profile.nodes.truncate(1);
            profile.stacks.iter_mut().for_each(|s| s.node = ROOT);
            profile.timeline.deferrals[0].freed_at = None;
        }
        Tag::STAK => {
            for stack in &mut profile.stacks {
                stack.node = ROOT;
                stack.kind = StackKind::Overflow;
            }
        }
        Tag::CNTR => {
            let stacks = profile.stacks.iter_mut();
            stacks.for_each(|stack| stack.counters = Counters::default());
        }
        Tag::HTOT => profile.sizes_total = empty_rows(&profile.stacks),
        Tag::HLIV => profile.sizes_live = empty_rows(&profile.stacks),
        Tag::BRTH => {
            profile.births = Ragged::default();
            profile
                .stacks
                .iter()
                .for_each(|_| profile.births.push_row([]));
        }
        Tag::FILE => {
            profile.files.clear();
            change_places(&mut profile, |place| place.file = NONE);
        }
        Tag::NTAB => profile.without_table.clear(),
        Tag::PLAC => profile.places = Ragged::default(),
        Tag::THRD => {
            profile.threads.clear();
            // One row a stack, with nothing in it.
            profile.by_thread = Ragged::default();
            let stacks = profile.stacks.iter();
            stacks.for_each(|_| profile.by_thread.push_row([]));
        }
        Tag::THST => profile.by_thread = Ragged::default(),
        Tag::HOLD => profile.picture = None,
        _ => lose_of_timeline(&mut profile.timeline, tag),
    }
    profile
}

fn change_places(profile: &mut Profile, change: fn(&mut SourcePlace)) {
    let mut places = Ragged::default();
    for index in 0..profile.places.rows() {
        let mut row = profile.places.row(index).to_vec();
        row.iter_mut().for_each(change);
        places.push_row(row);
    }
    profile.places = places;
}

fn lose_of_timeline(timeline: &mut Timeline, tag: Tag) {
    match tag {
        // All of these have names.
        Tag::TIME => {
            let moments = timeline.moments.iter_mut();
            moments.for_each(|moment| moment.name = None);
            *timeline = Timeline {
                moments: std::mem::take(&mut timeline.moments),
                changes: std::mem::take(&mut timeline.changes),
                cpu: std::mem::take(&mut timeline.cpu),
                allocated: std::mem::take(&mut timeline.allocated),
                accounts: std::mem::take(&mut timeline.accounts),
                deferrals: std::mem::take(&mut timeline.deferrals),
                ..Timeline::default()
            };
        }
        Tag::MOMT => {
            timeline.moments.clear();
            timeline.totals.clear();
            timeline.changes.clear();
            timeline.cpu.clear();
            timeline.allocated.clear();
            timeline.accounts.clear();
            timeline.snapshots.clear();
        }
        Tag::STMP => timeline.stamps.clear(),
        Tag::CNTS => timeline.counts.clear(),
        Tag::CTOT => timeline.totals.clear(),
        Tag::CHNG => timeline.changes.clear(),
        Tag::CPUT => timeline.cpu.clear(),
        Tag::ALOC => timeline.allocated.clear(),
        Tag::ACCT => timeline.accounts.clear(),
        Tag::SNAP => timeline.snapshots.clear(),
        Tag::DEFR => timeline.deferrals.clear(),
        _ => {}
    }
}

fn assert_only_lost(file: &[u8], tag: Tag) {
    let strict = decode(file).expect_err("damage went unnoticed");
    let (mut profile, damages) = decode_lossy(file).unwrap();
    assert_eq!(damages[0], strict);
    assert!(!damages.is_empty());
    if tag == Tag::META {
        assert_eq!(profile.heap.calls, 1_000_101);
        assert_eq!(profile.heap.live_bytes, 3024);
        assert_eq!(profile.mappings.calls, 2);
        assert_eq!(profile.meta.notes.len(), 1);
        profile.meta.notes.clear();
        (profile.heap, profile.mappings) = (full_sample().heap, full_sample().mappings);
    }
    assert_eq!(profile, sample_without(tag), "without {tag}: {damages:?}");
}

fn owner(file: &[u8], at: usize) -> Tag {
    let found = spans(file).into_iter().find(|span| at < span.end);
    found.map_or(Tag::END, |span| span.tag)
}

#[test]
fn every_flipped_bit_is_noticed_and_costs_one_section_at_most() {
    let file = encode(&full_sample()).unwrap();
    let mut flips = 0;
    for at in 0..file.len() {
        for bit in 0..8 {
            let mut damaged = file.clone();
            damaged[at] ^= 1 << bit;
            flips += 1;
            if at < 8 {
                assert_eq!(decode(&damaged).unwrap_err().reason, Reason::NotResidue);
                assert!(decode_lossy(&damaged).is_err());
            } else if at < FILE_HEADER_BYTES {
                assert_eq!(decode(&damaged).unwrap_err().section, Tag::HEAD);
                assert_only_lost(&damaged, Tag::HEAD);
            } else {
                assert_only_lost(&damaged, owner(&file, at));
            }
        }
    }
    assert!(flips > 2000);
}

#[test]
fn every_truncation_is_noticed_and_costs_only_what_is_cut_off() {
    let file = encode(&full_sample()).unwrap();
    let all = spans(&file);
    for length in 0..file.len() {
        let cut = &file[..length];
        let error = decode(cut).expect_err("truncation went unnoticed");
        let named = error.section == Tag::HEAD || Tag::ALL.contains(&error.section);
        assert!(named, "{length}: {error}");
        if length < FILE_HEADER_BYTES {
            assert_eq!(error.section, Tag::HEAD);
            assert!(decode_lossy(cut).is_err());
            continue;
        }
        let (profile, damages) = decode_lossy(cut).unwrap();
        for span in &all {
            let named = damages.iter().any(|damage| damage.section == span.tag);
            // Of what need not be there nothing is known before its tag.
            let expected = !Tag::OPTIONAL.contains(&span.tag) || span.header_at + 8 <= length;
            let lost = span.end > length;
            assert_eq!(named, lost && expected, "{length}: {damages:?}");
        }
        assert_eq!(decode(&encode(&profile).unwrap()).unwrap(), profile);
    }
}

#[test]
fn bytes_lost_or_added_in_one_section_leave_the_others() {
    let file = encode(&full_sample()).unwrap();
    for span in spans(&file) {
        for at in [span.header_at + 1, span.header_at + 20, span.payload_at + 3] {
            let mut shorter = file.clone();
            shorter.drain(at..at + 5);
            assert_only_lost(&shorter, span.tag);
            let mut longer = file.clone();
            longer.splice(at..at, *b"noise");
            assert_only_lost(&longer, span.tag);
        }
    }
}

#[test]
fn lost_swapped_doubled_and_foreign_sections_are_noticed() {
    let file = encode(&full_sample()).unwrap();
    let node = span(&file, Tag::NODE);
    let stak = span(&file, Tag::STAK);

    let mut lost = file.clone();
    lost.drain(node.header_at..node.end);
    assert_only_lost(&lost, Tag::NODE);
    for tag in Tag::OPTIONAL {
        let mut lost = file.clone();
        lost.drain(span(&file, tag).header_at..span(&file, tag).end);
        assert_only_lost(&lost, tag);
    }

    let mut swapped = file.clone();
    let (first, second) = (node.header_at..node.end, stak.header_at..stak.end);
    swapped.splice(
        first.start..second.end,
        [&file[second], &file[first]].concat(),
    );
    assert_only_lost(&swapped, Tag::END);
    assert_eq!(decode(&swapped).unwrap_err().section, Tag::END);

    let mut doubled = file.clone();
    doubled.splice(node.end..node.end, file[node.header_at..node.end].to_vec());
    assert_only_lost(&doubled, Tag::END);

    let other = encode(&Profile::default()).unwrap();
    let foreign_node = span(&other, Tag::NODE);
    let mut foreign = file.clone();
    let bytes = other[foreign_node.header_at..foreign_node.end].to_vec();
    foreign.splice(node.header_at..node.end, bytes);
    assert!(decode(&foreign).is_err());

    let mut longer = file.clone();
    longer.push(0);
    let error = decode(&longer).unwrap_err();
    assert_eq!(error.reason, Reason::TrailingBytes { bytes: 1 });
    assert_only_lost(&longer, Tag::END);
}

#[test]
fn headers_of_other_files_and_other_versions_are_told_apart() {
    let body = encode(&full_sample()).unwrap().split_off(FILE_HEADER_BYTES);
    let several = [file_header(3, 0), body.clone()].concat();
    assert_eq!(
        decode(&several).unwrap_err().reason,
        Reason::SeveralProcesses
    );
    let newer = [file_header(5, 0), body.clone()].concat();
    let too_new = Reason::VersionTooNew { found: 5 };
    assert_eq!(decode(&newer).unwrap_err().reason, too_new);
    assert_eq!(decode_lossy(&newer).unwrap_err().reason, too_new);

    for header in [file_header(1, 1), file_header(0, 0)] {
        let odd = [header, body.clone()].concat();
        assert_eq!(decode(&odd).unwrap_err().section, Tag::HEAD);
        assert_only_lost(&odd, Tag::HEAD);
    }
    for other in [&b"\x7fELF and so on, and so on, and on"[..], b"#!", b"\0"] {
        assert_eq!(decode(other).unwrap_err().reason, Reason::NotResidue);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    /// Heavy damage anywhere: never a panic, never a profile that is not whole.
    #[test]
    fn any_damage_leaves_a_consistent_profile(
        patches in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..40),
        cut in any::<prop::sample::Index>(),
    ) {
        let file = encode(&full_sample()).unwrap();
        let mut damaged = file.clone();
        for (at, byte) in patches {
            let at = 8 + at.index(file.len() - 8);
            damaged[at] = byte;
        }
        damaged.truncate(FILE_HEADER_BYTES + cut.index(2 * file.len()));
        match decode(&damaged) {
            Ok(profile) => prop_assert_eq!(profile, full_sample()),
            Err(_) => prop_assert!(damaged != file),
        }
        let (mut profile, _) = decode_lossy(&damaged).unwrap();
        prop_assert_eq!(profile.repair(), vec![]);
    }
}
