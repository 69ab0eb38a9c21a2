//! Leaks that have nothing to do with a counter, in long runs of which ever fewer events are
//! kept: how often is the counter blamed?

use residue_analysis::follow::{Dependence, best_counter};
use residue_testkit::random::Random;

const RUNS: u64 = 1000;
/// A counter counts for two-sided chances below 1 %, and only if memory grows with it: one run
/// in two hundred, and three standard deviations of that.
const MOST_BLAMED: u32 = 12;

type PerEvent = fn(&mut Random, f64) -> f64;

/// What an event leaves behind, by how far the run has come; never by what it counts.
const LEAKS: [(&str, PerEvent); 5] = [
    ("the same in every event", |_, _| 64.0),
    ("in some", |random, _| 640.0 * f64::from(random.one_in(10))),
    ("in few, much", |random, _| {
        64_000.0 * f64::from(random.one_in(500))
    }),
    ("of heavy tails", |random, _| 64.0 * heavy(random)),
    ("with noise", |random, _| 64.0 + 1000.0 * random.normal()),
];

/// What an event counts.
const COUNTERS: [(&str, PerEvent); 3] = [
    ("1..100", |random, _| 1.0 + random.below(100) as f64),
    ("more and more", |random, done| {
        (1.0 + random.below(100) as f64) * (1.0 + done)
    }),
    ("heavy tails", |random, _| heavy(random).floor()),
];

fn heavy(random: &mut Random) -> f64 {
    (1.0 - random.uniform()).powf(-0.7)
}

/// How many events each kept one stands for: all at first, then every second, every fourth.
fn strides() -> impl Iterator<Item = u32> + Clone {
    [1, 2, 4, 8, 16]
        .into_iter()
        .flat_map(|stride| std::iter::repeat_n(stride, 200))
}

/// Means over the events that each kept one stands for, as they are compared.
fn kept(random: &mut Random, per_event: PerEvent) -> Vec<f64> {
    let events: u32 = strides().sum();
    let mut event = 0;
    let mut mean = |stride: u32| {
        let one = |_| {
            event += 1;
            per_event(random, f64::from(event) / f64::from(events))
        };
        (0..stride).map(one).sum::<f64>() / f64::from(stride)
    };
    strides().map(&mut mean).collect()
}

#[test]
fn after_thinning_a_counter_is_blamed_no_more_than_by_chance() {
    let weights: Vec<f64> = strides().map(f64::from).collect();
    for (leak_name, leak) in LEAKS {
        for (counter_name, counter) in COUNTERS {
            let (mut blamed, mut proportional) = (0, 0);
            for seed in 1..=RUNS {
                let mut random = Random::new(seed);
                let increments = kept(&mut random, leak);
                let counts = kept(&mut random, counter);
                let found = best_counter(&increments, &[("hits", &counts)], &weights);
                let how = found.map(|(_, follow)| follow.dependence);
                proportional += u32::from(how == Some(Dependence::Proportional));
                let blames = [Dependence::Proportional, Dependence::Both];
                blamed += u32::from(how.is_some_and(|how| blames.contains(&how)));
            }
            let what = format!("leak {leak_name}, counter {counter_name}");
            assert!(blamed <= MOST_BLAMED, "{what}: {blamed} of {RUNS}");
            assert_eq!(proportional, 0, "{what}: all of it");
        }
    }
}

#[test]
fn after_thinning_a_counter_that_is_followed_is_found() {
    let weights: Vec<f64> = strides().map(f64::from).collect();
    for seed in 1..=100 {
        let mut random = Random::new(seed);
        let counts = kept(&mut random, COUNTERS[0].1);
        let noise = kept(&mut random, |random, _| 1000.0 * random.normal());
        let increments: Vec<f64> = (counts.iter().zip(noise))
            .map(|(count, noise)| 64.0 * count + noise)
            .collect();
        let (_, follow) =
            best_counter(&increments, &[("hits", &counts)], &weights).expect("a counter");
        assert!(follow.dependence != Dependence::PerEvent, "{follow:?}");
        assert!((follow.bytes_per_unit - 64.0).abs() < 10.0, "{follow:?}");
    }
}
