//! Whether a compiler can know which registers a function leaves alone.
//!
//! It can where it sees all that the function may call, and then callers may keep values in
//! registers that functions are free to destroy. A call through a pointer, or into another
//! module, may destroy them all: what reaches one, on any path, is relied upon by nobody.

use super::decode::{Flow, decode};
use super::mapping::Mapping;

/// Functions that are looked at, and how much of each.
const MOST_FUNCTIONS: usize = 48;
const MOST_BYTES: usize = 4096;

/// Whether the function reaches a call whose target is not known to its compiler. False where
/// none is found.
pub fn calls_unknown(function: usize, mapping: &Mapping) -> bool {
    let mut functions = [0; MOST_FUNCTIONS];
    functions[0] = function;
    let (mut count, mut next) = (1, 0);
    while let Some(&address) = functions.get(next).filter(|_| next < count) {
        next += 1;
        let found = look(address, mapping, |target| {
            let known = functions.get(..count).unwrap_or(&[]);
            if !known.contains(&target)
                && mapping.holds(target)
                && let Some(place) = functions.get_mut(count)
            {
                *place = target;
                count += 1;
            }
        });
        if found {
            return true;
        }
    }
    false
}

/// Goes through one function, as far as it can be told; true where it calls the unknown.
fn look(address: usize, mapping: &Mapping, mut calls: impl FnMut(usize)) -> bool {
    let bytes = MOST_BYTES.min(mapping.end - address);
    // SAFETY: the mapping is readable up to its end, and is code, which stays as it is.
    let code = unsafe { core::slice::from_raw_parts(address as *const u8, bytes) };
    let (mut offset, mut furthest_target) = (0_usize, 0_usize);
    while let Some(rest) = code.get(offset..)
        && let Some(instruction) = decode(rest)
    {
        let target = |to: isize| offset.checked_add_signed(to);
        match instruction.flow {
            Flow::IndirectCall { .. } => return true,
            // Of a stub that leads to another module.
            Flow::Stop if is_jump_through_table(rest) => return true,
            Flow::Call(to) => calls(address.wrapping_add(offset).wrapping_add_signed(to)),
            Flow::Jump(to) | Flow::Branch { to, .. } | Flow::OddBranch(to) => match target(to) {
                Some(inside) if inside < bytes => furthest_target = furthest_target.max(inside),
                // A call in place of the return.
                _ => calls(address.wrapping_add(offset).wrapping_add_signed(to)),
            },
            Flow::Next | Flow::Stop => {}
        }
        offset = offset.wrapping_add(instruction.length);
        let ends = matches!(instruction.flow, Flow::Stop | Flow::Jump(_));
        if ends && offset > furthest_target {
            return false;
        }
    }
    false
}

/// `jmp [rip + distance]`, perhaps behind a prefix: jumps of a `switch` are of another form.
fn is_jump_through_table(code: &[u8]) -> bool {
    matches!(code, [0xff, 0x25, ..] | [0xf2 | 0x3e, 0xff, 0x25, ..])
}

#[cfg(test)]
#[path = "clobbers_tests.rs"]
mod tests;
