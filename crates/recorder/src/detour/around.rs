//! Calls something before and after each call of a function, for the functions of an
//! allocator: what a call returns is known only after it.
//!
//! The entry's trampoline has pushed two words and jumped here. From then on rbp is the frame:
//!
//! ```text
//!   rbp + 24   return address of the function: the hooks' return slot
//!   rbp + 16   the displaced instructions, then the rest of the function
//!   rbp + 8    the `Around`
//!   rbp        the caller's bp
//!   rbp - 8    rax, before and after
//!   rbp - 16   the thread's word as it was before, and after the function
//!   rbp - 80   `Frame`: room for what is kept between the hooks, then rdx, rsi, rdi
//! ```
//!
//! **The outermost call counts.** `realloc` may be made of `malloc` and `free`, which have
//! detours too. A word of each thread holds the frame of the outermost call; a call that finds
//! one goes straight to its function. That call may have been left by a jump or an exception;
//! then a walk up the stack does not meet its frame. A walk that meets a signal first tells that
//! the program calls, in a handler.
//!
//! A hook may declare its call transparent: calls inside count, and the hook afterwards is told
//! whether there were any.
//!
//! What the program notices is what it notices of the gate: nothing. Every register is kept
//! around the hooks, so the function finds those of its caller, and the caller those that the
//! function left. Keeping the vectors takes longer than the rest, and is needed only where a
//! compiler may know that the function destroys none (`clobbers.rs`).

use super::registers::{
    COMPONENTS, SAVE_AREA_BYTES, restore_integers, restore_vectors, save_integers, save_vectors,
};
use crate::thread;
use crate::tls;
use crate::unwind::rule::{Cursor, Rule};
use crate::unwind::rules;
use core::arch::naked_asm;
use core::sync::atomic::{AtomicPtr, AtomicUsize, Ordering};

