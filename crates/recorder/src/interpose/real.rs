//! The functions the hooks stand before, and the memory handed out until they
//! are known.

use super::own_names;
use crate::dynamic;
use crate::modules;
use crate::recorder;
use crate::setup;
use crate::sys;
use core::cell::UnsafeCell;
use core::ffi::{CStr, c_char, c_int, c_void};
use core::sync::atomic::{AtomicU32, AtomicUsize, Ordering};

/// Makes one slot and one typed getter for each function.
macro_rules! real_functions {
    ($($name:ident: fn($($argument:ty),*) $(-> $result:ty)?;)*) => {
        #[allow(non_upper_case_globals)]
        mod slots {
            $(pub static $name: super::AtomicUsize = super::AtomicUsize::new(0);)*
        }

        $(
            #[allow(non_snake_case)]
            /// The next function of this name; `None` where there is none, or
            /// while it is being looked for.
            #[inline(always)]
            pub fn $name() -> Option<unsafe extern "C" fn($($argument),*) $(-> $result)?> {
                let mut address = slots::$name.load(Ordering::Relaxed);
                if address <= MISSING {
                    find_all();
                    address = slots::$name.load(Ordering::Relaxed);
                    if address <= MISSING {
                        return None;
                    }
                }
                // SAFETY: the slot holds the function that was found under this name.
                Some(unsafe {
                    core::mem::transmute::<usize, unsafe extern "C" fn($($argument),*) $(-> $result)?>(address)
                })
            }
        )*

        /// Looks for all first and makes them known afterwards: a function that is
        /// known while others are not could call one of those.
        fn find_each() {
            let names = [$(concat!(stringify!($name), "\0")),*];
            let slots = [$(&slots::$name),*];
            let addresses = names.map(|name| next(name.as_bytes()));
            for (slot, address) in slots.into_iter().zip(addresses) {
                slot.store(address.max(MISSING), Ordering::Release);
            }
        }
    };
}

real_functions! {
    malloc: fn(usize) -> *mut u8;
    calloc: fn(usize, usize) -> *mut u8;
    realloc: fn(*mut u8, usize) -> *mut u8;
    reallocarray: fn(*mut u8, usize, usize) -> *mut u8;
    free: fn(*mut u8);
    free_sized: fn(*mut u8, usize);
    free_aligned_sized: fn(*mut u8, usize, usize);
    posix_memalign: fn(*mut *mut u8, usize, usize) -> c_int;
    aligned_alloc: fn(usize, usize) -> *mut u8;
    memalign: fn(usize, usize) -> *mut u8;
    valloc: fn(usize) -> *mut u8;
    pvalloc: fn(usize) -> *mut u8;
    mmap: fn(*mut u8, usize, c_int, c_int, c_int, i64) -> *mut u8;
    munmap: fn(*mut u8, usize) -> c_int;
    mremap: fn(*mut u8, usize, usize, c_int, *mut u8) -> *mut u8;
    sbrk: fn(isize) -> *mut u8;
    brk: fn(*mut u8) -> c_int;
    shmat: fn(c_int, *mut u8, c_int) -> *mut u8;
    shmdt: fn(*mut u8) -> c_int;
    prctl: fn(c_int, usize, usize, usize, usize) -> c_int;
    exit: fn(c_int);
    _exit: fn(c_int);
    _Exit: fn(c_int);
    quick_exit: fn(c_int);
    dlclose: fn(*mut c_void) -> c_int;
    execve: fn(*const c_char, Strings, Strings) -> c_int;
    execvpe: fn(*const c_char, Strings, Strings) -> c_int;
    fexecve: fn(c_int, Strings, Strings) -> c_int;
    posix_spawn: fn(*mut c_int, *const c_char, *const c_void, *const c_void, Strings, Strings)
        -> c_int;
    posix_spawnp: fn(*mut c_int, *const c_char, *const c_void, *const c_void, Strings, Strings)
        -> c_int;
    setuid: fn(u32) -> c_int;
    seteuid: fn(u32) -> c_int;
    setreuid: fn(u32, u32) -> c_int;
    setresuid: fn(u32, u32, u32) -> c_int;
    chroot: fn(*const c_char) -> c_int;
}

/// A list of strings that ends with a null pointer.
type Strings = *const *const c_char;

/// Slot value for a function that does not exist.
const MISSING: usize = 1;

const UNKNOWN: u32 = 0;
const LOOKING: u32 = 1;
const KNOWN: u32 = 2;
static SEARCH: AtomicU32 = AtomicU32::new(UNKNOWN);

fn next(name: &[u8]) -> usize {
    let Ok(name) = CStr::from_bytes_with_nul(name) else {
        return 0;
    };
    dynamic::next(name)
}

/// A function of a library that a program may load only later: found when it is first called, and
/// kept, because that library stays.
pub struct Late {
    name: &'static CStr,
    library: &'static CStr,
    address: AtomicUsize,
}

impl Late {
    const fn new(name: &'static CStr, library: &'static CStr) -> Late {
        Late {
            name,
            library,
            address: AtomicUsize::new(0),
        }
    }

    /// In glibc itself since 2.34.
    pub const fn of_libpthread(name: &'static CStr) -> Late {
        Late::new(name, c"libpthread.so.0")
    }

