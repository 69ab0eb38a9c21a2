//! Threads that begin: their CPU time is sampled from the first instruction on, and not from their
//! first allocation. This hook is there only where samples are asked for.
//!
//! The new thread starts in a stub that leaves no frame behind, so that stacks begin as ever.

use super::real::Late;
use crate::hot;
use crate::loss::Loss;
use crate::private;
use crate::recorder;
use crate::setup;
use core::ffi::{c_int, c_void};
use core::sync::atomic::{AtomicPtr, AtomicUsize, Ordering};

type Routine = unsafe extern "C" fn(*mut c_void) -> *mut c_void;

/// What a thread is to run. Free while there is no routine.
#[repr(C)]
struct Start {
    routine: AtomicUsize,
    argument: AtomicUsize,
}

/// Threads that were made and do not run yet; those beyond are sampled from their first
/// allocation on.
const MOST_STARTING: usize = 1024;
static STARTING: AtomicPtr<Start> = AtomicPtr::new(core::ptr::null_mut());

/// A place that nobody uses, taken for this thread to be.
fn taken(routine: Routine, argument: *mut c_void) -> Option<*mut Start> {
    let mut first = STARTING.load(Ordering::Acquire);
    if first.is_null() {
        first = private::map_array(MOST_STARTING, MOST_STARTING * size_of::<Start>())?;
        STARTING.store(first, Ordering::Release);
    }
    (0..MOST_STARTING)
        .map(|index| first.wrapping_add(index))
        .find(|&place| {
            // SAFETY: the places are mapped for ever.
            let start = unsafe { &*place };
            let is_taken = start
                .routine
                .compare_exchange(0, routine as usize, Ordering::AcqRel, Ordering::Relaxed)
                .is_ok();
            if is_taken {
                start.argument.store(argument as usize, Ordering::Release);
            }
            is_taken
        })
}

/// Makes a thread by `create`, which is given a routine and its argument.
fn begin(
    routine: Option<Routine>,
    argument: *mut c_void,
    create: impl Fn(Option<Routine>, *mut c_void) -> c_int,
) -> c_int {
    let start = match routine {
        Some(routine) if hot::get().is_recording() || setup::wake() => taken(routine, argument),
        _ => None,
    };
    let Some(start) = start else {
        return create(routine, argument);
    };
    let result = create(Some(begin_thread), start.cast());
    if result != 0 {
        // SAFETY: the places are mapped for ever, and no thread has this one.
        unsafe { (*start).routine.store(0, Ordering::Release) };
    }
    result
}

/// # Safety
/// The arguments must be what the function of this name takes.
pub unsafe fn pthread_create(
    thread: *mut c_void,
    attributes: *const c_void,
    routine: Option<Routine>,
    argument: *mut c_void,
) -> c_int {
    type Create =
        unsafe extern "C" fn(*mut c_void, *const c_void, Option<Routine>, *mut c_void) -> c_int;
    const TRY_AGAIN: c_int = 11;
    static REAL: Late = Late::of_libpthread(c"pthread_create");
    let create = match REAL.get() {
        0 => return TRY_AGAIN,
        // SAFETY: libc's function of this name.
        address => unsafe { core::mem::transmute::<usize, Create>(address) },
    };
    begin(routine, argument, |routine, argument| {
        // SAFETY: the program's own call, with its routine or one that runs it.
        unsafe { create(thread, attributes, routine, argument) }
    })
}

/// Its routine returns a number, in the same register.
///
/// # Safety
/// The arguments must be what the function of this name takes.
pub unsafe fn thrd_create(
    thread: *mut c_void,
    routine: Option<Routine>,
    argument: *mut c_void,
) -> c_int {
    type Create = unsafe extern "C" fn(*mut c_void, Option<Routine>, *mut c_void) -> c_int;
    const ERROR: c_int = 2;
    static REAL: Late = Late::of_libpthread(c"thrd_create");
    let create = match REAL.get() {
        0 => return ERROR,
        // SAFETY: libc's function of this name.
        address => unsafe { core::mem::transmute::<usize, Create>(address) },
    };
    begin(routine, argument, |routine, argument| {
        // SAFETY: the program's own call, with its routine or one that runs it.
        unsafe { create(thread, routine, argument) }
    })
}

/// Where a new thread begins: it becomes known to the recorder, then runs what it was made for.
#[unsafe(naked)]
unsafe extern "C" fn begin_thread(start: *mut c_void) -> *mut c_void {
    core::arch::naked_asm!(
        ".cfi_startproc",
        "sub rsp, 8",
        ".cfi_adjust_cfa_offset 8",
        "call {known}",
        "add rsp, 8",
        ".cfi_adjust_cfa_offset -8",
        "mov rdi, rdx",
        "jmp rax",
        ".cfi_endproc",
        known = sym becomes_known,
    )
}

/// The routine and its argument.
#[repr(C)]
struct Task(usize, usize);

unsafe extern "C" fn becomes_known(start: *mut Start) -> Task {
    // SAFETY: the place that was taken for this thread.
    let start = unsafe { &*start };
    let argument = start.argument.load(Ordering::Acquire);
    let routine = start.routine.swap(0, Ordering::AcqRel);
    recorder::with_thread(Loss::Nothing, |_, _, _| {});
    Task(routine, argument)
}
