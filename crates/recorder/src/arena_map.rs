//! The arena, mapped: making it, growing its regions, reaching its items.
//!
//! The file is as long as all regions together may become, and sparse. In the program each
//! region has a mapping of its own, as long as what it holds, in a part of the address space
//! that neither the kernel nor programs use by themselves; it is made longer in place.
//!
//! ```text
//!   base         ▼ OFFSET of a region
//!   │ header │   │ COMMITTED: pages are there │ MAPPED │    nothing    │ next region ...
//! ```
//!
//! So the arena takes address space in proportion to its use: a program may limit or lock
//! all that it has.

use crate::hot;
use crate::sys;
use core::sync::atomic::{AtomicU64, Ordering};
use residue_arena::region::{self, Extent, Region};
use residue_arena::{PAGE_BYTES, header};

/// A mapped arena. Copies are handles on the same memory, which stays mapped for
/// the life of the process.
#[derive(Clone, Copy)]
pub struct Arena {
    base: *mut u8,
}

const HEADER_BYTES: u64 = (header::WORDS * 8) as u64;

/// Memory is made present in steps of a quarter of what a region has, within
/// these bounds, so that a short program pays for little.
const LEAST_GROWTH_BYTES: u64 = 32 << 10;
const MOST_GROWTH_BYTES: u64 = 2 << 20;

/// A region that could not grow is tried again only once in so many times: asking
/// the kernel in vain costs more than all the rest.
const RETRY_EVERY: u64 = 1024;

impl Arena {
    #[inline(always)]
    pub fn at(base: usize) -> Option<Arena> {
        (base != 0).then_some(Arena {
            base: base as *mut u8,
        })
    }

    /// Whether this process is a child made by `vfork`, which runs in the memory of its parent.
    pub fn is_borrowed(self) -> bool {
        u64::from(sys::pid()) != self.get(header::PID)
    }

    /// Makes the file at `path` (zero-terminated) and maps it. The descriptor is
    /// closed again: programs close descriptors they do not know.
    /// Returns it with its length in bytes.
    pub fn create(path: &[u8]) -> Option<(Arena, u64)> {
        let flags = sys::O_RDWR | sys::O_CREAT | sys::O_EXCL | sys::O_CLOEXEC;
        let file = sys::open(path, flags, 0o600).ok()?;
        // Tells the command whether any process has the arena, by whatever number it knows it.
        let _ = sys::lock_shared(file);
        let arena = Arena::map_largest(file);
        sys::close(file);
        arena
    }

    /// Maps an arena as large as the process may have.
    fn map_largest(file: usize) -> Option<(Arena, u64)> {
        let file_limit = sys::soft_limit(sys::RLIMIT_FSIZE);
        // Where address space is limited, most of it is the program's.
        let space_limit = sys::soft_limit(sys::RLIMIT_AS) / 8;
        for shrink in 0..=region::HEADER_ALONE {
            let (extents, length) = region::layout(shrink);
            let fits = length <= file_limit && length <= space_limit;
            if !fits || sys::set_length(file, length).is_err() {
                continue;
            }
            let mut bases = bases();
            let arena = bases.find_map(|base| Arena::map_at(base, file, &extents));
            return arena.map(|arena| (arena, length));
        }
        None
    }

    /// Maps the header and the first page of every region; nothing where one of them
    /// finds its place taken or has no memory.
    fn map_at(base: usize, file: usize, extents: &[Extent; region::COUNT]) -> Option<Arena> {
        let arena = Arena {
            base: base as *mut u8,
        };
        if !sys::map_shared_at(arena.base, HEADER_BYTES as usize, file, 0) {
            return None;
        }
        // SAFETY: the advice only keeps the range out of core files.
        let _ = unsafe { sys::advise(arena.base, HEADER_BYTES as usize, sys::MADV_DONTDUMP) };
        if !arena.populate(0, HEADER_BYTES) {
            // Not by what the header says: touching it would be a fatal signal.
            // SAFETY: mapped just above.
            unsafe { sys::unmap(arena.base, HEADER_BYTES as usize) };
            return None;
        }
        for (extent, region) in extents.iter().zip(region::ALL) {
            arena.set(region.word(region::OFFSET), extent.offset);
            arena.set(region.word(region::ITEM_BYTES), region.item_bytes());
            arena.set(region.word(region::CAPACITY), extent.capacity);
            // An earlier try may have left its own.
            arena.set(region.word(region::MAPPED), 0);
        }
        let page_bytes = PAGE_BYTES as usize;
        for (extent, region) in extents.iter().zip(region::ALL) {
            if extent.capacity == 0 {
                continue;
            }
            let start = arena.item(region, 0);
            if !sys::map_shared_at(start, page_bytes, file, extent.offset as usize) {
                arena.unmap();
                return None;
            }
            // SAFETY: as above.
            let _ = unsafe { sys::advise(start, page_bytes, sys::MADV_DONTDUMP) };
            arena.set(region.word(region::MAPPED), PAGE_BYTES);
        }
        if !arena.can_grow() && !arena.map_whole(file) {
            arena.unmap();
            return None;
        }
        let mapped = region::ALL.map(|region| arena.get(region.word(region::MAPPED)));
        let virtual_bytes = HEADER_BYTES + mapped.iter().sum::<u64>();
        arena.set(header::VIRTUAL_BYTES, virtual_bytes);
        Some(arena)
    }

