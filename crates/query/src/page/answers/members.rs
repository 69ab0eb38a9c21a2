//! The stacks that make one row: the same functions, at different lines.

use anyhow::Result;
use residue_analysis::history::EventRange;
use residue_calltree::PathReader;
use residue_profile::timeline::StackId;
use residue_profile::{FrameId, Profile};
use serde::Serialize;

use super::stacks::StackNumbers;
use crate::page::opened::Opened;
use crate::paths::place;

const MOST_MEMBERS: usize = 50;
/// Places that are said of each.
const MOST_PLACES: usize = 3;

#[derive(Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Member {
    stack: StackId,
    /// Where it differs from the others, innermost first.
    place: String,
    numbers: StackNumbers,
}

/// The largest of some stacks, each with where it is.
pub fn members(
    opened: &Opened,
    stacks: &[StackId],
    events: Option<EventRange>,
) -> Result<Vec<Member>> {
    let profile = &opened.profile;
    let span = events.map(|events| opened.span(Some(events))).transpose()?;
    let live = span.map(|span| opened.live(span));
    let live = live.as_ref().map(|live| live.as_slice());
    let shown = &stacks[..stacks.len().min(MOST_MEMBERS)];
    let paths: Vec<Vec<FrameId>> = shown
        .iter()
        .map(|&stack| {
            let node = profile.stacks[stack as usize].node;
            profile.frames_leaf_first(node).collect()
        })
        .collect();
    let depths = depths_that_tell(&paths);
    let mut reader = opened.paths();
    let member = |(&stack, path): (&StackId, &Vec<FrameId>)| {
        let frames = depths.iter().filter_map(|&depth| path.get(depth));
        let places = frames.map(|&frame| place_of(profile, &mut reader, frame));
        Member {
            stack,
            place: places.collect::<Vec<String>>().join(", "),
            numbers: StackNumbers::of(opened, stack as usize, live),
        }
    };
    Ok(shown.iter().zip(&paths).map(member).collect())
}

/// Depths from the leaf at which the paths differ; the leaf itself if they never do.
fn depths_that_tell(paths: &[Vec<FrameId>]) -> Vec<usize> {
    let deepest = paths.iter().map(Vec::len).max().unwrap_or(0);
    let differ = |depth: &usize| {
        let mut frames = paths.iter().map(|path| path.get(*depth));
        let first = frames.next();
        frames.any(|frame| Some(frame) != first)
    };
    let depths: Vec<usize> = (0..deepest).filter(differ).take(MOST_PLACES).collect();
    match depths.is_empty() {
        true => vec![0],
        false => depths,
    }
}

/// `src/thing.cpp:12`, or the address where no line is known.
fn place_of(profile: &Profile, reader: &mut PathReader<'_>, frame: FrameId) -> String {
    let labels = reader.frame(frame);
    if let Some(place) = labels.last().and_then(place) {
        return place;
    }
    let known = profile.frames.get(frame as usize);
    let library = labels.last().map_or("", |label| &*label.module);
    match known {
        Some(frame) if !library.is_empty() => format!("{library}+{:#x}", frame.address),
        Some(frame) => format!("{:#x}", frame.address),
        None => labels
            .last()
            .map_or(String::new(), |label| label.name.to_string()),
    }
}
