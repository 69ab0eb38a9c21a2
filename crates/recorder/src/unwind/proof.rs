//! How cached frames are proven to be unchanged.
//!
//! The words that unwinding read are compared, from leaf to root, each only after all before
//! it were equal: so none is read that unwinding would not read now. Mostly these are the
//! return addresses alone:
//!
//! - bp is *live* in a frame when some caller's place is computed from it before it
//!   is loaded from memory again; then meeting the frame includes comparing bp.
//! - [`Proof::is_framed`]: a live bp was loaded from just below the return address and points
//!   to where the caller's lies, as in code with frame pointers: compare that word too. What
//!   it must be is known without asking what bp was.
//! - [`Proof::BP_SAVED`]: a live bp was loaded from somewhere else in the callee's frame, or points
//!   elsewhere.
//! - [`Proof::STEP_AGAIN`]: the frame was found by words in other places (a realigned stack, a
//!   signal): take the step again and compare.
//!
//! Frames of the first two kinds stand in runs, and a run is compared in one loop: three loads
//! and a branch a frame, which no frame waits for another to come from.

use super::frames::Frames;
use super::stack_memory::{OwnStack, PAGE_BYTES};

/// Whether one of two words of a stack can be read whenever the other can.
pub fn are_there_together(one: usize, other: usize, own: &OwnStack) -> bool {
    one / PAGE_BYTES == other / PAGE_BYTES || (own.contains(one) && own.contains(other))
}

/// How a frame is proven once its callee is: by its return address alone, or that and a frame
/// pointer, and then this is how many frames from here towards the root are so proven;
/// or in one of the other two ways.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Proof(u16);

impl Proof {
    pub const STEP_AGAIN: Proof = Proof(0);
    pub const BP_SAVED: Proof = Proof(Proof::FRAMED);
    const FRAMED: u16 = 1 << 15;
    const LONGEST_RUN: u16 = Proof::FRAMED - 1;

    #[inline(always)]
    fn frames(self) -> usize {
        usize::from(self.0 & Proof::LONGEST_RUN)
    }

    #[inline(always)]
    pub fn is_framed(self) -> bool {
        self.0 > Proof::FRAMED
    }

    /// Whether the frame is proven by its return address alone.
    #[inline(always)]
    pub fn is_plain(self) -> bool {
        self.0.wrapping_sub(1) < Proof::LONGEST_RUN
    }

    /// The same where only so many frames may be proven so.
    #[inline(always)]
    pub fn of_at_most(self, frames: usize) -> Proof {
        Proof(self.0 & Proof::FRAMED | frames.min(self.frames()) as u16)
    }

    /// The proof of the frame that is the `frames`-th of a piece which stands on a frame with the
    /// proof `below`: a run of the whole piece goes on there.
    #[inline(always)]
    pub fn standing_on(self, frames: usize, below: Option<Proof>) -> Proof {
        let goes_on = |below: &Proof| match self.is_framed() {
            true => below.is_framed(),
            false => below.is_plain(),
        };
        match below.filter(goes_on) {
            Some(below) if self.frames() == frames => {
                let longer = (frames + below.frames()).min(usize::from(Proof::LONGEST_RUN));
                Proof(self.0 & Proof::FRAMED | longer as u16)
            }
            _ => self,
        }
    }

    /// The proof of a frame whose return address is enough; `before` is that of the next frame
    /// towards the root.
    pub fn plain(before: Option<Proof>) -> Proof {
        Proof(match before {
            Some(before) if before.is_plain() => (before.0 + 1).min(Proof::LONGEST_RUN),
            _ => 1,
        })
    }

    /// The same for a frame with a frame pointer.
    pub fn framed(before: Proof) -> Proof {
        Proof(match before.is_framed() {
            true => before.0.saturating_add(1),
            false => Proof::FRAMED + 1,
        })
    }
}

/// Whether the word at `place` is another one.
///
/// # Safety
/// The word must be readable.
#[inline(always)]
unsafe fn differs(place: usize, value: usize) -> bool {
    // Volatile: none may be read before the ones before it were found equal.
    // SAFETY: the caller vouches for the word.
    unsafe { (place as *const usize).read_volatile() != value }
}

/// Compares the run of frames proven by their return addresses that ends before `below`, and
/// returns the frame whose caller is the first that differs, or where the run begins.
///
/// # Safety
/// As for [`unproven`].
#[inline(always)]
unsafe fn unproven_in_plain_run(frames: Frames, mut below: usize, end: usize) -> usize {
    // SAFETY: the caller vouches for the frames from `end` on; unwinding would read each word now.
    unsafe {
        let differs_at =
            |below: usize, up: usize| differs(frames.address(below - up), frames.ip(below - up));
        while below - end >= 8 {
            if differs_at(below, 1)
                || differs_at(below, 2)
                || differs_at(below, 3)
                || differs_at(below, 4)
                || differs_at(below, 5)
                || differs_at(below, 6)
                || differs_at(below, 7)
                || differs_at(below, 8)
            {
                break;
            }
            below -= 8;
        }
        while below > end && !differs_at(below, 1) {
            below -= 1;
        }
    }
    below
}

/// The same for frames with frame pointers.
///
/// # Safety
/// As for [`unproven`].
#[inline(always)]
unsafe fn unproven_in_framed_run(frames: Frames, mut below: usize, end: usize) -> usize {
    // SAFETY: as above; the frame at `end` has a caller.
    unsafe {
        while below > end {
            let place = frames.address(below - 1);
            let callers_bp = frames.address(below - 2) - 8;
            if differs(place - 8, callers_bp) || differs(place, frames.ip(below - 1)) {
                break;
            }
            below -= 1;
        }
    }
    below
}

/// Verifies by comparing words, from frame `below` on towards the root, and returns the
/// frame whose caller is the first that is not proven so. A function of its own,
/// so that all of it stays in registers.
///
/// # Safety
/// The frames must be those of a stack, of which frame `below` is proven.
#[inline(never)]
pub unsafe fn unproven(frames: &Frames, mut below: usize) -> usize {
    let frames = *frames;
    while below > 0 {
        let proof = frames.detail(below - 1).proof;
        let end = below - proof.frames();
        // SAFETY: unwinding would read the next word now.
        unsafe {
            if proof.is_plain() {
                below = unproven_in_plain_run(frames, below, end);
            } else if proof.is_framed() {
                below = unproven_in_framed_run(frames, below, end);
            } else if proof == Proof::BP_SAVED && is_proven_with_bp(frames, below - 1) {
                below -= 1;
                continue;
            } else {
                break;
            }
        }
        if below > end {
            break;
        }
    }
    below
}

/// Whether a frame's return address and the bp that was loaded with it are still there.
///
/// # Safety
/// As for [`unproven`].
#[inline(always)]
unsafe fn is_proven_with_bp(frames: Frames, index: usize) -> bool {
    let place = frames.address(index);
    let bp_place = place - 8 * usize::from(frames.detail(index).bp_words_below);
    // SAFETY: unwinding would read both words now; the second lies in the callee's frame.
    unsafe { !differs(bp_place, frames.bp(index)) && !differs(place, frames.ip(index)) }
}

#[cfg(test)]
#[path = "proof_tests.rs"]
mod tests;
