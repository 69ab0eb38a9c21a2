//! In which stage of the event slow events are slow.
//!
//! Stamps cut an event into stages. Only events that have the stamps that most events have, in
//! that order, are compared.

use super::chance::stand_higher;
use super::{CHANCE, EventTime, Measure};
use crate::series::mean;
use residue_profile::Timeline;
use residue_profile::timeline::{NameId, Spent, Stamp};
use rustc_hash::FxHashMap;

/// A stage, from one mark of the event to the next; `None` for its begin and its end.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SlowStage {
    pub from: Option<NameId>,
    pub to: Option<NameId>,
    /// Time by which slow events have more of it than others, in the mean.
    pub excess_ns: f64,
    /// Means of slow events and of the others.
    pub slow_mean_ns: f64,
    pub other_mean_ns: f64,
    pub chance: f64,
}

const MOST_STAGES: usize = 256;

/// Wall and CPU time of each stage.
#[derive(Debug, Clone, Copy)]
struct StageTime {
    wall_ns: f64,
    cpu_ns: Option<f64>,
}

impl StageTime {
    fn of(&self, measure: Measure) -> Option<f64> {
        match measure {
            Measure::Wall => Some(self.wall_ns),
            Measure::Cpu => self.cpu_ns,
            Measure::Waited => Some((self.wall_ns - self.cpu_ns?).max(0.0)),
        }
    }
}

pub(super) struct Stages {
    /// Names of the stamps, in the order of an event.
    names: Vec<NameId>,
    /// Per event; `None` where it has other stamps.
    rows: Vec<Option<Vec<StageTime>>>,
}

impl Stages {
    /// `None` where events have no stamps in common.
    pub fn of(timeline: &Timeline, times: &[EventTime]) -> Option<Stages> {
        let place: FxHashMap<u32, usize> = times.iter().map(|it| it.event).zip(0..).collect();
        let mut stamps: Vec<Vec<&Stamp>> = vec![Vec::new(); times.len()];
        for stamp in &timeline.stamps {
            if let Some(&place) = place.get(&stamp.event) {
                stamps[place].push(stamp);
            }
        }
        let mut orders: FxHashMap<Vec<NameId>, usize> = FxHashMap::default();
        for of_event in &mut stamps {
            of_event.sort_by_key(|stamp| stamp.time_ns);
            let order = of_event.iter().map(|stamp| stamp.name).collect();
            *orders.entry(order).or_default() += 1;
        }
        let (names, _) = orders
            .into_iter()
            .max_by(|a, b| (a.1, &b.0).cmp(&(b.1, &a.0)))?;
        if names.is_empty() || names.len() >= MOST_STAGES {
            return None;
        }
        let row = |(time, stamps): (&EventTime, &Vec<&Stamp>)| {
            if !stamps
                .iter()
                .map(|stamp| stamp.name)
                .eq(names.iter().copied())
            {
                return None;
            }
            let mark = |moment: u32| {
                let moment = &timeline.moments[moment as usize];
                (moment.time_ns, moment.spent)
            };
            let inner = stamps.iter().map(|stamp| (stamp.time_ns, stamp.spent));
            let marks: Vec<(u64, Spent)> = std::iter::once(mark(time.begin))
                .chain(inner)
                .chain([mark(time.end)])
                .collect();
            let stage = |pair: &[(u64, Spent)]| StageTime {
                wall_ns: pair[1].0.saturating_sub(pair[0].0) as f64,
                cpu_ns: pair[1].1.thread_cpu_since(&pair[0].1).map(|ns| ns as f64),
            };
            Some(marks.windows(2).map(stage).collect())
        };
        let rows = times.iter().zip(&stamps).map(row).collect();
        Some(Stages { names, rows })
    }

    fn count(&self) -> usize {
        self.names.len() + 1
    }

    /// Of each event that has it: whether it is slow, what it took in the stage, and in all.
    fn values(&self, stage: usize, measure: Measure, is_slow: &[bool]) -> Vec<(bool, f64, f64)> {
        let value = |(row, slow): (&Option<Vec<StageTime>>, &bool)| {
            let row = row.as_ref()?;
            let all: Option<f64> = row.iter().map(|stage| stage.of(measure)).sum();
            Some((*slow, row[stage].of(measure)?, all?))
        };
        self.rows.iter().zip(is_slow).filter_map(value).collect()
    }
}

