//! Looks names up in the tables of loaded modules, as the dynamic linker does, but without
//! it: `dlsym` and `dlopen` take locks and allocate, and a hook may be called by an allocator
//! that holds its own lock, or while another thread is inside `dlopen`.
//!
//! ```text
//!   link map:  program ─► residue ─► libA ─► libc ─► ld.so │ ─► loaded later ...
//!                         └─ `next` searches from here to ─┘
//! ```
//!
//! What is there at the start is never unloaded and its list does not change, so it is
//! walked without a lock. What comes later is found through `dl_iterate_phdr`, whose lock
//! is held only while the list itself is changed.

use crate::sys::{self, LinkMap, PhdrInfo};
use core::ffi::{CStr, c_char, c_int, c_void};
use core::ops::Range;
use core::sync::atomic::{AtomicPtr, Ordering};

/// The last module that was there when the first name was looked up.
static LAST_AT_START: AtomicPtr<LinkMap> = AtomicPtr::new(core::ptr::null_mut());

/// Where a function is, and its size, which may be zero.
#[derive(Clone, Copy)]
pub struct Definition {
    pub address: usize,
    pub bytes: usize,
}

/// The definition that comes before this library's own: of the executable, or of a library
/// that was preloaded first.
pub fn before(name: &CStr) -> Option<Definition> {
    let own = own_module();
    at_start()
        .take_while(|&module| module != own)
        .find_map(|module| define_in(module, name))
}

/// The first definition in another module than this library, of those that were there at the
/// start.
pub fn elsewhere(name: &CStr) -> Option<Definition> {
    let own = own_module();
    at_start()
        .filter(|&module| module != own)
        .find_map(|module| define_in(module, name))
}

/// How far the executable was moved from its link-time addresses.
pub fn program_bias() -> usize {
    // SAFETY: the record of the executable stays.
    unsafe { program().as_ref() }.map_or(0, |program| program.bias)
}

/// Whether this is an address of the executable.
pub fn is_program(address: usize) -> bool {
    module_of(address) == program()
}

/// The definition in the module that holds this address.
pub fn defined_beside(address: usize, name: &CStr) -> Option<Definition> {
    define_in(module_of(address), name)
}

/// The function of the module that holds this address, by the sizes of what it exports, and true;
/// or what lies between two of those, and false.
pub fn function_around(address: usize) -> Option<(Range<usize>, bool)> {
    // SAFETY: the module is loaded, and so are its tables.
    let (bias, symbols) = unsafe {
        let module = module_of(address).as_ref()?;
        let tables = Tables::read(module.bias, module.dynamic.cast())?;
        (module.bias, tables.all_symbols())
    };
    let (_, module_end) = crate::modules::range_of(address)?;
    let (mut start, mut end) = (0, module_end);
    // Functions written in assembler may have no size: they end where the next one begins.
    let mut sizeless = 0;
    for symbol in symbols.iter().filter(|symbol| symbol.is_function()) {
        let first = bias.wrapping_add(symbol.value);
        let last = first.wrapping_add(symbol.bytes);
        if (first..last).contains(&address) {
            return Some((first..last, true));
        }
        if first > address {
            end = end.min(first);
        } else if first == last {
            sizeless = sizeless.max(first);
        } else {
            start = start.max(last);
        }
    }
    if sizeless != 0 && sizeless >= start {
        return Some((sizeless..end, true));
    }
    (start != 0 && end != module_end).then_some((start..end, false))
}

/// Where this address may be in one of the two pieces of code that the dynamic linker calls when a
/// module comes and goes (`.init` and `.fini`): from the piece's beginning as far as one may reach.
/// Linkers put them together, and nobody makes unwind tables for them.
pub fn runs_with_module(address: usize) -> Option<Range<usize>> {
    const MOST_BYTES: usize = 64;
    // SAFETY: the module is loaded, and so is its dynamic section, which ends with an entry of its own.
    let (bias, mut entry) = unsafe {
        let module = module_of(address).as_ref()?;
        (module.bias, module.dynamic.cast::<Entry>())
    };
    // SAFETY: as above.
    while let Some(Entry { tag, value }) = unsafe { entry.as_ref() } {
        let start = address_of(*value, bias);
        let range = start..start.saturating_add(MOST_BYTES);
        match *tag {
            DT_NULL => break,
            DT_INIT | DT_FINI if range.contains(&address) => return Some(range),
            _ => entry = entry.wrapping_add(1),
        }
    }
    None
}

