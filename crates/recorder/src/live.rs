//! The live table: from a block's address to its stack, size and birth, without
//! hashing and without locks. A block belongs to one thread when it is made and
//! to one when it is freed, and so does its entry.
//!
//! ```text
//!   address  47       30 29            14 13      5 4    0
//!           +-----------+----------------+---------+------+
//!           | root      | directory      | entry   | half |      granule 32
//!           +-----------+----------------+---------+------+
//! ```
//!
//! Root and directories are private; the pages of entries are in the arena.

pub mod frozen;
mod large_entries;

use crate::arena_map::{Arena, bump};
use crate::hot;
use crate::private;
use crate::thread::Thread;
use core::sync::atomic::{AtomicPtr, AtomicU64, AtomicUsize, Ordering};
pub use large_entries::FreeLargeEntries;
use residue_arena::live::*;
use residue_arena::region::Region;
use residue_arena::{header, tables::thread as stat};

/// Granules of 32 bytes for glibc, of 16 for the others.
pub const WIDE_GRANULE_SHIFT: u32 = 5;
pub const NARROW_GRANULE_SHIFT: u32 = 4;

const ROOT_SHIFT: u32 = 30;
const ROOT_ENTRIES: usize = 1 << (48 - ROOT_SHIFT);

/// Blocks inside blocks, which a program's own allocator reported, live above all
/// addresses: a pool's first block begins where the memory of the pool begins.
const REPORTED_BIT: usize = 1 << 47;
/// Number of the first of their two trees. Pools make smaller blocks than `malloc`.
const REPORTED_TREES: usize = 2;
const ENTRY_BITS: u32 = PAGE_ENTRIES.trailing_zeros();

/// A block as the table knows it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Block {
    pub stack: u32,
    pub bytes: u64,
    pub birth: u32,
}

type Directory = AtomicPtr<AtomicUsize>;

/// Which of the two trees, the place of the page in its directory, the entry in
/// the page, and the half of the granule.
struct BlockPlace {
    tree: usize,
    root: usize,
    page: usize,
    entry: usize,
    half: u64,
}

#[inline(always)]
fn place(address: usize, granule_shift: u32) -> BlockPlace {
    let page_shift = granule_shift + ENTRY_BITS;
    let is_wide = granule_shift == WIDE_GRANULE_SHIFT;
    // Reported blocks have trees of their own, as their granule may be another.
    let tree = if address & REPORTED_BIT != 0 {
        REPORTED_TREES
    } else {
        0
    };
    BlockPlace {
        tree: if is_wide {
            0
        } else {
            tree + (address >> 3 & 1)
        },
        root: address >> ROOT_SHIFT,
        page: (address & ((1 << ROOT_SHIFT) - 1)) >> page_shift,
        entry: address >> granule_shift & (PAGE_ENTRIES - 1),
        half: if is_wide && address & 16 != 0 {
            HALF_BIT
        } else {
            0
        },
    }
}

/// Makes the roots. Without one no block has an entry.
pub fn set_up(granule_shift: u32) {
    let hot = hot::get();
    hot.granule_shift.store(granule_shift, Ordering::Relaxed);
    let roots = if granule_shift == WIDE_GRANULE_SHIFT {
        1
    } else {
        2
    };
    let reported = hot.live_roots.iter().skip(REPORTED_TREES);
    for root in hot.live_roots.iter().take(roots).chain(reported) {
        if let Some(table) = private::map_array::<Directory>(ROOT_ENTRIES, 4096) {
            root.store(table.cast(), Ordering::Release);
        }
    }
}

/// A page that this thread used lately, to find it again by one compare.
#[derive(Clone, Copy)]
pub struct RecentPage {
    /// The part of the address that all entries of the page share, and the tree;
    /// zero in an unused place, which is no block's address.
    tag: usize,
    entries: *const AtomicU64,
}

impl RecentPage {
    pub const UNUSED: RecentPage = RecentPage {
        tag: 0,
        entries: core::ptr::null(),
    };
}

/// Places for recent pages; neighbouring pages take neighbouring places.
pub const RECENT_PAGES: usize = 64;

/// The entry of an address, through the pages used lately.
#[inline(always)]
fn entry(thread: &mut Thread, address: usize) -> (*const AtomicU64, u64) {
    // Two copies of the arithmetic, each with a constant shift.
    match hot::get().granule_shift.load(Ordering::Relaxed) {
        WIDE_GRANULE_SHIFT => recent_entry(thread, address, WIDE_GRANULE_SHIFT),
        NARROW_GRANULE_SHIFT => recent_entry(thread, address, NARROW_GRANULE_SHIFT),
        _ => frozen_entry(address),
    }
}

