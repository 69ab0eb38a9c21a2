//! Profiles that no program would write are answered too, or refused with a reason.

use residue_profile::timeline::*;
use residue_profile::{BirthBin, Profile, Ragged};

use super::sample::{events, held, open_profiles};
use super::{Answer, answer};
use residue_testkit::sample;

const QUESTIONS: [(&str, &[&str]); 18] = [
    ("about", &[""]),
    ("status", &[""]),
    (
        "verdict",
        &["", "events=1..2", "events=0..0", "events=7..4294967295"],
    ),
    ("time", &[""]),
    (
        "churn",
        &[
            "",
            "kind=all&focus=.",
            "events=1..2",
            "events=7..4294967295",
        ],
    ),
    (
        "holders",
        &["", "which=held&focus=.", "offset=18446744073709551615"],
    ),
    ("holder", &["stack=0", "stack=2", "stack=999"]),
    ("pins", &[""]),
    (
        "timeline",
        &[
            "",
            "points=1",
            "events=2..3",
            "events=4294967295..4294967295",
        ],
    ),
    ("stacks", &["", "events=1..2", "shape=leak"]),
    (
        "stack",
        &["stack=0", "stack=0&events=2..3", "stack=5", "stack=999"],
    ),
    (
        "flame",
        &[
            "",
            "inverted=1",
            "inverted=1&depth=4096",
            "against=b",
            "by=scope",
            "span=0..18446744073709551615",
            "span=5..6&ignore=.",
        ],
    ),
    ("functions", &[""]),
    ("callers", &["function=0000000000000000"]),
    ("source", &["file=0", "file=0&line=4294967295", "file=7"]),
    ("stages", &["", "value=live", "value=time"]),
    ("sizes", &["", "kind=all&focus=."]),
    (
        "compare",
        &["", "by=stack", "by=library&class=gone&offset=99"],
    ),
];
const MOST_BYTES: usize = 4 << 20;

fn profiles() -> Vec<(&'static str, Profile)> {
    let mut not_numbers = events(20);
    for total in &mut not_numbers.timeline.totals {
        total.total = f64::NAN;
    }
    let mut leaps = events(20);
    for moment in [3, 4] {
        leaps.timeline.changes.push(Change {
            moment,
            stack: 0,
            bytes: i64::MAX,
            blocks: i64::MAX,
        });
    }
    leaps.timeline.changes.sort_by_key(|change| change.moment);
    let mut long = events(20);
    long.timeline.about.events = u64::MAX;
    long.timeline.about.birth_bin_events = u32::MAX;
    long.births = Ragged::default();
    long.births.push_row([BirthBin {
        birth: 5000,
        blocks: u64::MAX,
        bytes: u64::MAX,
    }]);
    let mut strangers = events(20);
    let timeline = &mut strangers.timeline;
    timeline.changes.push(Change {
        moment: 40,
        stack: 999,
        bytes: i64::MAX,
        blocks: 1,
    });
    timeline.accounts.push(Account {
        moment: 999,
        ..Account::default()
    });
    timeline.snapshots.push(Snapshot {
        name: 99,
        moment: 99,
        ..Snapshot::default()
    });
    timeline.stamps[3].name = 99;
    timeline.totals[3].name = 99;
    strangers.files = vec![String::new()];
    let mut unread = events(20);
    for moment in &mut unread.timeline.moments {
        moment.has_changes = false;
        (moment.live_bytes, moment.rss_bytes) = (None, None);
    }
    let mut huge = events(20);
    for moment in &mut huge.timeline.moments {
        (moment.live_bytes, moment.rss_bytes) = (Some(u64::MAX), Some(u64::MAX));
    }
    let mut bare = events(20);
    bare.sizes_total = Ragged::default();
    bare.births = Ragged::default();
    bare.stacks.truncate(1);
    let mut imported = events(20);
    imported.timeline.about.source = Source::Imported;
    imported.stacks.clear();
    imported.timeline.changes.clear();
    let mut held = held();
    let picture = held.picture.as_mut().unwrap();
    picture.retained[0].holder.variable = "v".repeat(100_000);
    for sum in &mut picture.sums {
        (sum.blocks, sum.bytes) = (u64::MAX, u64::MAX);
    }
    let pins = picture.pins.as_mut().unwrap();
    pins.heap.free_bytes = u64::MAX;
    (pins.other_stacks, pins.other_free_bytes) = (u64::MAX, u64::MAX);
    (pins.stacks[0].alone_pages, pins.stacks[0].last_birth) = (u64::MAX, u32::MAX);
    let many = vec![picture.chains[1].steps[0].clone(); 10_000];
    picture.chains[2].steps = many;
    for chain in &mut picture.chains {
        (chain.blocks, chain.bytes) = (u64::MAX, u64::MAX);
    }
    vec![
        ("held", held),
        ("empty", Profile::default()),
        ("no events", sample::profile()),
        ("deep", sample::deep(20_000)),
        ("one event", events(1)),
        ("not numbers", not_numbers),
        ("leaps", leaps),
        ("long", long),
        ("strangers", strangers),
        ("unread", unread),
        ("huge", huge),
        ("bare", bare),
        ("imported", imported),
    ]
}

/// Found by fuzzing: what is live and what is mapped did not fit into one number.
#[test]
fn sizes_that_are_too_large_to_add_are_judged() {
    let mut profile = events(20);
    for moment in &mut profile.timeline.moments {
        (moment.live_bytes, moment.mapped_bytes) = (Some(u64::MAX), Some(7));
    }
    let profiles = open_profiles(profile, None);
    assert!(matches!(answer(&profiles, "verdict", ""), Answer::Given(_)));
}

#[test]
fn every_question_has_an_answer_of_bounded_size_or_a_reason() {
    for (what, profile) in profiles() {
        let profiles = open_profiles(profile, Some(events(3)));
        for (name, queries) in QUESTIONS {
            for query in queries {
                match answer(&profiles, name, query) {
                    Answer::Given(bytes) => {
                        assert!(bytes.len() < MOST_BYTES, "{what}: {name}?{query}");
                    }
                    Answer::Refused(why) => assert!(!why.is_empty(), "{what}: {name}?{query}"),
                    Answer::Unknown => panic!("{name} is no question"),
                }
            }
        }
    }
}