    /// Whether mappings can be made longer where they are: valgrind, which answers for the
    /// kernel, cannot do that with files.
    fn can_grow(self) -> bool {
        let grows = |region: &Region| self.region_bytes(*region) > PAGE_BYTES;
        let region = region::ALL.into_iter().find(grows);
        region.is_none_or(|region| self.map_up_to(region, 2 * PAGE_BYTES))
    }

    /// Maps what is missing of every region, at the price of address space.
    fn map_whole(self, file: usize) -> bool {
        region::ALL.into_iter().all(|region| {
            let mapped = self.word(region.word(region::MAPPED));
            let (from, to) = (mapped.load(Ordering::Relaxed), self.region_bytes(region));
            if to <= from {
                return true;
            }
            let offset = (self.get(region.word(region::OFFSET)) + from) as usize;
            let start = self.base.wrapping_add(offset);
            let bytes = (to - from) as usize;
            let is_mapped = sys::map_shared_at(start, bytes, file, offset);
            if is_mapped {
                // SAFETY: the advice only keeps the range out of core files.
                let _ = unsafe { sys::advise(start, bytes, sys::MADV_DONTDUMP) };
                mapped.store(to, Ordering::Relaxed);
            }
            is_mapped
        })
    }

    /// How long a region may become, in whole pages.
    fn region_bytes(self, region: Region) -> u64 {
        let capacity = self.get(region.word(region::CAPACITY));
        (capacity * region.item_bytes()).next_multiple_of(PAGE_BYTES)
    }

    /// Takes all mappings away. Nothing may name the arena any more.
    pub fn unmap(self) {
        let mapped = region::ALL.map(|region| {
            let bytes = self.get(region.word(region::MAPPED)) as usize;
            (self.item(region, 0), bytes)
        });
        for (start, bytes) in mapped
            .into_iter()
            .chain([(self.base, HEADER_BYTES as usize)])
        {
            if bytes > 0 {
                // SAFETY: the recorder mapped this.
                unsafe { sys::unmap(start, bytes) };
            }
        }
    }

    pub fn base(self) -> usize {
        self.base as usize
    }