/// All functions that the module exports that holds this address.
#[cfg(test)]
pub fn functions_for_test(address: usize) -> Vec<Range<usize>> {
    // SAFETY: the module is loaded, and so are its tables.
    let (bias, symbols) = unsafe {
        let module = module_of(address).as_ref().unwrap();
        let tables = Tables::read(module.bias, module.dynamic.cast()).unwrap();
        (module.bias, tables.all_symbols())
    };
    let functions = symbols.iter().filter(|symbol| symbol.is_function());
    let functions = functions.filter(|symbol| symbol.bytes != 0);
    let ranges = functions.map(|it| bias + it.value..bias + it.value + it.bytes);
    ranges.collect()
}

/// Whether the module that holds this address defines or uses a name.
pub fn is_mentioned_beside(address: usize, name: &CStr) -> bool {
    // SAFETY: the module is loaded, and so are its tables.
    let names = unsafe {
        let module = module_of(address).as_ref();
        let tables = module.and_then(|it| Tables::read(it.bias, it.dynamic.cast()));
        tables.map_or(&[][..], |tables| {
            core::slice::from_raw_parts(tables.names.cast::<u8>(), tables.name_bytes)
        })
    };
    // A name may be the end of a longer one.
    let mut names = names.split(|&byte| byte == 0);
    names.any(|it| it.ends_with(name.to_bytes()))
}

/// The definition that follows this library's own, of the modules that were there at the
/// start; 0 if there is none.
pub fn next(name: &CStr) -> usize {
    let own = own_module();
    after(own)
        .find_map(|module| find_in(module, name))
        .unwrap_or(0)
}

/// The modules that were there at the start, and stay.
pub fn at_start() -> impl Iterator<Item = *const LinkMap> {
    let first = program();
    core::iter::once(first).chain(after(first))
}

/// The first module of all.
fn program() -> *const LinkMap {
    sys::first_module()
}

/// The definition in a library of this file name, whenever it was loaded.
pub fn in_library(library: &CStr, name: &CStr) -> usize {
    search(Some(library), name)
}

/// The first definition in any module that is loaded now.
pub fn anywhere(name: &CStr) -> usize {
    search(None, name)
}

fn search(library: Option<&CStr>, name: &CStr) -> usize {
    let mut search = Search {
        library,
        name,
        address: 0,
    };
    // SAFETY: the callback takes what is handed to it here.
    unsafe { sys::dl_iterate_phdr(Search::look, (&raw mut search).cast()) };
    search.address
}

/// The definition in the module that holds this address.
pub fn in_module_of(address: usize, name: &CStr) -> usize {
    defined_beside(address, name).map_or(0, |found| found.address)
}

struct Search<'a> {
    library: Option<&'a CStr>,
    name: &'a CStr,
    address: usize,
}

impl Search<'_> {
    unsafe extern "C" fn look(info: *const PhdrInfo, _: usize, search: *mut c_void) -> c_int {
        // SAFETY: `dl_iterate_phdr` hands on the search and describes one module.
        unsafe {
            let search = &mut *search.cast::<Search<'_>>();
            let Some(info) = info.as_ref() else {
                return 0;
            };
            if search
                .library
                .is_some_and(|library| !is_named(info.name, library))
            {
                return 0;
            }
            let headers = core::slice::from_raw_parts(info.headers, usize::from(info.count));
            let dynamic = headers.iter().find(|header| header.kind == PT_DYNAMIC);
            let found = dynamic.and_then(|header| {
                let at = info.bias.wrapping_add(header.address);
                Tables::read(info.bias, at as *const Entry)?.find(search.name)
            });
            search.address = found.map_or(0, |found| found.address);
            c_int::from(found.is_some())
        }
    }
}

/// Whether a path ends in this file name.
///
/// # Safety
/// `path` must be null or a string.
unsafe fn is_named(path: *const c_char, name: &CStr) -> bool {
    if path.is_null() {
        return false;
    }
    // SAFETY: as above.
    let path = unsafe { CStr::from_ptr(path) }.to_bytes();
    path.rsplit(|&byte| byte == b'/').next() == Some(name.to_bytes())
}

fn own_module() -> *const LinkMap {
    module_of(own_module as *const () as usize)
}

fn module_of(address: usize) -> *const LinkMap {
    crate::modules::link_map_of(address)
}

