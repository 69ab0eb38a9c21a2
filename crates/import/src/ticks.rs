//! Moments by the clock, of a recording of any length: a few thousand are kept.

use residue_profile::Timeline;
use residue_profile::timeline::{
    About, Change, EventNumber, Moment, MomentId, MomentKind, Source, StackId,
};

const MOST_MOMENTS: usize = 4096;
const MOST_CHANGES: usize = 4 << 20;

/// By how much a stack's live memory changed since the moment before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct StackChange {
    pub stack: StackId,
    pub bytes: i64,
    pub blocks: i64,
}

#[derive(Default)]
pub(crate) struct Ticks {
    moments: Vec<Moment>,
    changes: Vec<Change>,
    /// Shortest time between two moments that are kept; longer after each thinning.
    interval_ns: u64,
}

impl Ticks {
    /// Whether a moment at that time would be kept.
    pub fn is_due(&self, time_ns: u64) -> bool {
        let last = self.moments.last().map(|moment| moment.time_ns);
        last.is_none_or(|last| time_ns.saturating_sub(last) >= self.interval_ns)
    }

    /// Changes are in the order of stacks; `None` where nothing is known of stacks.
    pub fn push(&mut self, time_ns: u64, live_bytes: u64, changes: Option<Vec<StackChange>>) {
        self.add(MomentKind::Tick, time_ns, live_bytes, changes);
    }

    /// Keeps every second moment where there are too many.
    pub fn thin_if_many(&mut self) {
        if self.moments.len() > MOST_MOMENTS || self.changes.len() > MOST_CHANGES {
            self.thin();
        }
    }

    fn add(
        &mut self,
        kind: MomentKind,
        time_ns: u64,
        live_bytes: u64,
        changes: Option<Vec<StackChange>>,
    ) {
        let before = self.moments.last().map_or(0, |moment| moment.time_ns);
        let moment = self.moments.len() as MomentId;
        self.moments.push(Moment {
            live_bytes: Some(live_bytes),
            has_changes: changes.is_some(),
            ..Moment::unread(kind, 0, time_ns.max(before))
        });
        let changes = changes.unwrap_or_default().into_iter();
        self.changes.extend(changes.map(|change| Change {
            moment,
            stack: change.stack,
            bytes: change.bytes,
            blocks: change.blocks,
        }));
    }

    /// The resident size at the latest moment.
    pub fn set_rss(&mut self, rss_bytes: u64) {
        if let Some(last) = self.moments.last_mut() {
            last.rss_bytes = Some(rss_bytes);
        }
    }

    /// What changed up to a moment that goes is part of the next. The latest stays:
    /// what comes is measured from it.
    fn thin(&mut self) {
        let odd = self.moments.len().saturating_sub(1) % 2;
        let mut index = 0;
        self.moments.retain(|_| {
            index += 1;
            (index - 1) % 2 == odd
        });
        for change in &mut self.changes {
            change.moment = match odd {
                0 => change.moment.div_ceil(2),
                _ => change.moment / 2,
            };
        }
        self.changes
            .sort_unstable_by_key(|change| (change.moment, change.stack));
        self.changes.dedup_by(|later, earlier| {
            let same = (later.moment, later.stack) == (earlier.moment, earlier.stack);
            if same {
                earlier.bytes += later.bytes;
                earlier.blocks += later.blocks;
            }
            same
        });
        self.changes
            .retain(|change| change.bytes != 0 || change.blocks != 0);
        let time_ns = self.moments.last().map_or(0, |moment| moment.time_ns);
        let fair_ns = time_ns / (self.moments.len() as u64).max(1);
        self.interval_ns = self.interval_ns.saturating_mul(2).max(fair_ns).max(1);
    }

    /// The timeline of a series of sizes that tells nothing of stacks.
    pub fn finish_sizes(mut self) -> Timeline {
        for (event, moment) in (1..).zip(&mut self.moments) {
            moment.kind = MomentKind::Begin;
            moment.event = event;
            moment.id = u64::from(event);
        }
        Timeline {
            about: About {
                source: match self.moments.is_empty() {
                    true => Source::None,
                    false => Source::Imported,
                },
                events: self.moments.len() as u64,
                streams: 1,
                stride: 1,
                ..About::default()
            },
            moments: self.moments,
            ..Timeline::default()
        }
    }

    /// The timeline, with what changed after the last tick.
    pub fn finish(mut self, live_bytes: u64, rest: Vec<StackChange>) -> Timeline {
        let ticks = self.moments.len();
        if ticks == 0 {
            return Timeline::default();
        }
        let end_ns = self.moments.last().map_or(0, |moment| moment.time_ns);
        self.add(MomentKind::Last, end_ns, live_bytes, Some(rest));
        for (number, moment) in (1..).zip(&mut self.moments) {
            moment.event = EventNumber::min(number, ticks as EventNumber);
            moment.id = u64::from(moment.event);
        }
        Timeline {
            about: About {
                source: Source::Ticks,
                events: ticks as u64,
                streams: 1,
                stride: 1,
                tick_ns: end_ns / ticks as u64,
                ..About::default()
            },
            moments: self.moments,
            changes: self.changes,
            ..Timeline::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn change(stack: StackId, bytes: i64) -> StackChange {
        StackChange {
            stack,
            bytes,
            blocks: bytes.signum(),
        }
    }

    #[test]
    fn a_long_recording_keeps_some_thousand_moments_and_every_byte() {
        let mut ticks = Ticks::default();
        let mut live_bytes = 0;
        let mut waiting = 0;
        for step in 0..100_000_u64 {
            live_bytes += 8;
            waiting += 8;
            if ticks.is_due(step * 10) {
                let changes = vec![change(0, waiting), change(1, 0)];
                ticks.push(step * 10, live_bytes, Some(changes));
                ticks.thin_if_many();
                waiting = 0;
            }
        }
        let timeline = ticks.finish(live_bytes, vec![change(0, waiting)]);
        assert!((MOST_MOMENTS / 2..=MOST_MOMENTS + 1).contains(&timeline.moments.len()));
        assert!(
            timeline
                .changes
                .is_sorted_by_key(|change| (change.moment, change.stack))
        );
        let mut sum = 0;
        for (id, moment) in (0..).zip(&timeline.moments) {
            let changes = timeline.changes.iter().filter(|change| change.moment == id);
            sum += changes.map(|change| change.bytes as u64).sum::<u64>();
            assert_eq!(moment.live_bytes, Some(sum), "moment {id}");
        }
        assert_eq!(sum, 800_000);
        assert_eq!(timeline.moments.last().unwrap().kind, MomentKind::Last);
    }

    #[test]
    fn every_second_moment_goes_whatever_their_number() {
        for moments in 1..6_u64 {
            let mut ticks = Ticks::default();
            for step in 0..moments {
                ticks.push(
                    step,
                    step + 1,
                    Some(vec![change(0, 1), change(1, (step % 2) as i64)]),
                );
            }
            ticks.thin();
            let times: Vec<u64> = ticks.moments.iter().map(|moment| moment.time_ns).collect();
            assert_eq!(times.last(), Some(&(moments - 1)));
            assert_eq!(times.len() as u64, moments.div_ceil(2));
            let mut live = 0;
            for (id, moment) in (0..).zip(&ticks.moments) {
                let of_first = ticks
                    .changes
                    .iter()
                    .find(|change| (change.moment, change.stack) == (id, 0));
                live += of_first.unwrap().bytes as u64;
                assert_eq!(moment.live_bytes, Some(live));
            }
        }
    }
}
