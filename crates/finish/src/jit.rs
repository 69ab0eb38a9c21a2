//! Names for code outside every module: that of just-in-time compilers.
//!
//! Two sources, the better first. Code registered for debuggers ([`crate::code_files`])
//! was copied while it was there, with the generation of modules in which it came, so
//! that memory used for one function after another has the right name each time. Perf
//! maps ([`crate::perf_map`]) are files that many runtimes write; they know of no time,
//! and what was written last about an address is its name.
//!
//! A frame gets the name alone: it belongs to no module, before and after.

use crate::arena_file::{ArenaFile, Error};
use crate::code_files;
use crate::perf_map;
use crate::tree::{FastMap, Tree};
use residue_arena::node::{FIRST_SCOPE_KEY, GENERATION_SHIFT, SCOPE_KEYS_END};
use residue_profile::{CUT, NONE, Profile, ROOT};
use std::collections::HashMap;

/// An address that wants a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Wanted {
    pub address: u64,
    /// Generation of modules in which it was met.
    pub generation: u64,
    frame: u32,
}

/// The addresses in a range, of those sorted by address.
pub fn in_range(wanted: &[Wanted], start: u64, end: u64) -> std::ops::Range<usize> {
    let from = wanted.partition_point(|wanted| wanted.address < start);
    let length = wanted[from..].partition_point(|wanted| wanted.address < end);
    from..from + length
}

/// Names the frames that belong to no module. `nodes_of_stacks` are the numbers that the
/// stacks' nodes have in the tree.
pub fn name_frames(
    profile: &mut Profile,
    arena: &ArenaFile,
    tree: &Tree,
    nodes_of_stacks: &[u32],
) -> Result<(), Error> {
    let wanted = nameless(profile, tree, nodes_of_stacks);
    if wanted.is_empty() {
        return Ok(());
    }
    let mut names = code_files::names(arena, &wanted, &mut profile.meta.notes)?;
    if names.iter().any(Option::is_none) {
        let others = perf_map::names(arena, &wanted, &mut profile.meta.notes);
        for (name, other) in names.iter_mut().zip(others) {
            if name.is_none() {
                *name = other;
            }
        }
    }
    give(profile, &wanted, names);
    Ok(())
}

/// The frames without module and name, by address.
fn nameless(profile: &Profile, tree: &Tree, nodes_of_stacks: &[u32]) -> Vec<Wanted> {
    let scopes = FIRST_SCOPE_KEY..SCOPE_KEYS_END;
    let mut wanted: Vec<Wanted> = profile
        .frames
        .iter()
        .zip(0..)
        .filter(|(frame, _)| frame.module == NONE && frame.function == NONE)
        .filter(|(frame, _)| !scopes.contains(&frame.address))
        .map(|(frame, number)| Wanted {
            address: frame.address,
            generation: u64::MAX,
            frame: number,
        })
        .collect();
    if !wanted.is_empty() {
        let generations = generations(profile, tree, nodes_of_stacks);
        for wanted in &mut wanted {
            if let Some(&generation) = generations.get(&wanted.frame) {
                wanted.generation = generation;
            }
        }
    }
    wanted.sort_unstable();
    wanted
}

/// The generation of each frame without a module. Only the keys in the tree have it, and
/// the nodes of the profile are numbered anew; so both paths of a stack are walked side
/// by side. Frames that only free are on no such path.
fn generations(profile: &Profile, tree: &Tree, nodes_of_stacks: &[u32]) -> FastMap<u32, u64> {
    let mut generations = FastMap::default();
    let mut is_done = vec![false; profile.nodes.len()];
    for (stack, &node) in profile.stacks.iter().zip(nodes_of_stacks) {
        let (mut at, mut in_tree) = (stack.node, node);
        while at != ROOT && !is_done[at as usize] {
            is_done[at as usize] = true;
            let node = profile.nodes[at as usize];
            let (parent, key) = tree.nodes[in_tree as usize];
            if node.frame != CUT && profile.frames[node.frame as usize].module == NONE {
                generations.insert(node.frame, key >> GENERATION_SHIFT);
            }
            (at, in_tree) = (node.parent, parent);
        }
    }
    generations
}

/// Gives the names to the frames; each name is one function.
fn give(profile: &mut Profile, wanted: &[Wanted], names: Vec<Option<String>>) {
    let mut numbers: HashMap<String, u32> = names
        .iter()
        .flatten()
        .map(|name| (name.clone(), NONE))
        .collect();
    for (name, number) in profile.functions.iter().zip(0..) {
        if let Some(place) = numbers.get_mut(name) {
            *place = number;
        }
    }
    for (wanted, name) in wanted.iter().zip(names) {
        let Some((name, number)) = name.and_then(|name| numbers.get_key_value(&name)) else {
            continue;
        };
        let mut number = *number;
        if number == NONE {
            number = profile.functions.len() as u32;
            profile.functions.push(name.clone());
            let name = name.clone();
            numbers.insert(name, number);
        }
        profile.frames[wanted.frame as usize].function = number;
    }
}

#[cfg(test)]
pub fn wanted(places: &[(u64, u64)]) -> Vec<Wanted> {
    let wanted = places.iter().zip(0..);
    wanted
        .map(|(&(address, generation), frame)| Wanted {
            address,
            generation,
            frame,
        })
        .collect()
}
