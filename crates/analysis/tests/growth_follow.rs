//! Bytes per hit, from increments and counts.

use residue_analysis::follow::{self, Dependence, Follow};
use residue_testkit::random::Random;

/// Of events that are all kept.
fn follow(increments: &[f64], counts: &[f64]) -> Follow {
    follow::follow(increments, counts, &vec![1.0; counts.len()])
}

fn best_counter(increments: &[f64], counters: &[(&str, &[f64])]) -> Option<(usize, Follow)> {
    follow::best_counter(increments, counters, &vec![1.0; increments.len()])
}

fn hits(n: usize, random: &mut Random) -> Vec<f64> {
    (0..n)
        .map(|_| (30_000 + random.below(9_000)) as f64)
        .collect()
}

#[test]
fn sixty_four_bytes_a_hit_exactly() {
    // Hits of ten events as a simulation job printed them.
    let counts: Vec<f64> = [
        36180, 35264, 32331, 37099, 37818, 35884, 33761, 34277, 39437, 37371,
    ]
    .map(f64::from)
    .to_vec();
    let increments: Vec<f64> = counts.iter().map(|c| 64.0 * c).collect();
    let found = follow(&increments, &counts);
    assert!((found.bytes_per_unit - 64.0).abs() < 1e-9);
    assert!(found.bytes_per_unit_low <= 64.0 && 64.0 <= found.bytes_per_unit_high);
    assert!(found.bytes_per_unit_high - found.bytes_per_unit_low < 1e-6);
    assert!((found.correlation - 1.0).abs() < 1e-12);
    assert!((found.explained_share - 1.0).abs() < 1e-9);
    assert_eq!(found.dependence, Dependence::Proportional);
}

#[test]
fn a_constant_part_and_a_proportional_one() {
    let counts: Vec<f64> = (0..50).map(|i| f64::from(100 + (i * 37) % 61)).collect();
    let increments: Vec<f64> = counts.iter().map(|c| 1000.0 + 8.0 * c).collect();
    let found = follow(&increments, &counts);
    assert!((found.bytes_per_unit - 8.0).abs() < 1e-9);
    assert!((found.constant_bytes - 1000.0).abs() < 1e-6);
    assert_eq!(found.dependence, Dependence::Both);
    let growth: f64 = increments.iter().sum();
    let share = 8.0 * counts.iter().sum::<f64>() / growth;
    assert!((found.explained_share - share).abs() < 1e-9);
}

#[test]
fn the_same_in_every_event() {
    let mut random = Random::new(3);
    let counts = hits(200, &mut random);
    let increments: Vec<f64> = counts
        .iter()
        .map(|_| 2_000_000.0 + 50_000.0 * random.normal())
        .collect();
    let found = follow(&increments, &counts);
    assert_eq!(found.dependence, Dependence::PerEvent);
    assert!(found.correlation.abs() < 0.2 && found.explained_share < 0.2);
}

#[test]
fn a_counter_that_never_varies_tells_nothing() {
    let found = follow(&[10.0; 30], &[5.0; 30]);
    assert_eq!(found.dependence, Dependence::Unclear);
    assert_eq!(found.constant_bytes, 10.0);
    assert_eq!(follow(&[], &[]).events, 0);
}

#[test]
fn the_best_counter_is_the_one_that_is_followed() {
    let mut random = Random::new(5);
    let (tracks, tokens) = (hits(100, &mut random), hits(100, &mut random));
    let counts = hits(100, &mut random);
    let increments: Vec<f64> = counts
        .iter()
        .map(|c| 61.3 * c + 5_000.0 * random.normal())
        .collect();
    let counters: [(&str, &[f64]); 3] =
        [("tracks", &tracks), ("hits", &counts), ("tokens", &tokens)];
    let (index, found) = best_counter(&increments, &counters).unwrap();
    assert_eq!(counters[index].0, "hits");
    assert!(found.correlation > 0.99);
    assert!(found.bytes_per_unit_low < 61.3 && 61.3 < found.bytes_per_unit_high);
}

#[test]
fn unrelated_counters_are_seldom_followed() {
    let mut followed = 0;
    for seed in 0..400 {
        let mut random = Random::new(seed + 1);
        let (tracks, tokens) = (hits(100, &mut random), hits(100, &mut random));
        let increments = hits(100, &mut random);
        let counters: [(&str, &[f64]); 2] = [("tracks", &tracks), ("tokens", &tokens)];
        followed += u32::from(best_counter(&increments, &counters).is_some());
    }
    assert!(followed <= 20, "{followed} of 400");
}

/// Noise that is larger in larger events, and noise on the level, which the increments show twice.
#[test]
fn intervals_cover_the_truth() {
    for events in [30, 300] {
        for level_noise in [false, true] {
            let (mut unit_covered, mut constant_covered) = (0, 0);
            let runs = 400;
            for seed in 0..runs {
                let mut random = Random::new(seed + 1);
                let counts = hits(events, &mut random);
                let mut before = 0.0;
                let increments: Vec<f64> = counts
                    .iter()
                    .map(|count| {
                        let noise = random.normal() * 4.0 * (count - 29_000.0);
                        let shown = if level_noise { noise - before } else { noise };
                        before = noise;
                        50_000.0 + 64.0 * count + shown
                    })
                    .collect();
                let found = follow(&increments, &counts);
                unit_covered += u32::from(
                    found.bytes_per_unit_low <= 64.0 && 64.0 <= found.bytes_per_unit_high,
                );
                constant_covered += u32::from(
                    found.constant_bytes_low <= 50_000.0 && 50_000.0 <= found.constant_bytes_high,
                );
            }
            for covered in [unit_covered, constant_covered] {
                let coverage = f64::from(covered) / runs as f64;
                assert!(
                    (0.92..=0.99).contains(&coverage),
                    "{events} {level_noise}: {coverage}"
                );
            }
        }
    }
}
