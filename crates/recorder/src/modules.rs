//! The modules: which file a code address belongs to, in which load of it.
//!
//! `_dl_find_object` answers from glibc's own lock-free tables; a module is
//! written to the arena when an address in it is first met. After a `dlclose`
//! the known modules are looked at again and those that are gone are ended.

use crate::arena_map;
use crate::hot;
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
    pub generation: u32,
}

/// One row of the private table; all zero is free.
#[repr(C)]
struct Known {
    start: AtomicUsize,
    end: AtomicUsize,
    link_map: AtomicUsize,
    generation: AtomicU64,
}

impl Known {
    fn range(&self) -> (usize, usize) {
        (
            self.start.load(Ordering::Relaxed),
            self.end.load(Ordering::Relaxed),
        )
    }
}

const MOST_MODULES: usize = 1 << 16;
const MOST_GENERATION: u32 = (1 << (64 - node::GENERATION_SHIFT)) - 1;

fn find_object(address: usize) -> Option<sys::FoundObject> {
    let mut found = sys::FoundObject::EMPTY;
    // SAFETY: glibc fills the record; the function takes no lock and allocates nothing.
    let missing = unsafe { sys::_dl_find_object(address as *const c_void, &mut found) };
    (missing == 0).then_some(found)
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
        .find(|known| is_same(known, &object))
        .map(|known| known.generation.load(Ordering::Relaxed) as u32)
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

/// Enters a module that was met for the first time; returns its generation.
#[cold]
fn register(object: &sys::FoundObject) -> u32 {
    let hot = hot::get();
    let _held = hot.modules_lock.lock();
    if let Some(known) = known().iter().find(|known| is_same(known, object)) {
        return known.generation.load(Ordering::Relaxed) as u32;
    }
    // What lay there before went away without a `dlclose` that was seen, or is just
    // being closed.
    let replaced = |known: &Known| {
        let (start, end) = known.range();
        start != 0 && start < object.map_end && object.map_start < end
    };
    if end_modules(replaced) {
        code_changed();
    }
    let generation = hot.generation.load(Ordering::Relaxed);
    if hot.modules.load(Ordering::Relaxed).is_null() {
        let Some(table) = private::map_array::<Known>(MOST_MODULES, 4096) else {
            return generation;
        };
        hot.modules.store(table.cast(), Ordering::Release);
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
    row.generation
        .store(u64::from(generation), Ordering::Relaxed);
    row.link_map
        .store(object.link_map as usize, Ordering::Relaxed);
    row.end.store(object.map_end, Ordering::Relaxed);
    row.start.store(object.map_start, Ordering::Relaxed);
    hot.module_count.store(index as u32 + 1, Ordering::Release);
    describe(object, generation);
    generation
}

/// The path of the module that holds `address`; empty for the executable itself.
pub fn path_of(address: usize) -> &'static [u8] {
    let Some(object) = find_object(address) else {
        return b"";
    };
    // SAFETY: the dynamic linker keeps the record while the module is loaded, and
    // its names end in a zero byte.
    unsafe {
        let name = (*object.link_map).name;
        if name.is_null() {
            return b"";
        }
        core::ffi::CStr::from_ptr(name).to_bytes()
    }
}

/// The dynamic linker's record of the module that holds `address`; null if none does.
pub fn link_map_of(address: usize) -> *const sys::LinkMap {
    find_object(address).map_or(core::ptr::null(), |object| object.link_map)
}

/// The address range of the module that holds `address`.
pub fn range_of(address: usize) -> Option<(usize, usize)> {
    find_object(address).map(|object| (object.map_start, object.map_end))
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
    if let Some(build_id) = build_id(object) {
        set(tables::MODULE_BUILD_ID, arena.append_text(build_id));
    }
    set(tables::MODULE_END, object.map_end as u64);
}

/// The build id of a loaded module, from its program headers and notes.
fn build_id(object: &sys::FoundObject) -> Option<&'static [u8]> {
    use crate::unwind::reader::Reader;
    const NOTE: u32 = 4;
    const BUILD_ID: u32 = 3;
    let (start, end) = (object.map_start, object.map_end);
    let memory = |at: usize| {
        // SAFETY: the file's header is the first thing mapped, and reading stays inside.
        let reader = unsafe { Reader::new(at, end) };
        (start..end).contains(&at).then_some(reader)
    };
    if memory(start)?.u32()? != u32::from_le_bytes(*b"\x7fELF") {
        return None;
    }
    let headers = start.checked_add(memory(start + 32)?.u64()? as usize)?;
    let header_bytes = usize::from(memory(start + 54)?.u16()?);
    let count = usize::from(memory(start + 56)?.u16()?);
    // SAFETY: the dynamic linker keeps the record while the module is loaded.
    let bias = unsafe { (*object.link_map).bias };
    for index in 0..count {
        let mut at = memory(headers.checked_add(index * header_bytes)?)?;
        if at.u32()? != NOTE {
            continue;
        }
        let _flags = at.u32()?;
        let _file_offset = at.u64()?;
        let address = bias.wrapping_add(at.u64()? as usize);
        let _physical = at.u64()?;
        let bytes = at.u64()? as usize;
        let Some(mut notes) = memory(address).and_then(|mut at| at.take(bytes)) else {
            continue;
        };
        while !notes.is_empty() {
            let (name, data, kind) = (notes.u32()?, notes.u32()?, notes.u32()?);
            notes.take((name as usize).next_multiple_of(4))?;
            let place = notes.at();
            notes.take((data as usize).next_multiple_of(4))?;
            if kind == BUILD_ID && name == 4 {
                // SAFETY: `take` checked that the bytes lie inside the module.
                return Some(unsafe {
                    core::slice::from_raw_parts(place as *const u8, data as usize)
                });
            }
        }
    }
    None
}

/// Ends the modules that a `dlclose` took away.
pub fn look_again() {
    let _held = hot::get().modules_lock.lock();
    let is_gone = |known: &Known| {
        let (start, _) = known.range();
        start != 0 && !find_object(start).is_some_and(|object| is_same(known, &object))
    };
    if end_modules(is_gone) {
        code_changed();
    }
}

/// Ends those of the known modules; true when there was one. The lock is held.
fn end_modules(is_over: impl Fn(&Known) -> bool) -> bool {
    let mut any = false;
    for known in known().iter().filter(|known| is_over(known)) {
        let (start, end) = known.range();
        known.start.store(0, Ordering::Relaxed);
        rules::forget(start, end);
        any = true;
    }
    any
}

/// Code went away or came in: frames get a new generation, and no thread may
/// trust its cached stack.
pub fn code_changed() {
    let hot = hot::get();
    let generation = hot.generation.load(Ordering::Relaxed);
    if generation < MOST_GENERATION {
        hot.generation.store(generation + 1, Ordering::Relaxed);
    }
    hot.code_epoch.fetch_add(1, Ordering::Release);
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
