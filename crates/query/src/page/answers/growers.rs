//! The stacks that grow most, with what each held over the events: the picture below the timeline.

use std::cmp::Reverse;

use anyhow::Result;
use residue_analysis::groups::GroupId;
use residue_names::cut_middle;
use residue_profile::timeline::{Change, EventNumber, MomentId, StackId};
use residue_profile::{MemoryKind, Profile};
use serde::Serialize;

use super::thin::evenly;
use crate::leaks::{own_function, place};
use crate::page::open_profiles::OpenProfiles;
use crate::page::opened::Opened;
use crate::page::question::Question;

/// As many as colours that can be told apart.
const MOST_STACKS: usize = 7;
const MOST_MOMENTS: usize = 400;
/// Characters of a name.
const MOST_NAME: usize = 200;
const NOT_SHOWN: usize = usize::MAX;

/// Answers `api/growers`, of all kinds of memory and the whole recording. Parameters: side.
#[derive(Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Growers {
    /// Begins of events, evenly chosen, the highest of all among them, and the last moment. All
    /// lists have one value each.
    event: Vec<EventNumber>,
    time_ns: Vec<u64>,
    /// Those that the verdict accuses, then those that grew most, then those that held most; at
    /// most 7.
    stacks: Vec<Grower>,
    /// What all others held together, and how many they are.
    rest: Vec<i64>,
    rest_stacks: usize,
    /// Index of the moment at which most was live; null without moments.
    highest: Option<usize>,
}

#[derive(Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
struct Grower {
    /// The largest of those through the same functions.
    stack: StackId,
    kind: &'static str,
    /// The innermost function of the program's own, and its line.
    function: String,
    place: Option<String>,
    is_accused: bool,
    /// From the first moment to the last.
    growth_bytes: i64,
    /// Live bytes.
    bytes: Vec<i64>,
}

pub fn growers(profiles: &OpenProfiles, question: &Question) -> Result<Growers> {
    let opened = profiles.side(question)?;
    let profile = &opened.profile;
    let moments = moments(profile);
    let verdict = opened.verdict(None);
    let stacks = Option::as_ref(&verdict).map_or(&[][..], |it| &it.stacks[..]);
    let accused = stacks.iter().filter(|stack| stack.share.is_some());
    let accused = accused.map(|stack| opened.groups().of_stack[stack.stack as usize]);
    let accused: Vec<GroupId> = accused.take(MOST_STACKS).collect();
    let groups = match moments.shown.is_empty() {
        true => Vec::new(),
        false => chosen(opened, &accused, &moments.shown),
    };
    let courses = courses(opened, &groups, &moments.shown);
    let mut paths = opened.paths();
    let told = groups.iter().zip(courses.of_groups);
    let told = told.map(|(&group, bytes)| {
        let stack = opened.groups().members(group)[0];
        let own = own_function(&mut paths, profile, stack);
        Grower {
            stack,
            kind: profile.stacks[stack as usize].kind.name(),
            function: cut_middle(&own.name, MOST_NAME).to_string(),
            place: place(&own),
            is_accused: accused.contains(&group),
            growth_bytes: growth(&bytes),
            bytes,
        }
    });
    let shown = moments.shown.iter().map(|&at| at as usize);
    let at = |moment: usize| &profile.timeline.moments[moment];
    Ok(Growers {
        event: shown.clone().map(|moment| at(moment).event).collect(),
        time_ns: shown.map(|moment| at(moment).time_ns).collect(),
        stacks: told.collect(),
        rest: courses.rest,
        rest_stacks: opened.groups().count() - groups.len(),
        highest: moments.highest,
    })
}

fn growth(bytes: &[i64]) -> i64 {
    match bytes {
        [first, .., last] => last.saturating_sub(*first),
        _ => 0,
    }
}

struct Moments {
    shown: Vec<MomentId>,
    /// Among those shown.
    highest: Option<usize>,
}

/// Begins of events at which it is known what stacks hold, and the last moment.
fn moments(profile: &Profile) -> Moments {
    let timeline = &profile.timeline;
    let known = (0..).zip(&timeline.moments);
    let begins: Vec<MomentId> = known
        .filter(|(_, moment)| moment.kind.is_begin() && moment.has_changes)
        .map(|(id, _)| id)
        .collect();
    if begins.is_empty() || timeline.changes.is_empty() {
        return Moments {
            shown: Vec::new(),
            highest: None,
        };
    }
    let last = timeline.moments.iter().rposition(|it| it.has_changes);
    let last = last.unwrap_or(0) as MomentId;
    let highest = highest(profile, &begins, last);
    let mut shown: Vec<MomentId> = evenly(begins.len(), MOST_MOMENTS)
        .map(|place| begins[place])
        .chain([highest, last])
        .collect();
    shown.sort_unstable();
    shown.dedup();
    Moments {
        highest: shown.iter().position(|&it| it == highest),
        shown,
    }
}

/// The moment at which most was live, of all begins.
fn highest(profile: &Profile, begins: &[MomentId], last: MomentId) -> MomentId {
    let is_memory = memory(profile);
    let mut best = (i64::MIN, begins[0]);
    let mut live = 0_i64;
    let mut before = None;
    for &moment in begins.iter().chain([&last]) {
        for change in profile.timeline.changes_between(before, Some(moment)) {
            if is_memory(change.stack) {
                live = live.saturating_add(change.bytes);
            }
        }
        before = Some(moment);
        if live > best.0 {
            best = (live, moment);
        }
    }
    best.1
}