    pub const fn of_libgcc(name: &'static CStr) -> Late {
        Late::new(name, c"libgcc_s.so.1")
    }

    /// Zero while there is none.
    pub fn get(&self) -> usize {
        let mut address = self.address.load(Ordering::Relaxed);
        if address == 0 {
            address = named(self.name, &[self.library]);
            self.address.store(address, Ordering::Relaxed);
        }
        address
    }
}

/// A function that is asked for by name when it is needed, in the scope behind
/// this library or in one of the libraries named, if they are loaded.
pub fn named(name: &CStr, libraries: &[&CStr]) -> usize {
    let address = dynamic::next(name);
    if address != 0 {
        return address;
    }
    let mut addresses = libraries
        .iter()
        .map(|library| dynamic::in_library(library, name));
    addresses.find(|&address| address != 0).unwrap_or(0)
}

/// Finds all functions once. Calls that come meanwhile, from another thread, find nothing
/// and take boot memory.
#[cold]
fn find_all() {
    let claimed = SEARCH.compare_exchange(UNKNOWN, LOOKING, Ordering::AcqRel, Ordering::Acquire);
    if claimed.is_err() {
        return;
    }
    find_each();
    mute_calloc();
    SEARCH.store(KNOWN, Ordering::Release);
    // An executable that brings its own comes before the hooks.
    let before = |name| dynamic::before(name).map(|own| own.address);
    EARLIER_FREE.store(before(c"free").unwrap_or(MISSING), Ordering::Relaxed);
    if own_names::are_loaded() {
        setup::set_own_names();
    }
    setup::set_real_malloc(before(c"malloc").unwrap_or_else(next_malloc));
}

/// Musl's own, where its kin are muted.
static CALLOC_OF_MALLOC: AtomicUsize = AtomicUsize::new(0);

/// Musl's `calloc` calls `malloc` as a program does: one call of the program must not be two. Put
/// into the slot, so that the hook has no more to do for the others.
fn mute_calloc() {
    let calloc = slots::calloc.load(Ordering::Relaxed);
    if calloc > MISSING && sys::is_musl() && modules::is_in_linker(calloc) {
        CALLOC_OF_MALLOC.store(calloc, Ordering::Relaxed);
        slots::calloc.store(muted_calloc as *const () as usize, Ordering::Release);
    }
}

unsafe extern "C" fn muted_calloc(count: usize, each: usize) -> *mut u8 {
    type Calloc = unsafe extern "C" fn(usize, usize) -> *mut u8;
    let calloc = CALLOC_OF_MALLOC.load(Ordering::Relaxed);
    // SAFETY: stored before this function is; the program's own call, handed on.
    unsafe {
        let calloc = core::mem::transmute::<usize, Calloc>(calloc);
        recorder::muted(|| calloc(count, each))
    }
}

static EARLIER_FREE: AtomicUsize = AtomicUsize::new(MISSING);

/// The `free` of an executable that brings its own, for hooks of names that it does not have.
pub fn earlier_free() -> Option<unsafe extern "C" fn(*mut u8)> {
    let address = EARLIER_FREE.load(Ordering::Relaxed);
    // SAFETY: the address of the function that was found under this name.
    (address != MISSING)
        .then(|| unsafe { core::mem::transmute::<usize, unsafe extern "C" fn(*mut u8)>(address) })
}

/// The function behind the hook of `malloc`.
pub fn next_malloc() -> usize {
    slots::malloc.load(Ordering::Relaxed)
}

/// Boot memory: never freed, a few kilobytes at most.
const BOOT_BYTES: usize = 256 << 10;

#[repr(C, align(64))]
struct Boot(UnsafeCell<[u8; BOOT_BYTES]>);

// SAFETY: pieces are handed out once, by an atomic counter.
unsafe impl Sync for Boot {}

static BOOT: Boot = Boot(UnsafeCell::new([0; BOOT_BYTES]));
static BOOT_USED: AtomicUsize = AtomicUsize::new(0);

/// Zeroed memory from the boot buffer, null when it is used up. The size is kept
/// in front of the block, for `realloc`.
pub fn boot_allocate(bytes: usize, alignment: usize) -> *mut u8 {
    let alignment = alignment.max(16);
    let Some(wanted) = bytes.checked_add(alignment + 16) else {
        return core::ptr::null_mut();
    };
    let used = BOOT_USED.fetch_add(wanted.next_multiple_of(16), Ordering::Relaxed);
    if used + wanted > BOOT_BYTES {
        return core::ptr::null_mut();
    }
    let start = BOOT.0.get() as usize + used + 16;
    let block = start.next_multiple_of(alignment) as *mut u8;
    // SAFETY: block and the word before it lie inside the piece just claimed.
    unsafe { block.cast::<usize>().sub(1).write(bytes) };
    block
}

#[inline(always)]
pub fn is_boot(block: *mut u8) -> bool {
    (block as usize).wrapping_sub(BOOT.0.get() as usize) < BOOT_BYTES
}

/// Size of a boot block.
///
/// # Safety
/// `block` must be one.
pub unsafe fn boot_bytes(block: *mut u8) -> usize {
    // SAFETY: the size stands in front of every boot block.
    unsafe { block.cast::<usize>().sub(1).read() }
}
