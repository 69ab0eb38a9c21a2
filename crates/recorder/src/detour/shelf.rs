//! The pages in which trampolines stand, near the functions they are for.
//!
//! ```text
//!   page   0     next page
//!          256   place: whose entry leads here, then what trampolines are made of
//!          512   place: ...
//! ```
//!
//! A program that loads a plugin again and again needs no more of them than one that
//! loads it once: a place is used again when its function is, or when no code leads to
//! it any more. Pages outlive a fork, and so does the list of them. All of this is done
//! under the lock that `install` holds.

use super::Refusal;
use super::emit::{self, JUMP_BYTES};
use super::mapping::Mapping;
use crate::private;
use crate::sys;
use core::sync::atomic::{AtomicUsize, Ordering};

const PAGE_BYTES: usize = 4096;
/// More than the longest displaced instructions and what is around them take.
pub const PLACE_BYTES: usize = 256;
/// In a place: the function's entry, zero where the place is free; and where the entry
/// jumps to.
pub const ENTRY_AT: usize = 0;
const FREE: usize = 0;
pub const CODE_AT: usize = 64;

/// How far from the entry a page may be. The jump reaches twice as far, which
/// leaves room for what the displaced instructions refer to.
const REACH_BYTES: usize = 1 << 30;
const STEP_BYTES: usize = 1 << 20;

/// The last page that was made, and how many there are.
static LAST_PAGE: AtomicUsize = AtomicUsize::new(0);
static PAGES: AtomicUsize = AtomicUsize::new(0);
/// With so many pages it is time to look for places that nothing leads to.
static NEXT_SWEEP_PAGES: AtomicUsize = AtomicUsize::new(LEAST_SWEEP_PAGES);
const LEAST_SWEEP_PAGES: usize = 4;

/// Places that are ready and to which no code leads yet, so that they look as if their function were
/// gone.
static AWAIT_A_JUMP: AtomicUsize = AtomicUsize::new(0);

pub fn awaits_a_jump() {
    AWAIT_A_JUMP.fetch_add(1, Ordering::Relaxed);
}

/// The jump is there, or will never be.
pub fn no_longer_awaits_a_jump() {
    AWAIT_A_JUMP.fetch_sub(1, Ordering::Relaxed);
}

/// A word of the shelf.
fn word(address: usize) -> usize {
    // SAFETY: pages of the shelf stay mapped and readable for ever.
    unsafe { (address as *const usize).read() }
}

fn pages() -> impl Iterator<Item = usize> {
    let mut at = LAST_PAGE.load(Ordering::Acquire);
    core::iter::from_fn(move || {
        let page = at;
        if page == 0 {
            return None;
        }
        at = word(page);
        Some(page)
    })
}

fn places() -> impl Iterator<Item = usize> {
    pages().flat_map(places_of)
}

fn places_of(page: usize) -> impl Iterator<Item = usize> {
    (1..PAGE_BYTES / PLACE_BYTES).map(move |number| page + number * PLACE_BYTES)
}

/// Whether `place` is one, and belongs to the function at `entry`.
pub fn belongs(place: usize, entry: usize) -> bool {
    let page = place & !(PAGE_BYTES - 1);
    place.is_multiple_of(PLACE_BYTES)
        && place != page
        && pages().any(|known| known == page)
        && word(place + ENTRY_AT) == entry
}

/// A place for the function at `entry`, to which no code leads: the one it had before
/// its module went and came back, if there is one.
pub fn place_for(entry: usize) -> Result<usize, Refusal> {
    let near = |owner| {
        places()
            .find(|&place| word(place + ENTRY_AT) == owner && place.abs_diff(entry) <= REACH_BYTES)
    };
    if let Some(place) = near(entry).or_else(|| near(FREE)) {
        return Ok(place);
    }
    if PAGES.load(Ordering::Relaxed) >= NEXT_SWEEP_PAGES.load(Ordering::Relaxed) {
        sweep();
        if let Some(place) = near(FREE) {
            return Ok(place);
        }
    }
    match add_page(entry) {
        Err(Refusal::NoRoomNearby) => sweep(),
        added => added?,
    }
    near(FREE).ok_or(Refusal::NoRoomNearby)
}

