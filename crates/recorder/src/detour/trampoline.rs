//! The page that a function's entry jumps to: a few words, then code.
//!
//! Each detour has a page of its own, so that it can be written while it is not yet
//! executable, and is never writable again.

use super::emit::Emitter;
use super::mapping::Mapping;
use super::move_code::{self, Entry};
use super::{Refusal, gate};
use crate::private;
use crate::sys;

const PAGE_BYTES: usize = 4096;

/// Offsets in the page. The words at the front say whose page it is.
const MARK_AT: usize = 0;
const ENTRY_AT: usize = 8;
const TAG_AT: usize = 16;
const GATE_AT: usize = 24;
const RETURN_AT: usize = 32;
const CODE_AT: usize = 64;
/// More than the longest displaced instructions and what is around them take.
const USED_BYTES: usize = 256;

const MARK: usize = usize::from_le_bytes(*b"residue\0");

/// How far from the entry a page may be. The jump reaches twice as far, which
/// leaves room for what the displaced instructions refer to.
const REACH_BYTES: usize = 1 << 30;
const STEP_BYTES: usize = 1 << 20;

pub struct Trampoline {
    page: *mut u8,
    /// Where the entry is to jump to.
    pub start: usize,
}

impl Trampoline {
    /// Unmaps a page that nothing jumps to.
    pub fn give_up(self) {
        // SAFETY: the page was made here, and no code leads to it.
        unsafe { sys::unmap(self.page, PAGE_BYTES) };
    }
}

/// The tag of the detour that the entry already has.
pub fn tag_of_detour(entry: &Entry<'_>) -> Option<usize> {
    let distance = entry.code.strip_prefix(&[0xe9])?.first_chunk()?;
    let distance = i32::from_le_bytes(*distance) as isize;
    let start = entry.address.wrapping_add(5).wrapping_add_signed(distance);
    let page = start.checked_sub(CODE_AT)?;
    if page % PAGE_BYTES != 0 || !Mapping::at(page)?.is_private_code() {
        return None;
    }
    // SAFETY: the page is mapped and readable, and its front is that of a trampoline
    // or of code, which are both but bytes.
    let word = |offset| unsafe { ((page + offset) as *const usize).read() };
    (word(MARK_AT) == MARK && word(ENTRY_AT) == entry.address).then(|| word(TAG_AT))
}

/// Makes the trampoline of an entry. Nothing leads there yet.
pub fn make(entry: &Entry<'_>, displaced: &[u8], tag: usize) -> Result<Trampoline, Refusal> {
    gate::prepare();
    let page = map_near(entry.address)?;
    let trampoline = Trampoline {
        page,
        start: page as usize + CODE_AT,
    };
    // SAFETY: the page is new, writable and nobody else's.
    let contents = unsafe { core::slice::from_raw_parts_mut(page, USED_BYTES) };
    let written = write(contents, page as usize, entry, displaced, tag).and_then(|()| {
        let protection = sys::PROT_READ | sys::PROT_EXEC;
        // SAFETY: nobody writes the page from here on.
        unsafe { sys::protect(page as usize, PAGE_BYTES, protection) }
            .map_err(|_| Refusal::NotAllowed)
    });
    if let Err(refusal) = written {
        trampoline.give_up();
        return Err(refusal);
    }
    private::account(PAGE_BYTES as i64);
    Ok(trampoline)
}

fn write(
    contents: &mut [u8],
    page: usize,
    entry: &Entry<'_>,
    displaced: &[u8],
    tag: usize,
) -> Result<(), Refusal> {
    let (words, code) = contents
        .split_at_mut_checked(CODE_AT)
        .ok_or(Refusal::Immovable)?;
    let mut code = Emitter::new(code, page + CODE_AT);
    code.with_target(&[0xff, 0x35], page + TAG_AT)?; // push [tag]
    code.with_target(&[0xff, 0x15], page + GATE_AT)?; // call [gate]
    code.bytes(&[0x48, 0x8d, 0x64, 0x24, 0x08])?; // lea rsp, [rsp + 8]
    let return_address =
        move_code::move_instructions(displaced, entry.address, &mut code, page + RETURN_AT)?;

    let words_written = [
        (MARK_AT, MARK),
        (ENTRY_AT, entry.address),
        (TAG_AT, tag),
        (GATE_AT, gate::gate as *const () as usize),
        (RETURN_AT, return_address.unwrap_or(0)),
    ];
    for (at, word) in words_written {
        let place = words.get_mut(at..at + size_of::<usize>());
        place
            .ok_or(Refusal::Immovable)?
            .copy_from_slice(&word.to_le_bytes());
    }
    Ok(())
}

/// A new page within reach, rather below the function: the room above a program is
/// where its heap grows.
fn map_near(address: usize) -> Result<*mut u8, Refusal> {
    let middle = address & !(PAGE_BYTES - 1);
    let distances = (1..=REACH_BYTES / STEP_BYTES).map(|step| step * STEP_BYTES);
    let below = distances.clone().filter_map(|far| middle.checked_sub(far));
    let above = distances.filter_map(|far| middle.checked_add(far));
    below
        .chain(above)
        .find_map(map_at)
        .ok_or(Refusal::NoRoomNearby)
}

fn map_at(wanted: usize) -> Option<*mut u8> {
    let flags = sys::MAP_PRIVATE | sys::MAP_ANONYMOUS | sys::MAP_FIXED_NOREPLACE;
    let how = [sys::PROT_READ | sys::PROT_WRITE, flags, usize::MAX];
    // SAFETY: a new mapping that replaces none disturbs nothing that exists.
    let page = unsafe { sys::map(wanted as *mut u8, PAGE_BYTES, how, 0) }.ok()?;
    if page as usize == wanted {
        return Some(page);
    }
    // Kernels before 4.17 take the address for a hint.
    // SAFETY: nobody has seen the page.
    unsafe { sys::unmap(page, PAGE_BYTES) };
    None
}
