use super::*;

const TICK_NS: u64 = 4_000_000;
const PERIOD_NS: u64 = 10_101_010;
const PARTS: usize = 10;

/// Numbers that are as good as drawn at random, and the same every time.
struct Random(u64);

impl Random {
    fn below(&mut self, end: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % end
    }
}

fn unused() -> Periods {
    Periods {
        next_ns: AtomicU64::new(0),
        left_ns: AtomicU64::new(0),
        owed: AtomicU64::new(0),
        is_early: AtomicU32::new(0),
    }
}

/// Threads that follow each other at once and live for `life_ns` or up to a tenth longer, under a kernel
/// that looks at their timer once a tick: the periods that were sampled in each tenth of a life, what was
/// used in it, and what is owed at the end.
fn sampled_by_tenths(life_ns: u64, threads: u64) -> ([u64; PARTS], [u64; PARTS], u64) {
    let periods = unused();
    let mut random = Random(0x1234_5678_9ABC_DEF1);
    let (mut sampled, mut used) = ([0; PARTS], [0; PARTS]);
    let mut to_next_look_ns = random.below(TICK_NS);
    for _ in 0..threads {
        let ends_ns = life_ns + random.below(life_ns / 10);
        let mut expires_ns = periods.begin(0, || 1 + random.below(PERIOD_NS));
        while to_next_look_ns < ends_ns {
            if to_next_look_ns >= expires_ns {
                let part = to_next_look_ns * PARTS as u64 / ends_ns;
                sampled[part as usize] += periods.due(to_next_look_ns, PERIOD_NS);
                if let Some(more_ns) = periods.after_early_look(to_next_look_ns) {
                    expires_ns = to_next_look_ns + more_ns;
                }
                while expires_ns <= to_next_look_ns {
                    expires_ns += PERIOD_NS;
                }
            }
            to_next_look_ns += TICK_NS;
        }
        to_next_look_ns -= ends_ns;
        assert_eq!(periods.end(ends_ns, PERIOD_NS, 100), 0);
        used.iter_mut()
            .for_each(|used| *used += ends_ns / PARTS as u64);
    }
    (sampled, used, periods.owed.load(Ordering::Relaxed))
}

/// Beginnings were seen twice as often once, where each thread waited for a second look.
#[test]
fn every_tenth_of_a_short_life_is_as_likely_to_be_seen() {
    for life_ns in [300_000, 1_000_000, 3_000_000, 9_000_000, 30_000_000] {
        let threads = 100_000_000_000_000 / life_ns / 100;
        let (sampled, used, _) = sampled_by_tenths(life_ns, threads);
        for (sampled, used) in sampled.into_iter().zip(used) {
            let expected = used as f64 / PERIOD_NS as f64;
            // More regular than chance would have it.
            let difference = (sampled as f64 - expected) / expected.sqrt();
            assert!(
                difference.abs() < 4.0,
                "lives of {life_ns} ns: {difference} standard errors"
            );
        }
    }
}

#[test]
fn every_period_is_sampled_once_or_owed() {
    let (sampled, used, owed) = sampled_by_tenths(3_000_000, 10_000);
    let ended = sampled.iter().sum::<u64>() + owed;
    let used_ns = used.iter().sum::<u64>();
    // The first one may be of any length, and ends of tenths are rounded.
    assert!(ended.abs_diff(used_ns / PERIOD_NS) <= 1);
}

#[test]
fn what_cannot_be_left_to_the_next_thread_is_lost() {
    let periods = unused();
    assert_eq!(periods.begin(50, || 10), 10);
    assert_eq!(periods.end(50 + 10 + 7 * 20 + 5, 20, 3), 5);
    // Three are owed, and 15 of a period are left.
    assert_eq!(periods.begin(0, || unreachable!()), 1);
    assert_eq!(periods.due(14, 20), 3);
    assert_eq!(periods.after_early_look(14), Some(1));
    assert_eq!(periods.after_early_look(14), None);
    assert_eq!(periods.due(15, 20), 1);
}
