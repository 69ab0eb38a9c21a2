//! The account of what is resident: by kind, and what the allocator says of itself.
//!
//! Reading `smaps` takes from a fraction of a millisecond to some milliseconds, so
//! it is done rarely: a four-hundredth of the time at most, and ever less often as the
//! program goes on. Only the first few are allowed more, each half as much as the
//! one before, so that a short program has an account too.

use crate::arena_map::{self, Arena};
use crate::hot::{self, Hot};
use crate::jit_symbols::{self, Extent};
use crate::mappings;
use crate::moments;
use crate::own_proc;
use crate::private;
use crate::setup;
use crate::sys;
use core::cell::UnsafeCell;
use core::ffi::c_int;
use core::sync::atomic::{AtomicUsize, Ordering};
use residue_arena::header;
use residue_arena::moments::*;
use residue_arena::region::Region;
use residue_residency::{ResidentKind, Smaps, Sorting, Sums, Vma};

/// Rest between two accounts, in multiples of what one takes.
const REST: u64 = 400;
const FIRST_ACCOUNTS: u32 = 7;
/// And in parts of the time the program has run.
const PART_OF_LIFE: u64 = 200;

/// The allocator's numbers are of no use when so much moved while it was asked.
const MOST_MOVED_BYTES: u64 = 64 << 10;

/// Takes an account if it is time, which is `life_ns` since the start. The lock for
/// events is held.
pub fn take_if_due(hot: &Hot, arena: Arena, life_ns: u64) {
    let now_ns = arena.get(header::STARTED_MONOTONIC_NS) + life_ns;
    let taken = hot.accounts.load(Ordering::Relaxed);
    let cost_ns = hot.account_cost_ns.load(Ordering::Relaxed);
    let rest_ns = if taken < FIRST_ACCOUNTS {
        cost_ns << taken >> 1
    } else {
        (cost_ns * REST).max(life_ns / PART_OF_LIFE)
    };
    let rested_ns = now_ns.saturating_sub(hot.account_ns.load(Ordering::Relaxed));
    if rested_ns < rest_ns {
        return;
    }
    // Of the thread's own time: on a busy machine others may run meanwhile, and after one such
    // account the next would be far away.
    let before_ns = sys::clock_ns(sys::CLOCK_THREAD_CPUTIME_ID);
    take(hot, arena, life_ns);
    let cost_ns = sys::clock_ns(sys::CLOCK_THREAD_CPUTIME_ID).saturating_sub(before_ns);
    hot.accounts.store(taken + 1, Ordering::Relaxed);
    hot.account_ns.store(sys::monotonic_ns(), Ordering::Relaxed);
    hot.account_cost_ns.store(cost_ns, Ordering::Relaxed);
}

fn take(hot: &Hot, arena: Arena, time_ns: u64) {
    jit_symbols::look(Extent::New);
    let Some(sums) = read_smaps(hot) else {
        return;
    };
    let Some(index) = arena.append(Region::Accounts) else {
        return;
    };
    // SAFETY: the item was just appended.
    let words = unsafe { arena_map::words::<ACCOUNT_WORDS>(arena.item(Region::Accounts, index)) };
    let set = |word: usize, value: u64| words[word].store(value, Ordering::Relaxed);
    // The recorder's private memory is anonymous like the heap, and may even share
    // an area with it.
    private::measure();
    let private = arena.get(header::PRIVATE_BYTES);
    let heap = sums.resident_bytes(ResidentKind::Heap);
    let own = private.min(heap);
    set(ACCOUNT_HEAP, heap - own);
    set(ACCOUNT_MAPPED, sums.resident_bytes(ResidentKind::Mapped));
    set(ACCOUNT_STACKS, sums.resident_bytes(ResidentKind::Stacks));
    set(ACCOUNT_FILES, sums.resident_bytes(ResidentKind::Files));
    set(
        ACCOUNT_RECORDER,
        sums.resident_bytes(ResidentKind::Recorder) + own,
    );
    set(ACCOUNT_OTHER, sums.resident_bytes(ResidentKind::Other));
    set(ACCOUNT_PSS, sums.total_proportional_bytes());
    set(ACCOUNT_LIVE, moments::ThreadSums::of(arena).live_bytes);
    set(ACCOUNT_MOMENT, arena.get(header::INTERVAL));
    words[ACCOUNT_TIME_NS].store(time_ns.max(1), Ordering::Release);
    hot.threads_seen.store(threads(), Ordering::Relaxed);
    ask_allocator_later(hot, index);
}

