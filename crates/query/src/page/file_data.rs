//! What a self-contained file holds, as JSON in `<script type="application/json"
//! id="residue-data">`: the page answers from it what a server would be asked. It is the
//! top of the data; what was left out is one row for each kind of memory, so that sums
//! stay whole, and is said in `about.left_out`.

use std::collections::{BTreeMap, VecDeque};

use anyhow::Result;
use residue_profile::timeline::StackId;
use serde::Serialize;

use super::answers::about::{About, about};
use super::answers::churn::{ChurnAnswer, churn};
use super::answers::growers::{Growers, growers};
use super::answers::holder::{HolderAnswer, of as holder};
use super::answers::holders::{HoldersAnswer, holders_of_file};
use super::answers::pins::{PinsAnswer, pins};
use super::answers::sizes::{Sizes, sizes};
use super::answers::stack::{StackDetail, stack};
use super::answers::stages::{StagesAnswer, stages};
use super::answers::suspects::{SuspectsAnswer, suspects};
use super::answers::time::{TimeAnswer, time};
use super::answers::timeline::{Timeline, timeline};
use super::answers::verdict::{VerdictAnswer, verdict};
use super::file_rows::script_json::to_script_json;
use super::file_rows::{FileRows, Limits};
use super::open_profiles::OpenProfiles;
use super::opened::Opened;
use super::question::Question;

/// What a self-contained file holds.
#[derive(Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct FileData<'a> {
    about: About<'a>,
    verdict: VerdictAnswer<'a>,
    suspects: SuspectsAnswer,
    time: TimeAnswer<'a>,
    churn: ChurnByKind,
    /// With the stacks that lost most and those of which most is held.
    holders: HoldersAnswer,
    /// Of these stacks and of those that hold them, by stack, as long as they fit.
    held: BTreeMap<StackId, HolderAnswer>,
    pins: PinsAnswer,
    timeline: Timeline<'a>,
    growers: Growers,
    stages: StagesByValue,
    sizes: SizesByKind,
    #[serde(flatten)]
    rows: &'a FileRows,
    /// Of the rows that matter most, by `row.stack`.
    #[cfg_attr(feature = "typescript", ts(as = "BTreeMap<String, StackDetail>"))]
    details: BTreeMap<i64, StackDetail>,
}

#[derive(Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
struct StagesByValue {
    rss: StagesAnswer,
    vm: StagesAnswer,
    live: StagesAnswer,
    time: StagesAnswer,
}

#[derive(Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
struct SizesByKind {
    heap: Sizes,
    mapping: Sizes,
    reported: Sizes,
    cpu: Sizes,
    all: Sizes,
}

/// Of the whole recording.
#[derive(Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
struct ChurnByKind {
    heap: ChurnAnswer,
    mapping: ChurnAnswer,
    reported: ChurnAnswer,
    cpu: ChurnAnswer,
    all: ChurnAnswer,
}

/// The data as one document, in which no tag can begin.
pub fn file_data(profiles: &OpenProfiles, limits: &Limits) -> Result<Vec<u8>> {
    let rows = FileRows::of(&profiles.first, limits)?;
    let holders = holders_of_file(&profiles.first, limits.held_rows);
    let held = held(&profiles.first, &holders, limits.held_bytes)?;
    let mut profiles = profiles.clone();
    profiles.left_out = rows.left_out();
    profiles.left_out.extend(holders.left_out());
    let profiles = &profiles;
    let everything = Question::default();
    let stages = |value: &str| stages(profiles, &Question::parse(&format!("value={value}")));
    let sizes = |kind: &str| sizes(profiles, &Question::parse(&format!("kind={kind}")));
    let churn = |kind: &str| {
        let query = format!("kind={kind}&limit={}", limits.churn_rows);
        churn(profiles, &Question::parse(&query))
    };
    to_script_json(&FileData {
        about: about(profiles)?,
        verdict: verdict(profiles, &everything)?,
        suspects: suspects(profiles, &everything)?,
        time: time(profiles, &everything)?,
        churn: ChurnByKind {
            heap: churn("heap")?,
            mapping: churn("mapping")?,
            reported: churn("reported")?,
            cpu: churn("cpu")?,
            all: churn("all")?,
        },
        holders,
        held,
        pins: pins(profiles, &everything)?,
        timeline: timeline(profiles, &everything)?,
        growers: growers(profiles, &everything)?,
        stages: StagesByValue {
            rss: stages("rss")?,
            vm: stages("vm")?,
            live: stages("live")?,
            time: stages("time")?,
        },
        sizes: SizesByKind {
            heap: sizes("heap")?,
            mapping: sizes("mapping")?,
            reported: sizes("reported")?,
            cpu: sizes("cpu")?,
            all: sizes("all")?,
        },
        rows: &rows,
        details: details(profiles, &rows, limits)?,
    })
}

