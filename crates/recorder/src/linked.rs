//! Which module holds an address, where the dynamic linker cannot be asked without its lock:
//! before glibc 2.35 there is no `_dl_find_object`.
//!
//! The linker's list of modules is public, for debuggers. What is on it at the start stays.
//! Behind that, modules come and go while the list is read: such entries are copied by the
//! kernel, which refuses memory that is gone, and an entry counts only if it names the one
//! before it as its predecessor. What was found is kept in a table of rows, which is read
//! without a lock.
//!
//! ```text
//!   list:   program ─► residue ─► libc ─► ld.so │ ─► plugin ─► another ...
//!           └──────── stays, plain reads ───────┘ └─ copied, compared ─┘
//! ```
//!
//! An address in no row is looked for in the list again, unless the list still ends where it did
//! when it was read: what is new comes last. A row is dropped when its module is no longer on the
//! list, which is looked at whenever the linker was at work (see `modules`).

use crate::dynamic;
use crate::hot;
use crate::private;
use crate::sys::{self, FoundObject, LinkMap, ProgramHeader};
use core::sync::atomic::{AtomicU32, AtomicUsize, Ordering, fence};

const MOST_ROWS: usize = 1 << 14;

/// Attempts to read a list that changes meanwhile, and what lies between them, should the thread
/// that changes it have been interrupted there.
const MOST_ATTEMPTS: usize = 16;
const ATTEMPT_PAUSE_NS: u64 = 20_000;

/// One loaded module; its version is odd while it is written. A start of zero is a free row.
#[repr(C)]
struct Row {
    version: AtomicU32,
    /// The reading of the list that last met it.
    met: AtomicU32,
    start: AtomicUsize,
    end: AtomicUsize,
    link_map: AtomicUsize,
    bias: AtomicUsize,
    dynamic: AtomicUsize,
    eh_frame_header: AtomicUsize,
}

/// What a row says of a module.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Extent {
    start: usize,
    end: usize,
    eh_frame_header: usize,
}

impl Row {
    /// `None` where the row is free, of another place, or just being written.
    fn at(&self, address: usize) -> Option<FoundObject> {
        let version = self.version.load(Ordering::Acquire);
        let (start, end) = (
            self.start.load(Ordering::Relaxed),
            self.end.load(Ordering::Relaxed),
        );
        if start == 0 || address < start || end <= address {
            return None;
        }
        let found = FoundObject {
            map_start: start,
            map_end: end,
            link_map: self.link_map.load(Ordering::Relaxed) as *const LinkMap,
            eh_frame_header: self.eh_frame_header.load(Ordering::Relaxed) as *const u8,
            ..FoundObject::EMPTY
        };
        fence(Ordering::Acquire);
        let is_whole = version & 1 == 0 && self.version.load(Ordering::Relaxed) == version;
        is_whole.then_some(found)
    }

    fn is_free(&self) -> bool {
        self.start.load(Ordering::Relaxed) == 0
    }

    fn is_of(&self, link_map: usize, entry: &LinkMap) -> bool {
        !self.is_free()
            && self.link_map.load(Ordering::Relaxed) == link_map
            && self.bias.load(Ordering::Relaxed) == entry.bias
            && self.dynamic.load(Ordering::Relaxed) == entry.dynamic as usize
    }

    /// The lock is held.
    fn write(&self, link_map: usize, entry: &LinkMap, extent: Extent) {
        let version = self.version.load(Ordering::Relaxed);
        self.version
            .store(version.wrapping_add(1), Ordering::Relaxed);
        fence(Ordering::Release);
        self.end.store(extent.end, Ordering::Relaxed);
        self.link_map.store(link_map, Ordering::Relaxed);
        self.bias.store(entry.bias, Ordering::Relaxed);
        self.dynamic
            .store(entry.dynamic as usize, Ordering::Relaxed);
        self.eh_frame_header
            .store(extent.eh_frame_header, Ordering::Relaxed);
        self.start.store(extent.start, Ordering::Relaxed);
        self.version
            .store(version.wrapping_add(2), Ordering::Release);
    }

