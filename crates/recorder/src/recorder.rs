//! One recorded call, from the hook's facts to the arena.

use crate::account;
use crate::arena_map::{Arena, bump};
use crate::hot::{self, Hot};
use crate::inject;
use crate::ledger;
use crate::live::{self, Block};
use crate::loss::Loss;
use crate::modules;
use crate::picture;
use crate::setup;
use crate::sys;
use crate::thread::{self, Guard, Thread};
use crate::trie::{self, Purpose};
use crate::unwind::cached::Leaf;
use crate::unwind::rule::Cursor;
use crate::unwind::{capture, verify};
use core::sync::atomic::Ordering;
use residue_arena::node::{self, OVERFLOW_STACK, POOLED_STACK};
use residue_arena::{header, tables::thread as stat};

/// Where the program called from: the place of the return address, and bp.
#[derive(Clone, Copy)]
pub struct Caller {
    pub return_slot: *const usize,
    pub bp: usize,
}

/// One call in this many is timed, to know what the recorder costs.
const TIMED_EVERY: u64 = 1024;

/// A call being recorded: the thread's state, the arena, the clock.
struct Call {
    guard: Guard,
    arena: Arena,
    started_ticks: u64,
}

/// Begins a recorded call; `None` when this process is not recorded, or this call cannot
/// be: then `loss` is counted.
#[inline(always)]
fn begin(hot: &Hot, loss: Loss) -> Option<Call> {
    let arena = match hot.recording_arena() {
        Some(arena) => arena,
        None => first_call(hot, loss)?,
    };
    let mut guard = thread::enter(loss)?;
    let state = guard.thread();
    state.calls += 1;
    let started_ticks = if state.calls % TIMED_EVERY == 0 {
        sys::ticks()
    } else {
        0
    };
    Some(Call {
        guard,
        arena,
        started_ticks,
    })
}

/// The process does not record, or not yet.
#[cold]
fn first_call(hot: &Hot, loss: Loss) -> Option<Arena> {
    setup::wake();
    let arena = hot.recording_arena();
    if arena.is_none() {
        loss.count();
    }
    arena
}

impl Call {
    #[inline(always)]
    fn finish(mut self) {
        if self.started_ticks != 0 {
            let started = self.started_ticks;
            time_call(self.guard.thread(), started);
        }
    }
}

#[cold]
fn time_call(thread: &mut Thread, started_ticks: u64) {
    let clock_ticks = u64::from(hot::get().clock_ticks.load(Ordering::Relaxed));
    if !sys::may_read_ticks() {
        return;
    }
    let spent = sys::ticks().saturating_sub(started_ticks + clock_ticks);
    bump(&thread.stats[stat::TIMED_TICKS], spent);
    bump(&thread.stats[stat::TIMED_CALLS], 1);
    thread.stats[stat::CALLS].store(thread.calls, Ordering::Relaxed);
}

/// A block of the heap was made.
///
/// # Safety
/// `caller` must describe the call in progress.
#[inline(always)]
pub unsafe fn made(block: *mut u8, bytes: usize, caller: Caller) {
    let hot = hot::get();
    if block.is_null() {
        return;
    }
    let Some(mut call) = begin(hot, Loss::Block(bytes)) else {
        return;
    };
    let (thread, arena) = (call.guard.thread(), call.arena);
    if thread.is_paused(arena) {
        bump(&thread.stats[stat::PAUSED_CALLS], 1);
        // SAFETY: handed on to the caller.
        modules::block_made_at(unsafe { caller.return_slot.read() }, block as usize);
    } else {
        // SAFETY: handed on to the caller.
        let leaf = unsafe { leaf_for(hot, arena, thread, block as usize, bytes as u64, caller) };
        enter_block(arena, thread, block as usize, bytes as u64, leaf);
    }
    call.finish();
    if hot.slow_path_flags.load(Ordering::Relaxed) != 0 {
        account::complete_if_asked(hot, arena);
        picture::take_if_asked(hot, arena);
        inject::leak_if_asked();
    }
}