/// A mark may come from a signal handler that interrupted the allocator, which must
/// not be asked then. The next call that the program makes to it is a better moment.
fn ask_allocator_later(hot: &Hot, account: u64) {
    hot.account_to_complete
        .store(account + 1, Ordering::Relaxed);
    hot.slow_path_flags
        .fetch_or(hot::ASKS_ALLOCATOR, Ordering::Relaxed);
}

/// Completes an account by what the allocator says of itself, without any lock held.
pub fn complete_if_asked(hot: &Hot, arena: Arena) {
    let asked = hot.slow_path_flags.load(Ordering::Relaxed) & hot::ASKS_ALLOCATOR != 0;
    let account = match asked {
        true => hot.account_to_complete.swap(0, Ordering::Relaxed),
        false => 0,
    };
    if account == 0 {
        return;
    }
    hot.slow_path_flags
        .fetch_and(!hot::ASKS_ALLOCATOR, Ordering::Relaxed);
    let live_before = moments::ThreadSums::of(arena).live_bytes;
    let Some(state) = allocator_state(live_before) else {
        return;
    };
    let live = moments::ThreadSums::of(arena).live_bytes;
    if live.abs_diff(live_before) > MOST_MOVED_BYTES {
        return;
    }
    let item = arena.item(Region::Accounts, account - 1);
    // SAFETY: the number is that of an account that was appended.
    let words = unsafe { arena_map::words::<ACCOUNT_WORDS>(item) };
    // The program went on since the account was taken, and other threads with it.
    let live_then = words[ACCOUNT_LIVE].load(Ordering::Relaxed);
    let in_use = state.in_use.wrapping_sub(live).wrapping_add(live_then);
    words[ACCOUNT_IN_USE].store(in_use, Ordering::Relaxed);
    words[ACCOUNT_FREE].store(state.free, Ordering::Relaxed);
    words[ACCOUNT_SYSTEM].store(state.system, Ordering::Release);
}

/// Not on the stack: a mark may come on a small one.
struct Buffer(UnsafeCell<([u8; 4096], Smaps)>);

// SAFETY: used by whoever holds the lock for events.
unsafe impl Sync for Buffer {}

static BUFFER: Buffer = Buffer(UnsafeCell::new(([0; 4096], Smaps::new())));

fn read_smaps(hot: &Hot) -> Option<Sums> {
    let (arena_start, arena_end) = setup::arena_range();
    let file = own_proc::open(b"smaps").ok()?;
    // SAFETY: the lock for events is held, so nobody else uses the buffer.
    let (chunk, smaps) = unsafe { &mut *BUFFER.0.get() };
    *smaps = Smaps::new();
    let mut sorting = Sorting::default();
    let mut classify = |vma: &Vma| {
        let is_recorder = (arena_start..arena_end).contains(&vma.start);
        sorting.kind(vma, is_recorder, || {
            mappings::overlap(hot, vma.start as usize, vma.end as usize) as u64
        })
    };
    while let Ok(bytes @ 1..) = sys::read(file, chunk) {
        smaps.feed(chunk.get(..bytes).unwrap_or(&[]), &mut classify);
    }
    sys::close(file);
    let sums = smaps.sums();
    (sums.total_resident_bytes() != 0).then_some(sums)
}

/// Number of threads: the entries of a directory are its links less two.
fn threads() -> u32 {
    sys::status(b"/proc/self/task\0").map_or(0, |status| status.links.saturating_sub(2) as u32)
}

struct AllocatorState {
    in_use: u64,
    free: u64,
    system: u64,
}

/// The functions by which allocators speak of themselves, found at the start.
pub static MALLINFO2: AtomicUsize = AtomicUsize::new(0);
pub static MALLINFO: AtomicUsize = AtomicUsize::new(0);
pub static MALLCTL: AtomicUsize = AtomicUsize::new(0);
pub static TCMALLOC_PROPERTY: AtomicUsize = AtomicUsize::new(0);

