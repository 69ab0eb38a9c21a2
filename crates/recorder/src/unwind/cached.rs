//! The last stack of a thread: its frames, root first, and how each is proven.

use super::deep::CutPath;
use super::frames::{Detail, Frames};
use super::proof::{Proof, are_there_together, unproven};
use super::rule::{Cursor, Rule};
use super::rules::{self, Found};
use super::segments::Segments;
use super::stack_memory::OwnStack;
use crate::dynamic;
use crate::ledger::Record;
use crate::private::Block;

/// Frames that are kept; see `deep` for stacks with more.
pub const MOST_FRAMES: usize = 1 << 16;

/// Entries of the table by which a capture finds the frame to meet.
const MEETING_PLACES: usize = 2048;

#[inline(always)]
fn meeting_place(address: usize) -> usize {
    address / 8 % MEETING_PLACES
}

/// A frame that was just unwound, not yet part of the cached stack.
#[derive(Clone, Copy)]
#[repr(C)]
struct Fresh {
    cursor: Cursor,
    rule: Rule,
    key: u64,
}

/// The last stack of one thread.
pub struct CachedStack {
    pub(super) frames: Frames,
    /// From (a part of) a return address's address to its frame.
    places: *mut u16,
    fresh: *mut Fresh,
    pub(super) segments: Segments,
    /// The path of the stack that was the cached one before.
    pub(super) path_before: u32,
    /// Cached frames.
    pub(super) length: usize,
    /// Frames of a deeper stack that are not kept, towards the root.
    pub(super) missing: usize,
    /// Frames, from the root, whose trie node is known.
    pub(super) noded: usize,
    pub(super) cut: CutPath,
    pub(super) fresh_length: usize,
    pub(super) code_epoch: u32,
    own: OwnStack,
    pub(super) ending: Ending,
    /// What the ledger knows of exactly this stack; `None` once it changes.
    pub leaf: Option<Leaf>,
}

/// How unwinding came to its end.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Ending {
    /// The unwind table says that the frame has no caller.
    Root,
    /// At a return address of zero, as many stacks begin that a program made itself.
    Null,
    /// No rule, or memory that is not there.
    Early,
}

/// The stack id and the record that belong to the cached stack.
#[derive(Clone, Copy)]
pub struct Leaf {
    pub stack: u32,
    pub record: Record,
}

impl CachedStack {
    /// What its arrays take of a block where there are so many threads before, and what of that is
    /// touched at once.
    pub const fn bytes(threads: usize) -> usize {
        Frames::bytes(MOST_FRAMES)
            + Block::bytes_of::<u16>(MEETING_PLACES)
            + Block::bytes_of::<Fresh>(MOST_FRAMES)
            + Segments::bytes(threads)
    }

    pub const TOUCHED_BYTES: usize =
        3 * 4096 + 2 * MEETING_PLACES + 2 * 8192 + Segments::TOUCHED_BYTES;

    pub fn new(block: &mut Block, threads: usize) -> CachedStack {
        CachedStack {
            frames: Frames::new(block, MOST_FRAMES),
            places: block.array(MEETING_PLACES),
            fresh: block.array(MOST_FRAMES),
            segments: Segments::new(block, threads),
            path_before: 0,
            length: 0,
            missing: 0,
            noded: 0,
            cut: CutPath::default(),
            fresh_length: 0,
            code_epoch: 0,
            own: OwnStack::of_this_thread(),
            ending: Ending::Root,
            leaf: None,
        }
    }

    /// The stack of the thread that has this.
    pub fn own(&self) -> OwnStack {
        self.own
    }

    /// Another thread takes over.
    pub fn change_owner(&mut self) {
        self.own = OwnStack::of_this_thread();
        self.forget();
    }

    pub fn forget(&mut self) {
        self.length = 0;
        self.missing = 0;
        self.segments.forget();
        self.forget_nodes();
    }

    /// The frames stay, but stand for other paths from now on.
    pub fn forget_nodes(&mut self) {
        self.noded = 0;
        self.cut.noded = 0;
        self.leaf = None;
    }

    #[inline(always)]
    pub(super) fn address(&self, index: usize) -> usize {
        debug_assert!(index < MOST_FRAMES);
        self.frames.address(index)
    }

    #[inline(always)]
    pub(super) fn ip(&self, index: usize) -> usize {
        debug_assert!(index < MOST_FRAMES);
        self.frames.ip(index)
    }

    #[inline(always)]
    pub(super) fn detail(&self, index: usize) -> Detail {
        debug_assert!(index < MOST_FRAMES);
        self.frames.detail(index)
    }

    #[inline(always)]
    fn fresh(&self, index: usize) -> Fresh {
        debug_assert!(index < self.fresh_length);
        // SAFETY: below `fresh_length`, which never exceeds the array.
        unsafe { *self.fresh.add(index) }
    }

