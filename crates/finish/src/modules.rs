//! The modules that were loaded, and which of them an address belongs to.

use crate::arena_file::{ArenaFile, Error};
use residue_arena::node::{ADDRESS_MASK, EXACT_BIT, GENERATION_SHIFT};
use residue_arena::region::Region;
use residue_arena::tables;
use residue_profile::{Frame, Module, ModuleId, NONE};

/// A module and the generation whose frames it holds.
pub struct Loaded {
    pub module: Module,
    generation: u64,
}

pub fn read(arena: &ArenaFile) -> Result<Vec<Loaded>, Error> {
    let mut items: Vec<[u64; tables::MODULE_WORDS]> = Vec::new();
    arena.each_item(Region::Modules, |item| items.push(item.words()))?;
    // A record without its end was being written when the program died.
    items.retain(|words| words[tables::MODULE_END] != 0);
    let loaded = items.into_iter().map(|words| {
        let build_id = arena.text_bytes(words[tables::MODULE_BUILD_ID])?;
        Ok(Loaded {
            module: Module {
                path: arena.text(words[tables::MODULE_PATH])?,
                build_id: build_id.iter().map(|byte| format!("{byte:02x}")).collect(),
                start: words[tables::MODULE_START],
                end: words[tables::MODULE_END],
                bias: words[tables::MODULE_BIAS],
            },
            generation: words[tables::MODULE_GENERATION],
        })
    });
    loaded.collect()
}

/// The place of a frame with this key in the trie. A return address is moved back into
/// the call that it returns from.
pub fn frame_of(key: u64, loaded: &[Loaded]) -> Frame {
    let generation = key >> GENERATION_SHIFT;
    let is_exact = key & EXACT_BIT != 0;
    let address = (key & ADDRESS_MASK).saturating_sub(u64::from(!is_exact));
    let holder = loaded.iter().position(|loaded| {
        loaded.generation == generation
            && (loaded.module.start..loaded.module.end).contains(&address)
    });
    let (module, address) = match holder {
        Some(at) => (at as ModuleId, address.wrapping_sub(loaded[at].module.bias)),
        None => (NONE, address),
    };
    Frame {
        module,
        address,
        function: NONE,
    }
}
