//! Frames of a path with all that is known of them.

use residue_calltree::{PathReader, is_by_frame_pointer};
use residue_names::cut_middle;
use residue_profile::units::counted;
use residue_profile::{FileId, FrameId, NodeId, Profile};
use serde::Serialize;

use super::stack_row::MOST_NAME;
use crate::visible::visible;

/// Frames of a path that are sent, from its leaf and from its root.
const MOST_AT_LEAF: usize = 750;
const MOST_AT_ROOT: usize = 250;
/// Characters of a symbol that are sent.
const MOST_SYMBOL: usize = 2000;

#[derive(Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct FrameDetail {
    function: String,
    symbol: Option<String>,
    library: Option<String>,
    address: Option<String>,
    framework: bool,
    /// Innermost first; the last is the frame's own function, those before it were inlined.
    places: Vec<PlaceDetail>,
    /// Found by the frame pointer alone: the function that it called has no unwind table.
    by_frame_pointer: bool,
}

#[derive(Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
struct PlaceDetail {
    function: String,
    file: Option<String>,
    /// Names the file in `api/source`.
    file_id: Option<FileId>,
    line: Option<u32>,
}

/// The frames up to the root, leaf first, without the middle of a very long path.
pub fn frames(profile: &Profile, paths: &mut PathReader<'_>, node: NodeId) -> Vec<FrameDetail> {
    let ids: Vec<FrameId> = profile.frames_leaf_first(node).collect();
    let left_out = ids.len().saturating_sub(MOST_AT_LEAF + MOST_AT_ROOT);
    let mut frames = Vec::with_capacity(ids.len() - left_out);
    for (depth, &id) in ids.iter().enumerate() {
        if left_out > 0 && depth == MOST_AT_LEAF {
            frames.push(FrameDetail::text(format!(
                "[... {} ...]",
                counted(left_out as u64, "frame", "frames")
            )));
        }
        if depth < MOST_AT_LEAF || depth >= MOST_AT_LEAF + left_out {
            let callee = depth.checked_sub(1).map(|below| ids[below]);
            frames.push(frame(profile, paths, id, callee));
        }
    }
    frames
}

impl FrameDetail {
    /// What stands in place of frames.
    fn text(function: String) -> FrameDetail {
        FrameDetail {
            function,
            symbol: None,
            library: None,
            address: None,
            framework: false,
            places: Vec::new(),
            by_frame_pointer: false,
        }
    }
}

fn frame(
    profile: &Profile,
    paths: &mut PathReader<'_>,
    id: FrameId,
    callee: Option<FrameId>,
) -> FrameDetail {
    // Outermost first, as many as there are places, or one.
    let labels = paths.frame(id);
    let name = |name: &str| cut_middle(name, MOST_NAME).to_string();
    let own = labels.first();
    let known = profile.frames.get(id as usize);
    let symbol = known.and_then(|frame| profile.functions.get(frame.function as usize));
    let module = known.and_then(|frame| profile.module_name(frame.module));
    let places = profile.places.row(id as usize).iter();
    FrameDetail {
        function: own.map_or(String::new(), |label| name(&label.name)),
        symbol: symbol
            .filter(|symbol| !symbol.is_empty())
            .map(|symbol| cut_middle(&visible(symbol), MOST_SYMBOL).to_string()),
        library: module.map(visible),
        address: known.map(|frame| format!("{:#x}", frame.address)),
        framework: own.is_some_and(|label| label.is_framework),
        places: places
            .zip(labels.iter().rev())
            .map(|(place, label)| {
                let file = profile.files.get(place.file as usize);
                PlaceDetail {
                    function: name(&label.name),
                    file: file.map(|file| visible(file)),
                    file_id: file.map(|_| place.file),
                    line: Some(place.line).filter(|line| *line > 0),
                }
            })
            .collect(),
        by_frame_pointer: callee.is_some_and(|callee| is_by_frame_pointer(profile, id, callee)),
    }
}
