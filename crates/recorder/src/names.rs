//! Names that the program gives: of stamps, counters, scopes and snapshots.
//!
//! A private open table from a name's hash to its number; the text is in the arena.
//! Names are few and found again without a lock.

use crate::arena_map::Arena;
use crate::hot;
use crate::private;
use core::ffi::{CStr, c_char};
use core::sync::atomic::{AtomicU64, Ordering};
use residue_arena::moments::MOST_NAMES;
use residue_arena::region::{self, Region};
use residue_arena::tables::text;

const SLOTS: usize = 2 * MOST_NAMES as usize;
/// Longer names are cut.
const MOST_BYTES: usize = 255;

/// The name a program passed; empty where it passed none.
///
/// # Safety
/// `name` must be null or the start of a text that ends in a zero byte.
pub unsafe fn bytes_of<'a>(name: *const c_char) -> &'a [u8] {
    if name.is_null() {
        return b"";
    }
    // SAFETY: the caller vouches for it.
    let bytes = unsafe { CStr::from_ptr(name) }.to_bytes();
    bytes.get(..MOST_BYTES).unwrap_or(bytes)
}

fn hash(name: &[u8]) -> u64 {
    name.iter().fold(0xCBF2_9CE4_8422_2325, |hash, &byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3)
    })
}

/// The number of a name, given out at its first use; `None` when there is no room.
pub fn number(arena: Arena, name: &[u8]) -> Option<u32> {
    let hash = hash(name);
    let table = table()?;
    if let Ok(found) = find(arena, table, hash, name) {
        return Some(found);
    }
    let _held = hot::get().names_lock.lock();
    let slot = match find(arena, table, hash, name) {
        Ok(found) => return Some(found),
        Err(slot) => slot?,
    };
    let number = arena.append(Region::Names)?;
    let place = arena.item(Region::Names, number).cast::<AtomicU64>();
    // SAFETY: the item was just appended, and names are aligned words.
    unsafe { (*place).store(arena.append_text(name), Ordering::Release) };
    slot.store(hash >> 32 << 32 | (number + 1), Ordering::Release);
    u32::try_from(number).ok()
}

/// The number of a name, or the slot for it; `Err(None)` when the table is full.
fn find(
    arena: Arena,
    table: &'static [AtomicU64],
    hash: u64,
    name: &[u8],
) -> Result<u32, Option<&'static AtomicU64>> {
    for step in 0..SLOTS {
        let Some(slot) = table.get((hash as usize).wrapping_add(step) % SLOTS) else {
            return Err(None);
        };
        let value = slot.load(Ordering::Acquire);
        if value == 0 {
            return Err(Some(slot));
        }
        let number = (value as u32).wrapping_sub(1);
        if value >> 32 == hash >> 32 && text_of(arena, number) == Some(name) {
            return Ok(number);
        }
    }
    Err(None)
}

/// The text of a name.
pub fn text_of(arena: Arena, number: u32) -> Option<&'static [u8]> {
    if u64::from(number) >= arena.get(Region::Names.word(region::USED)) {
        return None;
    }
    let place = arena
        .item(Region::Names, u64::from(number))
        .cast::<AtomicU64>();
    // SAFETY: the number is below those handed out, and names are aligned words.
    let reference = unsafe { (*place).load(Ordering::Acquire) };
    let (offset, length) = text::unpack(reference);
    // SAFETY: the reference came from `append_text`; texts are never changed.
    Some(unsafe {
        core::slice::from_raw_parts(arena.item(Region::Strings, offset), length as usize)
    })
}

fn table() -> Option<&'static [AtomicU64]> {
    let place = &hot::get().names;
    let mut table = place.load(Ordering::Acquire);
    if table.is_null() {
        let _held = hot::get().names_lock.lock();
        table = place.load(Ordering::Acquire);
        if table.is_null() {
            table = private::map_array::<AtomicU64>(SLOTS, 4096)?.cast();
            place.store(table, Ordering::Release);
        }
    }
    // SAFETY: the table has `SLOTS` words and is never unmapped.
    Some(unsafe { core::slice::from_raw_parts(table.cast(), SLOTS) })
}
