//! Allocators that the program calls by names of their own: the recorder does not see their
//! blocks. It sees them map memory, and that is how they are found.

use residue_profile::{CUT, NONE, NodeId, Profile, StackKind};
use std::collections::BTreeSet;

/// What their functions, or the files that hold them, begin with. One that answers `malloc`
/// is not among the mappings, but for what it maps outside of calls.
const FUNCTIONS: [(&str, &str); 8] = [
    ("mi_", "mimalloc"),
    ("_mi_", "mimalloc"),
    ("je_", "jemalloc"),
    ("_rjem_", "jemalloc"),
    ("tc_", "tcmalloc"),
    ("_ZN8tcmalloc", "tcmalloc"),
    ("snmalloc", "snmalloc"),
    ("scalable_", "TBB's scalable allocator"),
];
const FILES: [(&str, &str); 1] = [("libtbbmalloc", "TBB's scalable allocator")];

/// Callers of `mmap` that are looked at: an allocator has a few functions of its own there.
const NEAREST_CALLERS: usize = 8;

/// Adds a note for each that is found.
pub fn note(profile: &mut Profile) {
    let mut found = BTreeSet::<&str>::new();
    let mapping = profile.stacks.iter();
    for stack in mapping.filter(|stack| stack.kind == StackKind::Mapping) {
        found.extend(allocator_near(profile, stack.node));
    }
    // The one that answers `malloc` maps for itself what it needs to begin.
    let recorded = &profile.meta.allocator;
    found.retain(|allocator| !recorded.contains(allocator));
    let notes = found.into_iter().map(|allocator| {
        format!(
            "{allocator} is called by its own functions: its blocks are not recorded, \
             the memory that it maps is (mappings)"
        )
    });
    profile.meta.notes.extend(notes);
}

fn allocator_near(profile: &Profile, leaf: NodeId) -> Option<&'static str> {
    let mut at = leaf;
    for _ in 0..NEAREST_CALLERS {
        let node = profile.nodes.get(at as usize)?;
        if node.frame == NONE || node.frame == CUT {
            return None;
        }
        let frame = profile.frames.get(node.frame as usize)?;
        let function = profile.functions.get(frame.function as usize);
        let function = function.map_or("", |name| name.as_str());
        let file = profile.modules.get(frame.module as usize);
        let file = file.map_or("", |module| {
            module.path.rsplit('/').next().unwrap_or_default()
        });
        let begins = |name: &str, list: &[(&str, &'static str)]| {
            let mut list = list.iter();
            list.find(|(beginning, _)| name.starts_with(beginning))
                .map(|&(_, allocator)| allocator)
        };
        let found = begins(function, &FUNCTIONS).or_else(|| begins(file, &FILES));
        if found.is_some() && file != profile.meta.allocator {
            return found;
        }
        at = node.parent;
    }
    None
}
