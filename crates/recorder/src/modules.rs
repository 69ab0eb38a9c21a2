//! The modules: which file a code address belongs to, in which load of it.
//!
//! `_dl_find_object` answers from glibc's own lock-free tables, or `linked` does where there is
//! none; a module is written to the arena when an address in it is first met. After a `dlclose`
//! the known modules are looked at again and those that are gone are ended.
//!
//! A file that is loaded again is the same code, wherever it lies now: its frames get the
//! addresses and the generation of its first load, so that a plugin that comes and goes
//! makes neither new stacks nor new records. A frame's key of such a load holds, in place of
//! the generation, the number of a row that says how far it was moved.
//!
//! Not every `dlclose` is seen: a module that was opened with `RTLD_DEEPBIND` calls libc's
//! own. But whatever comes in its place is loaded by the dynamic linker, which allocates for
//! that, and its allocations are seen.

use crate::arena_map;
use crate::hot;
use crate::linked;
use crate::module_file;
use crate::private;
use crate::sys;
use crate::unwind::rules;
use core::ffi::c_void;
use core::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use residue_arena::region::Region;
use residue_arena::{node, tables};

/// A loaded module, as far as unwinding needs it.
#[derive(Clone, Copy)]
pub struct Located {
    pub eh_frame_header: usize,
    /// Range of memory that holds the unwind tables.
    pub tables: (usize, usize),
    /// For the frame's key: a generation, or what stands in its place.
    pub generation: u32,
}

/// One row of the private table; all zero is free.
#[repr(C)]
struct Known {
    start: AtomicUsize,
    end: AtomicUsize,
    link_map: AtomicUsize,
    generation: AtomicU64,
    /// Where the file lay when it was first loaded, and which file it is.
    first_start: AtomicUsize,
    bytes: AtomicUsize,
    identity: AtomicU64,
}

impl Known {
    fn range(&self) -> (usize, usize) {
        (
            self.start.load(Ordering::Relaxed),
            self.end.load(Ordering::Relaxed),
        )
    }

    /// The module lies there now. The lock is held.
    fn enter(&self, object: &sys::FoundObject) {
        let bytes = object.map_end - object.map_start;
        self.bytes.store(bytes, Ordering::Relaxed);
        self.link_map
            .store(object.link_map as usize, Ordering::Relaxed);
        self.end.store(object.map_end, Ordering::Relaxed);
        self.start.store(object.map_start, Ordering::Release);
    }
}

const MOST_MODULES: usize = 1 << 16;

/// What stands in place of a generation from here on is the number of a row: there is room
/// for this many modules that were moved, among those that are loaded at one time.
const FIRST_MOVED: u32 = 0x7f00;
const MARK_LIMIT: u32 = (1 << (64 - node::GENERATION_SHIFT)) - 1;
const MOST_GENERATION: u32 = FIRST_MOVED - 1;

fn find_object(address: usize) -> Option<sys::FoundObject> {
    let Some(find) = dl_find_object() else {
        return linked::find(address);
    };
    let mut found = sys::FoundObject::EMPTY;
    // SAFETY: glibc fills the record; the function takes no lock and allocates nothing.
    let missing = unsafe { find(address as *const c_void, &mut found) };
    (missing == 0).then_some(found)
}

/// `None` where there is none, or where the list is to be tried out.
fn dl_find_object() -> Option<sys::FindObject> {
    sys::dl_find_object().filter(|_| !linked::is_forced())
}

/// Whether an address that is in no module now may be in one for all that.
pub fn are_being_listed() -> bool {
    dl_find_object().is_none() && !linked::is_read()
}

fn known() -> &'static [Known] {
    let hot = hot::get();
    let table = hot.modules.load(Ordering::Acquire);
    if table.is_null() {
        return &[];
    }
    let count = hot.module_count.load(Ordering::Acquire) as usize;
    // SAFETY: the table has room for `MOST_MODULES` rows and is never unmapped.
    unsafe { core::slice::from_raw_parts(table.cast(), count.min(MOST_MODULES)) }
}

