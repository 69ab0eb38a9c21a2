//! Calls that the program jumped out of.
//!
//! A program that handles the overflow of its stack may be inside the recorder when that
//! happens, and `siglongjmp` out of it; so may a handler of any other signal. The state of the
//! thread would be in use for ever. The call is over when the stack has been given back to
//! above it. But a handler on an alternate stack may stand above the call that it
//! interrupted, which goes on afterwards: from there a walk meets the signal.

use crate::sys;
use crate::unwind::rule::{Cursor, Rule};
use crate::unwind::rules;
use crate::unwind::stack_memory::OwnStack;

/// Frames that are walked before the answer is no.
const MOST_FRAMES: usize = 1 << 18;

/// Whether the call that entered the recorder with this stack pointer has been left without
/// returning.
#[cold]
pub fn is_left(stack_pointer: usize) -> bool {
    sys::stack_pointer() > stack_pointer && is_uninterrupted()
}

/// Whether this call stands on no signal handler; false where the root cannot be reached.
#[inline(never)]
fn is_uninterrupted() -> bool {
    let mut cursor = here();
    let mut own = OwnStack::of_this_thread();
    for _ in 0..MOST_FRAMES {
        let rule = rules::find(cursor.ip, cursor.exact, &mut 0).rule;
        if rule == Rule::SIGNAL {
            return false;
        }
        // SAFETY: the cursor stands in a live frame, and the rule is that of its address.
        if !unsafe { rule.advance(&mut cursor, &mut own) } {
            return rule == Rule::END;
        }
        if cursor.ip == 0 {
            return true;
        }
    }
    false
}

/// The frame this is inlined into.
#[inline(always)]
fn here() -> Cursor {
    let (sp, ip, bp);
    // SAFETY: reads registers.
    unsafe {
        core::arch::asm!(
            "mov {}, rsp",
            "mov {}, rbp",
            "lea {}, [rip]",
            out(reg) sp,
            out(reg) bp,
            out(reg) ip,
            options(nostack, nomem, preserves_flags),
        );
    }
    Cursor {
        sp,
        ip,
        bp,
        exact: true,
    }
}
