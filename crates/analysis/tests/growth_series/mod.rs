//! Series of which the true growth is known.

use residue_testkit::random::Random;

/// A kind of series: its name, and what makes one of `n` readings.
pub type SeriesKind = (&'static str, fn(usize, &mut Random) -> Vec<f64>);

/// Series that grow by exactly 1 byte per event in the mean of all runs.
pub const GROWING: [SeriesKind; 13] = [
    ("noise on the level", |n, r| level(n, 1.0, 0.0, r)),
    ("AR(1) 0.5 on the level", |n, r| level(n, 1.0, 0.5, r)),
    ("AR(1) 0.8 on the level", |n, r| level(n, 1.0, 0.8, r)),
    ("AR(1) 0.95 on the level", |n, r| level(n, 1.0, 0.95, r)),
    ("noise that grows", |n, r| {
        (0..n)
            .map(|i| i as f64 + r.normal() * (1.0 + 20.0 * i as f64 / n as f64))
            .collect()
    }),
    ("random walk", |n, r| summed(n, |_| 1.0 + 3.0 * r.normal())),
    ("proportional to a counter", |n, r| {
        summed(n, |_| 2.0 * r.uniform())
    }),
    ("leak in half the events", |n, r| random_leak(n, 0.5, r)),
    ("leak in a tenth of the events", |n, r| {
        random_leak(n, 0.1, r)
    }),
    ("every 7th event", |n, r| every(n, 7, r)),
    ("every 50th event", |n, r| every(n, 50, r)),
    ("slow start", |n, r| {
        summed(n, |i| {
            if i < n / 3 {
                0.0
            } else {
                1.0 + 0.3 * r.normal()
            }
        })
    }),
    ("linear", |n, _| (0..n).map(|i| i as f64).collect()),
];

/// Series that do not grow, or no longer.
pub const STILL: [SeriesKind; 22] = [
    ("noise", |n, r| level(n, 0.0, 0.0, r)),
    ("AR(1) 0.5", |n, r| level(n, 0.0, 0.5, r)),
    ("AR(1) 0.8", |n, r| level(n, 0.0, 0.8, r)),
    ("AR(1) 0.95", |n, r| level(n, 0.0, 0.95, r)),
    ("high water, uniform", |n, r| {
        high_water(n, || 1000.0 * r.uniform())
    }),
    ("high water, exponential", |n, r| {
        high_water(n, || 1000.0 * r.exponential())
    }),
    ("high water, normal", |n, r| {
        high_water(n, || 1000.0 + 100.0 * r.normal())
    }),
    ("high water under noise", |n, r| {
        let steps = high_water(n, || 1000.0 + 100.0 * r.normal());
        steps.iter().map(|v| v + 3.0 * r.normal()).collect()
    }),
    ("sawtooth 7", |n, r| sawtooth(n, 7, r, |_| 10.0)),
    ("uneven sawtooth 7", |n, r| {
        sawtooth(n, 7, r, Random::uniform)
    }),
    ("sawtooth 40", |n, r| sawtooth(n, 40, r, |_| 10.0)),
    ("uneven sawtooth 40", |n, r| {
        sawtooth(n, 40, r, Random::uniform)
    }),
    ("saturating", |n, r| {
        saturating(n, r).iter().map(|v| v.floor()).collect()
    }),
    ("saturating under noise", |n, r| {
        saturating(n, r)
            .iter()
            .map(|v| v + 1e3 * r.normal())
            .collect()
    }),
    ("cache of random keys", |n, r| {
        let keys = (n as f64 * (0.02 + 0.08 * r.uniform())).ceil();
        let mut held = 0.0;
        summed(n, |_| {
            let miss = f64::from(u8::from(r.uniform() > held / keys));
            held += miss;
            64.0 * miss
        })
    }),
    ("linear until full", |n, r| {
        let full = n as f64 * (0.3 + 0.3 * r.uniform());
        (0..n)
            .map(|i| 10.0 * (i as f64).min(full.floor()))
            .collect()
    }),
    ("LRU at its limit", |n, r| {
        (0..n)
            .map(|i| (25.0 * i as f64).min(200.0) + 10.0 * r.uniform())
            .collect()
    }),
    ("warm-up, then flat", |n, r| {
        summed(n, |i| {
            (100.0 * (-(i as f64) / 3.0).exp() * r.uniform()).floor()
        })
    }),
    ("warm-up, then noise", |n, r| {
        let base = summed(n, |i| 100.0 * (-(i as f64) / 3.0).exp() * r.uniform());
        base.iter().map(|v| v + r.normal()).collect()
    }),
    ("one jump under noise", |n, r| {
        let at = n as f64 * (0.2 + 0.7 * r.uniform());
        (0..n)
            .map(|i| r.normal() + 20.0 * f64::from(u8::from(i as f64 > at)))
            .collect()
    }),
    ("leak that stopped", |n, r| {
        let stop = n as f64 * (0.2 + 0.5 * r.uniform());
        summed(n, |i| {
            if (i as f64) < stop {
                10.0 * r.uniform()
            } else {
                0.0
            }
        })
    }),
    ("leak that stopped, noise", |n, r| {
        let stop = n as f64 * (0.2 + 0.5 * r.uniform());
        (0..n)
            .map(|i| 10.0 * (i as f64).min(stop) + 10.0 * r.normal())
            .collect()
    }),
];

fn level(n: usize, rate: f64, memory: f64, random: &mut Random) -> Vec<f64> {
    let mut noise = random.normal();
    let fresh = (1.0 - memory * memory).sqrt();
    (0..n)
        .map(|i| {
            noise = memory * noise + fresh * random.normal();
            rate * i as f64 + 10.0 * noise
        })
        .collect()
}

fn summed(n: usize, mut increment: impl FnMut(usize) -> f64) -> Vec<f64> {
    let mut sum = 0.0;
    (0..n)
        .map(|i| {
            sum += increment(i);
            sum
        })
        .collect()
}

fn random_leak(n: usize, chance: f64, random: &mut Random) -> Vec<f64> {
    summed(n, |_| {
        if random.uniform() < chance {
            random.exponential() / chance
        } else {
            0.0
        }
    })
}

fn every(n: usize, period: u64, random: &mut Random) -> Vec<f64> {
    let phase = random.below(period);
    summed(n, |i| {
        if (i as u64 + phase).is_multiple_of(period) {
            period as f64
        } else {
            0.0
        }
    })
}

fn high_water(n: usize, mut demand: impl FnMut() -> f64) -> Vec<f64> {
    let mut highest = 0.0_f64;
    (0..n)
        .map(|_| {
            highest = highest.max(demand().floor());
            highest
        })
        .collect()
}

fn sawtooth(
    n: usize,
    period: u64,
    random: &mut Random,
    amount: impl Fn(&mut Random) -> f64,
) -> Vec<f64> {
    let phase = random.below(period);
    let mut held = 0.0;
    (0..n as u64)
        .map(|i| {
            if (i + phase).is_multiple_of(period) {
                held = 0.0;
            }
            held += amount(random);
            held
        })
        .collect()
}

fn saturating(n: usize, random: &mut Random) -> Vec<f64> {
    let scale = n as f64 * (0.02 + 0.06 * random.uniform());
    (0..n)
        .map(|i| 1e6 * (1.0 - (-(i as f64) / scale).exp()))
        .collect()
}
