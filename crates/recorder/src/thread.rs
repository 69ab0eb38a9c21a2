//! What the recorder keeps for each thread.
//!
//! States are made once and passed on: when a thread ends, the next new thread
//! takes over its state and goes on counting in the same records. Nothing is
//! lost and memory follows the highest number of threads, not their sum. What is
//! known by thread is then known of the threads that shared a state one after
//! another; how many they were, and whether all had one name, is written down.

use crate::abandoned;
use crate::arena_map::{self, Arena};
use crate::cpu;
use crate::hot;
use crate::live::{FreeLargeEntries, RECENT_PAGES, RecentPage};
use crate::loss::Loss;
use crate::pausing;
use crate::private::Block;
use crate::returned;
use crate::sys;
use crate::thread_key;
use crate::thread_names;
use crate::tls;
use crate::trie::RecentChildren;
use crate::unwind::cached::{CachedStack, Leaf};
use crate::unwind::stack_memory::OwnStack;
use core::ffi::c_void;
use core::sync::atomic::{AtomicPtr, AtomicU32, AtomicU64, AtomicUsize, Ordering, compiler_fence};
use residue_arena::region::Region;
use residue_arena::tables::thread as stat;
use residue_arena::{header, node};

/// Rows of the counter directory: 1024 rows of 1024 pages of 16 stacks are all
/// the stacks there can be.
pub const DIRECTORY_ROWS: usize = 1024;

/// A signal handler may allocate while the recorder works; beyond this nesting
/// calls are dropped.
const DEEPEST_NESTING: u32 = 3;

/// A state is passed on in the third of libc's four rounds of destructors: those of the
/// program may allocate, and set their keys again to be called once more. States are
/// aligned to pages, so that the value of a key can be a state and a number of rounds.
const LAST_ROUND: usize = 3;
const ROUNDS_MASK: usize = 7;

/// Scopes inside scopes; deeper ones carry the label of the last that had room.
pub const MOST_SCOPES: usize = 32;

pub struct Thread {
    /// The stack pointer of the call inside the recorder: a hook that finds this was called
    /// by a signal handler, or by something the recorder itself called; or the program
    /// jumped out of that call. [`MUTED`] inside a real function whose own calls to its kin
    /// are not the program's. Else [`FREE`].
    busy: AtomicUsize,
    nesting: u32,
    pub index: u32,
    owner: AtomicU32,
    pub stats: &'static [AtomicU64; stat::WORDS],
    pub stack: CachedStack,
    /// The last block this thread made, to know temporaries.
    pub last_block: usize,
    /// The stack of the block freed last, and its record.
    pub last_freed: Option<Leaf>,
    pub free_large_entries: FreeLargeEntries,
    /// A live page that another thread made first, plus one.
    pub spare_live_page: u64,
    pub calls: u64,
    /// How deep the thread is muted, since which stack pointer, and the calls made meanwhile.
    muted: u32,
    muted_since: usize,
    muted_calls: u32,
    pub verify_countdown: u32,
    /// The event this thread works for, as blocks are born into it; zero: the one
    /// that began last anywhere.
    pub event: u32,
    /// How often this thread paused its recording.
    pub paused: u32,
    /// Trie nodes of the scopes the thread is in, and how many.
    scopes: [u32; MOST_SCOPES],
    scope_depth: usize,
    /// What brings samples of the thread's CPU time; in its first state only.
    pub timer: cpu::Timer,
    pub recent_children: RecentChildren,
    pub recent_pages: [RecentPage; RECENT_PAGES],
    nested: *mut Thread,
    next: *mut Thread,
    pub counters: [*mut [*mut u8; DIRECTORY_ROWS]; DIRECTORY_ROWS],
}

/// Owner of a state that was first needed in a child made by `vfork`, which runs on its
/// parent's thread and in its memory. The state is the parent thread's, whose number is not to
/// be had here; under the child's it would soon pass for that of a dead thread.
const NUMBER_UNKNOWN: u32 = u32::MAX;

/// No stack pointers.
const FREE: usize = 0;
const MUTED: usize = 1;
/// The state is that of a thread before a fork, and speaks of an arena that is gone.
const STALE: usize = 2;

/// The states of this process, kept where a fork leaves them: a child's thread may still hold
/// one when another thread has made the child its arena.
static MADE: AtomicPtr<Thread> = AtomicPtr::new(core::ptr::null_mut());

