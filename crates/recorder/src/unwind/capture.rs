//! Verified incremental unwinding.
//!
//! A thread keeps its last stack, root first. A new capture unwinds by rule from
//! the leaf until it meets a cached frame with the same sp, ip (and bp, where it
//! matters). From there it does not unwind but verifies: every return address
//! slot of the cached parents still holds the cached value. Unwinding is a
//! deterministic function of the words it reads, so if they are unchanged, so is
//! the rest of the stack. And because the words are compared from leaf to root,
//! each only after all before it were equal, nothing is read that unwinding
//! would not read.
//!
//! ```text
//!    cached:   main  run  loop  fill  insert  new        (root first)
//!    now:      main  run  loop  drain  erase             unwound: erase, drain
//!                           ^ met here: verify run, main by comparing words
//! ```
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
//! All others are compared eight at a time where their return addresses lie in one
//! page of memory: they need no order among them, because the page is there as
//! soon as the first may be read. The loop is bound by the number of instructions
//! a frame, so it has one branch for eight frames and compares two in a vector.

use super::rule::{Cursor, Rule};
use super::rules;
use crate::arena_map::{Arena, bump};
use crate::hot;
use crate::ledger::Record;
use crate::private;
use crate::thread::Thread;
use crate::trie::{Nodes, RecentChildren};
use core::arch::x86_64::{
    __m128i, _mm_castpd_si128, _mm_cmpeq_epi8, _mm_load_sd, _mm_loadh_pd, _mm_loadu_si128,
    _mm_movemask_epi8, _mm_or_si128, _mm_setzero_si128, _mm_xor_si128,
};
use core::sync::atomic::Ordering;
use residue_arena::node;
use residue_arena::tables::thread as stat;

/// Frames that can be unwound at all; deeper stacks lose their root side.
pub const MOST_FRAMES: usize = 1 << 16;

const PAGE_BYTES: usize = 4096;

/// Entries of the table by which a capture finds the frame to meet.
const MEETING_PLACES: usize = 2048;

#[inline(always)]
fn meeting_place(address: usize) -> usize {
    address / 8 % MEETING_PLACES
}

/// How a frame is proven once its callee is: by its return address alone, and then
/// this is how many frames from here towards the root, at most eight, are so proven
/// and have their return addresses in one page of memory; or in one of the other
/// two ways.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Proof(u8);

impl Proof {
    const STEP_AGAIN: Proof = Proof(0);
    const LONGEST_RUN: u8 = 8;
    const BP_BELOW: Proof = Proof(9);

    #[inline(always)]
    fn is_run(self) -> bool {
        self.0.wrapping_sub(1) < Proof::LONGEST_RUN
    }
}

/// What is needed only when a step is taken again.
#[derive(Clone, Copy)]
#[repr(C)]
struct Detail {
    bp: usize,
    rule: Rule,
    key: u64,
    node: u32,
    is_exact: bool,
    bp_is_live: bool,
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
/// The arrays must describe a cached stack in which all frames from `below` to `met`
/// are proven.
#[inline(never)]
unsafe fn unproven_after_runs(
    addresses: *const usize,
    ips: *const usize,
    proofs: *const Proof,
    met: usize,
    mut below: usize,
) -> usize {
    while below > 0 {
        // SAFETY: unwinding would read the next word now, and a run's words are in its
        // page. Where a run is shorter than eight, frames proven already make up the
        // number.
        unsafe {
            let proof = *proofs.add(below - 1);
            let from = below.wrapping_sub(proof.0 as usize);
            let is_possible = proof.is_run() && from + 7 <= met;
            if !is_possible || !are_eight_there(addresses.add(from), ips.add(from)) {
                break;
            }
            below = from;
        }
    }
    below
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
    addresses: *mut usize,
    ips: *mut usize,
    proofs: *mut Proof,
    /// From (a part of) a return address's address to its frame.
    places: *mut u16,
    details: *mut Detail,
    fresh: *mut Fresh,
    /// Cached frames.
    length: usize,
    /// Frames, from the root, whose trie node is known.
    noded: usize,
    fresh_length: usize,
    code_epoch: u32,
    /// What the ledger knows of exactly this stack; `None` once it changes.
    pub leaf: Option<Leaf>,
}

/// The stack id and the record that belong to the cached stack.
#[derive(Clone, Copy)]
pub struct Leaf {
    pub stack: u32,
    pub record: Record,
}

impl CachedStack {
    pub fn new() -> Option<CachedStack> {
        Some(CachedStack {
            addresses: private::map_array(MOST_FRAMES, 4096)?,
            // Not at the same place in their pages: entries used together would fight
            // for the same sets of the cache.
            ips: private::map_array::<usize>(MOST_FRAMES + 512, 4096)?.wrapping_add(136),
            proofs: private::map_array::<Proof>(MOST_FRAMES + 4096, 4096)?.wrapping_add(2240),
            places: private::map_array(MEETING_PLACES, 2 * MEETING_PLACES)?,
            details: private::map_array(MOST_FRAMES, 8192)?,
            fresh: private::map_array(MOST_FRAMES, 8192)?,
            length: 0,
            noded: 0,
            fresh_length: 0,
            code_epoch: 0,
            leaf: None,
        })
    }