/// The stack and the record for a block of this size made by `caller`; `None`
/// when there is no memory for them.
///
/// # Safety
/// As for [`made`].
#[inline(always)]
unsafe fn leaf_for(
    hot: &Hot,
    arena: Arena,
    thread: &mut Thread,
    block: usize,
    bytes: u64,
    caller: Caller,
) -> Option<Leaf> {
    let is_slow = hot.slow_path_flags.load(Ordering::Relaxed) != 0;
    if is_slow {
        let wanted = bytes >= hot.min_size.load(Ordering::Relaxed)
            && bytes <= hot.max_size.load(Ordering::Relaxed);
        if !wanted {
            // SAFETY: handed on to the caller.
            modules::block_made_at(unsafe { caller.return_slot.read() }, block);
            return leaf_of(arena, thread, POOLED_STACK);
        }
    }
    // SAFETY: handed on to the caller.
    let is_same = unsafe { capture::is_same_stack(thread, caller.return_slot, caller.bp) };
    if is_same && let Some(leaf) = thread.stack.leaf {
        if is_slow {
            verify::check(hot, thread);
        }
        return Some(leaf);
    }
    // SAFETY: handed on to the caller.
    unsafe { leaf_of_other_stack(hot, arena, thread, block, caller) }
}

/// The same where the stack is not that of the call before.
///
/// # Safety
/// As for [`made`].
#[inline(never)]
unsafe fn leaf_of_other_stack(
    hot: &Hot,
    arena: Arena,
    thread: &mut Thread,
    block: usize,
    caller: Caller,
) -> Option<Leaf> {
    // SAFETY: handed on to the caller.
    modules::block_made_at(unsafe { caller.return_slot.read() }, block);
    // SAFETY: handed on to the caller.
    if unsafe { capture::is_recalled(thread, caller.return_slot, caller.bp) } {
        verify::check(hot, thread);
        return thread.stack.leaf;
    }
    // SAFETY: handed on to the caller.
    let stack = unsafe { captured_stack(hot, arena, thread, caller, Purpose::Heap) };
    let leaf = leaf_of(arena, thread, stack);
    if stack != OVERFLOW_STACK {
        thread.stack.leaf = leaf;
        thread.stack.remember(thread.scope());
    }
    leaf
}

fn leaf_of(arena: Arena, thread: &mut Thread, stack: u32) -> Option<Leaf> {
    let record = ledger::record(arena, thread, stack)?;
    Some(Leaf { stack, record })
}

/// The stack id of a call, captured anew.
///
/// # Safety
/// As for [`made`].
#[inline(never)]
pub unsafe fn captured_stack(
    hot: &Hot,
    arena: Arena,
    thread: &mut Thread,
    caller: Caller,
    purpose: Purpose,
) -> u32 {
    // SAFETY: handed on to the caller.
    let node = unsafe { capture::capture(thread, arena, caller.return_slot, caller.bp) };
    let Some(node) = node else {
        return OVERFLOW_STACK;
    };
    verify::check(hot, thread);
    trie::stack_of(arena, &thread.recent_children, node, purpose)
}

/// The stack id of a block reported by a program's own allocator: below the path
/// stands a node that is no frame.
///
/// # Safety
/// As for [`made`].
pub unsafe fn reported_stack(hot: &Hot, arena: Arena, thread: &mut Thread, caller: Caller) -> u32 {
    // SAFETY: handed on to the caller.
    let node = unsafe { capture::capture(thread, arena, caller.return_slot, caller.bp) };
    stack_below(hot, arena, thread, node, node::REPORTED_KEY)
}

/// The stack id of a sample of CPU time, of which the same holds.
///
/// # Safety
/// `leaf` must be where a signal interrupted this thread.
#[inline(never)]
pub unsafe fn sampled_stack(hot: &Hot, arena: Arena, thread: &mut Thread, leaf: Cursor) -> u32 {
    // SAFETY: handed on to the caller.
    let node = unsafe { capture::capture_from(thread, arena, leaf) };
    stack_below(hot, arena, thread, node, node::CPU_KEY)
}