/// What is called before a function: the arguments, the place of its return address, and bp as
/// the caller has it.
pub type Before = extern "C" fn(&'static Around, &mut Frame, *const usize, usize);
/// The same after it, with what it returned.
pub type After = extern "C" fn(&'static Around, &mut Frame, *const usize, usize, usize);

/// What is done around each call of a function. The gate knows the places of the fields.
#[repr(C)]
pub struct Around {
    /// Zero: each call goes straight to the function.
    is_on: AtomicUsize,
    before: AtomicPtr<()>,
    after: AtomicPtr<()>,
    /// Not zero: vectors are kept around the hooks too.
    keeps_vectors: AtomicUsize,
}

/// Words that the hooks of one call can keep between them.
pub const KEPT_WORDS: usize = 5;

/// Of one call.
#[repr(C)]
pub struct Frame {
    pub kept: [usize; KEPT_WORDS],
    third: usize,
    second: usize,
    first: usize,
    /// The thread's word when the function returned.
    word: usize,
}

impl Frame {
    /// The first three arguments, as the caller gave them.
    pub fn arguments(&self) -> [usize; 3] {
        [self.first, self.second, self.third]
    }

    /// Before the function: calls inside it are to count as if this one were not there.
    pub fn make_transparent(&self) {
        tls::set_allocator_call(tls::allocator_call() | TRANSPARENT);
    }

    /// After it: whether one of those was made.
    pub fn was_seen_through(&self) -> bool {
        self.word & SEEN_THROUGH != 0
    }
}

/// Bits of the thread's word, whose others are the frame.
const TRANSPARENT: usize = 1;
const SEEN_THROUGH: usize = 2;
const FRAME_MASK: usize = !(TRANSPARENT | SEEN_THROUGH);

const _: () = assert!(size_of::<Frame>() == FRAME_BYTES - 8);
const FRAME_BYTES: usize = 80;
const RETURN_SLOT_AT: usize = 24;

impl Around {
    pub const fn new(before: Option<Before>, after: Option<After>) -> Around {
        let before = match before {
            Some(before) => before as *mut (),
            None => core::ptr::null_mut(),
        };
        let after = match after {
            Some(after) => after as *mut (),
            None => core::ptr::null_mut(),
        };
        Around {
            is_on: AtomicUsize::new(0),
            before: AtomicPtr::new(before),
            after: AtomicPtr::new(after),
            keeps_vectors: AtomicUsize::new(1),
        }
    }

    /// What the function calls is out of its compiler's sight: no caller relies on a register
    /// that functions may destroy.
    pub fn let_vectors_go(&self) {
        self.keeps_vectors.store(0, Ordering::Relaxed);
    }

    /// Has other hooks called from now on. A call in progress keeps none for the other's sake.
    pub fn set(&self, before: Option<Before>, after: Option<After>) {
        let before = before.map_or(core::ptr::null_mut(), |before| before as *mut ());
        let after = after.map_or(core::ptr::null_mut(), |after| after as *mut ());
        self.before.store(before, Ordering::Relaxed);
        self.after.store(after, Ordering::Relaxed);
    }

    pub fn switch(&self, is_on: bool) {
        self.is_on.store(usize::from(is_on), Ordering::Release);
    }
}

/// Whether this thread is inside a function with such a detour, on no signal handler.
///
/// # Safety
/// The arguments must describe a call in progress.
pub unsafe fn is_inside(return_slot: *const usize, bp: usize) -> bool {
    // SAFETY: handed on to the caller.
    tls::allocator_call() != 0 && unsafe { position(return_slot, bp) } == Position::Within
}

#[derive(PartialEq, Eq)]
enum Position {
    /// Called by the function whose frame is known, however indirectly.
    Within,
    /// Called by a handler of a signal that interrupted that function.
    Interrupting,
    /// That function was left.
    Outside,
}

/// Frames that are walked before the answer is taken from what is known.
const MOST_FRAMES: usize = 1 << 18;

/// Where a call stands that finds the frame of another. The walk ends there if that call is in
/// progress, and goes on to the root once if it is not.
///
/// # Safety
/// The arguments must describe a call in progress.
unsafe fn position(return_slot: *const usize, bp: usize) -> Position {
    let frame = tls::allocator_call() & FRAME_MASK;
    let mut cursor = Cursor {
        sp: return_slot as usize + 8,
        // SAFETY: the caller vouches for the slot.
        ip: unsafe { return_slot.read() },
        bp,
        exact: false,
    };
    let mut own = thread::own_stack();
    for _ in 0..MOST_FRAMES {
        let is_gate = cursor.ip == &raw const residue_around_return as usize;
        if is_gate && cursor.bp == frame && cursor.sp == frame - FRAME_BYTES {
            return Position::Within;
        }
        let rule = rules::find(cursor.ip, cursor.exact, &mut 0).rule;
        if rule == Rule::SIGNAL {
            return Position::Interrupting;
        }
        // SAFETY: the cursor stands in a live frame, and the rule is that of its address.
        if cursor.ip == 0 || !unsafe { rule.advance(&mut cursor, &mut own) } {
            break;
        }
    }
    // A stack that cannot be read on from below the frame: allocators do not leave by jumps.
    match cursor.sp > frame {
        true => Position::Outside,
        false => Position::Within,
    }
}

/// Whether the call that has just entered the gate is one of the allocator to itself.
///
/// # Safety
/// `frame` must be the gate's rbp.
unsafe extern "C" fn is_within(frame: *const usize) -> bool {
    // SAFETY: the caller vouches for the frame.
    let position = unsafe { position(frame.byte_add(RETURN_SLOT_AT), frame.read()) };
    let word = tls::allocator_call();
    match position {
        Position::Within if word & TRANSPARENT != 0 => {
            tls::set_allocator_call(word | SEEN_THROUGH);
            false
        }
        Position::Within => true,
        Position::Interrupting => false,
        Position::Outside => {
            tls::set_allocator_call(0);
            false
        }
    }
}

unsafe extern "C" {
    /// Where functions return to that the gate has called.
    static residue_around_return: u8;
}

/// Keeps every register that a hook may destroy, vectors only where the `Around` says so.
macro_rules! save_registers {
    () => {
        concat!(
            save_integers!(),
            "
            mov rax, qword ptr [rbp + 8]
            cmp qword ptr [rax + 24], 0
            je 8f
            ",
            save_vectors!(),
            "
            8:"
        )
    };
}

/// Brings them back, where the last was pushed so far below rbp.
macro_rules! restore_registers {
    ($below_rbp:literal) => {
        concat!(
            "mov rax, qword ptr [rbp + 8]
            cmp qword ptr [rax + 24], 0
            je 8f
            ",
            restore_vectors!(),
            "
            8:
            ",
            restore_integers!($below_rbp)
        )
    };
}

/// The unwind information says that the caller is the function's caller.
///
/// # Safety
/// Only to be jumped to by a trampoline.
#[unsafe(naked)]
pub unsafe extern "C" fn gate() {
    naked_asm!(
        ".cfi_startproc",
        ".cfi_def_cfa_offset 24",
        "push rbp",
        ".cfi_adjust_cfa_offset 8",
        ".cfi_rel_offset rbp, 0",
        "mov rbp, rsp",
        ".cfi_def_cfa_register rbp",
        "push rax",
        "mov rax, qword ptr [rbp + 8]",
        "cmp qword ptr [rax], 0",
        "je 7f",
        "mov rax, qword ptr [rip + residue_allocator_call@GOTTPOFF]",
        "cmp qword ptr fs:[rax], 0",
        "jne 5f",
        "4:",
        "push qword ptr fs:[rax]",
        "mov qword ptr fs:[rax], rbp",
        "push rdi",
        "push rsi",
        "push rdx",
        "sub rsp, 40",
        "mov rax, qword ptr [rbp + 8]",
        "cmp qword ptr [rax + 8], 0",
        "mov rax, qword ptr [rbp - 8]",
        "je 6f",
        save_registers!(),
        "mov rdi, qword ptr [rbp + 8]",
        "lea rsi, [rbp - 80]",
        "lea rdx, [rbp + 24]",
        "mov rcx, qword ptr [rbp]",
        "call qword ptr [rdi + 8]",
        restore_registers!("152"),
        "6:",
        "call qword ptr [rbp + 16]",
        ".globl residue_around_return",
        ".hidden residue_around_return",
        "residue_around_return:",
        "mov qword ptr [rbp - 8], rax",
        "push rcx",
        "mov rax, qword ptr [rip + residue_allocator_call@GOTTPOFF]",
        "mov rcx, qword ptr [rbp - 16]",
        "xchg qword ptr fs:[rax], rcx",
        "mov qword ptr [rbp - 16], rcx",
        "pop rcx",
        "mov rax, qword ptr [rbp + 8]",
        "cmp qword ptr [rax + 16], 0",
        "mov rax, qword ptr [rbp - 8]",
        "je 6f",
        save_registers!(),
        "mov rdi, qword ptr [rbp + 8]",
        "lea rsi, [rbp - 80]",
        "lea rdx, [rbp + 24]",
        "mov rcx, qword ptr [rbp]",
        "mov r8, qword ptr [rbp - 8]",
        "call qword ptr [rdi + 16]",
        restore_registers!("152"),
        "6:",
        ".cfi_remember_state",
        "mov rsp, rbp",
        "pop rbp",
        ".cfi_def_cfa rsp, 24",
        ".cfi_restore rbp",
        "lea rsp, [rsp + 16]",
        ".cfi_def_cfa_offset 8",
        "ret",
        ".cfi_restore_state",
        // A call is in progress, or was.
        "5:",
        "push 0",
        save_registers!(),
        "mov rdi, rbp",
        "call {is_within}",
        "movzx eax, al",
        "mov qword ptr [rbp - 16], rax",
        restore_registers!("88"),
        "cmp qword ptr [rbp - 16], 0",
        "lea rsp, [rbp - 8]",
        "mov rax, qword ptr [rip + residue_allocator_call@GOTTPOFF]",
        "je 4b",
        // Straight on to the function.
        "7:",
        "mov rax, qword ptr [rbp - 8]",
        "mov rsp, rbp",
        "pop rbp",
        ".cfi_def_cfa rsp, 24",
        ".cfi_restore rbp",
        "lea rsp, [rsp + 16]",
        ".cfi_def_cfa_offset 8",
        "jmp qword ptr [rsp - 8]",
        ".cfi_endproc",
        is_within = sym is_within,
        area_bytes = sym SAVE_AREA_BYTES,
        components = sym COMPONENTS,
    )
}