pub(super) fn slow_stages(stages: &Stages, measure: Measure, is_slow: &[bool]) -> Vec<SlowStage> {
    let tries = stages.count() as f64;
    let name = |at: Option<usize>| at.and_then(|at| stages.names.get(at)).copied();
    let mut slow: Vec<SlowStage> = (0..stages.count())
        .filter_map(|stage| {
            let values = stages.values(stage, measure, is_slow);
            let mean_of = |slow: bool| {
                let chosen = values.iter().filter(|value| value.0 == slow);
                mean(&chosen.map(|value| value.1).collect::<Vec<_>>())
            };
            let (slow_mean_ns, other_mean_ns) = (mean_of(true), mean_of(false));
            let chance = match measure {
                Measure::Waited => most_waits(stages, stage, is_slow),
                Measure::Cpu | Measure::Wall => {
                    let shares: Vec<f64> = values.iter().map(|it| it.1 / it.2.max(1.0)).collect();
                    stand_higher(&shares, |at| values[at].0)
                }
            };
            let found = SlowStage {
                from: name(stage.checked_sub(1)),
                to: name(Some(stage)),
                excess_ns: slow_mean_ns - other_mean_ns,
                slow_mean_ns,
                other_mean_ns,
                chance: tries * chance,
            };
            (found.chance < CHANCE && found.excess_ns > 0.0).then_some(found)
        })
        .collect();
    slow.sort_by(|a, b| b.excess_ns.total_cmp(&a.excess_ns));
    slow
}

/// Probability that so many slow events wait most in one stage by chance. A program that is
/// interrupted waits wherever it is, so that chance has the stage's share of the CPU time.
fn most_waits(stages: &Stages, stage: usize, is_slow: &[bool]) -> f64 {
    let waits = |at: usize, row: &[StageTime]| row[at].of(Measure::Waited).unwrap_or(0.0);
    let (mut here, mut all) = (0.0, 0.0);
    let (mut most, mut slow_events) = (0_u64, 0_u64);
    for (row, slow) in stages.rows.iter().zip(is_slow) {
        let Some(row) = row else { continue };
        here += row[stage].cpu_ns.unwrap_or(0.0);
        all += row.iter().filter_map(|stage| stage.cpu_ns).sum::<f64>();
        if *slow {
            slow_events += 1;
            let own = waits(stage, row);
            let longest = (0..row.len()).all(|at| at == stage || waits(at, row) < own);
            most += u64::from(longest);
        }
    }
    let share = (here / all.max(1.0)).clamp(1.0 / stages.count() as f64, 1.0);
    binomial_at_least(most, slow_events, share)
}

/// Probability of at least `found` of `tries`, each with a chance.
fn binomial_at_least(found: u64, tries: u64, chance: f64) -> f64 {
    let mut sum = 0.0;
    let mut term = (tries as f64 * (1.0 - chance).max(f64::MIN_POSITIVE).ln()).exp();
    if chance >= 1.0 {
        return 1.0;
    }
    for k in 0..found {
        sum += term;
        term *= (tries - k) as f64 / (k + 1) as f64 * chance / (1.0 - chance);
    }
    // Far from the middle the terms say more than what they leave of one.
    match sum < 0.9 {
        true => 1.0 - sum,
        false => {
            let mut above = 0.0;
            for k in found..=tries {
                above += term;
                term *= (tries - k) as f64 / (k + 1) as f64 * chance / (1.0 - chance);
            }
            above.min(1.0)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn binomial_tails() {
        assert!((binomial_at_least(1, 2, 0.5) - 0.75).abs() < 1e-12);
        assert!((binomial_at_least(10, 10, 0.5) - 1.0 / 1024.0).abs() < 1e-12);
        assert!((binomial_at_least(0, 10, 0.3) - 1.0).abs() < 1e-12);
        assert_eq!(binomial_at_least(5, 10, 1.0), 1.0);
        assert!(binomial_at_least(24, 25, 0.25) < 1e-12);
    }
}
