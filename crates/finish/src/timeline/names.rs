//! Names of stamps, counters, scopes and snapshots: those that the program gave, then
//! those that were given from outside.

use crate::arena_file::{ArenaFile, Error};
use crate::outside::Seen;
use residue_arena::region::Region;
use residue_profile::timeline::NameId;

pub struct Names(pub Vec<String>);

impl Names {
    pub fn read(arena: &ArenaFile, seen: &[Seen]) -> Result<Names, Error> {
        let references = arena.keys(Region::Names, arena.used(Region::Names))?;
        let own = references.into_iter().map(|name| arena.text(name));
        let mut names = Names(own.collect::<Result<_, _>>()?);
        let snapshots = seen.iter().filter_map(|seen| seen.name.as_ref());
        let counters = seen.iter().flat_map(|seen| seen.counts.keys());
        for name in snapshots.chain(counters) {
            if names.id(name).is_none() {
                names.0.push(name.clone());
            }
        }
        Ok(names)
    }

    pub fn id(&self, name: &str) -> Option<NameId> {
        let place = self.0.iter().position(|known| known == name);
        place.map(|place| place as NameId)
    }
}
