//! The resident size beside the live heap.

use super::{Missing, Reason, Stages, Value, analyse};
use residue_profile::timeline::Stamp;
use serde::Serialize;

/// How the resident size went between the same stamps, without the recorder's own memory.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Resident {
    /// From start to start, per event after warm-up; `None` where it is not known.
    pub mean: Option<f64>,
    /// By interval of the live heap; `None` where the resident size was not read at both ends.
    pub interval_means: Vec<Option<f64>>,
    #[serde(rename = "reason_codes")]
    pub reasons: Vec<Reason>,
}

impl Resident {
    pub(super) fn beside(live: &Stages, names: &[String], stamps: &[Stamp]) -> Option<Resident> {
        let nothing = |reasons| Resident {
            mean: None,
            interval_means: vec![None; live.intervals.len()],
            reasons,
        };
        match analyse(names, stamps, Value::Rss) {
            Ok(rss) => Some(Resident {
                mean: rss.start_to_start.mean_after_warm_up,
                interval_means: means_by_interval(live, &rss),
                reasons: rss.reasons,
            }),
            Err(Missing::NotAlwaysRead(reasons)) => Some(nothing(reasons)),
            Err(Missing::Stamps | Missing::Events | Missing::Values) => None,
        }
    }
}

fn means_by_interval(live: &Stages, rss: &Stages) -> Vec<Option<f64>> {
    let ends = |stages: &Stages, index: usize| {
        let interval = &stages.intervals[index];
        (interval.from.clone(), interval.to.clone(), interval.outside)
    };
    let same = |index: usize| {
        let mut known =
            (0..rss.intervals.len()).filter(|&other| ends(rss, other) == ends(live, index));
        known.next().map(|other| rss.intervals[other].mean)
    };
    (0..live.intervals.len()).map(same).collect()
}