    fn drop_it(&self) {
        self.start.store(0, Ordering::Relaxed);
    }
}

fn rows() -> &'static [Row] {
    let hot = hot::get();
    let table = hot.linked.load(Ordering::Acquire);
    if table.is_null() {
        return &[];
    }
    let count = hot.linked_count.load(Ordering::Acquire) as usize;
    // SAFETY: the table has room for `MOST_ROWS` and is never unmapped.
    unsafe { core::slice::from_raw_parts(table.cast(), count.min(MOST_ROWS)) }
}

/// Whether it was asked for where `_dl_find_object` is there too, to compare the two.
pub fn is_forced() -> bool {
    hot::get().uses_list.load(Ordering::Relaxed) != 0
}

/// The module that holds the address.
pub fn find(address: usize) -> Option<FoundObject> {
    if let Some(found) = find_in_rows(address) {
        return Some(found);
    }
    if ends_as_read() {
        return None;
    }
    read_list();
    find_in_rows(address)
}

fn find_in_rows(address: usize) -> Option<FoundObject> {
    rows().iter().find_map(|row| row.at(address))
}

/// Whether the whole list was read. It is not where it changed at every attempt: a module may be
/// missing in the rows then.
pub fn is_read() -> bool {
    hot::get().linked_last.load(Ordering::Acquire) != 0
}

/// Whether the entry that was the last still is, and still that of a row.
fn ends_as_read() -> bool {
    let last = hot::get().linked_last.load(Ordering::Acquire);
    let is_last =
        |entry: &LinkMap| entry.next.is_null() && rows().iter().any(|row| row.is_of(last, entry));
    last != 0 && copied::<LinkMap>(last).as_ref().is_some_and(is_last)
}

/// The linker has this memory for a new module: whichever it described before is gone.
pub fn drop_module(link_map: usize) {
    let gone = |row: &&Row| row.link_map.load(Ordering::Relaxed) == link_map;
    rows().iter().filter(gone).for_each(Row::drop_it);
}

/// Brings the rows to what the linker's list says now.
#[cold]
pub fn read_list() {
    let hot = hot::get();
    let _held = hot.linked_lock.lock();
    if hot.linked.load(Ordering::Relaxed).is_null() {
        let Some(table) = private::map_array::<Row>(MOST_ROWS, 4096) else {
            return;
        };
        hot.linked.store(table.cast(), Ordering::Release);
        enter_those_that_stay();
    }
    hot.linked_last.store(0, Ordering::Relaxed);
    for _ in 0..MOST_ATTEMPTS {
        if let Some(last) = enter_those_that_come_and_go() {
            return hot.linked_last.store(last, Ordering::Release);
        }
        sys::sleep_ns(ATTEMPT_PAUSE_NS);
    }
}

/// The part of the list that does not change.
fn enter_those_that_stay() {
    let (mut at, last) = (sys::first_module(), dynamic::last_at_start());
    // SAFETY: these entries stay, and so does what they lead to.
    while let Some(entry) = unsafe { at.as_ref() } {
        let place = at as usize;
        // The kernel maps these two, and leaves holes between their segments to whoever comes
        // next, generated code for one. Between those of others the linker lets nobody in.
        let own_headers = || {
            sys::own_program_headers()
                .filter(|&(headers, count)| Headers::read(headers, count, entry).is_some())
        };
        if entry.previous.is_null()
            && let Some((headers, count)) = own_headers()
        {
            enter_by_segments(place, entry, headers, count);
        } else if entry.bias != 0 && entry.bias == sys::own_linker() {
            if let Some((headers, count)) = headers_at(entry.bias) {
                enter_by_segments(place, entry, headers, count);
            }
        } else if let Some(extent) = extent_of(entry) {
            enter(place, entry, extent);
        }
        if at == last {
            break;
        }
        at = entry.next;
    }
    let count = hot::get().linked_count.load(Ordering::Relaxed);
    hot::get().linked_staying.store(count, Ordering::Relaxed);
}