/// Frees the places whose functions are gone.
pub(super) fn sweep() {
    if AWAIT_A_JUMP.load(Ordering::Relaxed) != 0 {
        return;
    }
    let mut places_in_use = 0;
    for page in pages() {
        for place in places_of(page).filter(|place| word(place + ENTRY_AT) != FREE) {
            match is_led_to(place) {
                true => places_in_use += 1,
                // A page that cannot be written keeps its places, no more.
                false => drop(write(place, &[0; PLACE_BYTES])),
            }
        }
    }
    let pages_in_use = places_in_use * PLACE_BYTES / PAGE_BYTES;
    let next = (2 * pages_in_use).max(LEAST_SWEEP_PAGES);
    // Half full pages out of reach of each other must not make every detour a sweep.
    let next = next.max(PAGES.load(Ordering::Relaxed) + LEAST_SWEEP_PAGES);
    NEXT_SWEEP_PAGES.store(next, Ordering::Relaxed);
}

/// Whether its function still jumps there. Modules neither come nor go meanwhile: the
/// dynamic linker has called, or the program has not begun.
fn is_led_to(place: usize) -> bool {
    let entry = word(place + ENTRY_AT);
    if !sys::is_mapped(entry) {
        return false;
    }
    // What cannot be known is in use.
    let is_readable = Mapping::at(entry).is_some_and(|mapping| {
        mapping.protection & sys::PROT_READ != 0 && mapping.end - entry >= JUMP_BYTES
    });
    let Ok([_, distance @ ..]) = emit::jump_bytes(entry, place + CODE_AT) else {
        return true;
    };
    if !is_readable {
        return true;
    }
    // A debugger may have put a breakpoint over the first byte.
    // SAFETY: the bytes are mapped and readable.
    unsafe { ((entry + 1) as *const [u8; 4]).read() == distance }
}

/// Fills a place to which no code leads, while others on its page may be in use.
pub fn write(place: usize, contents: &[u8; PLACE_BYTES]) -> Result<(), Refusal> {
    // SAFETY: places stay mapped and readable.
    if unsafe { &*(place as *const [u8; PLACE_BYTES]) } == contents {
        return Ok(());
    }
    let page = place & !(PAGE_BYTES - 1);
    let allow = |protection| {
        // SAFETY: a page of the shelf, whose code stays executable.
        unsafe { sys::protect(page, PAGE_BYTES, protection) }.map_err(|_| Refusal::NotAllowed)
    };
    let executable = sys::PROT_READ | sys::PROT_EXEC;
    allow(executable | sys::PROT_WRITE)?;
    // SAFETY: the page is writable for the moment, and nobody runs or reads the place.
    unsafe { (place as *mut [u8; PLACE_BYTES]).write(*contents) };
    allow(executable)?;
    // A processor may have run there what stood there before.
    sys::refetch_code_everywhere();
    Ok(())
}

/// A new page within reach, rather below the function: the room above a program is
/// where its heap grows.
fn add_page(entry: usize) -> Result<(), Refusal> {
    let middle = entry & !(PAGE_BYTES - 1);
    let distances = (1..REACH_BYTES / STEP_BYTES).map(|step| step * STEP_BYTES);
    let below = distances.clone().filter_map(|far| middle.checked_sub(far));
    let above = distances.filter_map(|far| middle.checked_add(far));
    let page = below
        .chain(above)
        .find_map(map_at)
        .ok_or(Refusal::NoRoomNearby)?;
    // SAFETY: the page is new, writable and nobody else's.
    unsafe { (page as *mut usize).write(LAST_PAGE.load(Ordering::Relaxed)) };
    // SAFETY: as above; from here on it is written by `write` alone.
    let protected = unsafe { sys::protect(page, PAGE_BYTES, sys::PROT_READ | sys::PROT_EXEC) };
    if protected.is_err() {
        // SAFETY: nobody has seen the page.
        unsafe { sys::unmap(page as *mut u8, PAGE_BYTES) };
        return Err(Refusal::NotAllowed);
    }
    LAST_PAGE.store(page, Ordering::Release);
    PAGES.fetch_add(1, Ordering::Relaxed);
    private::account(PAGE_BYTES as i64);
    Ok(())
}

fn map_at(wanted: usize) -> Option<usize> {
    let flags = sys::MAP_PRIVATE | sys::MAP_ANONYMOUS | sys::MAP_FIXED_NOREPLACE;
    let how = [sys::PROT_READ | sys::PROT_WRITE, flags, usize::MAX];
    // SAFETY: a new mapping that replaces none disturbs nothing that exists.
    let page = unsafe { sys::map(wanted as *mut u8, PAGE_BYTES, how, 0) }.ok()?;
    if page as usize == wanted {
        return Some(wanted);
    }
    // Kernels before 4.17 take the address for a hint.
    // SAFETY: nobody has seen the page.
    unsafe { sys::unmap(page, PAGE_BYTES) };
    None
}