    #[inline(always)]
    pub fn word(self, index: header::Word) -> &'static AtomicU64 {
        // SAFETY: the header's page is mapped and present for ever.
        unsafe {
            &*self
                .base
                .cast::<AtomicU64>()
                .add(index & (header::WORDS - 1))
        }
    }

    #[inline(always)]
    pub fn get(self, index: header::Word) -> u64 {
        self.word(index).load(Ordering::Relaxed)
    }

    #[inline(always)]
    pub fn set(self, index: header::Word, value: u64) {
        self.word(index).store(value, Ordering::Relaxed);
    }

    pub fn note(self, bit: u64) {
        self.word(header::NOTES).fetch_or(bit, Ordering::Relaxed);
    }

    /// Address of an item. It must have come from [`Arena::append`].
    #[inline(always)]
    pub fn item(self, region: Region, index: u64) -> *mut u8 {
        let offset = self.get(region.word(region::OFFSET)) + index * region.item_bytes();
        self.base.wrapping_add(offset as usize)
    }

    /// The next free item of a region, zeroed; `None` when there is no memory.
    pub fn append(self, region: Region) -> Option<u64> {
        self.append_run(region, 1)
    }

    /// The first of `count` neighbouring free items.
    pub fn append_run(self, region: Region, count: u64) -> Option<u64> {
        let used = self.word(region.word(region::USED));
        loop {
            let first = used.load(Ordering::Relaxed);
            let end = first + count;
            if end > self.get(region.word(region::COMMITTED)) && !self.commit(region, end) {
                return None;
            }
            let taken =
                used.compare_exchange_weak(first, end, Ordering::Relaxed, Ordering::Relaxed);
            if taken.is_ok() {
                return Some(first);
            }
        }
    }

    /// The next free item of `region`, and in the region beside it `key` under the
    /// same number.
    pub fn append_keyed(self, region: Region, keys: Region, key: u64) -> Option<u64> {
        let has_key = |index: u64| {
            index < self.get(keys.word(region::COMMITTED)) || self.commit(keys, index + 1)
        };
        // Asked before an item is taken, which would be lost without its key.
        if !has_key(self.get(region.word(region::USED))) {
            return None;
        }
        let index = self.append(region)?;
        if !has_key(index) {
            return None;
        }
        // SAFETY: the memory of the key is present, and keys are aligned words.
        unsafe { (*self.item(keys, index).cast::<AtomicU64>()).store(key, Ordering::Release) };
        Some(index)
    }

    /// Makes the memory of the first `end` items present.
    #[cold]
    fn commit(self, region: Region, end: u64) -> bool {
        let item_bytes = region.item_bytes();
        let capacity = self.get(region.word(region::CAPACITY));
        let committed = self.word(region.word(region::COMMITTED));
        let refused = self.word(region.word(region::REFUSED));
        // Without the lock: all threads come here all the time once there is no room.
        let is_tried = refused.load(Ordering::Relaxed).is_multiple_of(RETRY_EVERY);
        if end > capacity || !is_tried {
            return self.refuse(refused);
        }
        let _held = hot::get().arena_growth_lock.lock();
        if end <= committed.load(Ordering::Relaxed) {
            return true;
        }
        if !refused.load(Ordering::Relaxed).is_multiple_of(RETRY_EVERY) {
            return self.refuse(refused);
        }
        let present_bytes = committed.load(Ordering::Relaxed) * item_bytes;
        let growth = (present_bytes / 4).clamp(LEAST_GROWTH_BYTES, MOST_GROWTH_BYTES);
        let needed_bytes = (end * item_bytes).next_multiple_of(PAGE_BYTES);
        let mut target_bytes = ((end * item_bytes).max(present_bytes) + growth)
            .next_multiple_of(PAGE_BYTES)
            .min(self.region_bytes(region));
        let is_short = &hot::get().arena_is_short;
        if is_short.load(Ordering::Relaxed) != 0
            || !self.make_present(region, present_bytes, target_bytes)
        {
            // The last pages are taken one by one, by whoever needs them.
            is_short.store(1, Ordering::Relaxed);
            target_bytes = needed_bytes;
            if !self.make_present(region, present_bytes, target_bytes) {
                return self.refuse(refused);
            }
        }
        refused.store(0, Ordering::Relaxed);
        let items = (target_bytes / item_bytes).min(capacity);
        committed.fetch_max(items, Ordering::Relaxed);
        self.note_time();
        true
    }

    /// Makes a region's mapping this long, and its pages present, while that is possible.
    pub fn make_room(self, region: Region, bytes: u64, with_pages: bool) {
        let _held = hot::get().arena_growth_lock.lock();
        let item_bytes = region.item_bytes();
        let capacity = self.get(region.word(region::CAPACITY));
        let committed = self.word(region.word(region::COMMITTED));
        let present_bytes = committed.load(Ordering::Relaxed) * item_bytes;
        let wanted_bytes = (present_bytes + bytes)
            .next_multiple_of(PAGE_BYTES)
            .min(self.region_bytes(region));
        if !with_pages {
            self.map_up_to(region, wanted_bytes);
        } else if self.make_present(region, present_bytes, wanted_bytes) {
            let items = (wanted_bytes / item_bytes).min(capacity);
            committed.fetch_max(items, Ordering::Relaxed);
        }
    }

    /// Counts that a region could not grow.
    fn refuse(self, refused: &AtomicU64) -> bool {
        self.note(header::NOTE_ARENA_FULL);
        refused.fetch_add(1, Ordering::Relaxed);
        false
    }

    /// Makes a region's pages present up to `wanted_bytes`; all of them, or none is taken
    /// from what other regions may need. The lock is held.
    fn make_present(self, region: Region, present_bytes: u64, wanted_bytes: u64) -> bool {
        if !self.map_up_to(region, wanted_bytes) {
            return false;
        }
        let offset = self.get(region.word(region::OFFSET));
        let unused_from = present_bytes.next_multiple_of(PAGE_BYTES);
        if self.populate(
            offset + unused_from,
            wanted_bytes.saturating_sub(unused_from),
        ) {
            return true;
        }
        let start = self.base.wrapping_add((offset + unused_from) as usize);
        let bytes = (wanted_bytes - unused_from) as usize;
        // SAFETY: behind what is present lies nothing yet.
        let _ = unsafe { sys::advise(start, bytes, sys::MADV_REMOVE) };
        false
    }

    /// Makes the mapping of a region as long as this. The lock is held.
    fn map_up_to(self, region: Region, wanted_bytes: u64) -> bool {
        let mapped = self.word(region.word(region::MAPPED));
        let mapped_bytes = mapped.load(Ordering::Relaxed);
        if wanted_bytes <= mapped_bytes {
            return true;
        }
        let start = self.item(region, 0);
        // SAFETY: the region's own mapping.
        let is_longer =
            unsafe { sys::extend_mapping(start, mapped_bytes as usize, wanted_bytes as usize) };
        if is_longer {
            mapped.store(wanted_bytes, Ordering::Relaxed);
            self.word(header::VIRTUAL_BYTES)
                .fetch_add(wanted_bytes - mapped_bytes, Ordering::Relaxed);
        }
        is_longer
    }

    /// Reads clock and counter together, where system calls are made anyway, so
    /// that the reader knows how long a tick is.
    pub fn note_time(self) {
        if !sys::may_read_ticks() {
            return;
        }
        self.set(header::LATER_TICKS, sys::ticks());
        self.set(header::LATER_MONOTONIC_NS, sys::monotonic_ns());
    }

    /// Asks the kernel for the pages now: a full file system is an error here
    /// and would be a fatal signal later.
    fn populate(self, offset: u64, bytes: u64) -> bool {
        let start = self.base.wrapping_add(offset as usize);
        // SAFETY: the range is part of the arena and not used yet.
        unsafe { sys::populate(start, bytes as usize) }
    }

    /// Appends text; zero (an empty reference) where there is no room.
    pub fn append_text(self, text: &[u8]) -> u64 {
        let Some(at) = self.append_run(Region::Strings, text.len() as u64) else {
            return 0;
        };
        // SAFETY: the run was just handed out to this thread alone.
        unsafe {
            core::ptr::copy_nonoverlapping(
                text.as_ptr(),
                self.item(Region::Strings, at),
                text.len(),
            );
        }
        residue_arena::tables::text::pack(at, text.len() as u64)
    }
}

