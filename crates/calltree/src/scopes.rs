//! Scopes: frames that the program named and that are no functions.

use std::collections::BTreeSet;

use residue_profile::{Frame, FrameId, NONE, Profile};

/// The name in `[name]`, of a frame that is a scope.
pub(crate) fn scope_name(linkage_name: &str, has_module: bool) -> Option<&str> {
    let name = linkage_name.strip_prefix('[')?.strip_suffix(']')?;
    (!has_module).then_some(name)
}

/// Whether a frame on a path was found by the frame pointer of the one that it called. A
/// scope stands on paths too, and was not found but marked.
pub fn is_by_frame_pointer(profile: &Profile, frame: FrameId, callee: FrameId) -> bool {
    let is_scope = |frame| scope_of(profile, frame).is_some();
    profile.is_without_table(callee)
        && (profile.frames.get(frame as usize)).is_some_and(|frame| !is_scope(frame))
}

/// The names of all scopes.
pub fn scope_names(profile: &Profile) -> BTreeSet<&str> {
    let frames = profile.frames.iter();
    frames
        .filter_map(|frame| scope_of(profile, frame))
        .collect()
}

fn scope_of<'p>(profile: &'p Profile, frame: &Frame) -> Option<&'p str> {
    let name = profile.functions.get(frame.function as usize)?;
    scope_name(name, frame.module != NONE)
}

/// Of every node of the profile the outermost scope it lies in.
pub fn outermost_scopes(profile: &Profile) -> Vec<Option<&str>> {
    let frames = profile.frames.iter();
    let of_frame: Vec<Option<&str>> = frames.map(|frame| scope_of(profile, frame)).collect();
    let mut scopes: Vec<Option<&str>> = Vec::with_capacity(profile.nodes.len());
    for (index, node) in profile.nodes.iter().enumerate() {
        let above = match index {
            0 => None,
            _ => scopes[node.parent as usize],
        };
        let own = of_frame.get(node.frame as usize).copied().flatten();
        scopes.push(above.or(own));
    }
    scopes
}
