//! The frames of a stack, root first, in arrays: what is compared at every allocation apart from
//! what is needed only where the stack changes.

use super::proof::Proof;
use crate::private::Block;

/// Arrays of which entries are used together do not begin at the same place in their pages: they
/// would fight for the same sets of the cache.
const SHIFT: usize = 136;

/// What is needed only where the stack changes. (A frame's rule and key are found again.)
#[derive(Clone, Copy)]
#[repr(C)]
pub struct Detail {
    pub node: u32,
    /// How the frame is proven when its callee is.
    pub proof: Proof,
    flags: u8,
    /// How many words below the return address a live bp was loaded from; zero: not from there.
    pub bp_words_below: u8,
}

const _: () = assert!(size_of::<Detail>() == 8);

impl Detail {
    const IS_EXACT: u8 = 1;
    const BP_IS_LIVE: u8 = 2;
    const IS_GUESSED: u8 = 4;

    pub fn new(is_exact: bool, bp_is_live: bool, is_guessed: bool) -> Detail {
        let flag = |is_set: bool, flag: u8| if is_set { flag } else { 0 };
        Detail {
            node: 0,
            proof: Proof::STEP_AGAIN,
            flags: flag(is_exact, Detail::IS_EXACT)
                | flag(bp_is_live, Detail::BP_IS_LIVE)
                | flag(is_guessed, Detail::IS_GUESSED),
            bp_words_below: 0,
        }
    }

    /// A signal interrupted the frame: its address is no return address.
    #[inline(always)]
    pub fn is_exact(self) -> bool {
        self.flags & Detail::IS_EXACT != 0
    }

    #[inline(always)]
    pub fn bp_is_live(self) -> bool {
        self.flags & Detail::BP_IS_LIVE != 0
    }

    /// A frame pointer stood in for an unwind table, here or further towards the root.
    #[inline(always)]
    pub fn is_guessed(self) -> bool {
        self.flags & Detail::IS_GUESSED != 0
    }
}

/// Handles on the arrays, wherever they lie. Whoever makes them sees to it that indices
/// are inside.
#[derive(Clone, Copy)]
pub struct Frames {
    /// Where each return address lies (sp - 8), and its value.
    pub addresses: *mut usize,
    pub ips: *mut usize,
    pub details: *mut Detail,
    pub bps: *mut usize,
}

impl Frames {
    /// What arrays for so many frames take of a block.
    pub const fn bytes(count: usize) -> usize {
        Block::bytes_of::<usize>(count)
            + Block::bytes_of::<usize>(count + SHIFT)
            + Block::bytes_of::<Detail>(count + 2 * SHIFT)
            + Block::bytes_of::<usize>(count + 3 * SHIFT)
    }

    pub fn new(block: &mut Block, count: usize) -> Frames {
        Frames {
            addresses: block.array(count),
            ips: block.array::<usize>(count + SHIFT).wrapping_add(SHIFT),
            details: block
                .array::<Detail>(count + 2 * SHIFT)
                .wrapping_add(2 * SHIFT),
            bps: block
                .array::<usize>(count + 3 * SHIFT)
                .wrapping_add(3 * SHIFT),
        }
    }

    #[inline(always)]
    pub fn address(self, index: usize) -> usize {
        // SAFETY: see the type.
        unsafe { *self.addresses.add(index) }
    }

    #[inline(always)]
    pub fn ip(self, index: usize) -> usize {
        // SAFETY: see the type.
        unsafe { *self.ips.add(index) }
    }

    #[inline(always)]
    pub fn bp(self, index: usize) -> usize {
        // SAFETY: see the type.
        unsafe { *self.bps.add(index) }
    }

    #[inline(always)]
    pub fn detail(self, index: usize) -> Detail {
        // SAFETY: see the type.
        unsafe { *self.details.add(index) }
    }

    #[inline(always)]
    pub fn detail_mut(&mut self, index: usize) -> &mut Detail {
        // SAFETY: see the type; whoever changes details is the only user of the arrays.
        unsafe { &mut *self.details.add(index) }
    }

    /// The same from another frame on.
    pub fn from(self, index: usize) -> Frames {
        Frames {
            addresses: self.addresses.wrapping_add(index),
            ips: self.ips.wrapping_add(index),
            details: self.details.wrapping_add(index),
            bps: self.bps.wrapping_add(index),
        }
    }

    /// Copies so many frames from others, which may overlap.
    ///
    /// # Safety
    /// All arrays must have as many, but for those of bp where there are none.
    pub unsafe fn copy_from(self, others: Frames, count: usize, with_bps: bool) {
        // SAFETY: handed on to the caller.
        unsafe {
            self.addresses.copy_from(others.addresses, count);
            self.ips.copy_from(others.ips, count);
            self.details.copy_from(others.details, count);
            if with_bps {
                self.bps.copy_from(others.bps, count);
            }
        }
    }
}
