//! What the growth of the resident size is made of.
//!
//! ```text
//!   rss = live_heap - untouched     what the program holds, as far as it is resident
//!       + heap_metadata             headers and rounding of those blocks
//!       + allocator_slack           resident in the heap, not in use
//!       + mapped + thread_stacks + files + recorder
//!       + unexplained
//! ```
//!
//! Every part is measured with the same estimator, which is linear, so the parts add
//! up to the whole: the slope of a line through all accounts, or, where there are too
//! few for that, last minus first.

mod reason;

use crate::series::Series;
pub use reason::Reason;
use residue_profile::timeline::{Account, EventNumber, Moment, MomentKind, Timeline};
use serde::Serialize;

/// With fewer accounts a line is no better than the two ends.
const FEWEST_FOR_A_LINE: usize = 5;
/// Growth over the whole range below this is a few pages and has no cause worth naming.
const NOTABLE_BYTES: f64 = 64.0 * 1024.0;

#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "Account"))]
pub struct GrowthAccount {
    /// Events of the first and of the last account that was used.
    pub from_event: EventNumber,
    pub to_event: EventNumber,
    /// How many accounts were used.
    pub accounts: usize,
    pub bytes_per_event: Parts,
    /// One minus the unexplained share of the growth of the program's own resident
    /// size, at least zero; none where that did not change.
    pub explained_share: Option<f64>,
    /// The program holds no more than before, and the heap grows by memory that the
    /// allocator cannot give back.
    #[serde(rename = "fragmentation")]
    pub is_fragmentation: bool,
    /// Most of what stays live was never written to, so the resident size does not grow
    /// by it.
    #[serde(rename = "untouched")]
    pub is_untouched: bool,
    /// What was concluded from what, and what could not be known.
    #[serde(rename = "reason_codes")]
    pub reasons: Vec<Reason>,
}

/// Growth in bytes per event.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "AccountParts"))]
pub struct Parts {
    /// As the kernel reports it for the process.
    pub rss: f64,
    /// Without the recorder.
    pub program_rss: f64,
    /// Bytes the program asked for and did not free, resident or not.
    pub live_heap: f64,
    /// The part of the live heap without memory behind it. A lower bound; negative
    /// where memory that was made before is written to for the first time.
    pub untouched: f64,
    /// Zero where the allocator does not say what it has in use; then it is slack.
    pub heap_metadata: f64,
    pub allocator_slack: f64,
    pub mapped: f64,
    pub thread_stacks: f64,
    pub files: f64,
    pub recorder: f64,
    pub unexplained: f64,
}

/// The account of growth from the first account at or after `from_event` to the last
/// one at or before `to_event`; `None` without accounts at two different events.
pub fn account(
    timeline: &Timeline,
    from_event: EventNumber,
    to_event: EventNumber,
) -> Option<GrowthAccount> {
    let readings = Readings::of(timeline, from_event, to_event)?;
    let mut reasons = vec![readings.estimator()];
    let heap = Heap::of(&readings, &mut reasons);

    let rss = readings.rss(&mut reasons);
    let mapped = readings.rate_of(|account| account.mapped_bytes as f64);
    let thread_stacks = readings.rate_of(|account| account.stacks_bytes as f64);
    let files = readings.rate_of(|account| account.files_bytes as f64);
    let recorder = readings.rate_of(|account| account.recorder_bytes as f64);
    let parts = Parts {
        rss,
        program_rss: rss - recorder,
        live_heap: heap.live,
        untouched: heap.untouched,
        heap_metadata: heap.metadata,
        allocator_slack: heap.slack,
        mapped,
        thread_stacks,
        files,
        recorder,
        unexplained: rss - heap.resident - mapped - thread_stacks - files - recorder,
    };

    let is_notable = |rate: f64| rate * readings.span() >= NOTABLE_BYTES;
    let is_fragmentation = is_notable(parts.program_rss) && looks_fragmented(&parts);
    if is_fragmentation {
        reasons.push(Reason::AllocatorKeepsMore {
            slack_bytes_per_event: parts.allocator_slack,
            live_bytes_per_event: parts.live_heap,
        });
    }
    let is_untouched = is_notable(parts.untouched) && parts.untouched > parts.live_heap / 2.0;
    if is_untouched {
        reasons.push(Reason::NeverWritten {
            untouched_bytes_per_event: parts.untouched,
            live_bytes_per_event: parts.live_heap,
        });
    }
    Some(GrowthAccount {
        from_event: readings.from_event,
        to_event: readings.to_event,
        accounts: readings.rows.len(),
        explained_share: explained_share(&parts),
        bytes_per_event: parts,
        is_fragmentation,
        is_untouched,
        reasons,
    })
}