/// Chains of the stacks that are shown, and of those on the ways to them.
fn held(
    opened: &Opened,
    shown: &HoldersAnswer,
    most_bytes: usize,
) -> Result<BTreeMap<StackId, HolderAnswer>> {
    let mut held = BTreeMap::new();
    let mut waiting: VecDeque<StackId> = shown.stacks().iter().map(|row| row.stack).collect();
    let mut bytes = 0;
    while let Some(stack) = waiting.pop_front() {
        if held.contains_key(&stack) {
            continue;
        }
        let answer = holder(opened, stack);
        bytes += to_script_json(&answer)?.len();
        if bytes > most_bytes {
            break;
        }
        waiting.extend(answer.holders());
        held.insert(stack, answer);
    }
    Ok(held)
}

/// Details of the rows that matter most, as long as they fit.
fn details(
    profiles: &OpenProfiles,
    rows: &FileRows,
    limits: &Limits,
) -> Result<BTreeMap<i64, StackDetail>> {
    let mut details = BTreeMap::new();
    let mut bytes = 0;
    for number in rows.stacks().take(limits.details) {
        let detail = stack(profiles, &Question::parse(&format!("stack={number}")))?;
        bytes += to_script_json(&detail)?.len();
        if bytes > limits.detail_bytes {
            break;
        }
        details.insert(number, detail);
    }
    Ok(details)
}

#[cfg(test)]
mod tests {
    use residue_testkit::synthetic::{self, Spec};
    use serde_json::Value;

    use super::*;
    use crate::choice::Names;

    #[test]
    fn details_are_those_of_the_first_rows_as_long_as_they_fit() {
        let profile = synthetic::profile(&Spec {
            stacks: 60,
            events: 20,
            modules: 3,
            functions: 20,
            depth: 6,
            threads: 2,
            seed: 3,
            long_names: true,
        });
        let name = "a.residue".to_string();
        let opened = Opened::new(name, profile, Names::short());
        let profiles = OpenProfiles::new(opened, None);
        let of = |details: usize, detail_bytes: usize| {
            let limits = Limits {
                details,
                detail_bytes,
                ..Limits::USUAL
            };
            let written = file_data(&profiles, &limits).unwrap();
            assert!(!written.contains(&b'<'));
            let read: Value = serde_json::from_slice(&written).unwrap();
            (written.len(), read["details"].as_object().unwrap().clone())
        };
        let (none_bytes, none) = of(0, usize::MAX);
        assert!(none.is_empty());
        let (_, three) = of(3, usize::MAX);
        assert_eq!(three.len(), 3);
        for (stack, detail) in &three {
            assert_eq!(detail["row"]["stack"].to_string(), *stack);
        }
        const MOST: usize = 100_000;
        let (bytes, some) = of(usize::MAX, MOST);
        assert!(some.len() > 1 && some.len() < profiles.first.groups().count());
        // Each has its number in front.
        assert!(bytes - none_bytes <= MOST + 10 * some.len());
        assert!(bytes - none_bytes > MOST / 2);
    }
}
