//! The processes of a recording, each with its verdict in short.

use residue_analysis::history::EventRange;
use residue_analysis::sentences;
use residue_analysis::verdict::{Headline, verdict};
use residue_profile::{ListedProcess, Profile};
use serde::Serialize;

use crate::leaks::words::rate_text;

/// One process among several.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ProcessSummary {
    #[serde(flatten)]
    pub process: ListedProcess,
    /// What an event is called in its profile.
    pub event_unit: &'static str,
    /// `leak`, `no-growth`, ...; null with fewer than two events.
    pub verdict: Option<Headline>,
    /// The same with its rate: `LEAK 640 B/event`.
    pub verdict_in_short: Option<String>,
}

pub fn summary(profile: &Profile) -> ProcessSummary {
    let unit = profile.timeline.about.source.unit();
    let verdict = verdict(profile, EventRange::ALL);
    ProcessSummary {
        process: ListedProcess::of(profile),
        event_unit: unit,
        verdict_in_short: verdict.as_ref().map(|verdict| {
            let name = sentences::name(verdict.headline);
            match verdict.headline {
                Headline::NoGrowth | Headline::Filling | Headline::Undetermined => name.to_string(),
                _ => format!("{name} {}", rate_text(verdict.growth.rate, unit)),
            }
        }),
        verdict: verdict.map(|verdict| verdict.headline),
    }
}

/// The processes of a file for programs to read.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Document<'a> {
    format: &'static str,
    version: u32,
    file: String,
    /// The one that commands show where none is chosen comes first.
    processes: &'a [ProcessSummary],
}

pub fn document(file: String, processes: &[ProcessSummary]) -> Document<'_> {
    Document {
        format: "residue-processes",
        version: 1,
        file,
        processes,
    }
}