/// The modules behind this one, up to the last that was there at the start.
fn after(module: *const LinkMap) -> impl Iterator<Item = *const LinkMap> {
    let last = last_at_start();
    let mut at = module;
    core::iter::from_fn(move || {
        if at == last {
            return None;
        }
        // SAFETY: this part of the list does not change.
        at = unsafe { at.as_ref() }?.next;
        (!at.is_null()).then_some(at)
    })
}

/// The last of the modules that were there at the start, and stay.
pub fn last_at_start() -> *const LinkMap {
    let known = LAST_AT_START.load(Ordering::Relaxed);
    if !known.is_null() {
        return known;
    }
    let mut last = program();
    // SAFETY: the first name is looked up before the program's threads and modules come.
    while let Some(next) = unsafe { last.as_ref().and_then(|module| module.next.as_ref()) } {
        last = next;
    }
    LAST_AT_START.store(last.cast_mut(), Ordering::Relaxed);
    last
}

fn find_in(module: *const LinkMap, name: &CStr) -> Option<usize> {
    define_in(module, name).map(|found| found.address)
}

fn define_in(module: *const LinkMap, name: &CStr) -> Option<Definition> {
    // SAFETY: the module is loaded, and so are its tables.
    unsafe {
        let module = module.as_ref()?;
        Tables::read(module.bias, module.dynamic.cast())?.find(name)
    }
}

/// One entry of a module's dynamic section.
#[repr(C)]
struct Entry {
    tag: i64,
    value: usize,
}

#[repr(C)]
struct Symbol {
    name: u32,
    info: u8,
    other: u8,
    section: u16,
    value: usize,
    bytes: usize,
}

impl Symbol {
    fn kind(&self) -> u8 {
        self.info & 0xf
    }

    fn is_function(&self) -> bool {
        self.section != 0 && self.kind() == KIND_FUNCTION
    }

    fn is_definition(&self) -> bool {
        const LOCAL: u8 = 0;
        self.section != 0 && self.info >> 4 != LOCAL && self.kind() != KIND_TLS
    }
}

const PT_DYNAMIC: u32 = 2;
const DT_NULL: i64 = 0;
const DT_HASH: i64 = 4;
const DT_STRTAB: i64 = 5;
const DT_SYMTAB: i64 = 6;
const DT_STRSZ: i64 = 10;
const DT_INIT: i64 = 12;
const DT_FINI: i64 = 13;
const DT_GNU_HASH: i64 = 0x6fff_fef5;
const DT_VERSYM: i64 = 0x6fff_fff0;
const KIND_FUNCTION: u8 = 2;
const KIND_TLS: u8 = 6;
const KIND_INDIRECT: u8 = 10;
const VERSION_HIDDEN: u16 = 0x8000;

/// What an entry of a dynamic section points to. The dynamic linker makes addresses of these values,
/// unless it cannot write there: in the kernel's library, which kernels before 3.16 made for an
/// address near the end of all addresses, so that its values are large and its bias is small.
fn address_of(value: usize, bias: usize) -> usize {
    let is_address = value >= bias && value <= isize::MAX as usize;
    match is_address {
        true => value,
        false => bias.wrapping_add(value),
    }
}

/// Where a module keeps its names.
struct Tables {
    bias: usize,
    names: *const c_char,
    name_bytes: usize,
    symbols: *const Symbol,
    versions: *const u16,
    gnu_hash: *const u32,
    hash: *const u32,
}

impl Tables {
    /// # Safety
    /// `entry` must be null or the dynamic section of a loaded module.
    unsafe fn read(bias: usize, mut entry: *const Entry) -> Option<Tables> {
        let mut tables = Tables {
            bias,
            names: core::ptr::null(),
            name_bytes: 0,
            symbols: core::ptr::null(),
            versions: core::ptr::null(),
            gnu_hash: core::ptr::null(),
            hash: core::ptr::null(),
        };
        // SAFETY: the section ends with an entry of its own.
        while let Some(Entry { tag, value }) = unsafe { entry.as_ref() } {
            let address = address_of(*value, bias);
            match *tag {
                DT_NULL => break,
                DT_STRTAB => tables.names = address as *const c_char,
                DT_STRSZ => tables.name_bytes = *value,
                DT_SYMTAB => tables.symbols = address as *const Symbol,
                DT_VERSYM => tables.versions = address as *const u16,
                DT_GNU_HASH => tables.gnu_hash = address as *const u32,
                DT_HASH => tables.hash = address as *const u32,
                _ => {}
            }
            entry = entry.wrapping_add(1);
        }
        (!tables.names.is_null() && !tables.symbols.is_null()).then_some(tables)
    }