/// Lets no thread of a forked child use a state of its parent.
pub fn forget_parents_states() {
    let mut at = MADE.swap(core::ptr::null_mut(), Ordering::Acquire);
    while !at.is_null() {
        // SAFETY: states are never unmapped, and their owners are not in the recorder.
        unsafe {
            (*at).busy.store(STALE, Ordering::Relaxed);
            at = (*at).next;
        }
    }
}

/// This thread's state; null where it has none yet.
fn own() -> *mut Thread {
    let thread = tls::get();
    // SAFETY: a thread's slot holds a state that is never unmapped.
    if !thread.is_null() && unsafe { (*thread).busy.load(Ordering::Relaxed) } == STALE {
        tls::set(core::ptr::null_mut());
        tls::set_last(core::ptr::null_mut());
    }
    tls::get()
}

/// This thread's own stack, without a system call where the thread has a state.
pub fn own_stack() -> OwnStack {
    let thread = own();
    match thread.is_null() {
        true => OwnStack::of_this_thread(),
        // SAFETY: a thread's slot holds a state that is never unmapped.
        false => unsafe { (*thread).stack.own() },
    }
}

/// The last block that this thread made, if it has not freed it.
pub fn last_block() -> usize {
    let thread = own();
    match thread.is_null() {
        true => 0,
        // SAFETY: a thread's slot holds a state that is never unmapped.
        false => unsafe { (*thread).last_block },
    }
}

/// The timer of this thread's CPU time.
pub fn own_timer() -> Option<&'static cpu::Timer> {
    let thread = own();
    // SAFETY: a thread's slot holds a state that is never unmapped.
    (!thread.is_null()).then(|| unsafe { &(*thread).timer })
}

/// How much CPU time this thread has used, for the record of its first state.
pub fn note_cpu_time(ns: u64) {
    let thread = own();
    if !thread.is_null() {
        // SAFETY: a thread's slot holds a state that is never unmapped.
        unsafe { (*thread).stats[stat::CPU_NS].store(ns, Ordering::Relaxed) };
    }
}

/// Whether this thread is inside the recorder, or inside something that the recorder called.
pub fn is_inside() -> bool {
    let thread = own();
    // SAFETY: a thread's slot holds a state that is never unmapped.
    !thread.is_null() && unsafe { (*thread).busy.load(Ordering::Relaxed) } != FREE
}

/// Raises or lowers how deep this thread is muted; returns the calls it made while
/// muted, `None` where its state is not to be had.
pub fn change_muting(by: i32) -> Option<u32> {
    let mut thread = own();
    if thread.is_null() {
        drop(first_entry(Loss::Nothing)?);
        thread = tls::get();
    }
    // SAFETY: a thread's slot holds a state that is never unmapped, and of which the
    // recorder is not just making use, because it does not call what it mutes.
    let state = unsafe { &mut *thread };
    if !matches!(state.busy.load(Ordering::Relaxed), FREE | MUTED) {
        return None;
    }
    if by > 0 && state.muted != 0 && abandoned::is_left(state.muted_since) {
        state.muted = 0;
    }
    if by > 0 && state.muted == 0 {
        state.muted_since = sys::stack_pointer();
    }
    state.muted = state.muted.wrapping_add_signed(by);
    let busy = if state.muted == 0 { FREE } else { MUTED };
    state.busy.store(busy, Ordering::Relaxed);
    compiler_fence(Ordering::SeqCst);
    Some(state.muted_calls)
}

/// Exclusive use of a thread's state, until dropped.
pub struct Guard {
    thread: *mut Thread,
}

impl Guard {
    #[inline(always)]
    pub fn thread(&mut self) -> &mut Thread {
        // SAFETY: `busy` was clear when the guard was made, so this is the only user.
        unsafe { &mut *self.thread }
    }
}

impl Drop for Guard {
    #[inline(always)]
    fn drop(&mut self) {
        compiler_fence(Ordering::SeqCst);
        // SAFETY: thread states are never unmapped.
        unsafe { (*self.thread).busy.store(FREE, Ordering::Relaxed) };
    }
}

/// This thread's state, ready for one call. `None` where the thread is muted; and where there
/// is no memory for a state or the nesting is too deep: then `loss` is counted.
#[inline(always)]
pub fn enter(loss: Loss) -> Option<Guard> {
    let thread = tls::get();
    if thread.is_null() {
        return first_entry(loss);
    }
    // SAFETY: a thread's slot holds a state that is never unmapped.
    let busy = unsafe { &(*thread).busy };
    if busy.load(Ordering::Relaxed) != FREE {
        return nested_entry(thread, loss);
    }
    busy.store(sys::stack_pointer(), Ordering::Relaxed);
    compiler_fence(Ordering::SeqCst);
    Some(Guard { thread })
}

