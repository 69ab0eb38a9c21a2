//! Bytes of a stack that other threads freed and its own has not taken into account yet.
//! A directory of pages that are made when a stack of theirs first needs one: a word for
//! every stack there may be would take 128 MiB of address space.

use crate::hot;
use crate::private;
use core::sync::atomic::{AtomicPtr, AtomicU64, Ordering};
use residue_arena::node::STACK_LIMIT;

const PAGE_STACKS: usize = 4096;
const PAGES: usize = STACK_LIMIT as usize / PAGE_STACKS;

/// The pages; null where none of their stacks was needed.
pub type Directory = [AtomicPtr<Page>; PAGES];
pub type Page = [AtomicU64; PAGE_STACKS];

/// Called when the program gets its second thread. Without the table the peaks of stacks are
/// less tight; nothing else depends on it.
pub fn set_up() {
    if let Some(directory) = private::map_array(1, 4096) {
        hot::get().returned.store(directory, Ordering::Release);
    }
}

/// The word of a stack; `None` where nobody gave anything back.
#[inline]
pub fn of(stack: u32) -> Option<&'static AtomicU64> {
    // SAFETY: what is not null was mapped below and is never unmapped.
    unsafe { place(stack)?.load(Ordering::Acquire).as_ref() }.map(|page| word_in(page, stack))
}

/// The same, made if it is not there.
pub fn made(stack: u32) -> Option<&'static AtomicU64> {
    if let Some(word) = of(stack) {
        return Some(word);
    }
    let place = place(stack)?;
    let fresh = private::map_array::<Page>(1, size_of::<Page>())?;
    // Of two threads that make it at once one loses 32 KiB that it never touched.
    let first = place.compare_exchange(
        core::ptr::null_mut(),
        fresh,
        Ordering::AcqRel,
        Ordering::Acquire,
    );
    let page = match first {
        Ok(_) => fresh,
        Err(others) => others,
    };
    // SAFETY: as above.
    unsafe { page.as_ref() }.map(|page| word_in(page, stack))
}

#[inline]
fn place(stack: u32) -> Option<&'static AtomicPtr<Page>> {
    // SAFETY: as above.
    let directory = unsafe { hot::get().returned.load(Ordering::Acquire).as_ref() }?;
    Some(&directory[stack as usize / PAGE_STACKS % PAGES])
}

#[inline]
fn word_in(page: &'static Page, stack: u32) -> &'static AtomicU64 {
    &page[stack as usize % PAGE_STACKS]
}