/// Slack makes most of the growth, and what the program holds at most a quarter.
fn looks_fragmented(parts: &Parts) -> bool {
    let growth = parts.program_rss;
    let held = parts.live_heap - parts.untouched + parts.heap_metadata;
    parts.allocator_slack > growth / 2.0 && held <= growth / 4.0
}

fn explained_share(parts: &Parts) -> Option<f64> {
    let growth = parts.program_rss.abs();
    (growth > 0.0).then(|| (1.0 - parts.unexplained.abs() / growth).max(0.0))
}

/// The accounts in a range of events, all taken at the same point of their event.
struct Readings<'a> {
    from_event: EventNumber,
    to_event: EventNumber,
    rows: Vec<(&'a Moment, &'a Account)>,
}

impl<'a> Readings<'a> {
    fn of(timeline: &'a Timeline, from: EventNumber, to: EventNumber) -> Option<Readings<'a>> {
        let all: Vec<_> = timeline
            .accounts
            .iter()
            .filter_map(|account| {
                let moment = timeline.moments.get(account.moment as usize)?;
                (from..=to)
                    .contains(&moment.event)
                    .then_some((moment, account))
            })
            .collect();
        // An event holds more in its middle than at its end, and a program that has
        // ended less than ever; so accounts of one kind are compared with each other.
        let kinds = [
            &[MomentKind::Begin][..],
            &[MomentKind::End],
            &[MomentKind::Tick],
            &[MomentKind::Snapshot],
            &[MomentKind::Last],
        ];
        let by_kind = kinds.map(|kinds| of_kinds(&all, kinds));
        let alike = by_kind.iter().rev().max_by_key(|rows| rows.len())?;
        let rows = if alike.len() >= 2 {
            alike.clone()
        } else {
            rising(all.into_iter())
        };
        let (first, last) = (rows.first()?, rows.last()?);
        (first.0.event < last.0.event).then_some(Readings {
            from_event: first.0.event,
            to_event: last.0.event,
            rows,
        })
    }

    fn span(&self) -> f64 {
        f64::from(self.to_event - self.from_event)
    }

    fn estimator(&self) -> Reason {
        let (from_event, to_event, accounts) = (self.from_event, self.to_event, self.rows.len());
        match accounts < FEWEST_FOR_A_LINE {
            true => Reason::LastMinusFirst {
                accounts,
                from_event,
                to_event,
            },
            false => Reason::LineFit {
                accounts,
                from_event,
                to_event,
            },
        }
    }

    fn rate_of(&self, bytes: impl Fn(&Account) -> f64) -> f64 {
        self.rate(
            self.rows
                .iter()
                .map(|(_, account)| bytes(account))
                .collect(),
        )
    }

    fn rate(&self, values: Vec<f64>) -> f64 {
        let events = self.rows.iter().map(|(moment, _)| f64::from(moment.event));
        let series = Series::new(events.collect(), values);
        if self.rows.len() < FEWEST_FOR_A_LINE {
            series.end_to_end_rate()
        } else {
            series.line_fit().rate
        }
    }

    /// From what the kernel reports for the whole process where that was read, so
    /// that memory which no kind counts shows as unexplained.
    fn rss(&self, reasons: &mut Vec<Reason>) -> f64 {
        let reported: Option<Vec<f64>> = self
            .rows
            .iter()
            .map(|(moment, _)| moment.rss_bytes.map(|bytes| bytes as f64))
            .collect();
        reported.map_or_else(
            || {
                reasons.push(Reason::RssIsSumOfKinds);
                self.rate_of(sum_of_kinds)
            },
            |values| self.rate(values),
        )
    }
}

fn of_kinds<'a>(
    rows: &[(&'a Moment, &'a Account)],
    kinds: &[MomentKind],
) -> Vec<(&'a Moment, &'a Account)> {
    let chosen = rows
        .iter()
        .filter(|(moment, _)| kinds.contains(&moment.kind));
    rising(chosen.copied())
}

