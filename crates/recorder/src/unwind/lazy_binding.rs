//! The caller of a function that is being bound: the dynamic linker's trampoline finds its
//! frame through rbx, which is not followed from frame to frame. But what it calls saves rbx
//! just below, and the way into the trampoline is always the same:
//!
//! ```text
//!   cfa - 8            return address, in the module that called the function
//!   cfa - 16           number of the relocation
//!   cfa - 24           that module's record, pushed by its procedure linkage table
//!   cfa - offset       where rbx points to; below lie the registers that are saved
//!   ...
//!   sp                 the trampoline's frame
//!   less than sp       rbx, saved by what the trampoline called
//! ```
//!
//! A word that points to such a place is no accident.

use super::stack_memory::OwnStack;
use crate::modules;

/// More than any processor's registers take.
const MOST_SAVED_BYTES: usize = 16 << 10;
/// What the function that is called saves its registers in.
const CALLEE_BYTES: usize = 512;
const MOST_RELOCATIONS: usize = 1 << 24;

/// The cfa of the trampoline's frame at `sp`, which is `offset` above what rbx points to.
pub fn cfa(sp: usize, offset: usize, own: &mut OwnStack) -> Option<usize> {
    let bottom = sp.saturating_sub(CALLEE_BYTES);
    let mut word = |at: usize| {
        // SAFETY: the word is there.
        own.is_there(bottom, at)
            .then(|| unsafe { (at as *const usize).read() })
    };
    (bottom..sp).step_by(8).rev().find_map(|at| {
        let bx = word(at)?;
        if bx.wrapping_sub(sp) >= MOST_SAVED_BYTES {
            return None;
        }
        let cfa = bx.wrapping_add(offset);
        let (record, relocation, return_address) =
            (word(cfa - 24)?, word(cfa - 16)?, word(cfa - 8)?);
        let is_record = record != 0 && modules::link_map_of(return_address) as usize == record;
        (is_record && relocation < MOST_RELOCATIONS).then_some(cfa)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of the registers that are saved beside rbx, one pointed to a byte on the stack: nothing behind it
    /// was looked at any more.
    #[test]
    fn words_that_lead_nowhere_are_passed_over() {
        const OFFSET: usize = 24;
        let caller = words_that_lead_nowhere_are_passed_over as *const () as usize;
        let mut stack = [0_usize; 128];
        let start = stack.as_ptr() as usize;
        let (sp, bx) = (start + 8 * 64, start + 8 * 80);
        let cfa_at = 80 + OFFSET / 8;
        stack[cfa_at - 3] = modules::link_map_of(caller) as usize;
        stack[cfa_at - 2] = 7;
        stack[cfa_at - 1] = caller;
        let mut own = OwnStack::of_this_thread();
        assert_eq!(cfa(sp, OFFSET, &mut own), None, "rbx is not there yet");
        for (rbx_at, others) in [(63, None), (60, Some(sp + 5)), (40, Some(usize::MAX - 3))] {
            stack[..64].fill(others.unwrap_or(0));
            stack[rbx_at] = bx;
            core::hint::black_box(&stack);
            assert_eq!(cfa(sp, OFFSET, &mut own), Some(start + 8 * cfa_at));
        }
    }
}