/// Whether a stack is of memory: others have CPU time.
fn memory(profile: &Profile) -> impl Fn(StackId) -> bool + '_ {
    move |stack| {
        let stack = profile.stacks.get(stack as usize);
        stack.is_some_and(|stack| MemoryKind::All.holds(stack.kind))
    }
}

/// Accused ones, then by growth, then by what they held at the peak.
fn chosen(opened: &Opened, accused: &[GroupId], shown: &[MomentId]) -> Vec<GroupId> {
    let profile = &opened.profile;
    let groups = opened.groups();
    let mut grown = vec![0_i64; groups.count()];
    let span = (shown.first().copied(), shown.last().copied());
    let is_memory = memory(profile);
    for Change { stack, bytes, .. } in profile.timeline.changes_between(span.0, span.1) {
        if let Some(&group) = groups.of_stack.get(*stack as usize)
            && is_memory(*stack)
        {
            grown[group as usize] = grown[group as usize].saturating_add(*bytes);
        }
    }
    let at_peak = |group: GroupId| -> u64 {
        let members = groups.members(group).iter();
        let stacks = members.filter(|&&stack| is_memory(stack));
        let of = stacks.map(|&stack| profile.stacks[stack as usize].counters.at_peak_bytes);
        of.fold(0, u64::saturating_add)
    };
    let mut found: Vec<(usize, Reverse<i64>, Reverse<u64>, GroupId)> = (0..groups.count() as u32)
        .map(|group| {
            let place = accused.iter().position(|&it| it == group);
            let grown = grown[group as usize].max(0);
            let place = place.unwrap_or(accused.len());
            (place, Reverse(grown), Reverse(at_peak(group)), group)
        })
        .filter(|(place, grown, held, _)| *place < accused.len() || grown.0 > 0 || held.0 > 0)
        .collect();
    if found.len() > MOST_STACKS {
        found.select_nth_unstable(MOST_STACKS - 1);
        found.truncate(MOST_STACKS);
    }
    found.sort_unstable();
    found.into_iter().map(|(.., group)| group).collect()
}

struct Courses {
    of_groups: Vec<Vec<i64>>,
    rest: Vec<i64>,
}

/// What groups held at each of the moments, in one pass over the log.
fn courses(opened: &Opened, groups: &[GroupId], shown: &[MomentId]) -> Courses {
    let profile = &opened.profile;
    let mut place_of_stack = vec![NOT_SHOWN; profile.stacks.len()];
    for (place, &group) in groups.iter().enumerate() {
        for &stack in opened.groups().members(group) {
            place_of_stack[stack as usize] = place;
        }
    }
    let is_memory = memory(profile);
    let mut held = vec![0_i64; groups.len()];
    let mut rest = 0_i64;
    let mut courses = Courses {
        of_groups: vec![Vec::with_capacity(shown.len()); groups.len()],
        rest: Vec::with_capacity(shown.len()),
    };
    let mut before = None;
    for &moment in shown {
        for change in profile.timeline.changes_between(before, Some(moment)) {
            if !is_memory(change.stack) {
                continue;
            }
            let sum = match place_of_stack[change.stack as usize] {
                NOT_SHOWN => &mut rest,
                place => &mut held[place],
            };
            *sum = sum.saturating_add(change.bytes);
        }
        before = Some(moment);
        for (course, &bytes) in courses.of_groups.iter_mut().zip(&held) {
            course.push(bytes);
        }
        courses.rest.push(rest);
    }
    courses
}

#[cfg(test)]
mod tests {
    use super::super::sample::{ask, events, open_profiles};
    use residue_profile::Profile;
    use serde_json::{Value, json};

    fn numbers(value: &Value) -> Vec<i64> {
        let values = value.as_array().unwrap().iter();
        values.map(|value| value.as_i64().unwrap()).collect()
    }

    #[test]
    fn what_each_held_adds_up_to_what_was_live() {
        let profile = events(50);
        let changes = profile.timeline.changes.clone();
        let profiles = open_profiles(profile, None);
        let answer = ask(&profiles, "growers", "");
        let stacks = answer["stacks"].as_array().unwrap();
        assert_eq!(stacks[0]["stack"], 0);
        assert_eq!(stacks[0]["is_accused"], true);
        assert_eq!(stacks[0]["growth_bytes"], 50 * 64);
        assert_eq!(answer["event"].as_array().unwrap().len(), 51);
        assert_eq!(answer["highest"], 50);
        let mut sums = numbers(&answer["rest"]);
        for stack in stacks {
            for (sum, bytes) in sums.iter_mut().zip(numbers(&stack["bytes"])) {
                *sum += bytes;
            }
        }
        let all: i64 = changes.iter().map(|change| change.bytes).sum();
        assert_eq!(sums[0], 1000);
        assert_eq!(*sums.last().unwrap(), all);
    }

    #[test]
    fn without_events_there_is_no_picture() {
        let answer = ask(&open_profiles(Profile::default(), None), "growers", "");
        assert_eq!(answer["stacks"], json!([]));
        assert_eq!(answer["event"], json!([]));
        assert_eq!(answer["highest"], Value::Null);
    }
}
