//! Verdicts on runs whose growth slows down, or looks as if it did.

mod verdict_runs;

use residue_analysis::history::EventRange;
use residue_analysis::sentences;
use residue_analysis::shape::{Agreement, Shape};
use residue_analysis::verdict::{Basis, Headline, Reason, StackVerdict, Verdict, verdict};
use residue_profile::timeline::CounterTotal;
use residue_profile::{BirthBin, Profile, Ragged};
use residue_testkit::random::Random;
use verdict_runs::{Site, run, site, wandering};

fn judge(profile: &Profile) -> Verdict {
    verdict(profile, EventRange::ALL).expect("there are events")
}

fn named<'a>(profile: &Profile, verdict: &'a Verdict, function: &str) -> &'a StackVerdict {
    let is_named = |stack: &&StackVerdict| {
        let node = profile.nodes[profile.stacks[stack.stack as usize].node as usize];
        let frame = profile.frames[node.frame as usize];
        profile.functions[frame.function as usize] == function
    };
    verdict
        .stacks
        .iter()
        .find(is_named)
        .unwrap_or_else(|| panic!("{function} is not in {:?}", verdict.stacks))
}

/// What is new of so many keys, each of them equally likely, of which an event asks for some.
fn filling(name: &str, events: u32, keys: usize, asked: u32, seed: u64) -> Site {
    let mut random = Random::new(seed);
    let mut is_known = vec![false; keys];
    site(name, events, |_| {
        let mut added = 0;
        for _ in 0..asked {
            let key = random.index(keys);
            added += if is_known[key] { 0 } else { 8192 };
            is_known[key] = true;
        }
        added
    })
}

#[test]
fn a_cache_that_fills_up_is_no_leak_and_says_where_it_ends() {
    let profile = run(&[filling("cache", 300, 3000, 20, 1)], |_| None);
    let verdict = judge(&profile);
    assert_eq!(
        (verdict.headline, verdict.basis),
        (Headline::Filling, Basis::Stacks)
    );
    let Reason::Fills {
        live_bytes,
        end_bytes,
        end_low,
        end_high,
        first_bytes_per_event,
    } = verdict.reasons[0]
    else {
        panic!("{:?}", verdict.reasons);
    };
    let truth = 3000.0 * 8192.0;
    assert!(live_bytes < end_low && end_low < end_bytes && end_bytes < end_high);
    assert!(
        (end_low..=end_high).contains(&truth),
        "{end_low} .. {end_high}"
    );
    // Twenty new keys an event at first; an event asks for as many.
    assert!((0.8..1.2).contains(&(first_bytes_per_event / (20.0 * 8192.0))));
    assert!(verdict.growth.rate < 0.25 * first_bytes_per_event);
    let cache = named(&profile, &verdict, "cache");
    assert_eq!(cache.verdict.shape, Shape::Filling);
    assert_eq!(cache.verdict.agreement, Agreement::Agrees);
    let told = sentences::of_shape(&cache.verdict, "event");
    assert!(told.contains(" % full, would end near "), "{told}");
}

#[test]
fn a_leak_beside_caches_is_the_leak() {
    let sites = [
        filling("cache", 300, 3000, 20, 2),
        filling("other_cache", 300, 2000, 16, 3),
        site("leak", 300, |event| 64 + i64::from(event * 7919 % 101)),
        wandering("churn", 300, 1 << 20, 7),
    ];
    let profile = run(&sites, |_| None);
    let verdict = judge(&profile);
    assert_eq!(verdict.headline, Headline::Leak);
    assert!((100.0..130.0).contains(&verdict.growth.rate));
    assert_eq!(named(&profile, &verdict, "leak").share, Some(1.0));
    for cache in ["cache", "other_cache"] {
        let cache = named(&profile, &verdict, cache);
        assert_eq!((cache.verdict.shape, cache.share), (Shape::Filling, None));
    }
}

#[test]
fn a_cache_on_many_paths_fills_up_too() {
    // Each key has a path of its own.
    let mut random = Random::new(4);
    let mut known = [false; 300];
    let mut born: Vec<(usize, u32)> = Vec::new();
    for event in 1..=300 {
        for _ in 0..2 {
            let key = random.index(300);
            if !known[key] {
                known[key] = true;
                born.push((key, event));
            }
        }
    }
    let path = |&(key, birth): &(usize, u32)| {
        site(&format!("path_{key}"), 300, |event| {
            if event == birth { 8192 } else { 0 }
        })
    };
    let sites: Vec<Site> = born.iter().map(path).collect();
    let verdict = judge(&run(&sites, |_| None));
    assert!(
        matches!(verdict.headline, Headline::Filling | Headline::Slowing),
        "{:?} {:?}",
        verdict.headline,
        verdict.reasons
    );
    assert_eq!(verdict.basis, Basis::Live);
}

#[test]
fn too_few_blocks_leave_open_whether_it_is_a_leak() {
    let mut random = Random::new(6);
    let sites = [site("sometimes", 300, |_| {
        i64::from(random.one_in(5)) * 8192
    })];
    let mut profile = run(&sites, |_| None);
    // One block each, not one for every byte.
    let births = profile.births.row(0).to_vec();
    profile.births = Ragged::default();
    profile
        .births
        .push_row(births.into_iter().map(|bin| BirthBin { blocks: 1, ..bin }));
    let verdict = judge(&profile);
    assert_eq!(verdict.headline, Headline::Undetermined);
    let Reason::SteadyOrFilling { needs_events } = verdict.reasons[0] else {
        panic!("{:?}", verdict.reasons);
    };
    assert!((600..6000).contains(&needs_events), "{needs_events}");
    assert_eq!(verdict.growth.needs_events, Some(needs_events));
    assert_eq!(
        sentences::why_undetermined(&verdict).unwrap(),
        "its rate may be constant, or fall as that of a filling cache"
    );
}

#[test]
fn hits_that_become_fewer_do_not_make_a_leak_a_cache() {
    let mut random = Random::new(8);
    let hits: Vec<i64> = (0..300)
        .map(|event| (400 - event) / 4 + random.below(40) as i64)
        .collect();
    let mut profile = run(
        &[site("frame", 300, |event| 64 * hits[event as usize - 1])],
        |_| None,
    );
    assert_ne!(
        judge(&profile).headline,
        Headline::Leak,
        "without the counter"
    );
    let timeline = &mut profile.timeline;
    timeline.names = vec!["hits".to_string()];
    let mut total = 0.0;
    for moment in 1..300 {
        total += hits[moment - 1] as f64;
        timeline.totals.push(CounterTotal {
            moment: moment as u32,
            name: 0,
            total,
        });
    }
    let verdict = judge(&profile);
    assert_eq!(verdict.headline, Headline::Leak);
    let followed = verdict.counter.expect("a counter");
    assert!((followed.follow.bytes_per_unit - 64.0).abs() < 1e-6);
}