/// The rows in the order of their events, one for each.
fn rising<'a>(
    rows: impl Iterator<Item = (&'a Moment, &'a Account)>,
) -> Vec<(&'a Moment, &'a Account)> {
    let mut rows: Vec<_> = rows.collect();
    rows.sort_by_key(|(moment, _)| moment.event);
    rows.dedup_by_key(|(moment, _)| moment.event);
    rows
}

fn sum_of_kinds(account: &Account) -> f64 {
    let kinds = [
        account.heap_bytes,
        account.mapped_bytes,
        account.stacks_bytes,
        account.files_bytes,
        account.recorder_bytes,
        account.other_bytes,
    ];
    kinds.iter().map(|&bytes| bytes as f64).sum()
}

/// Growth of the resident heap: `resident = live - untouched + metadata + slack`.
struct Heap {
    resident: f64,
    live: f64,
    untouched: f64,
    metadata: f64,
    slack: f64,
}

impl Heap {
    fn of(readings: &Readings, reasons: &mut Vec<Reason>) -> Heap {
        let resident = readings.rate_of(|account| account.heap_bytes as f64);
        let live = readings.rate_of(|account| account.live_bytes as f64);
        let speaks = allocator_speaks(readings, reasons);
        let in_use_bytes = |account: &Account| match account.allocator {
            Some(allocator) if speaks => allocator.in_use_bytes as f64,
            _ => account.live_bytes as f64,
        };
        let in_use = readings.rate_of(in_use_bytes);
        // Where more is in use than resident, the difference was certainly not touched.
        let certain = readings
            .rate_of(|account| (in_use_bytes(account) - account.heap_bytes as f64).max(0.0));
        let difference = resident - in_use;
        let untouched = if difference < 0.0 {
            // In use grows faster than resident. Free memory that was taken into use
            // explains it; where the allocator shows that there was none, nothing was
            // touched.
            let seen = speaks.then(|| {
                let free = readings.rate_of(|account| {
                    account
                        .allocator
                        .map_or(0.0, |allocator| allocator.free_bytes as f64)
                });
                -difference - (-free).max(0.0)
            });
            if !speaks && certain < -difference {
                reasons.push(Reason::LiveOutgrowsResidentHeap);
            }
            seen.unwrap_or(0.0).max(certain).clamp(0.0, -difference)
        } else {
            certain.clamp(-difference, 0.0)
        };
        Heap {
            resident,
            live,
            untouched,
            metadata: in_use - live,
            slack: difference + untouched,
        }
    }
}

/// Whether the allocator's own numbers can be used for all accounts.
fn allocator_speaks(readings: &Readings, reasons: &mut Vec<Reason>) -> bool {
    let mut accounts = readings.rows.iter().map(|(_, account)| account);
    if accounts.clone().any(|account| account.allocator.is_none()) {
        reasons.push(Reason::NoAllocatorStatistics);
        return false;
    }
    let is_too_low = accounts.any(|account| {
        account
            .allocator
            .is_some_and(|allocator| allocator.in_use_bytes < account.live_bytes)
    });
    if is_too_low {
        reasons.push(Reason::AllocatorStatisticsTooLow);
    }
    !is_too_low
}

#[cfg(test)]
mod tests;