/// The module that holds `address`.
pub fn locate(address: usize) -> Option<Located> {
    let object = find_object(address)?;
    let generation = known()
        .iter()
        .position(|known| is_same(known, &object))
        .map(mark_of)
        .unwrap_or_else(|| register(&object));
    let header = object.eh_frame_header as usize;
    // An executable with holes between its segments is found segment by segment, and
    // its code and its tables are in different ones.
    let tables = match (object.map_start..object.map_end).contains(&header) {
        true => (object.map_start, object.map_end),
        false => range_of(header).unwrap_or((0, 0)),
    };
    Some(Located {
        eh_frame_header: header,
        tables,
        generation,
    })
}

fn is_same(known: &Known, object: &sys::FoundObject) -> bool {
    known.start.load(Ordering::Relaxed) == object.map_start
        && known.end.load(Ordering::Relaxed) == object.map_end
        && known.link_map.load(Ordering::Relaxed) == object.link_map as usize
}

/// What the keys of frames in the module of this row hold in place of an address's
/// generation: the number of the row where it was moved, and there is room for that.
fn mark_of(row: usize) -> u32 {
    let Some(known) = known().get(row) else {
        return 0;
    };
    let is_moved = known.start.load(Ordering::Relaxed) != known.first_start.load(Ordering::Relaxed);
    match u32::try_from(row) {
        Ok(row) if is_moved && row <= MARK_LIMIT - FIRST_MOVED => FIRST_MOVED + row,
        _ => known.generation.load(Ordering::Relaxed) as u32,
    }
}

/// The key of a frame as it would be had its module never moved.
#[inline(always)]
pub fn unmoved(key: u64) -> u64 {
    match (key >> node::GENERATION_SHIFT) as u32 {
        FIRST_MOVED.. => moved_back(key),
        _ => key,
    }
}

#[cold]
fn moved_back(key: u64) -> u64 {
    let row = (key >> node::GENERATION_SHIFT) as u32 - FIRST_MOVED;
    let Some(known) = known().get(row as usize) else {
        return key & (node::NO_TABLE_BIT | node::EXACT_BIT | node::ADDRESS_MASK);
    };
    let (start, first_start) = (
        known.start.load(Ordering::Relaxed) as u64,
        known.first_start.load(Ordering::Relaxed) as u64,
    );
    let address = (key & node::ADDRESS_MASK)
        .wrapping_sub(start)
        .wrapping_add(first_start);
    let generation = known.generation.load(Ordering::Relaxed);
    let marks = key & (node::NO_TABLE_BIT | node::EXACT_BIT);
    generation << node::GENERATION_SHIFT | marks | address & node::ADDRESS_MASK
}

/// Enters a module that was met for the first time; returns the mark of its frames.
#[cold]
fn register(object: &sys::FoundObject) -> u32 {
    let hot = hot::get();
    let _held = hot.modules_lock.lock();
    if let Some(row) = known().iter().position(|known| is_same(known, object)) {
        return mark_of(row);
    }
    // What lay there before went away without a `dlclose` that was seen, or is just
    // being closed.
    end_modules(|known| overlaps(known.range(), object));
    let identity = module_file::identity(object, path_of(object.map_start));
    if let Some(row) = row_for_reload(object, identity) {
        return mark_of(row);
    }
    // Another file was first loaded there: the addresses need a generation of their own.
    if known().iter().any(|known| shares_addresses(known, object)) {
        next_generation();
    }
    let generation = hot.generation.load(Ordering::Relaxed);
    if hot.modules.load(Ordering::Relaxed).is_null() {
        return generation;
    }
    let index = hot.module_count.load(Ordering::Relaxed) as usize;
    if index >= MOST_MODULES {
        return generation;
    }
    // SAFETY: the table has room for the row; only the holder of the lock writes it.
    let row = unsafe {
        &*hot
            .modules
            .load(Ordering::Relaxed)
            .cast::<Known>()
            .add(index)
    };
    row.identity.store(identity, Ordering::Relaxed);
    row.generation
        .store(u64::from(generation), Ordering::Relaxed);
    row.first_start.store(object.map_start, Ordering::Relaxed);
    row.enter(object);
    hot.module_count.store(index as u32 + 1, Ordering::Release);
    describe(object, generation);
    generation
}

/// The row of a file that was loaded before and is no longer, taken for its next load. A
/// file that lies at another address now must have a row with a small number.
fn row_for_reload(object: &sys::FoundObject, identity: u64) -> Option<usize> {
    let row = known().iter().zip(0..).position(|(known, row)| {
        let is_gone = known.start.load(Ordering::Relaxed) == 0;
        let is_there = known.first_start.load(Ordering::Relaxed) == object.map_start;
        let has_room = row <= u64::from(MARK_LIMIT - FIRST_MOVED);
        is_gone && known.identity.load(Ordering::Relaxed) == identity && (is_there || has_room)
    })?;
    known().get(row)?.enter(object);
    Some(row)
}

