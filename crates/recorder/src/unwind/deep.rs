//! Stacks with more frames than are kept. Of those towards the root it is only known how many
//! they are, and half of what could be kept is: so the next few thousand frames that come
//! or go cost little. Their paths have the side of the leaf alone, which is proven like any
//! other; the depth only tells where it begins.

use super::cached::{CachedStack, MOST_FRAMES};
use super::rule::Cursor;
use super::rules;

const KEPT_OF_DEEPER: usize = MOST_FRAMES / 2;

/// The path behind the left-out middle of a deep stack.
#[derive(Clone, Copy, Default)]
pub(super) struct CutPath {
    /// The node that stands for the middle, and the depth at which the path goes on.
    pub node: u32,
    pub from: usize,
    /// Frames up to here have their nodes.
    pub noded: usize,
}

impl CachedStack {
    /// Whether the frames that are kept do not suffice for the path of a stack that once was
    /// deeper than all that can be kept.
    pub(super) fn lacks_frames(&self, max_depth: usize) -> bool {
        let depth = self.missing + self.length;
        self.missing > 0 && (depth <= MOST_FRAMES || self.length < max_depth - max_depth / 2)
    }

    /// Goes on to the root without keeping anything; returns how many frames that were, with
    /// the one that the cursor stands in.
    ///
    /// # Safety
    /// As for [`Rule::advance`], the rule being looked up.
    #[cold]
    pub(super) unsafe fn count_frames(&mut self, mut cursor: Cursor, misses: &mut u64) -> usize {
        let mut frames = 1;
        loop {
            let rule = rules::find(cursor.ip, cursor.exact, misses).rule;
            // SAFETY: handed on to the caller.
            if !unsafe { self.advance(rule, &mut cursor) } {
                return frames;
            }
            frames += 1;
        }
    }

    /// Makes room by letting frames on the side of the root go, of the first `kept` cached ones
    /// and then of the fresh ones. Returns how many of the cached stay.
    #[cold]
    pub(super) fn let_go(&mut self, kept: usize) -> usize {
        let gone = kept + self.fresh_length - KEPT_OF_DEEPER;
        self.missing += gone;
        self.forget_nodes();
        let Some(staying) = kept.checked_sub(gone) else {
            self.fresh_length -= gone - kept;
            return 0;
        };
        // SAFETY: all frames up to `kept` are cached, and the arrays are longer.
        unsafe { self.frames.copy_from(self.frames.from(gone), staying, true) };
        for index in 0..staying {
            let proof = &mut self.frames.detail_mut(index).proof;
            // The frame at the root has no caller whose place would tell bp.
            *proof = proof.of_at_most(index + usize::from(proof.is_plain()));
            self.note_place(self.address(index), index);
        }
        staying
    }
}
