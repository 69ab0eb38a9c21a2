//! The recorder's table of functions: found once, then one load away.
//!
//! The recorder is a preloaded library that exports `residue_api_v1`. Its table grows at
//! the end only and says how many bytes of it are there; a member beyond is not there.

use core::ffi::{c_char, c_int, c_void};
use core::mem::offset_of;
use core::ptr::{self, NonNull};
use core::sync::atomic::{AtomicPtr, Ordering};

/// Declares the table and, for each member, a function that returns it if it is there.
macro_rules! table {
    ($($member:ident: $function:ty,)*) => {
        #[repr(C)]
        struct Table {
            _version: u32,
            bytes: u32,
            $($member: $function,)*
        }

        $(
            #[inline(always)]
            pub(crate) fn $member() -> Option<$function> {
                let table = find()?.as_ptr();
                let end = offset_of!(Table, $member) + size_of::<$function>();
                // SAFETY: a table has at least its first two words, never changes and is
                // never unmapped: the recorder was preloaded.
                let bytes = unsafe { (*table).bytes };
                if (bytes as usize) < end {
                    return None;
                }
                // SAFETY: the table reaches to the end of this member, and members within
                // the table are functions of the types declared here.
                Some(unsafe { (*table).$member })
            }
        )*
    };
}

table! {
    event_begin: extern "C" fn(u64, u32),
    event_end: extern "C" fn(u64, u32),
    event_current: extern "C" fn() -> u32,
    event_enter: extern "C" fn(u32) -> u32,
    stamp: unsafe extern "C" fn(*const c_char),
    count: unsafe extern "C" fn(*const c_char, f64),
    scope_begin: unsafe extern "C" fn(*const c_char),
    scope_end: extern "C" fn(),
    pause: extern "C" fn(c_int),
    resume: extern "C" fn(c_int),
    thresholds: extern "C" fn(u64, u64),
    snapshot: unsafe extern "C" fn(*const c_char),
    allocated: extern "C" fn(*const c_void, usize),
    freed: extern "C" fn(*const c_void),
}

/// No address of a table: the recorder has not been looked for yet.
const UNASKED: *mut Table = ptr::without_provenance_mut(1);

/// The recorder's table, null when there is no recorder.
static KNOWN: AtomicPtr<Table> = AtomicPtr::new(UNASKED);

#[inline(always)]
fn find() -> Option<NonNull<Table>> {
    // Relaxed: threads that ask at the same time get the same answer, and what it points
    // to is constant.
    let known = NonNull::new(KNOWN.load(Ordering::Relaxed))?;
    if known.as_ptr() == UNASKED {
        NonNull::new(ask())
    } else {
        Some(known)
    }
}

#[inline]
pub(crate) fn is_there() -> bool {
    find().is_some()
}

#[cold]
#[inline(never)]
fn ask() -> *mut Table {
    let table = look_up();
    KNOWN.store(table, Ordering::Relaxed);
    table
}

#[cfg(target_os = "linux")]
fn look_up() -> *mut Table {
    unsafe extern "C" {
        fn dlsym(scope: *mut c_void, name: *const c_char) -> *mut c_void;
    }
    // SAFETY: null as the scope is RTLD_DEFAULT, and the name ends in zero.
    let symbol = unsafe { dlsym(ptr::null_mut(), c"residue_api_v1".as_ptr()) };
    if symbol.is_null() {
        return ptr::null_mut();
    }
    // SAFETY: whoever exports this name exports a function of this type.
    let function: extern "C" fn() -> *mut Table = unsafe { core::mem::transmute(symbol) };
    function()
}

#[cfg(not(target_os = "linux"))]
fn look_up() -> *mut Table {
    ptr::null_mut()
}
