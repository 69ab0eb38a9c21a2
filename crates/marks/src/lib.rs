//! Marks events, stages and counters for Residue; does nothing when the program is not recorded.
//!
//! ```
//! for id in 0..10 {
//!     let _event = residue_marks::event(id);
//!     residue_marks::stamp("read");
//!     {
//!         let _scope = residue_marks::scope(c"digitise");
//!     }
//!     residue_marks::count("hits", 17.0);
//! }
//! ```
//!
//! What begins returns a guard that ends it. Events, scopes, pauses and tasks belong to
//! the thread that began them, so guards stay there. Work of one event on another thread:
//!
//! ```
//! let _event = residue_marks::event(1);
//! let token = residue_marks::current();
//! std::thread::spawn(move || {
//!     let _task = residue_marks::enter(token);
//! });
//! ```
//!
//! There is nothing to link and nothing to configure: the recorder is found when it was
//! preloaded. Without it a call is one load and one branch.

#![no_std]

mod name;
mod table;

use core::marker::PhantomData;
use core::sync::atomic::{Ordering, compiler_fence};

pub use name::Name;

/// Keeps a guard on the thread that made it.
type OnThisThread = PhantomData<*const ()>;

/// Whether the program is recorded: worth asking before computing what only a mark needs.
#[inline]
pub fn active() -> bool {
    table::is_there()
}

/// This thread works on event `id` until the guard is dropped.
#[inline]
pub fn event(id: u64) -> Event {
    event_in(id, 0)
}

/// The same in a stream: streams number event loops that run side by side.
#[inline]
pub fn event_in(id: u64, stream: u32) -> Event {
    if let Some(begin) = table::event_begin() {
        begin(id, stream);
    }
    Event {
        id,
        stream,
        on_this_thread: PhantomData,
    }
}

/// Ends its event when dropped.
#[must_use = "the event ends when this is dropped"]
pub struct Event {
    id: u64,
    stream: u32,
    on_this_thread: OnThisThread,
}

impl Drop for Event {
    #[inline]
    fn drop(&mut self) {
        if let Some(end) = table::event_end() {
            end(self.id, self.stream);
        }
    }
}

/// Names the event a thread works for, or none. May be sent to other threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Token(u32);

/// The event this thread works for.
#[inline]
pub fn current() -> Token {
    Token(table::event_current().map_or(0, |current| current()))
}

/// This thread works for that event until the guard is dropped.
#[inline]
pub fn enter(token: Token) -> Task {
    Task {
        before: table::event_enter().map_or(0, |enter| enter(token.0)),
        on_this_thread: PhantomData,
    }
}

/// Goes back to the event before when dropped.
#[must_use = "the thread goes back to the event before when this is dropped"]
pub struct Task {
    before: u32,
    on_this_thread: OnThisThread,
}

impl Drop for Task {
    #[inline]
    fn drop(&mut self) {
        if let Some(enter) = table::event_enter() {
            enter(self.before);
        }
    }
}

/// A named moment inside an event; between two stamps lies a stage.
#[inline]
pub fn stamp(name: impl Name) {
    if let Some(stamp) = table::stamp() {
        // SAFETY: the pointer is to a string that ends in zero and lives during the call.
        name.with_pointer(|name| unsafe { stamp(name) });
    }
}

/// A number of the event: hits, tracks, tokens.
#[inline]
pub fn count(name: impl Name, value: f64) {
    if let Some(count) = table::count() {
        // SAFETY: the pointer is to a string that ends in zero and lives during the call.
        name.with_pointer(|name| unsafe { count(name, value) });
    }
}

/// A named part of the work on this thread, until the guard is dropped. Scopes nest.
#[inline]
pub fn scope(name: impl Name) -> Scope {
    if let Some(begin) = table::scope_begin() {
        // SAFETY: the pointer is to a string that ends in zero and lives during the call.
        name.with_pointer(|name| unsafe { begin(name) });
    }
    Scope {
        on_this_thread: PhantomData,
    }
}

/// Ends its scope when dropped.
#[must_use = "the scope ends when this is dropped"]
pub struct Scope {
    on_this_thread: OnThisThread,
}

impl Drop for Scope {
    #[inline]
    fn drop(&mut self) {
        if let Some(end) = table::scope_end() {
            end();
        }
    }
}

/// Allocations of this thread are not recorded until the guard is dropped.
#[inline]
pub fn pause() -> Paused {
    Paused::begin(0)
}

/// Allocations of all threads are not recorded until the guard is dropped.
#[inline]
pub fn pause_all() -> Paused {
    Paused::begin(1)
}

/// Resumes recording when dropped.
#[must_use = "recording resumes when this is dropped"]
pub struct Paused {
    all_threads: i32,
    on_this_thread: OnThisThread,
}

impl Paused {
    #[inline]
    fn begin(all_threads: i32) -> Paused {
        if let Some(pause) = table::pause() {
            pause(all_threads);
        }
        Paused {
            all_threads,
            on_this_thread: PhantomData,
        }
    }
}

impl Drop for Paused {
    #[inline]
    fn drop(&mut self) {
        if let Some(resume) = table::resume() {
            resume(self.all_threads);
        }
    }
}

/// From now on call paths are kept for blocks of `min_bytes` to `max_bytes` only.
#[inline]
pub fn thresholds(min_bytes: u64, max_bytes: u64) {
    if let Some(thresholds) = table::thresholds() {
        thresholds(min_bytes, max_bytes);
    }
}

/// Keeps the state of the heap at this moment under a name.
#[inline]
pub fn snapshot(name: impl Name) {
    if let Some(snapshot) = table::snapshot() {
        // SAFETY: the pointer is to a string that ends in zero and lives during the call.
        name.with_pointer(|name| unsafe { snapshot(name) });
    }
}

/// A pool or an allocator of the program's own gave out a block. Only the address is
/// used. Always inlined, so that the stack the recorder sees begins in the caller.
#[inline(always)]
pub fn allocated(block: *const u8, bytes: usize) {
    if let Some(allocated) = table::allocated() {
        allocated(block.cast(), bytes);
        // Were the call the last thing the caller does, it would become a jump and the
        // caller's frame would be gone.
        compiler_fence(Ordering::SeqCst);
    }
}

/// The pool took the block back.
#[inline]
pub fn freed(block: *const u8) {
    if let Some(freed) = table::freed() {
        freed(block.cast());
    }
}