#[cold]
fn first_entry(loss: Loss) -> Option<Guard> {
    let thread = acquire_or_count(loss)?;
    tls::set(thread);
    // SAFETY: just acquired for this thread.
    unsafe {
        (*thread)
            .busy
            .store(sys::stack_pointer(), Ordering::Relaxed)
    };
    compiler_fence(Ordering::SeqCst);
    let guard = Guard { thread };
    if let Some(arena) = hot::get().arena().filter(|_| tls::last().is_null()) {
        arena.word(header::THREADS).fetch_add(1, Ordering::Relaxed);
    }
    thread_key::set(thread.cast());
    if let Some(arena) = hot::get().arena().filter(|_| tls::last().is_null()) {
        // SAFETY: acquired above.
        unsafe {
            cpu::thread_begins((*thread).stats);
            (*thread).timer.start(arena, sys::tid());
        }
    }
    Some(guard)
}

/// This thread's state for a sample, whatever the thread is doing: a state that is in use, or
/// muted, is left alone. `None` where the thread has none any more, or no further one is to be had.
pub fn enter_for_sample() -> Option<Guard> {
    let mut thread = own();
    while !thread.is_null() {
        // SAFETY: states in the chain are never unmapped and belong to this thread.
        let state = unsafe { &mut *thread };
        if state.busy.load(Ordering::Relaxed) == FREE {
            state.busy.store(sys::stack_pointer(), Ordering::Relaxed);
            compiler_fence(Ordering::SeqCst);
            return Some(Guard { thread });
        }
        thread = state.nested_state(Loss::Nothing)?;
    }
    None
}

#[cold]
fn nested_entry(mut thread: *mut Thread, loss: Loss) -> Option<Guard> {
    if own().is_null() {
        return first_entry(loss);
    }
    loop {
        // SAFETY: states in the chain are never unmapped.
        let state = unsafe { &mut *thread };
        let busy = state.busy.load(Ordering::Relaxed);
        let since = if busy == MUTED {
            state.muted_since
        } else {
            busy
        };
        if busy == FREE || abandoned::is_left(since) {
            if busy != FREE {
                state.start_afresh();
                state.free_nested();
            }
            state.busy.store(sys::stack_pointer(), Ordering::Relaxed);
            return Some(Guard { thread });
        }
        if busy == MUTED {
            state.muted_calls = state.muted_calls.wrapping_add(1);
            return None;
        }
        thread = state.nested_state(loss)?;
    }
}

/// Changes something in all states of this thread.
fn each_state(change: impl Fn(&mut Thread)) {
    let mut at = tls::get();
    while !at.is_null() {
        // SAFETY: states in the chain are never unmapped and belong to this thread.
        let state = unsafe { &mut *at };
        change(state);
        at = state.nested;
    }
}

/// All states there are.
pub fn each(look: impl Fn(&Thread)) {
    let mut at = hot::get().threads.load(Ordering::Acquire).cast_const();
    while !at.is_null() {
        // SAFETY: states are never unmapped; what is looked at of another thread's are
        // atomics, and fields that never change.
        let thread = unsafe { &*at };
        look(thread);
        at = thread.next;
    }
}

/// The states of the thread with this handle.
pub fn each_owned_by(handle: usize, look: impl Fn(&Thread)) {
    // While it is held, no state passes to another thread.
    let _held = hot::get().threads_lock.lock();
    each(|thread| {
        let is_its = thread.stats[stat::HANDLE].load(Ordering::Relaxed) == handle as u64;
        if is_its && thread.owner().is_some() {
            look(thread);
        }
    });
}

/// A state for this thread. Where there is none to be had, the loss is counted, and the next
/// threads are spared the search until it may end otherwise: some have ended, or there is
/// memory again.
fn acquire_or_count(loss: Loss) -> Option<*mut Thread> {
    const RETRY_EVERY: u64 = 1024;
    let refused = &hot::get().states_refused;
    let is_tried = refused.load(Ordering::Relaxed).is_multiple_of(RETRY_EVERY);
    let acquired = is_tried.then(acquire).flatten();
    match acquired {
        Some(_) => refused.store(0, Ordering::Relaxed),
        None => {
            refused.fetch_add(1, Ordering::Relaxed);
            loss.count();
        }
    }
    acquired
}