    /// False when there is no room for it any more.
    #[inline(always)]
    pub(super) fn push_fresh(&mut self, cursor: Cursor, rule: Rule, key: u64) -> bool {
        if self.fresh_length >= MOST_FRAMES {
            return false;
        }
        // SAFETY: checked just above.
        unsafe {
            *self.fresh.add(self.fresh_length) = Fresh { cursor, rule, key };
        }
        self.fresh_length += 1;
        true
    }

    /// Moves to the caller of a frame; false at the end of the stack.
    ///
    /// # Safety
    /// As for [`Rule::advance`].
    #[inline(always)]
    pub(super) unsafe fn advance(&mut self, rule: Rule, cursor: &mut Cursor) -> bool {
        // SAFETY: handed on to the caller.
        if unsafe { rule.advance(cursor, &mut self.own) } {
            if cursor.ip == 0 {
                self.ending = Ending::Null;
            }
            return cursor.ip != 0;
        }
        self.ending = match rule {
            Rule::END => Ending::Root,
            _ => Ending::Early,
        };
        false
    }

    /// The rule and the key of a cached frame.
    pub(super) fn found(&self, index: usize) -> Found {
        rules::find(self.ip(index), self.detail(index).is_exact(), &mut 0)
    }

    /// The key of a cached frame; those of the frames that were unwound last are known.
    #[inline(always)]
    pub(super) fn key(&self, index: usize) -> u64 {
        match self.length - 1 - index {
            fresh if fresh < self.fresh_length => self.fresh(fresh).key,
            _ => self.found(index).key,
        }
    }

    fn cursor(&self, index: usize) -> Cursor {
        Cursor {
            sp: self.address(index) + 8,
            ip: self.ip(index),
            bp: self.frames.bp(index),
            exact: self.detail(index).is_exact(),
        }
    }

    /// The cached frame whose return address lies at `address`, if there is one, else
    /// any: a guess by a small table, without searching. A wrong guess costs a few
    /// more frames to unwind.
    #[inline(always)]
    pub(super) fn index_at(&self, address: usize) -> usize {
        // SAFETY: the place is below `MEETING_PLACES`.
        usize::from(unsafe { *self.places.add(meeting_place(address)) })
    }

    #[inline(always)]
    pub(super) fn note_place(&mut self, address: usize, index: usize) {
        // SAFETY: the place is below `MEETING_PLACES`.
        unsafe { *self.places.add(meeting_place(address)) = index as u16 };
    }

    /// Whether the cached frame is the one the cursor stands in.
    #[inline(always)]
    pub(super) fn meets(&self, index: usize, cursor: &Cursor) -> bool {
        if self.address(index) != cursor.sp - 8 || self.ip(index) != cursor.ip {
            return false;
        }
        let detail = self.detail(index);
        let has_bp = !detail.bp_is_live() || self.frames.bp(index) == cursor.bp;
        has_bp && detail.is_exact() == cursor.exact
    }

    /// Compares the callers of frame `met` with memory, from leaf to root.
    /// Returns the number of frames, counted from the root, that are *not*
    /// proven; zero when all are.
    ///
    /// # Safety
    /// Frame `met` must be a live frame of this thread.
    #[inline(always)]
    pub(super) unsafe fn verify(&mut self, met: usize) -> usize {
        let mut below = met;
        loop {
            // SAFETY: all frames from `below` on are proven.
            unsafe {
                below = unproven(&self.frames, below);
                if below == 0 || !self.is_found_again(below) {
                    return below;
                }
            }
            below -= 1;
        }
    }

    /// Proves the caller of frame `below` by taking the step again, where that is its proof;
    /// false where words were compared in vain.
    ///
    /// # Safety
    /// Frame `below` must be proven.
    unsafe fn is_found_again(&mut self, below: usize) -> bool {
        if self.detail(below - 1).proof != Proof::STEP_AGAIN {
            return false;
        }
        let (frame, rule) = (self.cursor(below), self.found(below).rule);
        // SAFETY: frame `below` is proven, and the rule belongs to its address.
        unsafe { rule.step(&frame, &mut self.own) }
            .is_some_and(|caller| self.meets(below - 1, &caller))
    }

    /// Takes the cached frames from `met` to `last` for fresh ones, because the caller
    /// of the last is another now, and returns that caller, `None` at the end of the
    /// stack. Where there is no room, it goes on with the first that finds none.
    ///
    /// # Safety
    /// The cursor must stand in frame `met`, and the frames must be proven.
    #[cold]
    pub(super) unsafe fn push_proven(
        &mut self,
        met: usize,
        last: usize,
        mut cursor: Cursor,
    ) -> Option<Cursor> {
        for index in (last..=met).rev() {
            let Found { rule, key } = self.found(index);
            if !self.push_fresh(cursor, rule, key) {
                break;
            }
            // SAFETY: the frame was proven and the rule is that of its address.
            if !unsafe { self.advance(rule, &mut cursor) } {
                return None;
            }
        }
        Some(cursor)
    }

