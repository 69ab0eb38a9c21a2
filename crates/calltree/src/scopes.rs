//! Scopes: frames that the program named and that are no functions.

use std::collections::BTreeSet;

use residue_profile::{Frame, NONE, Profile};

/// The name in `[name]`, of a frame that is a scope.
pub(crate) fn scope_name(linkage_name: &str, has_module: bool) -> Option<&str> {
    let name = linkage_name.strip_prefix('[')?.strip_suffix(']')?;
    (!has_module).then_some(name)
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