/// The last entry of the list; `None` where it changed meanwhile.
fn enter_those_that_come_and_go() -> Option<usize> {
    let hot = hot::get();
    let reading = hot.linked_readings.fetch_add(1, Ordering::Relaxed) + 1;
    let staying = hot.linked_staying.load(Ordering::Relaxed) as usize;
    let mut before = dynamic::last_at_start() as usize;
    // SAFETY: the last of those that stay.
    let mut at =
        unsafe { (before as *const LinkMap).as_ref() }.map_or(0, |last| last.next as usize);
    // Most are met in the order of their rows.
    let mut likely = staying;
    while at != 0 {
        let entry = copied::<LinkMap>(at).filter(|it| it.previous as usize == before)?;
        let row = row_of(at, &entry, likely);
        if let Some(row) = row.or_else(|| enter(at, &entry, extent_of(&entry)?)) {
            if let Some(row) = rows().get(row) {
                row.met.store(reading, Ordering::Relaxed);
            }
            likely = row + 1;
        }
        (before, at) = (at, entry.next as usize);
    }
    for row in rows().iter().skip(staying) {
        if row.met.load(Ordering::Relaxed) != reading {
            row.drop_it();
        }
    }
    Some(before)
}

fn row_of(link_map: usize, entry: &LinkMap, likely: usize) -> Option<usize> {
    let is_it = |row: &usize| {
        rows()
            .get(*row)
            .is_some_and(|row| row.is_of(link_map, entry))
    };
    Some(likely)
        .filter(is_it)
        .or_else(|| (0..rows().len()).find(is_it))
}

/// Takes a free row, or a new one. The lock is held.
fn enter(link_map: usize, entry: &LinkMap, extent: Extent) -> Option<usize> {
    let hot = hot::get();
    let staying = hot.linked_staying.load(Ordering::Relaxed) as usize;
    let mut coming = rows().iter().enumerate().skip(staying);
    let free = coming.find_map(|(index, row)| row.is_free().then_some(index));
    let index = free.unwrap_or(rows().len());
    if index >= MOST_ROWS {
        return None;
    }
    // SAFETY: the table has room for the row; only the holder of the lock writes it.
    let row = unsafe { &*hot.linked.load(Ordering::Relaxed).cast::<Row>().add(index) };
    row.write(link_map, entry, extent);
    if free.is_none() {
        hot.linked_count.store(index as u32 + 1, Ordering::Release);
    }
    Some(index)
}

/// One row, or one for each segment where there are holes, as `_dl_find_object` has them.
fn enter_by_segments(place: usize, entry: &LinkMap, headers: usize, count: usize) {
    let Some(whole) = Headers::read(headers, count, entry) else {
        return;
    };
    if !Headers::has_holes(headers, count) {
        enter(place, entry, whole);
        return;
    }
    for header in Headers::loaded(headers, count) {
        let (start, end) = Headers::range(&header, entry);
        enter(
            place,
            entry,
            Extent {
                start,
                end,
                ..whole
            },
        );
    }
}

/// Where a library lies. Most begin where their addresses count from; one that was linked for
/// another address is looked for from its dynamic section downwards.
fn extent_of(entry: &LinkMap) -> Option<Extent> {
    const PAGE_BYTES: usize = 4096;
    const MOST_PAGES: usize = 1 << 15;
    let section = entry.dynamic as usize;
    let pages = (0..MOST_PAGES)
        .map_while(|page| (section & !(PAGE_BYTES - 1)).checked_sub(page * PAGE_BYTES));
    core::iter::once(entry.bias)
        .chain(pages)
        .find_map(|start| extent_at(start, entry))
}

/// The file that begins there, if it is the one that the entry speaks of.
fn extent_at(start: usize, entry: &LinkMap) -> Option<Extent> {
    let (headers, count) = headers_at(start)?;
    Headers::read(headers, count, entry)
}

/// Where the program headers of the file that begins there are, and how many.
fn headers_at(start: usize) -> Option<(usize, usize)> {
    let header = copied::<FileHeader>(start).filter(|header| header.mark == *b"\x7fELF")?;
    Some((start.checked_add(header.headers)?, header.count.into()))
}

