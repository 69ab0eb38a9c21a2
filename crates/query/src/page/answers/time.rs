//! Do events take ever longer, which are slow, and why? What `residue slow --json` writes.

use anyhow::Result;
use residue_analysis::sentences::time::of_missing;
use serde::Serialize;

use crate::page::open_profiles::OpenProfiles;
use crate::page::question::Question;
use crate::slow::{Document, Limits, document};

/// What is sent; the slowest events and the functions that explain most come first.
const MOST: Limits = Limits {
    events: 2000,
    functions: 50,
    steps: 32,
    name_characters: 200,
};

/// Answers `api/time`, of the whole recording. Parameters: side.
#[derive(Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct TimeAnswer<'a> {
    /// What `residue slow --json` writes; null where times of events are not known.
    verdict: Option<Document<'a>>,
    /// Why they are not known, in the words of the command.
    missing: Option<String>,
}

pub fn time<'a>(profiles: &'a OpenProfiles, question: &Question) -> Result<TimeAnswer<'a>> {
    let opened = profiles.side(question)?;
    Ok(match opened.time() {
        Ok(verdict) => TimeAnswer {
            verdict: Some(document(&opened.profile, verdict, opened.names(), MOST)),
            missing: None,
        },
        Err(missing) => TimeAnswer {
            verdict: None,
            missing: Some(of_missing(missing)),
        },
    })
}

#[cfg(test)]
mod tests {
    use residue_analysis::history::EventRange;
    use residue_analysis::time::verdict;
    use residue_profile::Profile;
    use serde_json::{Value, json};

    use super::super::sample::{ask, events, open_profiles};
    use super::*;
    use crate::choice::Names;

    /// Every event takes 1 ms of CPU time, give or take some; every 20th twice as much.
    fn slow_events(count: u32) -> Profile {
        let mut profile = events(count);
        let mut clock_ns = 0;
        for moment in &mut profile.timeline.moments {
            moment.spent.tid = 7;
            if !moment.kind.is_begin() {
                let event = u64::from(moment.event);
                let twice = if event.is_multiple_of(20) { 2 } else { 1 };
                clock_ns += twice * 1_000_000 + event * 7919 % 1000 * 30;
            }
            moment.spent.thread_cpu_ns = Some(clock_ns);
            moment.time_ns = clock_ns;
        }
        profile
    }

    #[test]
    fn the_document_is_that_of_the_command() {
        let profile = slow_events(200);
        let judged = verdict(&profile, EventRange::ALL).unwrap();
        let written = document(&profile, &judged, &Names::short(), Limits::NONE);
        // Read back, as the answer is: digits may be lost.
        let written = serde_json::to_vec(&written).unwrap();
        let written: Value = serde_json::from_slice(&written).unwrap();
        let answer = ask(&open_profiles(profile, None), "time", "");
        assert_eq!(answer["verdict"], written);
        assert_eq!(answer["missing"], Value::Null);
        let slow = &written["slow"][0];
        assert_eq!(
            [&slow["measure"], &slow["found"]],
            [&json!("cpu"), &json!(10)]
        );
        let words = slow["words"].as_str().unwrap();
        let told = "10 of 200 events use more CPU time than expected, by ";
        assert!(words.starts_with(told), "{words}");
        let limit = "no CPU samples: record with --cpu to see which functions take the time";
        assert_eq!(written["limits"], json!([limit]));
    }

    #[test]
    fn where_no_times_are_known_it_is_said_why() {
        let answer = ask(&open_profiles(Profile::default(), None), "time", "");
        assert_eq!(answer["verdict"], Value::Null);
        let missing = answer["missing"].as_str().unwrap();
        let told = "no event times: the recording has no events; ";
        assert!(missing.starts_with(told), "{missing}");
    }
}