    /// Whether the stack whose leaf is at the cursor is the cached one, unchanged:
    /// the common case, a call site that allocates again.
    ///
    /// # Safety
    /// `leaf` must be a live frame of this thread, all of whose callers are live.
    #[inline(always)]
    pub(super) unsafe fn is_unchanged(&mut self, leaf: &Cursor) -> bool {
        if self.length == 0 || !self.meets(self.length - 1, leaf) {
            return false;
        }
        // SAFETY: the last cached frame is the leaf, which is live.
        unsafe { self.verify(self.length - 1) == 0 }
    }

    /// Keeps the first `kept` cached frames and puts the fresh ones on top.
    pub(super) fn join(&mut self, mut kept: usize) {
        self.leaf = None;
        if kept + self.fresh_length > MOST_FRAMES {
            kept = self.let_go(kept);
        }
        self.length = kept;
        self.noded = self.noded.min(kept);
        self.cut.noded = self.cut.noded.min(kept);
        let joint = kept.checked_sub(1).map(|joint| self.detail(joint));
        let mut bp_is_live = joint.is_some_and(Detail::bp_is_live);
        let mut is_guessed = joint.is_some_and(Detail::is_guessed);
        for index in (0..self.fresh_length).rev() {
            let Fresh { cursor, rule, .. } = self.fresh(index);
            if self.length > 0 {
                self.choose_proof(self.length - 1, &cursor, rule, bp_is_live);
            }
            bp_is_live = rule.uses_bp() || (bp_is_live && !rule.loads_bp());
            is_guessed |= self.length > 0 && rule == Rule::FRAME_POINTER;
            let place = self.length;
            // SAFETY: `place` is below `MOST_FRAMES`.
            unsafe {
                *self.frames.addresses.add(place) = cursor.sp - 8;
                *self.frames.ips.add(place) = cursor.ip;
                *self.frames.bps.add(place) = cursor.bp;
            }
            *self.frames.detail_mut(place) = Detail::new(cursor.exact, bp_is_live, is_guessed);
            self.note_place(cursor.sp - 8, place);
            self.length += 1;
        }
    }

    /// Whether a frame pointer stood in for an unwind table somewhere.
    pub(super) fn is_guessed(&self) -> bool {
        self.length > 0 && self.detail(self.length - 1).is_guessed()
    }

    /// How frame `caller` will be proven, now that its callee and the rule of that are known.
    fn choose_proof(&mut self, caller: usize, callee: &Cursor, rule: Rule, bp_is_live: bool) {
        // Unwinding may have read beyond the end of a stack that the program made itself,
        // and that memory may have gone since: there the step asks.
        let may_be_gone = self.ending != Ending::Root
            && !are_there_together(callee.sp - 8, self.address(caller), &self.own);
        let (proof, bp_words_below) = if may_be_gone || rule.reads_elsewhere() {
            (Proof::STEP_AGAIN, 0)
        } else if !(bp_is_live && rule.loads_bp()) {
            let before = caller
                .checked_sub(1)
                .map(|before| self.detail(before).proof);
            (Proof::plain(before), 0)
        } else {
            match rule.words_from_bp_to_return_address() {
                Some(1) if self.points_to_callers_bp(caller) => {
                    (Proof::framed(self.detail(caller - 1).proof), 1)
                }
                // Of a frame that was interrupted it may lie below sp.
                Some(words) if !callee.exact => (Proof::BP_SAVED, words),
                _ => (Proof::STEP_AGAIN, 0),
            }
        };
        let detail = self.frames.detail_mut(caller);
        detail.proof = proof;
        detail.bp_words_below = bp_words_below;
    }

    /// Whether a frame's bp points to just below the return address of its own caller.
    fn points_to_callers_bp(&self, index: usize) -> bool {
        index > 0 && self.frames.bp(index) == self.address(index - 1) - 8
    }

    /// Whether a signal interrupted the leaf: it made no call.
    pub fn is_interrupted(&self) -> bool {
        self.length > 0 && self.detail(self.length - 1).is_exact()
    }

    /// The return addresses of the cached stack, leaf first.
    pub fn frames_leaf_first(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.length).rev().map(|index| self.ip(index))
    }

    /// Whether the caller of the frame with this number, counted from the leaf, was found without an
    /// unwind table.
    pub fn lacks_table(&self, from_leaf: usize) -> bool {
        (self.length - 1)
            .checked_sub(from_leaf)
            .is_some_and(|index| {
                self.found(index).rule == Rule::FRAME_POINTER
                    || dynamic::runs_with_module(self.ip(index)).is_some()
            })
    }
}
