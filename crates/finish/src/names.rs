//! Frames and names: which module an address belongs to, and what it is called.

use crate::arena_file::{ArenaFile, Error, word};
use crate::symbolize::symbolize;
use crate::tree::{ABSENT, FastMap, Tree};
use crate::{Progress, Step};
use residue_arena::node::{
    ADDRESS_MASK, CUT_KEY, EXACT_BIT, FIRST_SCOPE_KEY, GENERATION_SHIFT, SCOPE_KEYS_END,
};
use residue_arena::region::Region;
use residue_arena::tables;
use residue_profile::{CUT, Frame, Module, NONE, Node, Profile, ROOT};
use residue_symbols::Search;

/// Keys of nodes that are scopes.
const SCOPE_KEYS: std::ops::Range<u64> = FIRST_SCOPE_KEY..SCOPE_KEYS_END;

/// A module and the generation whose frames it holds.
struct Loaded {
    module: Module,
    generation: u64,
}

/// Fills modules, functions, frames and nodes, and renumbers the stacks' nodes:
/// only nodes on the path of some stack are kept.
pub fn fill(
    profile: &mut Profile,
    arena: &ArenaFile,
    tree: &Tree,
    search: &Search,
    progress: Progress<'_>,
) -> Result<(), Error> {
    let loaded = read_modules(arena)?;
    let new_numbers = keep_used_nodes(profile, tree);
    let mut scopes: Vec<(usize, u32)> = Vec::new();
    let mut frame_of_key: FastMap<u64, u32> = FastMap::default();
    let mut frames: Vec<Frame> = Vec::new();
    for (number, &(parent, key)) in tree.nodes.iter().enumerate() {
        if new_numbers[number] == ABSENT {
            continue;
        }
        let frame = if number == ROOT as usize {
            NONE
        } else if key == CUT_KEY {
            CUT
        } else {
            *frame_of_key.entry(key).or_insert_with(|| {
                if SCOPE_KEYS.contains(&key) {
                    scopes.push((frames.len(), (key - SCOPE_KEYS.start) as u32));
                }
                frames.push(frame_of(key, &loaded));
                (frames.len() - 1) as u32
            })
        };
        profile.nodes.push(Node {
            parent: new_numbers[parent as usize],
            frame,
        });
    }
    for stack in &mut profile.stacks {
        stack.node = new_numbers[stack.node as usize];
    }
    for deferral in &mut profile.timeline.deferrals {
        deferral.freed_at = deferral
            .freed_at
            .map(|node| new_numbers[node as usize])
            .filter(|&node| node != ABSENT);
    }
    profile.frames = frames;
    profile.modules = loaded.into_iter().map(|loaded| loaded.module).collect();
    symbolize(profile, search, &|done, of| {
        progress(Step::Symbols, done, of)
    });
    name_scopes(profile, &scopes);
    Ok(())
}

/// A scope is a frame with the name that the program gave it.
fn name_scopes(profile: &mut Profile, scopes: &[(usize, u32)]) {
    for &(frame, name) in scopes {
        let Some(name) = profile.timeline.names.get(name as usize) else {
            continue;
        };
        profile.frames[frame].function = profile.functions.len() as u32;
        profile.functions.push(format!("[{name}]"));
    }
}

/// New numbers for the nodes that lead to a stack; [`ABSENT`] for the others.
fn keep_used_nodes(profile: &Profile, tree: &Tree) -> Vec<u32> {
    let mut numbers = vec![ABSENT; tree.nodes.len()];
    numbers[ROOT as usize] = 0;
    let freeing = profile.timeline.deferrals.iter();
    let freeing = freeing.filter_map(|deferral| deferral.freed_at);
    let nodes = profile.stacks.iter().map(|stack| stack.node);
    for node in nodes.chain(freeing) {
        let mut at = node as usize;
        while numbers[at] == ABSENT {
            numbers[at] = 0;
            at = tree.nodes[at].0 as usize;
        }
    }
    let mut next = 0;
    for number in &mut numbers {
        if *number != ABSENT {
            *number = next;
            next += 1;
        }
    }
    numbers
}

fn read_modules(arena: &ArenaFile) -> Result<Vec<Loaded>, Error> {
    let mut items = Vec::new();
    arena.each_chunk(Region::Modules, arena.used(Region::Modules), |_, bytes| {
        for item in bytes.chunks_exact(tables::MODULE_BYTES as usize) {
            let words: Vec<u64> = (0..tables::MODULE_WORDS).map(|at| word(item, at)).collect();
            items.push(words);
        }
    })?;
    let mut loaded = Vec::new();
    for words in items {
        // A record without its end was being written when the program died.
        if words[tables::MODULE_END] == 0 {
            continue;
        }
        let build_id = arena.text_bytes(words[tables::MODULE_BUILD_ID])?;
        loaded.push(Loaded {
            module: Module {
                path: arena.text(words[tables::MODULE_PATH])?,
                build_id: build_id.iter().map(|byte| format!("{byte:02x}")).collect(),
                start: words[tables::MODULE_START],
                end: words[tables::MODULE_END],
                bias: words[tables::MODULE_BIAS],
            },
            generation: words[tables::MODULE_GENERATION],
        });
    }
    Ok(loaded)
}

/// A frame's place. A return address is moved back into the call it returns from.
fn frame_of(key: u64, loaded: &[Loaded]) -> Frame {
    let generation = key >> GENERATION_SHIFT;
    let is_exact = key & EXACT_BIT != 0;
    let address = (key & ADDRESS_MASK).saturating_sub(u64::from(!is_exact));
    let holder = loaded.iter().position(|loaded| {
        loaded.generation == generation
            && (loaded.module.start..loaded.module.end).contains(&address)
    });
    match holder {
        Some(module) => Frame {
            module: module as u32,
            address: address.wrapping_sub(loaded[module].module.bias),
            function: NONE,
        },
        None => Frame {
            module: NONE,
            address,
            function: NONE,
        },
    }
}
