//! The recorder's global state: one page, wiped by the kernel when the process
//! forks.
//!
//! ```text
//!                 first call               arena made
//!     FRESH ───────────────► SETTING_UP ───────────────► RECORDING
//!       ▲                        │ not asked for, or impossible
//!       │ fork, clone            ▼
//!       └──────────────────── INERT (wiped too: a child asks again)
//! ```
//!
//! A child therefore starts FRESH, with every lock open and every table gone,
//! however it was made: its first call gives it an arena of its own, and the
//! parent's is never written by it. `vfork` children share the page with their
//! parent, as they share its heap.

use crate::arena_map::Arena;
use crate::loss::{self, EarlyLosses};
use crate::returned;
use crate::spin::Spin;
use crate::sys;
use crate::thread::Thread;
use core::cell::UnsafeCell;
use core::sync::atomic::{AtomicBool, AtomicPtr, AtomicU32, AtomicU64, AtomicUsize, Ordering};

pub const FRESH: u32 = 0;
pub const SETTING_UP: u32 = 1;
pub const RECORDING: u32 = 2;
pub const INERT: u32 = 3;

/// Bits of `slow_path_flags`: sizes are limited, stacks are verified, or a leak is injected;
/// the allocator is to be asked for its statistics; and a picture is asked for.
pub const IS_LIMITED: u32 = 1;
pub const ASKS_ALLOCATOR: u32 = 2;
pub const ASKS_FOR_PICTURE: u32 = 4;

/// Which events are kept; see `moments`.
#[repr(C)]
pub struct Thinning {
    /// Every event up to this number is kept.
    pub whole_until: AtomicU64,
    /// Events, rows and changes there were when the stride last doubled.
    pub kept: AtomicU64,
    pub rows: AtomicU64,
    pub changes: AtomicU64,
}

/// All zero is a valid, fresh state: the kernel's wipe depends on it.
#[repr(C)]
pub struct Hot {
    pub mode: AtomicU32,
    /// More than one thread state exists: sums need atomic steps from now on.
    pub many_threads: AtomicU32,
    pub arena_base: AtomicUsize,
    /// The same once, and as long as, the process records: what a hook asks first.
    pub recording_base: AtomicUsize,
    /// Counts the moments at which code went away or came in under a known
    /// address; threads drop their cached stacks when it changes.
    pub code_epoch: AtomicU32,
    /// Generation of modules loaded from now on.
    pub generation: AtomicU32,

    /// Not zero where a call has more to do than usual (bits below): the usual call
    /// asks one question instead of many.
    pub slow_path_flags: AtomicU32,
    pub min_size: AtomicU64,
    pub max_size: AtomicU64,
    pub max_depth: AtomicU32,
    pub verify_every: AtomicU32,
    pub granule_shift: AtomicU32,
    /// What reading the time stamp counter itself takes.
    pub clock_ticks: AtomicU32,

    /// Directories of the live table, for even and odd multiples of 8; then those of
    /// reported blocks.
    pub live_roots: [AtomicPtr<AtomicPtr<AtomicUsize>>; 4],
    /// Free large entries that threads share; see the live table.
    pub shared_large_entries: AtomicU64,
    pub trie_table: AtomicPtr<u8>,
    pub rule_table: AtomicPtr<u8>,
    /// Bytes other threads freed, per stack, not yet taken by the thread that
    /// holds the record; see the ledger.
    pub returned: AtomicPtr<returned::Directory>,
    pub modules: AtomicPtr<u8>,
    pub module_count: AtomicU32,
    /// Rows of the dynamic linker's list, those of them that stay, readings, and the last entry of a
    /// reading that came to the end; see `linked`.
    pub uses_list: AtomicU32,
    pub linked: AtomicPtr<u8>,
    pub linked_count: AtomicU32,
    pub linked_staying: AtomicU32,
    pub linked_readings: AtomicU32,
    pub linked_last: AtomicUsize,
    /// The dynamic linker allocated: it may have loaded something in the place of a known
    /// module.
    pub modules_are_doubtful: AtomicU32,
    /// Stacks have led through code that is in no module.
    pub has_generated_code: AtomicU32,
    /// The dynamic linker's own code.
    pub linker_start: AtomicUsize,
    pub linker_end: AtomicUsize,
    pub mapping_index: AtomicPtr<u8>,
    pub mapping_count: AtomicU32,
    /// Freed mapping records, numbered from one and linked through their start.
    pub free_mapping: AtomicU64,

    /// Not zero once the arena's file system had no room for a step of growth.
    pub arena_is_short: AtomicU32,
    /// The list of all private mappings; see `private`.
    pub private_mappings: AtomicPtr<u8>,
    pub early_losses: EarlyLosses,
    /// Times that a thread got no state; see `thread`.
    pub states_refused: AtomicU64,
    pub threads: AtomicPtr<Thread>,
    pub thread_count: AtomicU32,
    pub thread_key: AtomicU32,

