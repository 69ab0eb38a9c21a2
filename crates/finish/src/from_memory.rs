//! The same readers on bytes in memory, for `fuzz/`: no file is opened but a perf map of the
//! number that the arena says, and no names are looked up.

use std::io;
use std::path::Path;
use std::rc::Rc;

use residue_profile::Profile;

use crate::arena_file::{ArenaFile, Error, Storage};
use crate::{Ending, jit, outside, perf_map, put_together, unseen_allocators};

struct Bytes(Vec<u8>);

impl Storage for Bytes {
    fn read_exact_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<()> {
        let at = usize::try_from(offset).ok();
        let held = at.and_then(|at| self.0.get(at..at.checked_add(buffer.len())?));
        buffer.copy_from_slice(held.ok_or(io::ErrorKind::UnexpectedEof)?);
        Ok(())
    }

    fn bytes(&self) -> u64 {
        self.0.len() as u64
    }

    fn user(&self) -> Option<u32> {
        None
    }

    fn modified_unix_ns(&self) -> u64 {
        0
    }
}

/// The profile of an arena and of its sidecar file.
pub fn finish(arena: Vec<u8>, sidecar: &[u8]) -> Result<Profile, Error> {
    let arena = ArenaFile::in_storage(Path::new("in memory"), Box::new(Bytes(arena)))?;
    let seen = outside::parse(sidecar);
    let mut profile = put_together(&arena, seen, &Ending::default(), &|_, _, _| {})?;
    unseen_allocators::note(&mut profile);
    Ok(profile)
}

/// The names that a perf map has for the addresses, and how many of its lines made no sense.
pub fn perf_map_names(map: &[u8], addresses: &[u64]) -> io::Result<(Vec<Option<Rc<str>>>, u64)> {
    let places: Vec<(u64, u64)> = addresses.iter().map(|&address| (address, 0)).collect();
    let mut names = vec![None; addresses.len()];
    let broken = perf_map::read(map, &jit::wanted(&places), &mut names)?;
    Ok((names, broken))
}
