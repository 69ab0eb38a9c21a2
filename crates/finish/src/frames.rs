//! The frames: where each is, and the names of those that no file has names for. The
//! others get theirs from [`mod@crate::symbolize`].

use crate::arena_file::{ArenaFile, Error};
use crate::jit::{self, Wanted};
use crate::modules::{Loaded, frame_of};
use residue_arena::node::{FIRST_SCOPE_KEY, GENERATION_SHIFT, NO_TABLE_BIT, SCOPE_KEYS_END};
use residue_profile::{Frame, FrameId, FunctionId, NONE};
use std::collections::HashMap;
use std::rc::Rc;

pub struct Frames {
    pub frames: Vec<Frame>,
    /// Those whose code has no unwind table, ascending.
    pub without_table: Vec<FrameId>,
    pub functions: Vec<String>,
    pub notes: Vec<String>,
}

/// The frames with these keys in the trie. A scope is a frame with the name that the
/// program gave it.
pub fn read(
    arena: &ArenaFile,
    keys: &[u64],
    loaded: &[Loaded],
    scope_names: &[String],
) -> Result<Frames, Error> {
    let mut frames: Vec<Frame> = keys.iter().map(|&key| frame_of(key, loaded)).collect();
    let mut names: Vec<(FrameId, Rc<str>)> = Vec::new();
    let mut wanted = Vec::new();
    for ((frame, &key), number) in frames.iter().zip(keys).zip(0..) {
        if (FIRST_SCOPE_KEY..SCOPE_KEYS_END).contains(&key) {
            let name = scope_names.get((key - FIRST_SCOPE_KEY) as usize);
            names.extend(name.map(|name| (number, format!("[{name}]").into())));
        } else if frame.module == NONE {
            wanted.push(Wanted {
                address: frame.address,
                generation: key >> GENERATION_SHIFT,
                frame: number,
            });
        }
    }
    let mut notes = Vec::new();
    names.extend(jit::names(arena, wanted, &mut notes)?);
    let functions = give(&mut frames, names);
    let keys = (0..).zip(keys);
    let without_table = keys.filter(|(_, key)| *key & NO_TABLE_BIT != 0);
    Ok(Frames {
        frames,
        without_table: without_table.map(|(frame, _)| frame).collect(),
        functions,
        notes,
    })
}

/// Gives the names to the frames; each name is one function.
fn give(frames: &mut [Frame], names: Vec<(FrameId, Rc<str>)>) -> Vec<String> {
    let mut functions = Vec::new();
    let mut known: HashMap<Rc<str>, FunctionId> = HashMap::new();
    for (frame, name) in names {
        let function = *known.entry(name).or_insert_with_key(|name| {
            functions.push(name.to_string());
            (functions.len() - 1) as FunctionId
        });
        frames[frame as usize].function = function;
    }
    functions
}
