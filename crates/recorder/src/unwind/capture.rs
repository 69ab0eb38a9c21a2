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
//! [`super::proof`] says what makes a cached frame proven.

use super::cached::{CachedStack, Ending};
use super::deep::CutPath;
use super::rule::Cursor;
use super::rules;
use crate::arena_map::{Arena, bump};
use crate::hot;
use crate::modules;
use crate::thread::Thread;
use crate::trie::{self, Nodes, RecentChildren};
use core::ops::Range;
use core::sync::atomic::Ordering;
use residue_arena::node;
use residue_arena::tables::thread as stat;

impl CachedStack {
    /// Brings the cached stack up to date with the frame at `leaf` and returns
    /// how many frames were unwound and how many rules were missing.
    ///
    /// # Safety
    /// `leaf` must be a live frame of this thread, all of whose callers are live.
    unsafe fn update(&mut self, leaf: Cursor) -> (u64, u64) {
        let mut cursor = leaf;
        let mut misses = 0;
        // Cached frames from here on are known not to be part of the stack any more.
        let mut candidates = self.length;
        self.fresh_length = 0;
        self.path_before = self.path();
        let ending = self.ending;
        loop {
            let met = self.index_at(cursor.sp - 8);
            if met < candidates && self.meets(met, &cursor) {
                // SAFETY: the met frame is a cached one.
                unsafe { *self.frames.bps.add(met) = cursor.bp };
                // SAFETY: the cursor is live, and the met frame is the same frame.
                let unproven = unsafe { self.verify(met) };
                if unproven == 0 {
                    self.ending = ending;
                    self.join(met + 1);
                    return (self.fresh_length as u64, misses);
                }
                // SAFETY: as above; frames from `met` to `unproven` are proven.
                let moved = unsafe { self.push_proven(met, unproven, cursor) };
                let Some(caller) = moved else {
                    break;
                };
                cursor = caller;
                candidates = unproven;
                continue;
            }
            let found = rules::find(cursor.ip, cursor.exact, &mut misses);
            if !self.push_fresh(cursor, found.rule, found.key) {
                // SAFETY: the cursor is a live frame.
                let missing = unsafe { self.count_frames(cursor, &mut misses) };
                self.join(0);
                self.missing = missing;
                return (self.fresh_length as u64, misses);
            }
            // SAFETY: the cursor is a live frame and the rule is that of its address.
            if !unsafe { self.advance(found.rule, &mut cursor) } {
                break;
            }
        }
        self.missing = 0;
        self.join(0);
        (self.fresh_length as u64, misses)
    }

    /// The trie node of the cached stack, and whether a part of it is left out. Then the path
    /// has the sides of the root and of the leaf, or of the leaf alone where the stack is
    /// deeper than can be kept.
    fn node(
        &mut self,
        arena: Arena,
        recent: &RecentChildren,
        scope: u32,
        max_depth: usize,
    ) -> Option<(u32, bool)> {
        let nodes = Nodes::new(arena);
        let depth = self.missing + self.length;
        let is_cut = depth > max_depth;
        let from_root = match (is_cut, self.missing) {
            (false, _) => self.length,
            (true, 0) => max_depth / 2,
            (true, _) => 0,
        };
        let known = self.noded.min(from_root);
        let mut at = match known {
            0 => scope,
            _ => self.detail(known - 1).node,
        };
        at = self.give_nodes(nodes, recent, at, known..from_root)?;
        // Not further: the nodes of the frames on the leaf's side take the places of others.
        self.noded = from_root;
        if !is_cut {
            self.cut.noded = 0;
            return Some((at, false));
        }
        at = trie::child(arena, recent, at, node::CUT_KEY)?;
        // Not the last so many, but from a depth on that stays for a while: else every
        // frame that comes or goes would make all of it another path.
        let room = max_depth - max_depth / 2;
        let step = (room / 2).max(1);
        let from = (depth - room).next_multiple_of(step);
        if (self.cut.node, self.cut.from) != (at, from) {
            self.cut = CutPath {
                node: at,
                from,
                noded: 0,
            };
        }
        let first = self.cut.noded.max(from - self.missing);
        if first > from - self.missing {
            at = self.detail(first - 1).node;
        }
        at = self.give_nodes(nodes, recent, at, first..self.length)?;
        self.cut.noded = self.length;
        Some((at, true))
    }

