//! What a function's entry jumps to: a few words, then code, in a place of the shelf.

use super::emit::Emitter;
use super::move_code::{self, Entry};
use super::shelf::{self, CODE_AT, ENTRY_AT, PLACE_BYTES};
use super::{Refusal, Target, around, gate, registers};

/// Offsets of the other words in the place.
const TAG_AT: usize = 16;
const GATE_AT: usize = 24;
const RETURN_AT: usize = 32;
const ORIGINAL_AT: usize = 40;

/// The tag of the detour that the entry already has.
pub fn tag_of_detour(entry: &Entry<'_>) -> Option<usize> {
    let distance = entry.code.strip_prefix(&[0xe9])?.first_chunk()?;
    let distance = i32::from_le_bytes(*distance) as isize;
    let start = entry.address.wrapping_add(5).wrapping_add_signed(distance);
    let place = start.checked_sub(CODE_AT)?;
    if !shelf::belongs(place, entry.address) {
        return None;
    }
    // SAFETY: places stay mapped and readable for ever.
    Some(unsafe { ((place + TAG_AT) as *const usize).read() })
}

/// Makes the trampoline of an entry, and returns where the entry is to jump to.
/// Nothing leads there yet; if nothing ever does, the place is used again.
pub fn make(entry: &Entry<'_>, displaced: &[u8], target: Target) -> Result<usize, Refusal> {
    registers::prepare();
    let place = shelf::place_for(entry.address)?;
    let mut contents = [0; PLACE_BYTES];
    fill(&mut contents, place, entry, displaced, target)?;
    shelf::write(place, &contents)?;
    Ok(place + CODE_AT)
}

fn fill(
    contents: &mut [u8; PLACE_BYTES],
    place: usize,
    entry: &Entry<'_>,
    displaced: &[u8],
    target: Target,
) -> Result<(), Refusal> {
    let (words, code) = contents
        .split_at_mut_checked(CODE_AT)
        .ok_or(Refusal::Immovable)?;
    let mut code = Emitter::new(code, place + CODE_AT);
    const PUSH: [u8; 2] = [0xff, 0x35];
    const CALL: [u8; 2] = [0xff, 0x15];
    const JUMP: [u8; 2] = [0xff, 0x25];
    let gate = match target {
        Target::Hook(_) => {
            code.with_target(&PUSH, place + TAG_AT)?;
            code.with_target(&CALL, place + GATE_AT)?;
            code.bytes(&[0x48, 0x8d, 0x64, 0x24, 0x08])?; // lea rsp, [rsp + 8]
            gate::gate as *const ()
        }
        Target::Around(_) => {
            code.with_target(&PUSH, place + ORIGINAL_AT)?;
            code.with_target(&PUSH, place + TAG_AT)?;
            code.with_target(&JUMP, place + GATE_AT)?;
            around::gate as *const ()
        }
    };
    let original = code.address();
    let return_address =
        move_code::move_instructions(displaced, entry.address, &mut code, place + RETURN_AT)?;

    let words_written = [
        (ENTRY_AT, entry.address),
        (TAG_AT, target.tag()),
        (GATE_AT, gate as usize),
        (RETURN_AT, return_address.unwrap_or(0)),
        (ORIGINAL_AT, original),
    ];
    for (at, word) in words_written {
        let place = words.get_mut(at..at + size_of::<usize>());
        place
            .ok_or(Refusal::Immovable)?
            .copy_from_slice(&word.to_le_bytes());
    }
    Ok(())
}