#[repr(C)]
#[derive(Clone, Copy)]
struct FileHeader {
    mark: [u8; 4],
    _identification: [u8; 28],
    headers: usize,
    _sections: usize,
    _flags: u32,
    _sizes: [u16; 2],
    count: u16,
}

struct Headers;

impl Headers {
    const LOAD: u32 = 1;

    /// The headers of what is loaded, in the order of their addresses, as the format wants it.
    fn loaded(at: usize, count: usize) -> impl Iterator<Item = ProgramHeader> {
        (0..count)
            .map_while(move |index| copied(at.checked_add(index * size_of::<ProgramHeader>())?))
            .filter(|header: &ProgramHeader| header.kind == Self::LOAD)
    }

    fn range(header: &ProgramHeader, entry: &LinkMap) -> (usize, usize) {
        let address = entry.bias.wrapping_add(header.address);
        (address & !4095, address.wrapping_add(header.memory_bytes))
    }

    /// Whether a page between two segments belongs to neither.
    fn has_holes(at: usize, count: usize) -> bool {
        let mut end = None;
        Self::loaded(at, count).any(|header| {
            let is_after_hole = end.is_some_and(|end| header.address & !4095 > end);
            let last = header.address.saturating_add(header.memory_bytes);
            end = Some(last.saturating_add(4095) & !4095);
            is_after_hole
        })
    }

    fn read(at: usize, count: usize, entry: &LinkMap) -> Option<Extent> {
        const DYNAMIC: u32 = 2;
        const EH_FRAME: u32 = 0x6474_e550;
        let (mut start, mut end, mut eh_frame_header) = (usize::MAX, 0, 0);
        let mut is_it = false;
        for index in 0..count {
            let place = at.checked_add(index * size_of::<ProgramHeader>())?;
            let header = copied::<ProgramHeader>(place)?;
            let address = entry.bias.wrapping_add(header.address);
            match header.kind {
                Self::LOAD => {
                    let range = Self::range(&header, entry);
                    start = start.min(range.0);
                    end = end.max(range.1);
                }
                DYNAMIC => is_it = address == entry.dynamic as usize,
                EH_FRAME => eh_frame_header = address,
                _ => {}
            }
        }
        (is_it && start < end).then_some(Extent {
            start,
            end,
            eh_frame_header,
        })
    }
}

/// A value as it is in memory, if that can be read.
fn copied<T: Copy>(at: usize) -> Option<T> {
    let mut value = core::mem::MaybeUninit::<T>::uninit();
    // SAFETY: there is room for one value; any bytes are one of the types asked for here. Where
    // the kernel copies for nobody, as in containers of kernels before 4.8, it was asked whether
    // the value is there.
    unsafe {
        match sys::read_memory(at, value.as_mut_ptr().cast(), size_of::<T>()) {
            Ok(()) => Some(value.assume_init()),
            Err(sys::EFAULT) => None,
            Err(_) => is_there::<T>(at).then(|| (at as *const T).read_unaligned()),
        }
    }
}