/// A state nobody uses, the thread's own if it had one before, or a new one.
fn acquire() -> Option<*mut Thread> {
    let hot = hot::get();
    let arena = hot.arena()?;
    let _held = hot.threads_lock.lock();
    let is_borrowed = u64::from(sys::pid()) != arena.get(header::PID);
    let tid = match sys::tid() {
        // A program that confines itself may not let it be asked for.
        0 => NUMBER_UNKNOWN,
        _ if is_borrowed => NUMBER_UNKNOWN,
        tid => tid,
    };
    let last = tls::last();
    // SAFETY: states are never unmapped.
    if !last.is_null() && unsafe { (*last).owner() }.is_none() {
        // SAFETY: nobody has it, and nobody gets it while the lock is held.
        unsafe { (*last).take_over(tid) };
        return Some(last);
    }
    let count = hot.thread_count.load(Ordering::Relaxed);
    // Threads that ended without their destructor are looked for now and then.
    let look_for_dead = count.is_power_of_two() && count > 1;
    let mut at = hot.threads.load(Ordering::Acquire);
    while !at.is_null() {
        // SAFETY: states are never unmapped.
        let thread = unsafe { &mut *at };
        let owner = thread.owner.load(Ordering::Relaxed);
        let may_be_dead = look_for_dead && owner != tid && owner != NUMBER_UNKNOWN;
        let is_free = owner == 0 || (may_be_dead && sys::thread_is_gone(owner));
        if is_free {
            thread.take_over(tid);
            return Some(at);
        }
        at = thread.next;
    }
    make(arena, tid)
}

fn make(arena: Arena, tid: u32) -> Option<*mut Thread> {
    const STATE_BYTES: usize = Block::bytes_of::<Thread>(1);
    const TOUCHED_BYTES: usize = STATE_BYTES + CachedStack::TOUCHED_BYTES + RecentChildren::BYTES;
    let hot = hot::get();
    let before = hot.thread_count.load(Ordering::Relaxed) as usize;
    let mut block = Block::map(STATE_BYTES + CachedStack::bytes(before) + RecentChildren::BYTES)?;
    let Some(index) = arena.append(Region::Threads) else {
        block.give_back();
        return None;
    };
    let thread = block.array::<Thread>(1);
    let stats = arena.item(Region::Threads, index);
    // SAFETY: fresh memory, written whole except for the directory, which is
    // valid as zeros; the statistics are an item just appended.
    unsafe {
        (&raw mut (*thread).stack).write(CachedStack::new(&mut block, before));
        (&raw mut (*thread).recent_children).write(RecentChildren::new(&mut block));
        (&raw mut (*thread).stats).write(arena_map::words(stats));
        (*thread).index = index as u32;
        (*thread).next = hot.threads.load(Ordering::Relaxed);
        (*thread).take_over(tid);
    }
    block.keep(TOUCHED_BYTES);
    hot.threads.store(thread, Ordering::Release);
    MADE.store(thread, Ordering::Release);
    if hot.thread_count.fetch_add(1, Ordering::Relaxed) == 1 {
        returned::set_up();
        hot.many_threads.store(1, Ordering::Release);
    }
    Some(thread)
}

impl Thread {
    #[inline(always)]
    pub fn is_paused(&self, arena: Arena) -> bool {
        let word = arena.get(header::PAUSED) | u64::from(self.paused);
        word != 0 && pausing::is_meant(arena, word)
    }

    /// This thread works for another event from now on. A signal handler may tell while
    /// the recorder is at work, on a state of its own; it is meant for the thread.
    pub fn work_for(&mut self, event: u32) {
        self.event = event;
        each_state(|state| state.event = event);
    }

    /// Pauses once more, or once less.
    pub fn pause(&mut self, by: i32) {
        let paused = self.paused.saturating_add_signed(by);
        self.paused = paused;
        each_state(|state| state.paused = paused);
    }

    /// The trie node under which the thread's stacks begin.
    #[inline(always)]
    pub fn scope(&self) -> u32 {
        match self.scope_depth {
            0 => node::ROOT,
            depth => *self
                .scopes
                .get(depth.min(MOST_SCOPES) - 1)
                .unwrap_or(&node::ROOT),
        }
    }

    /// Enters the scope with this node.
    pub fn begin_scope(&mut self, node: u32) {
        if let Some(place) = self.scopes.get_mut(self.scope_depth) {
            *place = node;
        }
        self.scope_depth += 1;
        self.stack.forget_nodes();
    }