/// The entry of an address while the table is frozen: its page is kept before it changes.
#[cold]
#[inline(never)]
fn frozen_entry(address: usize) -> (*const AtomicU64, u64) {
    let found = entry_by_directory(address);
    if !found.0.is_null() {
        let page = found.0.map_addr(|at| at & !(PAGE_BYTES as usize - 1));
        frozen::before_change(page);
    }
    found
}

#[inline(always)]
fn recent_entry(
    thread: &mut Thread,
    address: usize,
    granule_shift: u32,
) -> (*const AtomicU64, u64) {
    let place = place(address, granule_shift);
    let tag = address >> (granule_shift + ENTRY_BITS) << 1 | place.tree;
    let recent = &mut thread.recent_pages[(tag >> 1) % RECENT_PAGES];
    if recent.tag == tag {
        // SAFETY: pages have `PAGE_ENTRIES` entries and are never unmapped.
        return (unsafe { recent.entries.add(place.entry) }, place.half);
    }
    let found = entry_by_directory(address);
    if !found.0.is_null() {
        *recent = RecentPage {
            tag,
            entries: found.0.wrapping_sub(place.entry),
        };
    }
    found
}

fn granule_shift_of(address: usize) -> u32 {
    match address & REPORTED_BIT {
        0 => hot::get().granule_shift.load(Ordering::Relaxed) & !frozen::IS_FROZEN,
        _ => NARROW_GRANULE_SHIFT,
    }
}

/// The entry of an address; null where no block was ever recorded near it.
#[inline(never)]
fn entry_by_directory(address: usize) -> (*const AtomicU64, u64) {
    let hot = hot::get();
    let place = place(address, granule_shift_of(address));
    let root = hot.live_roots[place.tree].load(Ordering::Relaxed);
    if place.root >= ROOT_ENTRIES || root.is_null() {
        return (core::ptr::null(), 0);
    }
    // SAFETY: the index is below the root's length; directories have a slot for
    // every page of their part; pages have `PAGE_ENTRIES`; none is ever unmapped.
    unsafe {
        let directory = (*root.add(place.root)).load(Ordering::Acquire);
        if directory.is_null() {
            return (core::ptr::null(), 0);
        }
        let page = (*directory.add(place.page)).load(Ordering::Acquire);
        if page == 0 {
            return (core::ptr::null(), 0);
        }
        ((page as *const AtomicU64).add(place.entry), place.half)
    }
}

/// Whether there is a block at the address, for a thread that has no state.
pub fn is_known(address: usize) -> bool {
    let (at, half) = entry_by_directory(address);
    // SAFETY: pages are never unmapped.
    let entry = unsafe { at.as_ref() }.map_or(0, |entry| entry.load(Ordering::Relaxed));
    entry != 0 && entry & HALF_BIT == half
}

/// Enters a block that the program reported.
pub fn insert_reported(
    arena: Arena,
    thread: &mut Thread,
    address: usize,
    block: Block,
) -> Result<Option<Block>, ()> {
    let address = address | REPORTED_BIT;
    let found = reported_entry(thread, address);
    insert_at(arena, thread, address, found, block)
}

/// Takes out a block that the program reported.
pub fn take_reported(arena: Arena, thread: &mut Thread, address: usize) -> Option<Block> {
    let found = reported_entry(thread, address | REPORTED_BIT);
    take_at(arena, thread, found)
}

fn reported_entry(thread: &mut Thread, address: usize) -> (*const AtomicU64, u64) {
    match frozen::is_frozen() {
        false => recent_entry(thread, address, NARROW_GRANULE_SHIFT),
        true => frozen_entry(address),
    }
}

/// Enters a block. Returns the block that was still there at its address: its
/// free was missed. `Err` when there is no memory for the entry.
#[inline(always)]
pub fn insert(
    arena: Arena,
    thread: &mut Thread,
    address: usize,
    block: Block,
) -> Result<Option<Block>, ()> {
    let found = entry(thread, address);
    insert_at(arena, thread, address, found, block)
}

#[inline(always)]
fn insert_at(
    arena: Arena,
    thread: &mut Thread,
    address: usize,
    (mut at, mut half): (*const AtomicU64, u64),
    block: Block,
) -> Result<Option<Block>, ()> {
    if at.is_null() {
        (at, half) = make_page(arena, thread, address).ok_or(())?;
    }
    let packed = match pack_inline(block.stack, block.bytes, block.birth) {
        Some(packed) => packed,
        None => {
            let number = large_entries::make(
                arena,
                &mut thread.free_large_entries,
                block.bytes,
                block.birth,
            );
            pack_large(block.stack, number.ok_or(())?)
        }
    };
    // SAFETY: pages are never unmapped.
    let entry = unsafe { &*at };
    let before = entry.load(Ordering::Relaxed);
    entry.store(packed | half, Ordering::Release);
    if before == 0 {
        return Ok(None);
    }
    Ok(open(arena, thread, before))
}