/// Where an arena may be tried, each time elsewhere. Kernels place mappings from the top of
/// the address space downwards, or from a third of it upwards; executables lie higher or in
/// the first gigabytes. Go, ZGC and the shadows of sanitizers keep below or above these 8 TiB.
fn bases() -> impl Iterator<Item = usize> {
    const LOWEST: usize = 0x2000_0000_0000;
    const STEP_SHIFT: u32 = 30;
    const STEPS: u64 = 1 << 13;
    const TRIES: u64 = 8;
    let random = sys::clock_ns(sys::CLOCK_MONOTONIC) ^ u64::from(sys::pid()) << 32;
    (0..TRIES).map(move |tried| {
        let mixed = (random + tried).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32;
        LOWEST + (((mixed % STEPS) as usize) << STEP_SHIFT)
    })
}

/// Words of an item, shared with whoever reads the arena.
///
/// # Safety
/// `item` must be an item of at least `WORDS` words that stays mapped.
#[inline(always)]
pub unsafe fn words<const WORDS: usize>(item: *mut u8) -> &'static [AtomicU64; WORDS] {
    // SAFETY: items are aligned to 8 bytes; the caller vouches for the rest.
    unsafe { &*item.cast() }
}

/// Adds to a word that only this thread writes: a plain addition, visible to readers.
#[inline(always)]
pub fn bump(word: &AtomicU64, by: u64) {
    word.store(
        word.load(Ordering::Relaxed).wrapping_add(by),
        Ordering::Relaxed,
    );
}
