//! A leak of known size is found as large as it is, and none where there is none.

use super::check::{Check, unequal};
use super::recorded::Laboratory;
use crate::target::{LAST_STAMP, STAMPS_PER_EVENT, Told, Work};
use anyhow::{Context, Result, bail};
use residue_analysis::growth::{Growth, GrowthOptions, assess};
use residue_analysis::history::EventRange;
use residue_analysis::series::Series;
use residue_analysis::verdict::{Headline, Verdict, verdict};
use residue_profile::Profile;
use residue_profile::timeline::{EventNumber, MomentKind};
use residue_profile::units::count;
use std::collections::BTreeMap;

const PAGE_BYTES: f64 = 4096.0;
/// Below this a leak is blurred in the resident size by the allocator's own notes.
const LEAST_RESIDENT_BYTES: u64 = 64 << 10;
/// Pages that blocks may share with their neighbours and with the allocator's notes.
const BLURRED_PAGES: f64 = 2.0;
/// Part of the leak by which the noise beside it may move the resident size.
const BLURRED_PART: f64 = 0.02;

#[derive(Debug, Clone, Copy)]
pub struct Leak {
    pub bytes_per_event: u64,
    pub events: u64,
    pub is_touched: bool,
}

impl Leak {
    fn name(self) -> &'static str {
        match (self.bytes_per_event, self.is_touched) {
            (0, _) => "no leak",
            (_, true) => "leak, touched",
            (_, false) => "leak, untouched",
        }
    }

    pub fn named_check(self, laboratory: &Laboratory) -> Check {
        self.check(laboratory)
            .unwrap_or_else(|error| Check::impossible(self.name(), &error))
    }

    fn check(self, laboratory: &Laboratory) -> Result<Check> {
        let Leak {
            bytes_per_event,
            events,
            is_touched,
        } = self;
        let work = Work::Leak {
            bytes_per_event,
            events,
            is_touched,
        };
        let (told, profile) = laboratory.record(work, &[])?;
        let Told::Leak { events } = told else {
            bail!("unexpected answer from the recorded program");
        };
        let verdict = verdict(&profile, EventRange::ALL).context("no verdict")?;
        let mut wrong = marks_missed(&profile, events);
        let resident = self.judge_resident(&resident_growth(&profile), &mut wrong);
        let found = match bytes_per_event {
            0 => judge_none(&verdict, &mut wrong),
            _ => self.judge(&verdict.growth, verdict.headline, &mut wrong),
        };
        let text = format!("{found}; {resident}");
        Ok(Check::new(self.name(), text, wrong))
    }

    fn judge(self, growth: &Growth, headline: Headline, wrong: &mut Vec<String>) -> String {
        let truth = self.bytes_per_event as f64;
        if headline != Headline::Leak {
            wrong.push(format!("verdict: expected a leak, seen {headline:?}"));
        }
        // Rates are quotients; their last digits are not to be had.
        let slack = truth * 1e-9;
        if truth < growth.low - slack || truth > growth.high + slack {
            wrong.push(format!(
                "expected {} B/event, seen {}",
                count(self.bytes_per_event),
                measured(growth)
            ));
        }
        format!(
            "{} over {} events, found {}",
            in_units(self.bytes_per_event),
            count(self.events),
            measured(growth)
        )
    }

    /// The resident size grows by what is touched, and only by that.
    fn judge_resident(self, rss: &Growth, wrong: &mut Vec<String>) -> String {
        let leak = self.bytes_per_event as f64;
        if self.is_touched && (1..LEAST_RESIDENT_BYTES).contains(&self.bytes_per_event) {
            return format!("RSS {}, not judged below 64 KiB/event", measured(rss));
        }
        let expected = if self.is_touched { leak } else { 0.0 };
        let blur = BLURRED_PAGES * PAGE_BYTES + BLURRED_PART * leak;
        let is_near = (rss.rate - expected).abs() <= blur;
        if !is_near {
            wrong.push(format!(
                "RSS: expected {} B/event, give or take {}, seen {}",
                rounded(expected),
                rounded(blur),
                measured(rss)
            ));
        }
        format!("RSS {}", measured(rss))
    }
}

fn judge_none(verdict: &Verdict, wrong: &mut Vec<String>) -> String {
    let events = count(verdict.events);
    if verdict.headline != Headline::NoGrowth {
        let found = measured(&verdict.growth);
        wrong.push(format!(
            "verdict: expected no growth, seen {:?} {found}",
            verdict.headline
        ));
        return format!("no bytes left after {events} events");
    }
    format!(
        "no growth over {events} events (detection limit {} B/event)",
        rounded(verdict.growth.smallest_visible),
    )
}

/// Growth of the resident size without the recorder's own, from the stamp that ends
/// the work of every event: stamps read it each time, begins only now and then. What
/// the recorder had then is known from the end of the event, which follows at once.
fn resident_growth(profile: &Profile) -> Growth {
    let timeline = &profile.timeline;
    let last_stamp = timeline.names.iter().position(|name| name == LAST_STAMP);
    let recorder_bytes: BTreeMap<EventNumber, u64> = timeline
        .moments
        .iter()
        .filter(|moment| moment.kind == MomentKind::End)
        .map(|moment| (moment.event, moment.recorder_bytes))
        .collect();
    let (events, values) = timeline
        .stamps
        .iter()
        .filter(|stamp| Some(stamp.name as usize) == last_stamp)
        .filter_map(|stamp| {
            let own = *recorder_bytes.get(&stamp.event)? as f64;
            Some((f64::from(stamp.event), stamp.rss_bytes? as f64 - own))
        })
        .unzip();
    let options = GrowthOptions {
        granularity_bytes: PAGE_BYTES,
        ..GrowthOptions::default()
    };
    assess(&Series::new(events, values), &options)
}

/// Every mark that the program made is in the profile.
fn marks_missed(profile: &Profile, events: u64) -> Vec<String> {
    let timeline = &profile.timeline;
    let misuse = &timeline.about.misuse;
    let misused = misuse.end_without_begin + misuse.begin_inside_event + misuse.end_of_another;
    let stamps = timeline.stamps.len() as u64;
    let counts = timeline.counts.len() as u64;
    [
        unequal("events", events, timeline.about.events),
        unequal("stamps", STAMPS_PER_EVENT * events, stamps),
        unequal("numbers counted", events, counts),
        unequal("marks out of place", 0, misused),
    ]
    .into_iter()
    .flatten()
    .collect()
}

fn rounded(value: f64) -> String {
    match value < 0.0 {
        true => format!("-{}", count((-value).round() as u64)),
        false => count(value.round() as u64),
    }
}

fn measured(growth: &Growth) -> String {
    format!(
        "{} B/event (95 %: {} .. {})",
        rounded(growth.rate),
        rounded(growth.low),
        rounded(growth.high)
    )
}

/// A size in all units, so that none is taken for another.
fn in_units(bytes: u64) -> String {
    let digits = if bytes < 100_000 { 6 } else { 3 };
    format!(
        "{} B/event = {:.digits$} MB (10^6) = {:.digits$} MiB (2^20)",
        count(bytes),
        bytes as f64 / 1e6,
        bytes as f64 / 1024.0 / 1024.0
    )
}
