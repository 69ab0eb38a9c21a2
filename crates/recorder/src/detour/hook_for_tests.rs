//! The hook of all the tests: counts by thread and tag, notes what it was given, and
//! destroys every register that a function may destroy.

use super::set_hook;
use core::arch::{asm, naked_asm};
use core::ffi::{c_int, c_void};
use std::cell::Cell;
use std::sync::Once;
use std::sync::atomic::{AtomicUsize, Ordering};

pub const TAGS: usize = 1024;
/// The tag with which the hook unwinds its stack.
pub const UNWINDING_TAG: usize = 0;

/// What the hook was told, and found.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Entered {
    pub return_slot: usize,
    pub return_address: usize,
    pub bp: usize,
    /// What rsp lacked to be as the calling convention wants it.
    pub misaligned_bytes: usize,
    /// Where libgcc sees the frame that the function's caller called.
    pub called_by_caller: Option<usize>,
}

thread_local! {
    static ENTRIES: [Cell<usize>; TAGS] = const { [const { Cell::new(0) }; TAGS] };
    static LAST: Cell<Option<Entered>> = const { Cell::new(None) };
}

static ALL_ENTRIES: [AtomicUsize; TAGS] = [const { AtomicUsize::new(0) }; TAGS];

/// A tag of its own for each detour.
pub fn new_tag() -> usize {
    static NEXT: AtomicUsize = AtomicUsize::new(UNWINDING_TAG + 1);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

pub fn use_it() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| set_hook(hook));
}

/// Entries by this thread.
pub fn entries(tag: usize) -> usize {
    ENTRIES.with(|entries| entries[tag].get())
}

/// Entries by all threads.
pub fn all_entries(tag: usize) -> usize {
    ALL_ENTRIES[tag].load(Ordering::Relaxed)
}

/// What this thread's last entry was like.
pub fn last() -> Entered {
    LAST.get().expect("the hook ran")
}

#[unsafe(naked)]
extern "C" fn hook(_: usize, _: *const usize, _: usize) {
    naked_asm!("mov rcx, rsp", "jmp {note}", note = sym note)
}

extern "C" fn note(tag: usize, return_slot: *const usize, bp: usize, sp: usize) {
    ENTRIES.with(|entries| entries[tag].set(entries[tag].get() + 1));
    ALL_ENTRIES[tag].fetch_add(1, Ordering::Relaxed);
    // SAFETY: the gate gives the place of the function's return address.
    let return_address = unsafe { *return_slot };
    LAST.set(Some(Entered {
        return_slot: return_slot as usize,
        return_address,
        bp,
        misaligned_bytes: (sp + 8) % 16,
        called_by_caller: match tag {
            UNWINDING_TAG => frame_below(return_address),
            _ => None,
        },
    }));
    destroy_registers();
}

unsafe extern "C" {
    fn _Unwind_Backtrace(
        step: extern "C" fn(*mut c_void, *mut c_void) -> c_int,
        argument: *mut c_void,
    ) -> c_int;
    fn _Unwind_GetIP(context: *mut c_void) -> usize;
}

/// The address in the frame that was called from the one at `address`, by libgcc's
/// unwinder.
fn frame_below(address: usize) -> Option<usize> {
    extern "C" fn step(context: *mut c_void, addresses: *mut c_void) -> c_int {
        // SAFETY: both come from the call below, and live while it runs.
        unsafe { (*addresses.cast::<Vec<usize>>()).push(_Unwind_GetIP(context)) };
        0
    }
    let mut addresses: Vec<usize> = Vec::new();
    // SAFETY: the argument is the vector that `step` expects.
    unsafe { _Unwind_Backtrace(step, (&raw mut addresses).cast()) };
    let caller = addresses.iter().position(|&found| found == address)?;
    addresses.get(caller.checked_sub(1)?).copied()
}

/// All ones into every vector register there is, and into the scratch registers.
pub fn destroy_registers() {
    if std::is_x86_feature_detected!("avx512bw") {
        // SAFETY: the processor has these registers, and all may be destroyed.
        unsafe {
            asm!(
                ".irp n,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31",
                "vpternlogd zmm\\n, zmm\\n, zmm\\n, 255",
                ".endr",
                ".irp n,0,1,2,3,4,5,6,7",
                "kxnorq k\\n, k\\n, k\\n",
                ".endr",
                clobber_abi("C"),
            );
        }
    } else if std::is_x86_feature_detected!("avx2") {
        // SAFETY: the processor has these registers, and all may be destroyed.
        unsafe {
            asm!(
                ".irp n,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15",
                "vpcmpeqd ymm\\n, ymm\\n, ymm\\n",
                ".endr",
                clobber_abi("C"),
            );
        }
    }
    // SAFETY: registers that may be destroyed; the direction flag stays clear.
    unsafe {
        asm!(
            ".irp n,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15",
            "pcmpeqd xmm\\n, xmm\\n",
            ".endr",
            ".irp r,rax,rcx,rdx,rsi,rdi,r8,r9,r10,r11",
            "mov \\r, -1",
            ".endr",
            "add rax, 1",
            clobber_abi("C"),
        );
    }
}
