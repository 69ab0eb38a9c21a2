//! The last stack of a thread: its frames, root first, and how each is proven.

use super::deep::CutPath;
use super::proof::{Proof, are_there_together, unproven_after_runs};
use super::rule::{Cursor, Rule};
use super::stack_memory::OwnStack;
use crate::ledger::Record;
use crate::private::Block;

/// Frames that are kept; see `deep` for stacks with more.
pub const MOST_FRAMES: usize = 1 << 16;

/// Entries of the table by which a capture finds the frame to meet.
const MEETING_PLACES: usize = 2048;

/// Arrays of which entries are used together do not begin at the same place in their pages: they
/// would fight for the same sets of the cache.
const IPS_SHIFT: usize = 136;
const PROOFS_SHIFT: usize = 2240;

#[inline(always)]
pub(super) fn meeting_place(address: usize) -> usize {
    address / 8 % MEETING_PLACES
}

/// What is needed only when a step is taken again.
#[derive(Clone, Copy)]
#[repr(C)]
pub(super) struct Detail {
    pub bp: usize,
    pub rule: Rule,
    pub key: u64,
    pub node: u32,
    is_exact: bool,
    bp_is_live: bool,
    /// A frame pointer stood in for an unwind table, here or further towards the root.
    is_guessed: bool,
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
    /// Where each return address lies (sp - 8), and its value.
    pub(super) addresses: *mut usize,
    pub(super) ips: *mut usize,
    pub(super) proofs: *mut Proof,
    /// From (a part of) a return address's address to its frame.
    pub(super) places: *mut u16,
    pub(super) details: *mut Detail,
    fresh: *mut Fresh,
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
    /// What its arrays take of a block, and what of that is touched at once.
    pub const BYTES: usize = Block::bytes_of::<usize>(MOST_FRAMES)
        + Block::bytes_of::<usize>(MOST_FRAMES + IPS_SHIFT)
        + Block::bytes_of::<Proof>(MOST_FRAMES + PROOFS_SHIFT)
        + Block::bytes_of::<u16>(MEETING_PLACES)
        + Block::bytes_of::<Detail>(MOST_FRAMES)
        + Block::bytes_of::<Fresh>(MOST_FRAMES);
    pub const TOUCHED_BYTES: usize = 3 * 4096 + 2 * MEETING_PLACES + 2 * 8192;

