//! How cached frames are proven to be unchanged.
//!
//! Some frames are not proven by their return address alone:
//!
//! - bp is *live* in a frame when some caller's place is computed from it before it
//!   is loaded from memory again; then meeting the frame includes comparing bp.
//! - [`Proof::BP_BELOW`]: a live bp was loaded from just below the return address (a
//!   frame pointer): compare that word too.
//! - [`Proof::STEP_AGAIN`]: the frame was found by words in other places (a live bp
//!   saved elsewhere, a realigned stack, a signal): take the step again and compare.
//!
//! All others are compared eight at a time where that is safe without an order among
//! them: where their return addresses lie in one page of memory, which is there as
//! soon as the first may be read; or all on the thread's own stack, which is there
//! as long as the thread is. (A stack that the program made itself may have been
//! unmapped meanwhile and replaced by a shorter one.) A frame that a signal interrupted
//! has no return address below it, perhaps not even memory: none of the eight may be one. The loop is bound by its loads
//! and instructions, so it has one branch for eight frames and compares two in a
//! vector.

use super::stack_memory::{OwnStack, PAGE_BYTES};
use core::arch::x86_64::{
    __m128i, _mm_castpd_si128, _mm_cmpeq_epi8, _mm_load_sd, _mm_loadh_pd, _mm_loadu_si128,
    _mm_movemask_epi8, _mm_or_si128, _mm_setzero_si128, _mm_xor_si128,
};

/// Whether one of two words of a stack can be read whenever the other can.
pub fn are_there_together(one: usize, other: usize, own: &OwnStack) -> bool {
    one / PAGE_BYTES == other / PAGE_BYTES || (own.contains(one) && own.contains(other))
}

/// How a frame is proven once its callee is: by its return address alone, and then
/// this is how many frames from here towards the root, at most eight, are so proven
/// and safe to compare at once; or in one of the other two ways.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Proof(u8);

impl Proof {
    pub const STEP_AGAIN: Proof = Proof(0);
    const LONGEST_RUN: u8 = 8;
    pub const BP_BELOW: Proof = Proof(9);

    #[inline(always)]
    pub fn is_run(self) -> bool {
        self.0.wrapping_sub(1) < Proof::LONGEST_RUN
    }

    /// The same where only so many frames are left towards the root.
    pub fn of_at_most(self, frames: usize) -> Proof {
        match self.is_run() {
            true => Proof(frames.min(usize::from(self.0)) as u8),
            false => self,
        }
    }

    /// The proof of a frame whose return address is enough, at `address`; `before` is
    /// the next frame towards the root, its proof and the place of its return address.
    pub fn plain(address: usize, before: Option<(Proof, usize)>, own: &OwnStack) -> Proof {
        let Some((proof, place)) = before else {
            return Proof(1);
        };
        if proof.is_run() && are_there_together(address, place, own) {
            Proof((proof.0 + 1).min(Proof::LONGEST_RUN))
        } else {
            Proof(1)
        }
    }
}

/// Whether eight return addresses are still where they were.
///
/// # Safety
/// Both must point to eight words, and the words at the addresses must be readable.
#[inline(always)]
unsafe fn are_eight_there(addresses: *const usize, ips: *const usize) -> bool {
    // SAFETY: the caller vouches for all words.
    unsafe {
        // Two words in a vector (as floats, because those have the instructions).
        let difference = |first: usize| {
            let low = _mm_load_sd(*addresses.add(first) as *const f64);
            let both = _mm_loadh_pd(low, *addresses.add(first + 1) as *const f64);
            let ips = _mm_loadu_si128(ips.add(first).cast::<__m128i>());
            _mm_xor_si128(_mm_castpd_si128(both), ips)
        };
        let all = _mm_or_si128(
            _mm_or_si128(difference(0), difference(2)),
            _mm_or_si128(difference(4), difference(6)),
        );
        _mm_movemask_epi8(_mm_cmpeq_epi8(all, _mm_setzero_si128())) == 0xffff
    }
}

/// Verifies run after run, from frame `below` on towards the root, and returns the
/// frame whose caller is the first that is not proven so. A function of its own,
/// so that all of it stays in registers.
///
/// # Safety
/// The arrays must describe a cached stack in which all frames from `below` to `top` are
/// proven, and have return addresses that can be read.
#[inline(never)]
pub unsafe fn unproven_after_runs(
    addresses: *const usize,
    ips: *const usize,
    proofs: *const Proof,
    top: usize,
    mut below: usize,
) -> usize {
    while below > 0 {
        // SAFETY: unwinding would read the next word now, and the others of a run can be
        // read as well then. Where a run is shorter than eight, frames proven already
        // make up the number.
        unsafe {
            let proof = *proofs.add(below - 1);
            let from = below.wrapping_sub(proof.0 as usize);
            let is_possible = proof.is_run() && from + 7 <= top;
            if !is_possible || !are_eight_there(addresses.add(from), ips.add(from)) {
                break;
            }
            below = from;
        }
    }
    below
}