fn allocator_state(live_bytes: u64) -> Option<AllocatorState> {
    if MALLCTL.load(Ordering::Relaxed) != 0 {
        return jemalloc_state();
    }
    if TCMALLOC_PROPERTY.load(Ordering::Relaxed) != 0 {
        return tcmalloc_state();
    }
    glibc_state(live_bytes)
}

/// Of a heap with more live bytes than this nothing is believed that was counted in 32 bits.
const MOST_NARROW_BYTES: u64 = 1 << 31;

/// glibc's `struct mallinfo2`; before 2.33 there is `struct mallinfo`, the same in 32 bits.
#[repr(C)]
struct MallocInfo<N> {
    arena: N,
    ordinary_blocks: N,
    fast_blocks: N,
    mapped_regions: N,
    mapped_bytes: N,
    unused: N,
    fast_bytes: N,
    in_use_bytes: N,
    free_bytes: N,
    releasable_bytes: N,
}

impl<N: Into<u64>> MallocInfo<N> {
    /// # Safety
    /// The address must be that of the function that gives this.
    unsafe fn ask(address: usize) -> AllocatorState {
        // SAFETY: as promised by the caller.
        let info = unsafe {
            core::mem::transmute::<usize, unsafe extern "C" fn() -> MallocInfo<N>>(address)()
        };
        let mapped_bytes = info.mapped_bytes.into();
        AllocatorState {
            in_use: info.in_use_bytes.into() + mapped_bytes,
            free: info.free_bytes.into(),
            system: info.arena.into() + mapped_bytes,
        }
    }
}

fn glibc_state(live_bytes: u64) -> Option<AllocatorState> {
    let (wide, narrow) = (
        MALLINFO2.load(Ordering::Relaxed),
        MALLINFO.load(Ordering::Relaxed),
    );
    // SAFETY: the addresses are those of glibc's functions of these names.
    unsafe {
        match (wide, narrow) {
            (0, 0) => None,
            (0, _) if live_bytes > MOST_NARROW_BYTES => None,
            (0, _) => Some(MallocInfo::<u32>::ask(narrow)),
            _ => Some(MallocInfo::<u64>::ask(wide)),
        }
    }
}

fn jemalloc_state() -> Option<AllocatorState> {
    type Mallctl = unsafe extern "C" fn(*const u8, *mut u64, *mut usize, *mut u64, usize) -> c_int;
    let address = MALLCTL.load(Ordering::Relaxed);
    // SAFETY: the address is that of jemalloc's function of this name.
    let mallctl = unsafe { core::mem::transmute::<usize, Mallctl>(address) };
    let read = |name: &[u8]| {
        let (mut value, mut bytes) = (0_u64, 8_usize);
        // SAFETY: the name is terminated, and both results have room.
        let error = unsafe {
            mallctl(
                name.as_ptr(),
                &mut value,
                &mut bytes,
                core::ptr::null_mut(),
                0,
            )
        };
        (error == 0).then_some(value)
    };
    let mut epoch = 1_u64;
    // SAFETY: writing the epoch refreshes what the others say.
    unsafe {
        mallctl(
            c"epoch".as_ptr().cast(),
            core::ptr::null_mut(),
            core::ptr::null_mut(),
            &mut epoch,
            8,
        )
    };
    let allocated = read(b"stats.allocated\0")?;
    let resident = read(b"stats.resident\0")?;
    Some(AllocatorState {
        in_use: allocated,
        free: resident.saturating_sub(allocated),
        system: resident,
    })
}

fn tcmalloc_state() -> Option<AllocatorState> {
    type Property = unsafe extern "C" fn(*const u8, *mut usize) -> c_int;
    let address = TCMALLOC_PROPERTY.load(Ordering::Relaxed);
    // SAFETY: the address is that of tcmalloc's function of this name.
    let property = unsafe { core::mem::transmute::<usize, Property>(address) };
    let read = |name: &[u8]| {
        let mut value = 0_usize;
        // SAFETY: the name is terminated, and the result has room.
        (unsafe { property(name.as_ptr(), &mut value) } != 0).then_some(value as u64)
    };
    let in_use = read(b"generic.current_allocated_bytes\0")?;
    let system = read(b"generic.heap_size\0")?;
    Some(AllocatorState {
        in_use,
        free: system.saturating_sub(in_use),
        system,
    })
}