    pub fn new(block: &mut Block) -> CachedStack {
        let ips = block.array::<usize>(MOST_FRAMES + IPS_SHIFT);
        let proofs = block.array::<Proof>(MOST_FRAMES + PROOFS_SHIFT);
        CachedStack {
            addresses: block.array(MOST_FRAMES),
            ips: ips.wrapping_add(IPS_SHIFT),
            proofs: proofs.wrapping_add(PROOFS_SHIFT),
            places: block.array(MEETING_PLACES),
            details: block.array(MOST_FRAMES),
            fresh: block.array(MOST_FRAMES),
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
        // SAFETY: indices are below `length`, or of frames just appended.
        unsafe { *self.addresses.add(index) }
    }

    #[inline(always)]
    fn ip(&self, index: usize) -> usize {
        debug_assert!(index < MOST_FRAMES);
        // SAFETY: as for `address`.
        unsafe { *self.ips.add(index) }
    }

    /// Whether a frame's return address is still where it was.
    ///
    /// # Safety
    /// The word must be readable.
    #[inline(always)]
    unsafe fn is_there(&self, index: usize) -> bool {
        // SAFETY: the caller vouches for the word.
        unsafe { (self.address(index) as *const usize).read() == self.ip(index) }
    }

    #[inline(always)]
    pub(super) fn proof(&mut self, index: usize) -> &mut Proof {
        debug_assert!(index < MOST_FRAMES);
        // SAFETY: as for `address`; a frame's proof is written before it is read.
        unsafe { &mut *self.proofs.add(index) }
    }

    #[inline(always)]
    pub(super) fn detail(&mut self, index: usize) -> &mut Detail {
        debug_assert!(index < MOST_FRAMES);
        // SAFETY: as for `address`.
        unsafe { &mut *self.details.add(index) }
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

    fn cursor(&mut self, index: usize) -> Cursor {
        let Detail { bp, is_exact, .. } = *self.detail(index);
        Cursor {
            sp: self.address(index) + 8,
            ip: self.ip(index),
            bp,
            exact: is_exact,
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

    /// Whether the cached frame is the one the cursor stands in.
    #[inline(always)]
    pub(super) fn meets(&mut self, index: usize, cursor: &Cursor) -> bool {
        if self.address(index) != cursor.sp - 8 || self.ip(index) != cursor.ip {
            return false;
        }
        let detail = self.detail(index);
        (!detail.bp_is_live || detail.bp == cursor.bp) && detail.is_exact == cursor.exact
    }

    /// Compares the callers of frame `met` with memory, from leaf to root.
    /// Returns the number of frames, counted from the root, that are *not*
    /// proven; zero when all are.
    ///
    /// Up to `top`, frames have return addresses: to `met`, or up to the frame before
    /// where a signal interrupted that one.
    ///
    /// # Safety
    /// Frame `met` must be a live frame of this thread.
    #[inline(always)]
    pub(super) unsafe fn verify(&mut self, met: usize, mut top: usize) -> usize {
        let mut below = met;
        loop {
            // SAFETY: all frames from `below` on are proven, and those up to `top` have
            // return addresses.
            unsafe {
                below = unproven_after_runs(self.addresses, self.ips, self.proofs, top, below);
                if below == 0 || !self.is_next_proven(below) {
                    return below;
                }
            }
            below -= 1;
            if *self.proof(below) == Proof::STEP_AGAIN {
                top = self.top(below);
            }
        }
    }

    /// The last frame up to `met` that has a return address just below its sp.
    #[inline(always)]
    pub(super) fn top(&mut self, met: usize) -> usize {
        // Nothing is compared beyond the root, so that there it does not matter.
        met.wrapping_sub(usize::from(self.detail(met).is_exact))
    }

    /// Proves the caller of frame `below`.
    ///
    /// # Safety
    /// Frame `below` must be proven.
    #[inline(always)]
    unsafe fn is_next_proven(&mut self, below: usize) -> bool {
        // SAFETY: unwinding would read the word now.
        unsafe {
            if self.proof(below - 1).is_run() {
                self.is_there(below - 1)
            } else {
                self.is_proven_otherwise(below)
            }
        }
    }

    /// Proves the caller of frame `below`, where that takes more than its return
    /// address.
    ///
    /// # Safety
    /// Frame `below` must be proven.
    unsafe fn is_proven_otherwise(&mut self, below: usize) -> bool {
        if *self.proof(below - 1) == Proof::BP_BELOW {
            let place = self.address(below - 1) - 8;
            let bp = self.detail(below - 1).bp;
            // SAFETY: unwinding would read both words now.
            return unsafe { self.is_there(below - 1) && (place as *const usize).read() == bp };
        }
        let (frame, rule) = (self.cursor(below), self.detail(below).rule);
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
            let Detail { rule, key, .. } = *self.detail(index);
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
        unsafe { self.verify(self.length - 1, self.length - 1) == 0 }
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
        let mut bp_is_live = kept > 0 && self.detail(kept - 1).bp_is_live;
        let mut is_guessed = kept > 0 && self.detail(kept - 1).is_guessed;
        for index in (0..self.fresh_length).rev() {
            let Fresh { cursor, rule, key } = self.fresh(index);
            if self.length > 0 {
                self.choose_proof(self.length - 1, cursor.sp - 8, rule, bp_is_live);
            }
            bp_is_live = rule.uses_bp() || (bp_is_live && !rule.loads_bp());
            is_guessed |= self.length > 0 && rule == Rule::FRAME_POINTER;
            let place = self.length;
            // SAFETY: `place` is below `MOST_FRAMES`.
            unsafe {
                *self.addresses.add(place) = cursor.sp - 8;
                *self.ips.add(place) = cursor.ip;
                *self.places.add(meeting_place(cursor.sp - 8)) = place as u16;
            }
            *self.detail(place) = Detail {
                bp: cursor.bp,
                rule,
                key,
                node: 0,
                is_exact: cursor.exact,
                bp_is_live,
                is_guessed,
            };
            self.length += 1;
        }
    }

    /// Whether a frame pointer stood in for an unwind table somewhere.
    pub(super) fn is_guessed(&mut self) -> bool {
        self.length > 0 && self.detail(self.length - 1).is_guessed
    }

    /// How frame `caller` will be proven, now that its callee is known: the place of its
    /// return address and its rule.
    fn choose_proof(&mut self, caller: usize, callee: usize, rule: Rule, bp_is_live: bool) {
        // Unwinding may have read beyond the end of a stack that the program made itself,
        // and that memory may have gone since: there the step asks.
        let may_be_gone = self.ending != Ending::Root
            && !are_there_together(callee, self.address(caller), &self.own);
        *self.proof(caller) = if may_be_gone || rule.reads_elsewhere() {
            Proof::STEP_AGAIN
        } else if !(bp_is_live && rule.loads_bp()) {
            self.plain_proof(caller)
        } else if rule.loads_bp_below_return_address() {
            Proof::BP_BELOW
        } else {
            Proof::STEP_AGAIN
        };
    }

    /// The proof of a frame whose return address is enough.
    fn plain_proof(&mut self, caller: usize) -> Proof {
        let before = caller
            .checked_sub(1)
            .map(|index| (*self.proof(index), self.address(index)));
        Proof::plain(self.address(caller), before, &self.own)
    }

    /// Whether a signal interrupted the leaf: it made no call.
    pub fn is_interrupted(&self) -> bool {
        // SAFETY: the frame is cached.
        self.length > 0 && unsafe { (*self.details.add(self.length - 1)).is_exact }
    }

    /// The return addresses of the cached stack, leaf first, and whether each was found by
    /// a frame pointer alone.
    pub fn frames_leaf_first(&self) -> impl Iterator<Item = (usize, bool)> + '_ {
        let mut is_guess = false;
        (0..self.length).rev().map(move |index| {
            // SAFETY: the frame is cached.
            let rule = unsafe { (*self.details.add(index)).rule };
            let was_guess = core::mem::replace(&mut is_guess, rule == Rule::FRAME_POINTER);
            (self.ip(index), was_guess)
        })
    }
}