/// The stack id of the node with this key below a path.
fn stack_below(hot: &Hot, arena: Arena, thread: &mut Thread, node: Option<u32>, key: u64) -> u32 {
    // The cached stack is now this one, which is no block's.
    thread.stack.leaf = None;
    let below = node.and_then(|node| {
        verify::check(hot, thread);
        trie::child(arena, &thread.recent_children, node, key)
    });
    match below {
        Some(node) => trie::stack_of(arena, &thread.recent_children, node, Purpose::Heap),
        None => OVERFLOW_STACK,
    }
}

#[inline(always)]
fn enter_block(arena: Arena, thread: &mut Thread, address: usize, bytes: u64, leaf: Option<Leaf>) {
    let Some(Leaf { stack, record }) = leaf else {
        live::dropped(thread, bytes);
        return;
    };
    let block = Block {
        stack,
        bytes,
        birth: live::birth_now(arena, thread),
    };
    match live::insert(arena, thread, address, block) {
        Ok(None) => {}
        Ok(Some(stale)) => missed_free(arena, thread, stale),
        Err(()) => {
            live::dropped(thread, bytes);
            return;
        }
    }
    ledger::made(arena, thread, record, stack, bytes);
    thread.last_block = address;
}

/// A block was handed out at the address of one that was never seen freed.
#[cold]
fn missed_free(arena: Arena, thread: &mut Thread, stale: Block) {
    bump(&thread.stats[stat::MISSED_FREES], 1);
    leave_block(arena, thread, stale);
}

#[inline(always)]
fn leave_block(arena: Arena, thread: &mut Thread, block: Block) -> Option<ledger::Record> {
    // Blocks made together are freed together. Knowing the record before the block's
    // entry has come from memory takes three loads out of the chain.
    let record = match thread.last_freed {
        Some(leaf) if leaf.stack == block.stack => leaf.record,
        _ => {
            let Some(leaf) = leaf_of(arena, thread, block.stack) else {
                bump(&thread.stats[stat::DROPPED_FREES], 1);
                return None;
            };
            thread.last_freed = Some(leaf);
            leaf.record
        }
    };
    ledger::freed(arena, thread, record, block.stack, block.bytes);
    Some(record)
}

/// A block is about to be freed. Recorded first: once it is free, another thread
/// may be given its address. True when it was known.
#[inline(always)]
///
/// # Safety
/// `caller` must describe the call in progress.
pub unsafe fn freeing(block: *mut u8, caller: Caller) -> bool {
    let hot = hot::get();
    if block.is_null() {
        return false;
    }
    let Some(mut call) = begin(hot, Loss::Free(block as usize)) else {
        return false;
    };
    let (thread, arena) = (call.guard.thread(), call.arena);
    let found = live::take(arena, thread, block as usize);
    let is_known = found.is_some();
    match found {
        Some(found) => {
            let was_last = thread.last_block == block as usize;
            let is_late = found.birth != live::birth_now(arena, thread);
            if let Some(record) = leave_block(arena, thread, found) {
                if was_last {
                    thread.last_block = 0;
                    ledger::temporary(arena, record);
                }
                if is_late {
                    // SAFETY: handed on to the caller.
                    unsafe { freed_late(arena, thread, record, found.birth, caller) };
                }
            }
        }
        None => bump(&thread.stats[stat::UNKNOWN_FREES], 1),
    }
    call.finish();
    is_known
}

/// A block was freed in another event than the one it was born in: how late, and
/// now and then by whom.
///
/// # Safety
/// As for [`made`].
#[cold]
#[inline(never)]
unsafe fn freed_late(
    arena: Arena,
    thread: &mut Thread,
    record: ledger::Record,
    birth: u32,
    caller: Caller,
) {
    let events = live::birth_now(arena, thread).saturating_sub(birth);
    // What was there before the first event is not late, whenever it goes.
    let is_of_an_event = u64::from(birth) > arena.get(header::EVENT_BASE);
    if events == 0 || !is_of_an_event || !ledger::deferred(arena, record, events) {
        return;
    }
    // SAFETY: handed on to the caller.
    let node = unsafe { capture::capture(thread, arena, caller.return_slot, caller.bp) };
    // The cached stack is now this one, of which the ledger knows nothing.
    thread.stack.leaf = None;
    if let Some(node) = node {
        ledger::freed_at(arena, record, node);
    }
}

