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
use residue_profile::FrameId;
use std::rc::Rc;

/// An address that wants a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Wanted {
    pub address: u64,
    /// Generation of modules in which it was met.
    pub generation: u64,
    pub frame: FrameId,
}

/// The addresses in a range, of those sorted by address.
pub fn in_range(wanted: &[Wanted], start: u64, end: u64) -> std::ops::Range<usize> {
    let from = wanted.partition_point(|wanted| wanted.address < start);
    let length = wanted[from..].partition_point(|wanted| wanted.address < end);
    from..from + length
}

/// The names of those frames, which belong to no module, that are known.
pub fn names(
    arena: &ArenaFile,
    mut wanted: Vec<Wanted>,
    notes: &mut Vec<String>,
) -> Result<Vec<(FrameId, Rc<str>)>, Error> {
    if wanted.is_empty() {
        return Ok(Vec::new());
    }
    wanted.sort_unstable();
    let mut names = code_files::names(arena, &wanted, notes)?;
    if names.iter().any(Option::is_none) {
        let others = perf_map::names(arena, &wanted, notes);
        for (name, other) in names.iter_mut().zip(others) {
            if name.is_none() {
                *name = other;
            }
        }
    }
    let frames = wanted.iter().map(|wanted| wanted.frame);
    let named = frames.zip(names);
    Ok(named
        .filter_map(|(frame, name)| Some((frame, name?)))
        .collect())
}

#[cfg(any(test, feature = "fuzz"))]
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
