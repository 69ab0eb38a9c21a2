//! How probable something is by chance: tests that need no model of the noise.

use crate::growth::student::{Student, ln_gamma};

/// Probability of a standard normal value above `z`. Student's with many degrees of freedom,
/// which is a little more in the far tail: never too sure.
pub(super) fn normal_above(z: f64) -> f64 {
    const DEGREES: f64 = 2000.0;
    Student::new(DEGREES).below(-z)
}

/// Probability that at least `found` of `drawn` samples are among the `marked` of `all`, where
/// they are drawn without choosing (Fisher's exact test, one-sided).
pub(super) fn at_least(found: u64, drawn: u64, marked: u64, all: u64) -> f64 {
    let most = drawn.min(marked);
    if found > most || drawn > all || marked > all {
        return 0.0;
    }
    let ln_choose = |n: u64, k: u64| {
        let gamma = |n: u64| ln_gamma(n as f64 + 1.0);
        gamma(n) - gamma(k) - gamma(n - k)
    };
    // Fewer cannot be where what is not marked does not suffice for the rest.
    let least = (drawn + marked).saturating_sub(all);
    let from = found.max(least);
    let rest = all - marked;
    let first = ln_choose(marked, from) + ln_choose(rest, drawn - from) - ln_choose(all, drawn);
    let mut term = first.exp();
    let mut sum = term;
    for k in from..most {
        let up = (marked - k) as f64 * (drawn - k) as f64;
        let down = (k + 1) as f64 * (rest + k + 1 - drawn) as f64;
        term *= up / down;
        sum += term;
        if term < 1e-12 * sum {
            break;
        }
    }
    sum.min(1.0)
}

/// Probability that the chosen values stand so high among all of them by chance (Wilcoxon, Mann
/// and Whitney, with ties; the normal limit, which never calls one or two values certain).
pub(super) fn stand_higher(values: &[f64], is_chosen: impl Fn(usize) -> bool) -> f64 {
    let n = values.len();
    let mut order: Vec<usize> = (0..n).collect();
    order.sort_by(|&a, &b| values[a].total_cmp(&values[b]));
    let (mut chosen, mut rank_sum, mut ties) = (0_usize, 0.0, 0.0);
    let mut from = 0;
    while from < n {
        let same = |&&index: &&usize| values[index] == values[order[from]];
        let length = order[from..].iter().take_while(same).count();
        let rank = from as f64 + 0.5 * (length + 1) as f64;
        let here = order[from..from + length].iter();
        let here = here.filter(|&&index| is_chosen(index)).count();
        chosen += here;
        rank_sum += here as f64 * rank;
        ties += (length as f64).powi(3) - length as f64;
        from += length;
    }
    let (k, n) = (chosen as f64, n as f64);
    let others = n - k;
    if k == 0.0 || others == 0.0 {
        return 1.0;
    }
    let excess = rank_sum - 0.5 * k * (n + 1.0) - 0.5;
    let variance = k * others / 12.0 * (n + 1.0 - ties / (n * (n - 1.0)));
    match variance > 0.0 {
        true => normal_above(excess / variance.sqrt()),
        false => 1.0,
    }
}

/// Distance in events over which memory is looked for.
const LONGEST_MEMORY: usize = 2000;

/// Sums of products of neighbours at distances from zero on, as long as neighbours are alike
/// (Geyer's initial positive sequence), per value.
///
/// Samples come at equal distances of CPU time. Where events are about as long as that distance,
/// each meets much the same place as the one before, and a function has its samples in long rows of
/// events: they are worth far less than as many that were drawn one by one.
pub(super) fn memory(residuals: &[f64]) -> Vec<f64> {
    let n = residuals.len();
    let product = |distance: usize| {
        let later = residuals[distance..].iter();
        later.zip(residuals).map(|(a, b)| a * b).sum::<f64>() / n as f64
    };
    let mut found = Vec::new();
    for distance in (0..(n / 3).min(LONGEST_MEMORY)).step_by(2) {
        let pair = [product(distance), product(distance + 1)];
        if pair[0] + pair[1] <= 0.0 {
            break;
        }
        found.extend(pair);
    }
    found
}

/// How many values with memory are worth one without: one at least.
pub(super) fn worth_one(residuals: &[f64]) -> f64 {
    match memory(residuals)[..] {
        [square, ref others @ ..] if square > 0.0 => {
            (1.0 + 2.0 * others.iter().sum::<f64>() / square).max(1.0)
        }
        _ => 1.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lady_tasting_tea() {
        assert!((at_least(4, 4, 4, 8) - 1.0 / 70.0).abs() < 1e-9);
        assert!((at_least(3, 4, 4, 8) - 17.0 / 70.0).abs() < 1e-9);
        assert!((at_least(0, 4, 4, 8) - 1.0).abs() < 1e-9);
        assert_eq!(at_least(5, 4, 4, 8), 0.0);
        // All that are drawn must be marked.
        assert!((at_least(0, 3, 8, 8) - 1.0).abs() < 1e-9);
    }

    #[test]
    fn tails_of_the_normal_distribution() {
        for (z, table) in [(0.0, 0.5), (1.645, 0.05), (3.0, 0.001_35)] {
            assert!((normal_above(z) - table).abs() < 0.02 * table + 1e-4, "{z}");
        }
        assert!(normal_above(7.0) < 1e-10);
    }

    #[test]
    fn rows_of_alike_values_are_worth_one() {
        let mut random = residue_testkit::random::Random::new(9);
        let drawn: Vec<f64> = (0..4000).map(|_| random.normal()).collect();
        assert!(worth_one(&drawn) < 1.3, "{}", worth_one(&drawn));
        let rows: Vec<f64> = (0..4000).map(|i| drawn[i / 20]).collect();
        let worth = worth_one(&rows);
        assert!((12.0..30.0).contains(&worth), "{worth}");
        assert_eq!(worth_one(&[0.0; 9]), 1.0);
        assert_eq!(worth_one(&[]), 1.0);
    }

    #[test]
    fn ranks_tell_the_highest() {
        let values: Vec<f64> = (0..100).map(f64::from).collect();
        assert!(stand_higher(&values, |i| i >= 90) < 1e-6);
        assert!(stand_higher(&values, |i| i % 10 == 5) > 0.3);
        assert!(stand_higher(&values, |i| i < 10) > 0.99);
        // Equal values say nothing, and one alone hardly anything.
        assert_eq!(stand_higher(&[3.0; 20], |i| i < 5), 1.0);
        assert!(stand_higher(&values, |i| i == 99) > 0.01);
    }
}