fn is_there<T>(at: usize) -> bool {
    let last = at.checked_add(size_of::<T>() - 1);
    sys::is_readable(at) && last.is_some_and(sys::is_readable)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sys::PhdrInfo;
    use core::ffi::{c_int, c_void};

    fn by_linker(address: usize) -> Option<FoundObject> {
        let mut found = FoundObject::EMPTY;
        let find = sys::dl_find_object().expect("this glibc has it");
        // SAFETY: glibc fills the record.
        let missing = unsafe { find(address as *const c_void, &mut found) };
        (missing == 0).then_some(found)
    }

    fn expect_same(address: usize) {
        let (ours, theirs) = (find(address), by_linker(address));
        let of = |found: &FoundObject| {
            (
                found.map_start,
                found.map_end,
                found.link_map as usize,
                found.eh_frame_header as usize,
            )
        };
        assert_eq!(
            ours.as_ref().map(of),
            theirs.as_ref().map(of),
            "{address:#x}"
        );
    }

    unsafe extern "C" fn note_start(info: *const PhdrInfo, _: usize, into: *mut c_void) -> c_int {
        // SAFETY: `dl_iterate_phdr` describes one module and hands on the list.
        let (info, into) = unsafe { (&*info, &mut *into.cast::<Vec<usize>>()) };
        // SAFETY: the module's own headers.
        let headers = unsafe { core::slice::from_raw_parts(info.headers, usize::from(info.count)) };
        let first = headers.iter().find(|header| header.kind == 1).unwrap();
        into.push(info.bias + first.address + 64);
        0
    }

    #[test]
    fn modules_are_found_as_the_dynamic_linker_finds_them() {
        dynamic::last_at_start();
        let mut addresses: Vec<usize> = Vec::new();
        // SAFETY: the callback takes what is handed to it here.
        unsafe { sys::dl_iterate_phdr(note_start, (&raw mut addresses).cast()) };
        assert!(addresses.len() > 3, "{addresses:x?}");
        addresses.iter().for_each(|&address| expect_same(address));
        let on_the_stack = 0_u8;
        expect_same(&raw const on_the_stack as usize);
        expect_same(note_start as *const () as usize);
    }

    /// Generated code is in no module: the first of its addresses has the list read, not each.
    #[test]
    fn an_address_in_no_module_does_not_have_the_list_read_again() {
        dynamic::last_at_start();
        let on_the_stack = 0_u8;
        let readings = || hot::get().linked_readings.load(Ordering::Relaxed);
        let needs_no_reading = |_| {
            let before = readings();
            assert!(find(&raw const on_the_stack as usize).is_none());
            readings() == before
        };
        // Other tests may load a library meanwhile.
        assert!((0..100).any(needs_no_reading));
    }

    fn header(kind: u32, address: usize, memory_bytes: usize) -> ProgramHeader {
        // SAFETY: any bits are a header.
        let mut header: ProgramHeader = unsafe { core::mem::zeroed() };
        (header.kind, header.address, header.memory_bytes) = (kind, address, memory_bytes);
        header
    }

    /// Linkers before binutils 2.31 put two megabytes between code and data, and programs get
    /// memory there.
    #[test]
    fn what_lies_between_two_segments_is_not_of_the_module() {
        let of = |headers: &[ProgramHeader]| {
            Headers::has_holes(headers.as_ptr() as usize, headers.len())
        };
        let (code, note) = (header(1, 0, 0x1800), header(4, 0x9000, 16));
        assert!(
            !of(&[code, note, header(1, 0x2000, 0x100)]),
            "the next page"
        );
        assert!(!of(&[code, header(1, 0x1c00, 0x100)]), "the same page");
        assert!(of(&[code, note, header(1, 0x20_1000, 0x100)]));
        assert!(of(&[code, header(1, 0x2000, 0x100), header(1, 0x4000, 8)]));
        let counted = [code, note, header(1, 0x2000, 0x100)];
        assert_eq!(Headers::loaded(counted.as_ptr() as usize, 3).count(), 2);
    }

    /// One that nobody else here loads.
    #[test]
    fn what_comes_is_found_and_what_goes_is_dropped() {
        type Close = unsafe extern "C" fn(*mut c_void) -> c_int;
        dynamic::last_at_start();
        // SAFETY: opens and closes a library of the system, and looks up a function of it.
        unsafe {
            let close = dynamic::anywhere(c"dlclose");
            let close = core::mem::transmute::<usize, Close>(close);
            for _ in 0..3 {
                let open = sys::dlopen().unwrap();
                let handle = open(c"libanl.so.1".as_ptr(), sys::RTLD_LAZY);
                assert!(!handle.is_null());
                let module = &*handle.cast::<LinkMap>();
                let section = module.dynamic as usize;
                expect_same(section);
                assert_eq!(find(section).unwrap().link_map as usize, handle as usize);
                close(handle);
                read_list();
                expect_same(section);
            }
        }
    }
}
