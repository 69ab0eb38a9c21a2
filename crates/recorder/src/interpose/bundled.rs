//! An executable that brings its own `malloc`, as rustc (jemalloc) and Chromium
//! (PartitionAlloc) do. It stands before every preloaded library, so that nobody calls the
//! hooks; its functions get detours instead. So do those of an allocator that was preloaded
//! before this library.
//!
//! All of them or none: a `free` that is seen without its `malloc` would be worse than nothing.
//! Where one cannot have a detour the profile says so, and that this heap is not recorded.

use super::bundled_calls::{
    freeing, made_of_first, made_of_product, made_of_second, placed, reallocated,
    reallocated_to_product, reallocating,
};
use super::bundled_detours::Detours;
use crate::detour::Refusal;
use crate::detour::around::{After, Around, Before, Frame};
use crate::dynamic;
use crate::recorder;
use core::ffi::CStr;
use core::sync::atomic::{AtomicU32, Ordering};

/// One function, and what is done around its calls.
struct Bundled {
    name: &'static CStr,
    around: Around,
}

const fn bundled(name: &'static CStr, before: Option<Before>, after: Option<After>) -> Bundled {
    Bundled {
        name,
        around: Around::new(before, after),
    }
}

/// Of two names for one function the first counts.
static FUNCTIONS: [Bundled; 17] = [
    bundled(c"malloc", None, Some(made_of_first)),
    bundled(c"calloc", None, Some(made_of_product)),
    bundled(c"realloc", Some(reallocating), Some(reallocated)),
    bundled(
        c"reallocarray",
        Some(reallocating),
        Some(reallocated_to_product),
    ),
    bundled(c"free", Some(freeing), None),
    bundled(c"cfree", Some(freeing), None),
    bundled(c"free_sized", Some(freeing), None),
    bundled(c"free_aligned_sized", Some(freeing), None),
    bundled(c"posix_memalign", None, Some(placed)),
    bundled(c"aligned_alloc", None, Some(made_of_second)),
    bundled(c"memalign", None, Some(made_of_second)),
    bundled(c"valloc", None, Some(made_of_first)),
    bundled(c"pvalloc", None, Some(made_of_first)),
    // Further ones of jemalloc's.
    bundled(c"mallocx", None, Some(made_of_first)),
    bundled(c"rallocx", Some(reallocating), Some(reallocated)),
    bundled(c"dallocx", Some(freeing), None),
    bundled(c"sdallocx", Some(freeing), None),
];

/// Operators may be made of `malloc` and `free`. The first call of any `new` tells.
static NEWS: [Bundled; 8] = [
    bundled_new(c"_Znwm"),
    bundled_new(c"_Znam"),
    bundled_new(c"_ZnwmRKSt9nothrow_t"),
    bundled_new(c"_ZnamRKSt9nothrow_t"),
    bundled_new(c"_ZnwmSt11align_val_t"),
    bundled_new(c"_ZnamSt11align_val_t"),
    bundled_new(c"_ZnwmSt11align_val_tRKSt9nothrow_t"),
    bundled_new(c"_ZnamSt11align_val_tRKSt9nothrow_t"),
];
static DELETES: [Bundled; 12] = [
    bundled(c"_ZdlPv", Some(freeing), None),
    bundled(c"_ZdaPv", Some(freeing), None),
    bundled(c"_ZdlPvm", Some(freeing), None),
    bundled(c"_ZdaPvm", Some(freeing), None),
    bundled(c"_ZdlPvSt11align_val_t", Some(freeing), None),
    bundled(c"_ZdaPvSt11align_val_t", Some(freeing), None),
    bundled(c"_ZdlPvmSt11align_val_t", Some(freeing), None),
    bundled(c"_ZdaPvmSt11align_val_t", Some(freeing), None),
    bundled(c"_ZdlPvRKSt9nothrow_t", Some(freeing), None),
    bundled(c"_ZdaPvRKSt9nothrow_t", Some(freeing), None),
    bundled(c"_ZdlPvSt11align_val_tRKSt9nothrow_t", Some(freeing), None),
    bundled(c"_ZdaPvSt11align_val_tRKSt9nothrow_t", Some(freeing), None),
];

const fn bundled_new(name: &'static CStr) -> Bundled {
    bundled(name, Some(trying_new), Some(tried_new))
}

extern "C" fn trying_new(_: &'static Around, frame: &mut Frame, _: *const usize, _: usize) {
    frame.make_transparent();
}

extern "C" fn tried_new(
    around: &'static Around,
    frame: &mut Frame,
    slot: *const usize,
    bp: usize,
    block: usize,
) {
    let is_recorded = frame.was_seen_through();
    settle_operators(is_recorded);
    if !is_recorded {
        made_of_first(around, frame, slot, bp, block);
    }
}

/// Records the operators themselves from now on, or leaves them to what they are made of.
fn settle_operators(reach_malloc: bool) {
    static ARE_SETTLED: AtomicU32 = AtomicU32::new(0);
    if ARE_SETTLED.swap(1, Ordering::Relaxed) != 0 {
        return;
    }
    for new in &NEWS {
        new.around.set(None, Some(made_of_first));
        new.around.switch(!reach_malloc);
    }
    for delete in &DELETES {
        delete.around.switch(!reach_malloc);
    }
}

/// What became of a program's own `malloc`.
pub enum Outcome {
    /// There is none, or it calls the next one: the hooks see all.
    Hooked,
    /// It is recorded; the address is some function of it.
    Detoured {
        allocator: usize,
    },
    Refused(Refusal),
}

/// Puts detours into the program's own `malloc` and its kin, if it has them. Before the
/// program's constructors run.
pub fn record() -> Outcome {
    let Some(malloc) = dynamic::before(c"malloc") else {
        return Outcome::Hooked;
    };
    let allocator = malloc.address;
    let Some(free) = dynamic::defined_beside(allocator, c"free") else {
        return Outcome::Hooked;
    };
    // LeakSanitizer forgives what the dynamic linker allocates: with a detour in between it would
    // report that, and end the program with another status.
    if dynamic::is_mentioned_beside(allocator, c"__sanitizer_malloc_hook") {
        return Outcome::Refused(Refusal::Sanitizer);
    }
    if reaches_hooks(allocator, free.address) {
        return Outcome::Hooked;
    }
    match detour_all(allocator) {
        Ok(()) => Outcome::Detoured { allocator },
        Err(refusal) => Outcome::Refused(refusal),
    }
}

/// Whether the program's `malloc` calls the next one, found out by trying it. For the first
/// time it may map memory, which the hooks see too.
fn reaches_hooks(malloc: usize, free: usize) -> bool {
    type Malloc = unsafe extern "C" fn(usize) -> *mut u8;
    type Free = unsafe extern "C" fn(*mut u8);
    // SAFETY: what is found is called as what it is.
    let try_once = || unsafe {
        let malloc = core::mem::transmute::<usize, Malloc>(malloc);
        let free = core::mem::transmute::<usize, Free>(free);
        free(malloc(1));
    };
    try_once();
    recorder::reaches_hooks(try_once) != Some(false)
}

fn detour_all(allocator: usize) -> Result<(), Refusal> {
    let mut detours = Detours::default();
    for bundled in FUNCTIONS.iter().chain(&NEWS).chain(&DELETES) {
        if let Some(found) = dynamic::defined_beside(allocator, bundled.name) {
            detours.add(found.address, found.bytes, None, &bundled.around)?;
        }
    }
    detours.put_in()?;
    for bundled in FUNCTIONS.iter().chain(&NEWS) {
        bundled.around.switch(true);
    }
    Ok(())
}