    pub fn forget(&mut self) {
        self.length = 0;
        self.noded = 0;
        self.leaf = None;
    }

    #[inline(always)]
    fn address(&self, index: usize) -> usize {
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
    fn proof(&mut self, index: usize) -> &mut Proof {
        debug_assert!(index < MOST_FRAMES);
        // SAFETY: as for `address`; a frame's proof is written before it is read.
        unsafe { &mut *self.proofs.add(index) }
    }

    #[inline(always)]
    fn detail(&mut self, index: usize) -> &mut Detail {
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

    /// False when the stack is deeper than can be unwound.
    #[inline(always)]
    fn push_fresh(&mut self, cursor: Cursor, rule: Rule, key: u64) -> bool {
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
    fn index_at(&self, address: usize) -> usize {
        // SAFETY: the place is below `MEETING_PLACES`.
        usize::from(unsafe { *self.places.add(meeting_place(address)) })
    }

    /// Whether the cached frame is the one the cursor stands in.
    #[inline(always)]
    fn meets(&mut self, index: usize, cursor: &Cursor) -> bool {
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
    /// # Safety
    /// Frame `met` must be a live frame of this thread.
    #[inline(always)]
    unsafe fn verify(&mut self, met: usize) -> usize {
        let mut below = met;
        loop {
            // SAFETY: all frames from `below` on are proven.
            unsafe {
                below = unproven_after_runs(self.addresses, self.ips, self.proofs, met, below);
                if below == 0 || !self.is_next_proven(below) {
                    return below;
                }
            }
            below -= 1;
        }
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
        unsafe { rule.step(&frame) }.is_some_and(|caller| self.meets(below - 1, &caller))
    }

    /// Brings the cached stack up to date with the frame at `leaf` and returns
    /// how many frames were unwound and how many rules were missing; `None` when
    /// the stack is too deep.
    ///
    /// # Safety
    /// `leaf` must be a live frame of this thread, all of whose callers are live.
    unsafe fn update(&mut self, leaf: Cursor) -> Option<(u64, u64)> {
        let mut cursor = leaf;
        let mut misses = 0;
        // Cached frames from here on are known not to be part of the stack any more.
        let mut candidates = self.length;
        self.fresh_length = 0;
        loop {
            let met = self.index_at(cursor.sp - 8);
            if met < candidates && self.meets(met, &cursor) {
                self.detail(met).bp = cursor.bp;
                // SAFETY: the cursor is live, and the met frame is the same frame.
                let unproven = unsafe { self.verify(met) };
                if unproven == 0 {
                    return self
                        .join(met + 1)
                        .then_some((self.fresh_length as u64, misses));
                }
                // SAFETY: as above; frames from `met` to `unproven` are proven.
                let moved = unsafe { self.push_proven(met, unproven, cursor)? };
                let Some(caller) = moved else {
                    break;
                };
                cursor = caller;
                candidates = unproven;
                continue;
            }
            let found = rules::find(cursor.ip, cursor.exact, &mut misses);
            if !self.push_fresh(cursor, found.rule, found.key) {
                return None;
            }
            // SAFETY: the cursor is a live frame and the rule is that of its address.
            if !unsafe { found.rule.advance(&mut cursor) } || cursor.ip == 0 {
                break;
            }
        }
        self.join(0).then_some((self.fresh_length as u64, misses))
    }

    /// Takes the cached frames from `met` to `last` for fresh ones, because the caller
    /// of the last is another now, and returns that caller, `None` at the end of the
    /// stack; `None` outside when it is too deep.
    ///
    /// # Safety
    /// The cursor must stand in frame `met`, and the frames must be proven.
    #[cold]
    unsafe fn push_proven(
        &mut self,
        met: usize,
        last: usize,
        mut cursor: Cursor,
    ) -> Option<Option<Cursor>> {
        for index in (last..=met).rev() {
            let Detail { rule, key, .. } = *self.detail(index);
            if !self.push_fresh(cursor, rule, key) {
                return None;
            }
            // SAFETY: the frame was proven and the rule is that of its address.
            if !unsafe { rule.advance(&mut cursor) } || cursor.ip == 0 {
                return Some(None);
            }
        }
        Some(Some(cursor))
    }

    /// Whether the stack whose leaf is at the cursor is the cached one, unchanged:
    /// the common case, a call site that allocates again.
    ///
    /// # Safety
    /// `leaf` must be a live frame of this thread, all of whose callers are live.
    #[inline(always)]
    unsafe fn is_unchanged(&mut self, leaf: &Cursor) -> bool {
        if self.length == 0 || !self.meets(self.length - 1, leaf) {
            return false;
        }
        // SAFETY: the last cached frame is the leaf, which is live.
        unsafe { self.verify(self.length - 1) == 0 }
    }

    /// Keeps the first `kept` cached frames and puts the fresh ones on top; false
    /// when they are too many together.
    fn join(&mut self, kept: usize) -> bool {
        self.leaf = None;
        if kept + self.fresh_length > MOST_FRAMES {
            return false;
        }
        self.length = kept;
        self.noded = self.noded.min(kept);
        let mut bp_is_live = kept > 0 && self.detail(kept - 1).bp_is_live;
        for index in (0..self.fresh_length).rev() {
            let Fresh { cursor, rule, key } = self.fresh(index);
            if self.length > 0 {
                self.choose_proof(self.length - 1, rule, bp_is_live);
            }
            bp_is_live = rule.uses_bp() || (bp_is_live && !rule.loads_bp());
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
            };
            self.length += 1;
        }
        true
    }

    /// How frame `caller` will be proven, now that the rule of its callee is known.
    fn choose_proof(&mut self, caller: usize, rule: Rule, bp_is_live: bool) {
        *self.proof(caller) = if rule.reads_elsewhere() {
            Proof::STEP_AGAIN
        } else if !(bp_is_live && rule.loads_bp()) {
            self.run_to(caller)
        } else if rule.loads_bp_below_return_address() {
            Proof::BP_BELOW
        } else {
            Proof::STEP_AGAIN
        };
    }

    /// The run that ends, towards the leaf, with frame `last`.
    fn run_to(&mut self, last: usize) -> Proof {
        if last == 0 {
            return Proof(1);
        }
        let before = *self.proof(last - 1);
        let is_same_page = self.address(last - 1) / PAGE_BYTES == self.address(last) / PAGE_BYTES;
        if before.is_run() && is_same_page {
            Proof((before.0 + 1).min(Proof::LONGEST_RUN))
        } else {
            Proof(1)
        }
    }

    /// The trie node of the cached stack.
    fn node(
        &mut self,
        arena: Arena,
        recent: &RecentChildren,
        max_depth: usize,
    ) -> Option<(u32, bool)> {
        let nodes = Nodes::new(arena);
        let is_cut = self.length > max_depth;
        let from_root = if is_cut { max_depth / 2 } else { self.length };
        let mut at = match self.noded.min(from_root) {
            0 => node::ROOT,
            known => self.detail(known - 1).node,
        };
        for index in self.noded.min(from_root)..from_root {
            at = nodes.child(recent, at, self.detail(index).key)?;
            self.detail(index).node = at;
            self.noded = index + 1;
        }
        if is_cut {
            at = nodes.child(recent, at, node::CUT_KEY)?;
            for index in self.length - (max_depth - from_root)..self.length {
                at = nodes.child(recent, at, self.detail(index).key)?;
            }
        }
        Some((at, is_cut))
    }

    /// The return addresses of the cached stack, leaf first.
    pub fn ips_leaf_first(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.length).rev().map(|index| self.ip(index))
    }
}

/// Brings the thread's cached stack up to date with the call whose return address
/// lies at `return_slot`; `bp` is the register at that moment. True when it was
/// up to date already.
///
/// # Safety
/// `return_slot` must be the place of a return address on the stack this thread
/// runs on, of a call that has not returned.
#[inline(always)]
pub unsafe fn is_same_stack(thread: &mut Thread, return_slot: *const usize, bp: usize) -> bool {
    let epoch = hot::get().code_epoch.load(Ordering::Acquire);
    // SAFETY: the caller vouches for the leaf and with it for its callers.
    thread.stack.code_epoch == epoch && unsafe { thread.stack.is_unchanged(&leaf(return_slot, bp)) }
}

/// # Safety
/// As for [`is_same_stack`].
#[inline(always)]
unsafe fn leaf(return_slot: *const usize, bp: usize) -> Cursor {
    Cursor {
        sp: return_slot as usize + 8,
        // SAFETY: the caller vouches for the slot.
        ip: unsafe { return_slot.read() },
        bp,
        exact: false,
    }
}

/// Captures a stack that is not the cached one. Returns its trie node, `None`
/// where it could not be kept.
///
/// # Safety
/// As for [`is_same_stack`].
#[inline(never)]
pub unsafe fn capture(
    thread: &mut Thread,
    arena: Arena,
    return_slot: *const usize,
    bp: usize,
) -> Option<u32> {
    let hot = hot::get();
    bump(&thread.stats[stat::UNWOUND_STACKS], 1);
    let epoch = hot.code_epoch.load(Ordering::Acquire);
    if thread.stack.code_epoch != epoch {
        thread.stack.code_epoch = epoch;
        thread.stack.forget();
    }
    // SAFETY: the caller vouches for the leaf and with it for its callers.
    let Some((unwound, misses)) = (unsafe { thread.stack.update(leaf(return_slot, bp)) }) else {
        thread.stack.forget();
        return None;
    };
    if unwound != 0 {
        bump(&thread.stats[stat::FRAMES_UNWOUND], unwound);
        bump(&thread.stats[stat::RULE_MISSES], misses);
    }
    let max_depth = hot.max_depth.load(Ordering::Relaxed) as usize;
    let (node, is_cut) = thread
        .stack
        .node(arena, &thread.recent_children, max_depth)?;
    if is_cut {
        bump(&thread.stats[stat::CUT_STACKS], 1);
    }
    Some(node)
}