/// A block between the two halves of a reallocation.
pub struct Suspended(Option<Block>);

/// Takes a block out of the table before it is reallocated; its counters follow
/// when the outcome is known.
#[inline(always)]
pub fn reallocating(block: *mut u8) -> Suspended {
    let hot = hot::get();
    if block.is_null() {
        return Suspended(None);
    }
    let Some(mut call) = begin(hot, Loss::Free(block as usize)) else {
        return Suspended(None);
    };
    let (thread, arena) = (call.guard.thread(), call.arena);
    let found = live::take(arena, thread, block as usize);
    if found.is_none() {
        bump(&thread.stats[stat::UNKNOWN_FREES], 1);
    }
    call.finish();
    Suspended(found)
}

/// The reallocation ended: `new` is null when it failed and `old` is still there.
///
/// # Safety
/// As for [`made`].
#[inline(always)]
pub unsafe fn reallocated(
    old: *mut u8,
    suspended: Suspended,
    new: *mut u8,
    bytes: usize,
    caller: Caller,
) {
    let hot = hot::get();
    let loss = match new.is_null() {
        true => Loss::Nothing,
        false => Loss::Block(bytes),
    };
    let Some(mut call) = begin(hot, loss) else {
        return;
    };
    let (thread, arena) = (call.guard.thread(), call.arena);
    if new.is_null() && bytes != 0 {
        if let Some(block) = suspended.0 {
            // Its entry has just been there. Should there be no room all the same, then
            // its free will be that of an unknown block.
            let _ = live::insert(arena, thread, old as usize, block);
        }
        call.finish();
        return;
    }
    let is_known = suspended.0.is_some();
    if let Some(block) = suspended.0 {
        leave_block(arena, thread, block);
    }
    if !new.is_null() {
        if thread.is_paused(arena) {
            bump(&thread.stats[stat::PAUSED_CALLS], 1);
        } else {
            // SAFETY: handed on to the caller.
            let leaf = unsafe { leaf_for(hot, arena, thread, new as usize, bytes as u64, caller) };
            enter_block(arena, thread, new as usize, bytes as u64, leaf);
            if is_known && let Some(leaf) = leaf {
                ledger::reallocated(arena, leaf.record, new != old);
            }
        }
    }
    call.finish();
}

/// Runs a real function that may call its kin through the hooks, as `reallocarray`
/// calls `realloc`: what happens inside is one call of the program, not two.
#[inline(always)]
pub fn muted<T>(call: impl FnOnce() -> T) -> T {
    let is_raised = change_muting(1).is_some();
    let result = call();
    if is_raised {
        change_muting(-1);
    }
    result
}

/// Whether a real function reaches a hook; `None` when this process is not recorded.
pub fn reaches_hooks(call: impl FnOnce()) -> Option<bool> {
    let before = change_muting(0)?;
    muted(call);
    Some(change_muting(0)? != before)
}

/// Changes how deep this thread is muted; returns the calls it made while muted.
fn change_muting(by: i32) -> Option<u32> {
    if !hot::get().is_recording() && !setup::wake() {
        return None;
    }
    thread::change_muting(by)
}

/// Runs `work` as one recorded call that may know its caller's stack.
/// `loss` is counted where it cannot be run.
pub fn with_thread(loss: Loss, work: impl FnOnce(&Hot, Arena, &mut Thread)) {
    let hot = hot::get();
    if let Some(mut call) = begin(hot, loss) {
        let arena = call.arena;
        work(hot, arena, call.guard.thread());
        call.finish();
    }
}