/// Takes a block out; `None` where none is known at the address.
#[inline(always)]
pub fn take(arena: Arena, thread: &mut Thread, address: usize) -> Option<Block> {
    let found = entry(thread, address);
    take_at(arena, thread, found)
}

#[inline(always)]
fn take_at(
    arena: Arena,
    thread: &mut Thread,
    (at, half): (*const AtomicU64, u64),
) -> Option<Block> {
    if at.is_null() {
        return None;
    }
    // SAFETY: pages are never unmapped.
    let entry = unsafe { &*at };
    let packed = entry.load(Ordering::Relaxed);
    if packed == 0 || packed & HALF_BIT != half {
        return None;
    }
    entry.store(0, Ordering::Release);
    open(arena, thread, packed)
}

/// What a packed entry says; its large entry, if any, is free afterwards.
#[inline(always)]
fn open(arena: Arena, thread: &mut Thread, packed: u64) -> Option<Block> {
    match unpack(packed) {
        Entry::Absent => None,
        Entry::Inline {
            stack,
            bytes,
            birth,
        } => Some(Block {
            stack,
            bytes,
            birth,
        }),
        Entry::Large { stack, number } => {
            let (bytes, birth) = large_entries::open(arena, &mut thread.free_large_entries, number);
            Some(Block {
                stack,
                bytes,
                birth,
            })
        }
    }
}

#[cold]
fn make_page(arena: Arena, thread: &mut Thread, address: usize) -> Option<(*const AtomicU64, u64)> {
    let hot = hot::get();
    let granule_shift = granule_shift_of(address);
    let place = place(address, granule_shift);
    let root = hot.live_roots[place.tree].load(Ordering::Relaxed);
    if place.root >= ROOT_ENTRIES || root.is_null() {
        return None;
    }
    // SAFETY: the index is below the root's length.
    let directory_slot = unsafe { &*root.add(place.root) };
    let mut directory = directory_slot.load(Ordering::Acquire);
    if directory.is_null() {
        let pages = 1 << (ROOT_SHIFT - granule_shift - ENTRY_BITS);
        let made = private::map_array::<AtomicUsize>(pages, 4096)?;
        let installed = directory_slot.compare_exchange(
            core::ptr::null_mut(),
            made,
            Ordering::AcqRel,
            Ordering::Acquire,
        );
        directory = match installed {
            Ok(_) => made,
            Err(theirs) => theirs,
        };
    }
    // SAFETY: directories have a slot for every page of their part.
    let page_slot = unsafe { &*directory.add(place.page) };
    if page_slot.load(Ordering::Acquire) == 0 {
        let page_bytes = 1_u64 << (granule_shift + ENTRY_BITS);
        let first = address as u64 & !(page_bytes - 1);
        let key = first | (place.tree as u64 % 2 * KEY_ODD) | KEY_IN_USE;
        let number = match thread.spare_live_page {
            0 => arena.append_keyed(Region::LivePages, Region::LiveKeys, key)?,
            spare => {
                thread.spare_live_page = 0;
                let keys = arena.item(Region::LiveKeys, spare - 1);
                // SAFETY: the spare page was appended with its key.
                unsafe { (*keys.cast::<AtomicU64>()).store(key, Ordering::Release) };
                spare - 1
            }
        };
        let page = arena.item(Region::LivePages, number) as usize;
        let installed = page_slot.compare_exchange(0, page, Ordering::AcqRel, Ordering::Acquire);
        if installed.is_err() {
            // Another thread was first; its page has the same key, this one stays empty.
            thread.spare_live_page = number + 1;
        }
    }
    let found = match frozen::is_frozen() {
        // A spare page may be older than the picture.
        true => frozen_entry(address),
        false => entry_by_directory(address),
    };
    (!found.0.is_null()).then_some(found)
}

/// The event a block made now by this thread is born into.
#[inline(always)]
pub fn birth_now(arena: Arena, thread: &Thread) -> u32 {
    match thread.event {
        0 => arena.get(header::BIRTH) as u32,
        event => event,
    }
}

/// Counts a block that could not be recorded.
#[cold]
pub fn dropped(thread: &Thread, bytes: u64) {
    bump(&thread.stats[stat::DROPPED], 1);
    bump(&thread.stats[stat::DROPPED_BYTES], bytes);
}
