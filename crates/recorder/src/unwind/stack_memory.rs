//! What of the memory of stacks may be read.
//!
//! A wrong rule, or a right one in a program that switched its stack to the very end
//! of a mapping, asks for words that are not there; and where the program handles the
//! overflow of a stack itself, below the interrupted frame there is nothing. Words are
//! certain in two places: in the page of a word that was read already, and on the
//! thread's own stack above a frame of it. The kernel is asked about all others.

use crate::sys;

pub const PAGE_BYTES: usize = 4096;

/// The part of a thread's own stack of which it is certain that it is mapped as long
/// as the thread runs.
#[derive(Clone, Copy)]
pub struct OwnStack {
    start: usize,
    end: usize,
    /// Nothing below is part of it, as far as is known.
    floor: usize,
}

/// The kernel keeps at least twice this below the main thread's stack free of
/// other mappings.
const MAIN_STACK_BYTES: usize = 64 << 20;

/// No thread of glibc has a smaller stack; it lies just below the thread's own
/// control block.
const LEAST_STACK_BYTES: usize = 16 << 10;

/// What is this far below is not asked about to find out how large the stack is.
const MOST_STACK_BYTES: usize = 16 << 20;

impl OwnStack {
    pub fn of_this_thread() -> OwnStack {
        let (end, bytes, floor) = if sys::tid() == sys::pid() {
            let end = sys::main_stack_end();
            (end, MAIN_STACK_BYTES, end)
        } else {
            let end = sys::thread_control_block();
            let floor = end.saturating_sub(MOST_STACK_BYTES);
            (end, LEAST_STACK_BYTES, floor)
        };
        OwnStack {
            start: end.saturating_sub(bytes),
            end,
            floor,
        }
    }

    #[inline(always)]
    pub fn contains(&self, address: usize) -> bool {
        (self.start..self.end).contains(&address)
    }

    /// Whether the word at `at` can be read, given a frame that begins at `sp`.
    #[inline(always)]
    pub fn is_there(&mut self, sp: usize, at: usize) -> bool {
        let is_near = at >= sp && (at ^ sp.wrapping_sub(8)) < PAGE_BYTES;
        at & 7 == 0 && (is_near || self.is_further_there(sp, at))
    }

    #[inline(never)]
    fn is_further_there(&mut self, sp: usize, at: usize) -> bool {
        if at < sp {
            return false;
        }
        if self.floor <= sp && sp < self.start {
            self.grow_down_to(sp);
        }
        (self.contains(sp) && self.contains(at)) || sys::is_readable(at)
    }

    /// The stack reaches down to `sp` at least, if there is no page in between that cannot
    /// be read: then something else begins there.
    #[cold]
    fn grow_down_to(&mut self, sp: usize) {
        let mut page = self.start & !(PAGE_BYTES - 1);
        while page > sp {
            if !sys::is_readable(page - PAGE_BYTES) {
                self.floor = page;
                return;
            }
            page -= PAGE_BYTES;
            self.start = page;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Readable, not readable, readable again.
    fn three_pages() -> usize {
        let how = [
            sys::PROT_READ | sys::PROT_WRITE,
            sys::MAP_PRIVATE | sys::MAP_ANONYMOUS,
            usize::MAX,
        ];
        // SAFETY: a new mapping, of which one page is taken away again.
        unsafe {
            let start = sys::map(core::ptr::null_mut(), 3 * PAGE_BYTES, how, 0).unwrap() as usize;
            sys::protect(start + PAGE_BYTES, PAGE_BYTES, 0).unwrap();
            start
        }
    }

    #[test]
    fn words_are_asked_for_where_they_are_not_certain() {
        let mut own = OwnStack::of_this_thread();
        let start = three_pages();
        let sp = start + PAGE_BYTES - 64;
        assert!(own.is_there(sp, sp));
        assert!(own.is_there(sp, start + PAGE_BYTES - 8));
        assert!(!own.is_there(sp, start + PAGE_BYTES));
        assert!(own.is_there(sp, start + 2 * PAGE_BYTES));
        // Below the frame, and not a whole word.
        assert!(!own.is_there(sp, sp - 8));
        assert!(!own.is_there(sp, sp + 4));
    }

    #[test]
    fn all_of_a_thread_s_own_stack_is_there() {
        let mut own = OwnStack::of_this_thread();
        let room = [0_u8; 64 << 10];
        let sp = (room.as_ptr() as usize).next_multiple_of(16);
        let first_word_above = sp + (60 << 10);
        assert!(own.is_there(sp, first_word_above));
        assert!(own.contains(sp), "the stack was found to reach there");
        core::hint::black_box(&room);
    }
}