    /// Names of stamps, counters, scopes and snapshots; see `names`.
    pub names: AtomicPtr<u8>,
    /// Open events by stream, and how many; see `streams`.
    pub streams: AtomicPtr<u8>,
    pub open_events: AtomicU32,
    /// Counters: running totals, and those already written; see `counts`.
    pub totals: AtomicPtr<u8>,
    pub thinning: Thinning,
    /// When the process was last looked at, at a begin and at an end, and what that took.
    pub statm_begin_ns: AtomicU64,
    pub statm_end_ns: AtomicU64,
    pub statm_cost_ns: AtomicU64,
    pub statm_looks: AtomicU64,
    pub account_ns: AtomicU64,
    pub account_cost_ns: AtomicU64,
    pub accounts: AtomicU32,
    /// Number, plus one, of an account that the allocator is to complete.
    pub account_to_complete: AtomicU64,
    pub threads_seen: AtomicU32,
    /// Whether there is room for the functions of an answer.
    pub targets_are_ready: AtomicU32,
    /// Not zero where snapshots were asked for at some events.
    pub takes_snapshots: AtomicU32,
    /// Not zero where pictures are taken at events and at the end; the last of them, its moment,
    /// and its process, as long as it has not been reaped. See `picture`.
    pub takes_pictures: AtomicU32,
    pub picture_child: AtomicU32,
    pub is_pictured_at_exit: AtomicU32,
    pub picture_event: AtomicU64,
    pub picture_ns: AtomicU64,
    /// Where the detour that runs keeps the vectors, while it does.
    pub vectors_start: AtomicUsize,
    pub vectors_end: AtomicUsize,
    /// The picture that each page of the live table was last kept for.
    pub kept_pages: AtomicPtr<u8>,
    /// The last event that an injected leak was made for.
    pub injected_birth: AtomicU64,

    /// Generation when the lists of registered code were last looked at.
    pub jit_symbols_generation: AtomicU32,

    pub names_lock: Spin,
    pub events_lock: Spin,
    pub modules_lock: Spin,
    pub linked_lock: Spin,
    pub jit_lock: Spin,
    pub jit_symbols_lock: Spin,
    pub mappings_lock: Spin,
    pub threads_lock: Spin,
    pub trie_growth_lock: Spin,
    pub rules_growth_lock: Spin,
    pub arena_growth_lock: Spin,
    pub picture_lock: Spin,
    pub kept_lock: Spin,
}

/// Whole pages of their own, so that the wipe takes nothing else.
#[repr(C, align(4096))]
pub struct HotPage(UnsafeCell<[u8; 4096]>);

// SAFETY: only reached through `Hot`, whose fields are atomics.
unsafe impl Sync for HotPage {}

pub static PAGE: HotPage = HotPage(UnsafeCell::new([0; 4096]));

const _: () = assert!(size_of::<Hot>() <= 4096);

#[inline(always)]
pub fn get() -> &'static Hot {
    // SAFETY: the page is large and aligned enough, lives for ever, and any bytes are a `Hot`.
    unsafe { &*PAGE.0.get().cast::<Hot>() }
}

impl Hot {
    #[inline(always)]
    pub fn is_recording(&self) -> bool {
        self.recording_arena().is_some()
    }

    /// The arena of a process that records.
    #[inline(always)]
    pub fn recording_arena(&self) -> Option<Arena> {
        Arena::at(self.recording_base.load(Ordering::Relaxed))
    }

    #[inline(always)]
    pub fn arena(&self) -> Option<Arena> {
        Arena::at(self.arena_base.load(Ordering::Relaxed))
    }
}

/// The page as the kernel sees it.
fn page_start() -> *mut u8 {
    PAGE.0.get().cast()
}

/// Which children find the page of their parent empty.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Wiped {
    /// By the kernel, from 4.14 on.
    InAll,
    /// By a handler, which no child of a bare `clone` system call runs.
    InForked,
    Never,
}

/// Sees to it that a forked child finds the page empty.
pub fn wipe_on_fork() -> Wiped {
    // SAFETY: the page is ours, and wiping it in children is the point.
    let by_kernel = unsafe { sys::advise(page_start(), 4096, sys::MADV_WIPEONFORK) };
    match by_kernel {
        Ok(_) => Wiped::InAll,
        Err(_) if is_wiped_by_handler() => Wiped::InForked,
        Err(_) => Wiped::Never,
    }
}

fn is_wiped_by_handler() -> bool {
    static IS_REGISTERED: AtomicBool = AtomicBool::new(false);
    // SAFETY: the handler is a function of this library.
    unsafe { run_in_children(wipe, &IS_REGISTERED) }
}

/// Has forked children run a handler, if that is not so yet; false where there is no way.
///
/// # Safety
/// The handler must be a function of this library, which is never unloaded.
pub unsafe fn run_in_children(handler: sys::ForkHandler, is_registered: &AtomicBool) -> bool {
    if !is_registered.swap(true, Ordering::Relaxed) {
        // SAFETY: the caller vouches for the handler.
        let is_done = unsafe {
            match (sys::register_atfork(), sys::pthread_atfork()) {
                (Some(register), _) => {
                    register(None, None, Some(handler), core::ptr::null_mut()) == 0
                }
                // Musl's makes a block for it.
                (None, Some(register)) => {
                    loss::not_counted(|| register(None, None, Some(handler)) == 0)
                }
                (None, None) => false,
            }
        };
        is_registered.store(is_done, Ordering::Relaxed);
    }
    is_registered.load(Ordering::Relaxed)
}

/// In a child, before any other handler: this was the first to be registered.
unsafe extern "C" fn wipe() {
    // SAFETY: the child has one thread, which is here; zeros are an empty page.
    unsafe { page_start().write_bytes(0, 4096) };
}