    /// Leaves the innermost scope; false when there is none.
    pub fn end_scope(&mut self) -> bool {
        if self.scope_depth == 0 {
            return false;
        }
        self.scope_depth -= 1;
        self.stack.forget_nodes();
        true
    }

    /// The program jumped out of a call: what that call was changing is not relied upon,
    /// and the call is counted as lost.
    #[cold]
    fn start_afresh(&mut self) {
        arena_map::bump(&self.stats[stat::DROPPED], 1);
        self.stack.forget();
        self.recent_children.forget();
        self.recent_pages = [RecentPage::UNUSED; RECENT_PAGES];
        self.free_large_entries = FreeLargeEntries::default();
        self.last_freed = None;
        self.last_block = 0;
        self.muted = 0;
    }

    /// Calls that interrupted an abandoned one were abandoned with it.
    #[cold]
    fn free_nested(&self) {
        let mut at = self.nested;
        while !at.is_null() {
            // SAFETY: states in the chain are never unmapped and belong to this thread.
            let state = unsafe { &mut *at };
            if state.busy.swap(FREE, Ordering::Relaxed) != FREE {
                state.start_afresh();
            }
            at = state.nested;
        }
    }

    /// The state for what interrupts the use of this one, made when first needed. It works for the
    /// same event, in the same scope.
    #[cold]
    fn nested_state(&mut self, loss: Loss) -> Option<*mut Thread> {
        if self.nested.is_null() {
            if self.nesting >= DEEPEST_NESTING {
                loss.count();
                return None;
            }
            let nested = acquire_or_count(loss)?;
            // SAFETY: just acquired for this thread.
            unsafe { (*nested).nesting = self.nesting + 1 };
            self.nested = nested;
        }
        // SAFETY: states in the chain are never unmapped.
        let nested = unsafe { &mut *self.nested };
        nested.event = self.event;
        nested.paused = self.paused;
        if nested.scope() != self.scope() {
            nested.scope_depth = 0;
            nested.begin_scope(self.scope());
        }
        Some(self.nested)
    }

    /// Whether this is the state of a thread that nothing interrupted.
    pub fn is_first(&self) -> bool {
        self.nesting == 0
    }

    /// The thread that has this state, if one has.
    pub fn owner(&self) -> Option<u32> {
        let tid = self.owner.load(Ordering::Acquire);
        (tid != 0).then_some(tid)
    }

    fn take_over(&mut self, tid: u32) {
        let shown = if tid == NUMBER_UNKNOWN { 0 } else { tid };
        let before = self.stats[stat::TID].swap(u64::from(shown), Ordering::Relaxed);
        if before != 0 && before != u64::from(tid) {
            thread_names::pass_on(self.stats);
        }
        thread_names::note_own(self.stats);
        // In libc the address of the control block is the handle.
        let handle = sys::thread_control_block() as u64;
        self.stats[stat::HANDLE].store(handle, Ordering::Relaxed);
        self.owner.store(tid, Ordering::Relaxed);
        self.busy.store(FREE, Ordering::Relaxed);
        self.nesting = 0;
        // Of a thread that ended without saying so.
        self.timer.stop();
        self.last_block = 0;
        self.muted = 0;
        self.event = 0;
        self.paused = 0;
        self.scope_depth = 0;
        self.nested = core::ptr::null_mut();
        self.stack.change_owner();
    }
}

/// Runs when a thread ends, once in each round of destructors: in the last its state is
/// free for the next one.
///
/// # Safety
/// Called by libc only, with the value set for the ending thread: the address of its
/// state, plus the rounds before.
pub unsafe extern "C" fn thread_ended(value: *mut c_void) {
    let round = (value as usize & ROUNDS_MASK) + 1;
    let mut thread = value.map_addr(|at| at & !ROUNDS_MASK).cast::<Thread>();
    let hot = hot::get();
    if !hot.is_recording() || own() != thread {
        return;
    }
    if round < LAST_ROUND && thread_key::set(value.wrapping_byte_add(1)) {
        return;
    }
    if let Some(arena) = hot.arena() {
        // SAFETY: states are never unmapped, and this one is still ours.
        cpu::thread_ends(arena, unsafe { &mut *thread });
    }
    tls::set_last(thread);
    tls::set(core::ptr::null_mut());
    while !thread.is_null() {
        // SAFETY: states are never unmapped, and this one is still ours.
        unsafe {
            let nested = (*thread).nested;
            thread_names::note_own((*thread).stats);
            (*thread).owner.store(0, Ordering::Release);
            thread = nested;
        }
    }
}