/// Whether frames of the two could have the same keys.
fn shares_addresses(known: &Known, object: &sys::FoundObject) -> bool {
    let first_start = known.first_start.load(Ordering::Relaxed);
    let bytes = known.bytes.load(Ordering::Relaxed);
    let generation = hot::get().generation.load(Ordering::Relaxed);
    known.generation.load(Ordering::Relaxed) == u64::from(generation)
        && overlaps((first_start, first_start + bytes), object)
}

fn overlaps((start, end): (usize, usize), object: &sys::FoundObject) -> bool {
    start != 0 && start < object.map_end && object.map_start < end
}

/// The path of the module that holds `address`; empty for the executable itself.
pub fn path_of(address: usize) -> &'static [u8] {
    let Some(object) = find_object(address) else {
        return b"";
    };
    // SAFETY: the dynamic linker keeps the record while the module is loaded, and
    // its names end in a zero byte.
    let name = unsafe {
        let name = (*object.link_map).name;
        if name.is_null() {
            return b"";
        }
        core::ffi::CStr::from_ptr(name).to_bytes()
    };
    match sys::is_musl() {
        true => path_in_musl(&object, name),
        false => name,
    }
}

/// In musl the executable has the name that it was started by, which may be a relative path, and
/// the kernel's library has none.
fn path_in_musl(object: &sys::FoundObject, name: &'static [u8]) -> &'static [u8] {
    if link_map_of(sys::entry_point()) == object.link_map {
        return b"";
    }
    match name.is_empty() {
        true => b"linux-vdso.so.1",
        false => name,
    }
}

/// Whether the address is in the dynamic linker.
pub fn is_in_linker(address: usize) -> bool {
    let linker = link_map_of(sys::__tls_get_addr as *const () as usize);
    !linker.is_null() && linker == link_map_of(address)
}

/// The dynamic linker's record of the module that holds `address`; null if none does.
pub fn link_map_of(address: usize) -> *const sys::LinkMap {
    find_object(address).map_or(core::ptr::null(), |object| object.link_map)
}

/// The address range of the module that holds `address`.
pub fn range_of(address: usize) -> Option<(usize, usize)> {
    find_object(address).map(|object| (object.map_start, object.map_end))
}

/// Whether the module that holds `address` names no table to unwind it by.
pub fn lacks_table(address: usize) -> bool {
    find_object(address).is_some_and(|object| object.eh_frame_header.is_null())
}

/// Writes what the reader needs to find the file again.
fn describe(object: &sys::FoundObject, generation: u32) {
    let Some(arena) = hot::get().arena() else {
        return;
    };
    let Some(index) = arena.append(Region::Modules) else {
        return;
    };
    // SAFETY: the dynamic linker keeps the record while the module is loaded.
    let bias = unsafe { (*object.link_map).bias };
    let path = path_of(object.map_start);
    let path = if path.is_empty() {
        // The executable itself has no name here; set-up wrote it down.
        arena.get(residue_arena::header::EXECUTABLE)
    } else {
        arena.append_text(path)
    };
    // SAFETY: the item was just appended.
    let record =
        unsafe { arena_map::words::<{ tables::MODULE_WORDS }>(arena.item(Region::Modules, index)) };
    let set = |word: usize, value: u64| record[word].store(value, Ordering::Release);
    set(tables::MODULE_START, object.map_start as u64);
    set(tables::MODULE_BIAS, bias as u64);
    set(tables::MODULE_GENERATION, u64::from(generation));
    set(tables::MODULE_PATH, path);
    if let Some(build_id) = module_file::build_id(object) {
        set(tables::MODULE_BUILD_ID, arena.append_text(build_id));
    }
    set(tables::MODULE_END, object.map_end as u64);
}

/// Ends the modules that a `dlclose` took away.
pub fn look_again() {
    hot::get().modules_are_doubtful.store(0, Ordering::Relaxed);
    if dl_find_object().is_none() {
        linked::read_list();
    }
    let _held = hot::get().modules_lock.lock();
    end_modules(|known| {
        let (start, _) = known.range();
        start != 0 && !find_object(start).is_some_and(|object| is_same(known, &object))
    });
}

/// Looks again if the dynamic linker was at work since.
#[inline(always)]
pub fn look_if_doubtful() {
    if hot::get().modules_are_doubtful.load(Ordering::Relaxed) != 0 {
        look_again();
    }
}

/// Before the stack of a new block is unwound whose maker is at `ip`. Where that is the
/// dynamic linker it may be loading something, even in the place of a module that is gone;
/// the block may be the record of the new one. If it was that of a known module, that one is
/// gone for certain.
#[inline(always)]
pub fn block_made_at(ip: usize, block: usize) {
    let hot = hot::get();
    let linker = hot.linker_start.load(Ordering::Relaxed)..hot.linker_end.load(Ordering::Relaxed);
    if linker.contains(&ip) {
        linker_allocated(block);
    }
}

#[cold]
fn linker_allocated(block: usize) {
    let hot = hot::get();
    linked::drop_module(block);
    {
        let _held = hot.modules_lock.lock();
        end_modules(|known| {
            let is_loaded = known.start.load(Ordering::Relaxed) != 0;
            is_loaded && known.link_map.load(Ordering::Relaxed) == block
        });
    }
    hot.modules_are_doubtful.store(1, Ordering::Relaxed);
    // No thread may take the same words for the same stack until somebody has looked.
    hot.code_epoch.fetch_add(1, Ordering::Release);
}

/// Maps the table while that is possible: a program that locks all its memory, and may lock
/// little, leaves no room for it.
pub fn set_up() {
    let hot = hot::get();
    if hot.modules.load(Ordering::Relaxed).is_null()
        && let Some(table) = private::map_array::<Known>(MOST_MODULES, 4096)
    {
        hot.modules.store(table.cast(), Ordering::Release);
    }
}

/// Where the dynamic linker's code is. That of musl is all of libc, allocates by functions that
/// no hook sees, and unloads nothing.
pub fn find_linker() {
    let hot = hot::get();
    if sys::is_musl() {
        return;
    }
    if let Some((start, end)) = range_of(sys::__tls_get_addr as *const () as usize) {
        hot.linker_start.store(start, Ordering::Relaxed);
        hot.linker_end.store(end, Ordering::Relaxed);
    }
}

/// Ends those of the known modules. The lock is held.
fn end_modules(is_over: impl Fn(&Known) -> bool) {
    let hot = hot::get();
    let mut any = false;
    for known in known().iter().filter(|known| is_over(known)) {
        let (start, end) = known.range();
        known.start.store(0, Ordering::Relaxed);
        rules::forget(start, end);
        any = true;
    }
    if any && hot.has_generated_code.load(Ordering::Relaxed) != 0 {
        // Code may be generated where the module was.
        next_generation();
    }
    if any {
        hot.code_epoch.fetch_add(1, Ordering::Release);
    }
}

/// The generation of code that is in no module: never one of a module's.
pub fn generation_outside() -> u32 {
    let hot = hot::get();
    if hot.has_generated_code.swap(1, Ordering::Relaxed) == 0 {
        next_generation();
    }
    hot.generation.load(Ordering::Relaxed)
}

/// Generated code went away or came in: frames get a new generation, and no thread may
/// trust its cached stack.
pub fn code_changed() {
    next_generation();
    hot::get().code_epoch.fetch_add(1, Ordering::Release);
}

fn next_generation() {
    let generation = &hot::get().generation;
    let next = |generation| (generation < MOST_GENERATION).then_some(generation + 1);
    // Without effect where there are no more.
    let _ = generation.fetch_update(Ordering::Relaxed, Ordering::Relaxed, next);
}

/// A loaded module as the tests need it.
#[cfg(test)]
pub struct Loaded {
    pub start: usize,
    pub end: usize,
    pub header: usize,
    pub bias: usize,
}

#[cfg(test)]
pub fn locate_for_test(address: usize) -> Option<Loaded> {
    let object = find_object(address)?;
    Some(Loaded {
        start: object.map_start,
        end: object.map_end,
        header: object.eh_frame_header as usize,
        // SAFETY: the dynamic linker keeps the record while the module is loaded.
        bias: unsafe { (*object.link_map).bias },
    })
}

#[cfg(test)]
pub fn path_for_test(address: usize) -> String {
    String::from_utf8_lossy(path_of(address)).into_owned()
}