    /// Gives frames their nodes, below `at`; returns that of the last.
    fn give_nodes(
        &mut self,
        nodes: Nodes,
        recent: &RecentChildren,
        mut at: u32,
        frames: Range<usize>,
    ) -> Option<u32> {
        for index in frames.clone() {
            let key = self.key(index);
            if let Some(child) = nodes.child(recent, at, key) {
                at = child;
                self.frames.detail_mut(index).node = at;
                continue;
            }
            // Nobody has been there, nor further on.
            let count = frames.end - index;
            let made = nodes.make(recent, at, count, |further| self.key(index + further))?;
            if !made.is_own {
                at = made.first;
                self.frames.detail_mut(index).node = at;
                continue;
            }
            for further in 0..count {
                self.frames.detail_mut(index + further).node = made.first + further as u32;
            }
            return Some(made.first + count as u32 - 1);
        }
        Some(at)
    }
}

impl Thread {
    /// Counts the cached stack among those that are not certain, or not whole.
    #[inline(always)]
    fn note_kind_of_stack(&mut self) {
        if self.stack.ending == Ending::Early {
            bump(&self.stats[stat::EARLY_STACKS], 1);
        }
        if self.stack.is_guessed() {
            bump(&self.stats[stat::GUESSED_STACKS], 1);
        }
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

/// The same where that stack is one of those that the thread unwound lately; then its stack and
/// record are known, too.
///
/// # Safety
/// As for [`is_same_stack`].
#[inline(always)]
pub unsafe fn is_recalled(thread: &mut Thread, return_slot: *const usize, bp: usize) -> bool {
    modules::look_if_doubtful();
    let epoch = hot::get().code_epoch.load(Ordering::Acquire);
    let scope = thread.scope();
    // SAFETY: as above.
    let is_recalled = thread.stack.code_epoch == epoch
        && unsafe { thread.stack.recall(&leaf(return_slot, bp), scope) };
    if is_recalled {
        thread.note_kind_of_stack();
    }
    is_recalled
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
    // SAFETY: handed on to the caller.
    unsafe { capture_from(thread, arena, leaf(return_slot, bp)) }
}

/// The same from a frame that may have been interrupted.
///
/// # Safety
/// `leaf` must be a live frame of this thread.
#[inline(always)]
pub unsafe fn capture_from(thread: &mut Thread, arena: Arena, leaf: Cursor) -> Option<u32> {
    let hot = hot::get();
    if !trie::is_there(hot) {
        return None;
    }
    bump(&thread.stats[stat::UNWOUND_STACKS], 1);
    modules::look_if_doubtful();
    let epoch = hot.code_epoch.load(Ordering::Acquire);
    if thread.stack.code_epoch != epoch {
        thread.stack.code_epoch = epoch;
        thread.stack.forget();
    }
    // SAFETY: the caller vouches for the leaf and with it for its callers.
    let (mut unwound, mut misses) = unsafe { thread.stack.update(leaf) };
    let max_depth = hot.max_depth.load(Ordering::Relaxed) as usize;
    if thread.stack.lacks_frames(max_depth) {
        thread.stack.forget();
        // SAFETY: as above.
        let (again, missed) = unsafe { thread.stack.update(leaf) };
        (unwound, misses) = (unwound + again, misses + missed);
    }
    if unwound != 0 {
        bump(&thread.stats[stat::FRAMES_UNWOUND], unwound);
        bump(&thread.stats[stat::RULE_MISSES], misses);
    }
    thread.note_kind_of_stack();
    let scope = thread.scope();
    let (node, is_cut) = thread
        .stack
        .node(arena, &thread.recent_children, scope, max_depth)?;
    if is_cut {
        bump(&thread.stats[stat::CUT_STACKS], 1);
    }
    Some(node)
}