    /// # Safety
    /// The module must still be loaded.
    unsafe fn find(&self, name: &CStr) -> Option<Definition> {
        // SAFETY: as promised by the caller; the tables are those of a module that was
        // accepted by the dynamic linker, and are read as it reads them.
        unsafe {
            if !self.gnu_hash.is_null() {
                self.find_by_gnu_hash(name)
            } else if !self.hash.is_null() {
                self.find_by_hash(name)
            } else {
                None
            }
        }
    }

    /// All of them; none where it is not known how many there are.
    ///
    /// # Safety
    /// As for [`Tables::find`].
    unsafe fn all_symbols(&self) -> &'static [Symbol] {
        // SAFETY: see `find`.
        unsafe {
            let count = match self.hash.is_null() {
                false => *self.hash.add(1),
                true => self.count_by_gnu_hash(),
            };
            core::slice::from_raw_parts(self.symbols, count as usize)
        }
    }

    /// One more than the last symbol of the last chain.
    unsafe fn count_by_gnu_hash(&self) -> u32 {
        if self.gnu_hash.is_null() {
            return 0;
        }
        // SAFETY: see `find`.
        unsafe {
            let [buckets, first, words, _] = *self.gnu_hash.cast::<[u32; 4]>();
            let bucket = self.gnu_hash.add(4 + 2 * words as usize);
            let chain = bucket.add(buckets as usize);
            let mut last = (0..buckets as usize)
                .map(|index| *bucket.add(index))
                .max()
                .unwrap_or(0);
            if last < first {
                return 0;
            }
            while *chain.add((last - first) as usize) & 1 == 0 {
                last += 1;
            }
            last + 1
        }
    }

    /// A Bloom filter, buckets, and chains of hashes whose lowest bit ends a chain.
    unsafe fn find_by_gnu_hash(&self, name: &CStr) -> Option<Definition> {
        let bytes = name.to_bytes().iter();
        let hash = bytes.fold(5381_u32, |hash, &byte| {
            hash.wrapping_mul(33).wrapping_add(u32::from(byte))
        });
        // SAFETY: see `find`.
        unsafe {
            let [buckets, first, words, shift] = *self.gnu_hash.cast::<[u32; 4]>();
            if buckets == 0 || words == 0 {
                return None;
            }
            let filter = self.gnu_hash.add(4).cast::<u64>();
            let word = filter.add((hash / 64 % words) as usize).read_unaligned();
            let is_possible = word >> (hash % 64) & word >> ((hash >> shift) % 64) & 1 == 1;
            if !is_possible {
                return None;
            }
            let bucket = filter.add(words as usize).cast::<u32>();
            let chain = bucket.add(buckets as usize);
            let mut index = *bucket.add((hash % buckets) as usize);
            if index < first {
                return None;
            }
            loop {
                let entry = *chain.add((index - first) as usize);
                if entry | 1 == hash | 1
                    && let Some(found) = self.at(index, name)
                {
                    return Some(found);
                }
                if entry & 1 == 1 {
                    return None;
                }
                index += 1;
            }
        }
    }

    /// Buckets, and chains of numbers.
    unsafe fn find_by_hash(&self, name: &CStr) -> Option<Definition> {
        let hash = name.to_bytes().iter().fold(0_u32, |hash, &byte| {
            let hash = (hash << 4).wrapping_add(u32::from(byte));
            let high = hash & 0xf000_0000;
            (hash ^ high >> 24) & !high
        });
        // SAFETY: see `find`.
        unsafe {
            let [buckets, symbols] = *self.hash.cast::<[u32; 2]>();
            if buckets == 0 {
                return None;
            }
            let bucket = self.hash.add(2);
            let chain = bucket.add(buckets as usize);
            let mut index = *bucket.add((hash % buckets) as usize);
            while index != 0 && index < symbols {
                if let Some(found) = self.at(index, name) {
                    return Some(found);
                }
                index = *chain.add(index as usize);
            }
            None
        }
    }

    /// A symbol, if it is the default definition of this name.
    unsafe fn at(&self, index: u32, name: &CStr) -> Option<Definition> {
        let index = index as usize;
        // SAFETY: see `find`.
        unsafe {
            let symbol = &*self.symbols.add(index);
            let is_hidden =
                !self.versions.is_null() && *self.versions.add(index) & VERSION_HIDDEN != 0;
            if is_hidden
                || !symbol.is_definition()
                || CStr::from_ptr(self.names.add(symbol.name as usize)) != name
            {
                return None;
            }
            let address = self.bias.wrapping_add(symbol.value);
            if symbol.kind() != KIND_INDIRECT {
                let bytes = symbol.bytes;
                return Some(Definition { address, bytes });
            }
            let choose = core::mem::transmute::<usize, extern "C" fn() -> usize>(address);
            let address = choose();
            Some(Definition { address, bytes: 0 })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What the program itself sees, of the modules that were there at the start.
    fn global(name: &CStr) -> usize {
        let first = program();
        find_in(first, name)
            .or_else(|| after(first).find_map(|module| find_in(module, name)))
            .unwrap_or(0)
    }

    fn by_linker(name: &CStr) -> usize {
        // SAFETY: the name is terminated.
        unsafe { sys::dlsym(core::ptr::null_mut(), name.as_ptr()) as usize }
    }

    #[test]
    fn finds_what_the_dynamic_linker_finds() {
        for name in [
            c"malloc",
            c"free",
            c"reallocarray",
            c"mallinfo2",
            c"stdout",
            c"pthread_key_create",
            c"pthread_setname_np",
            c"dlclose",
            // Chosen at run time by a function of its own.
            c"memcpy",
        ] {
            assert_ne!(by_linker(name), 0, "{name:?}");
            assert_eq!(global(name), by_linker(name), "{name:?}");
        }
    }

    #[test]
    fn the_executable_comes_first_and_symbols_have_sizes() {
        let malloc = by_linker(c"malloc");
        assert!(defined_beside(malloc, c"malloc").is_some_and(|found| found.bytes > 16));
        assert!(defined_beside(malloc, c"no_function_has_this_name").is_none());
        // Here the executable is the module that asks: nothing comes before it.
        assert!(before(c"malloc").is_none());
    }

    #[test]
    fn values_of_a_dynamic_section_are_addresses_or_become_them() {
        let bias = 0x7ffe_1234_5000;
        assert_eq!(address_of(bias + 0x318, bias), bias + 0x318);
        assert_eq!(address_of(0x318, bias), bias + 0x318);
        // An executable at the address it was linked for.
        assert_eq!(address_of(0x40_0318, 0), 0x40_0318);
    }

    #[test]
    fn the_kernels_library_of_linux_3_10_was_made_for_the_end_of_all_addresses() {
        let made_for = 0xffff_ffff_ff70_0000_usize;
        let mapped_at = 0x7ffd_5c3f_e000_usize;
        let bias = mapped_at.wrapping_sub(made_for);
        assert_eq!(address_of(made_for + 0x318, bias), mapped_at + 0x318);
    }

    #[test]
    fn what_is_nowhere_is_not_found() {
        assert_eq!(global(c"no_function_has_this_name"), 0);
        assert_eq!(next(c""), 0);
        assert_eq!(in_library(c"libnowhere.so", c"malloc"), 0);
        assert_eq!(in_library(c"libc.so.6", c"no_function_has_this_name"), 0);
    }

    #[test]
    fn modules_are_found_by_file_name_and_by_address() {
        let malloc = by_linker(c"malloc");
        assert_eq!(in_library(c"libc.so.6", c"malloc"), malloc);
        assert_eq!(in_module_of(malloc, c"malloc"), malloc);
        assert_eq!(
            in_module_of(own_module as *const () as usize, c"mallinfo2"),
            0
        );
        assert_ne!(in_library(c"linux-vdso.so.1", c"__vdso_clock_gettime"), 0);
    }

    #[test]
    fn modules_that_came_later_are_found_by_name_only() {
        // The start is when the first name is looked up.
        assert_ne!(global(c"malloc"), 0);
        // SAFETY: the names are terminated.
        let by_linker = unsafe {
            let handle = sys::dlopen().unwrap()(c"libstdc++.so.6".as_ptr(), sys::RTLD_LAZY);
            assert!(!handle.is_null());
            sys::dlsym(handle, c"_Znwm".as_ptr()) as usize
        };
        assert_eq!(in_library(c"libstdc++.so.6", c"_Znwm"), by_linker);
        assert_eq!(anywhere(c"_Znwm"), by_linker);
        assert_eq!(global(c"_Znwm"), 0);
    }
}
