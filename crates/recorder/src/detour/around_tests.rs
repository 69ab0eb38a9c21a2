//! Hooks before and after a function: what they are given, and what nobody notices.

use super::around::{Around, Frame};
use super::register_tests::around_call;
use super::{Function, Refusal, Target, hook_for_tests, prepare};
use crate::tls;
use core::arch::global_asm;
use std::cell::Cell;

global_asm!(
    ".pushsection .text.around_tests, \"ax\", @progbits",
    ".macro around_function name",
    ".p2align 4",
    ".globl \\name",
    ".hidden \\name",
    ".type \\name, @function",
    "\\name:",
    ".cfi_startproc",
    ".endm",
    ".macro around_end name",
    ".cfi_endproc",
    ".size \\name, . - \\name",
    ".endm",
    // Leaves every register alone.
    "around_function around_idle",
    "nop dword ptr [rax + rax + 0]",
    "ret",
    "around_end around_idle",
    // Returns two words.
    "around_function around_sum",
    "lea rax, [rdi + rsi]",
    "lea rdx, [rdi + rsi * 2]",
    "ret",
    "around_end around_sum",
    // Calls another that has a detour.
    "around_function around_outer",
    "sub rsp, 8",
    ".cfi_adjust_cfa_offset 8",
    "call around_inner",
    "add rsp, 8",
    ".cfi_adjust_cfa_offset -8",
    "inc rax",
    "ret",
    "around_end around_outer",
    "around_function around_inner",
    "lea rax, [rdi + rdi]",
    "nop",
    "ret",
    "around_end around_inner",
    "around_function around_switched",
    "lea rax, [rdi + rdi]",
    "nop",
    "ret",
    "around_end around_switched",
    // Gives the stack back to above its caller, as a jump does: rdi is the place of another
    // return address, rsi the bp there.
    "around_function around_jumps",
    "mov rsp, rdi",
    "mov rbp, rsi",
    "ret",
    "around_end around_jumps",
    // Calls what jumps to behind the call.
    "around_function around_jumped_over",
    "push rbp",
    ".cfi_adjust_cfa_offset 8",
    ".cfi_rel_offset rbp, 0",
    "lea rax, [rip + 2f]",
    "push rax",
    ".cfi_adjust_cfa_offset 8",
    "mov rdi, rsp",
    "mov rsi, rbp",
    "sub rsp, 512",
    ".cfi_adjust_cfa_offset 512",
    "call around_jumps",
    "2:",
    ".cfi_adjust_cfa_offset -520",
    "pop rbp",
    ".cfi_adjust_cfa_offset -8",
    ".cfi_restore rbp",
    "ret",
    "around_end around_jumped_over",
    ".p2align 4",
    ".popsection",
);

#[repr(C)]
struct Two(usize, usize);

unsafe extern "C" {
    fn around_idle();
    fn around_sum(first: usize, second: usize) -> Two;
    fn around_outer(number: usize) -> usize;
    fn around_inner(number: usize) -> usize;
    fn around_switched(number: usize) -> usize;
    fn around_jumps();
    fn around_jumped_over();
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Seen {
    befores: usize,
    afters: usize,
    first: usize,
    second: usize,
    result: usize,
    kept: usize,
}

thread_local! {
    static SEEN: Cell<Seen> = const { Cell::new(Seen {
        befores: 0, afters: 0, first: 0, second: 0, result: 0, kept: 0,
    }) };
}

extern "C" fn before(_: &'static Around, frame: &mut Frame, _: *const usize, _: usize) {
    frame.kept[0] = 4711;
    let mut seen = SEEN.get();
    seen.befores += 1;
    SEEN.set(seen);
    hook_for_tests::destroy_registers();
}

extern "C" fn after(
    _: &'static Around,
    frame: &mut Frame,
    _: *const usize,
    _: usize,
    result: usize,
) {
    let mut seen = SEEN.get();
    let [first, second, _] = frame.arguments();
    seen.afters += 1;
    (seen.first, seen.second) = (first, second);
    (seen.result, seen.kept) = (result, frame.kept[0]);
    SEEN.set(seen);
    hook_for_tests::destroy_registers();
}

fn put_in(function: *const (), around: &'static Around) -> Result<(), Refusal> {
    let function = Function {
        address: function as usize,
        size: None,
        next_symbol: None,
    };
    prepare(&function, Target::Around(around))?.put_in()
}

#[test]
fn every_register_survives_both_hooks() {
    static AROUND: Around = Around::new(Some(before), Some(after));
    assert_eq!(put_in(around_idle as *const (), &AROUND), Ok(()));
    AROUND.switch(true);
    // SAFETY: it changes no register.
    let calls = unsafe { around_call(around_idle as *const () as usize) };
    for (before, mut after) in calls.clone() {
        // Flags are nobody's at the entry of a function and at its end.
        after.flags = before.flags;
        assert!(before == after, "{before:x?}\n{after:x?}");
    }
    assert_eq!(SEEN.get().befores, calls.len());
    assert_eq!(SEEN.get().afters, calls.len());
    assert_eq!(tls::allocator_call(), 0);
}

#[test]
fn hooks_get_arguments_and_result_and_the_caller_both_words_of_it() {
    static AROUND: Around = Around::new(Some(before), Some(after));
    assert_eq!(put_in(around_sum as *const (), &AROUND), Ok(()));
    AROUND.switch(true);
    // SAFETY: the function adds.
    let Two(sum, other) = unsafe { around_sum(30, 12) };
    assert_eq!((sum, other), (42, 54));
    let seen = Seen {
        befores: 1,
        afters: 1,
        first: 30,
        second: 12,
        result: 42,
        kept: 4711,
    };
    assert_eq!(SEEN.get(), seen);
}

#[test]
fn the_outermost_call_counts() {
    static OUTER: Around = Around::new(None, Some(after));
    static INNER: Around = Around::new(Some(before), Some(after));
    assert_eq!(put_in(around_outer as *const (), &OUTER), Ok(()));
    assert_eq!(put_in(around_inner as *const (), &INNER), Ok(()));
    OUTER.switch(true);
    INNER.switch(true);
    // SAFETY: the functions double and count.
    unsafe {
        assert_eq!(around_outer(20), 41);
        assert_eq!((SEEN.get().befores, SEEN.get().afters), (0, 1));
        assert_eq!(SEEN.get().result, 41);
        assert_eq!(around_inner(20), 40);
        assert_eq!((SEEN.get().befores, SEEN.get().afters), (1, 2));
    }
}

#[test]
fn a_detour_that_is_off_goes_straight_on() {
    static AROUND: Around = Around::new(Some(before), Some(after));
    assert_eq!(put_in(around_switched as *const (), &AROUND), Ok(()));
    // SAFETY: the function doubles.
    let double = |number| unsafe { around_switched(number) };
    assert_eq!(double(4), 8);
    assert_eq!(SEEN.get(), Seen::default());
    AROUND.switch(true);
    assert_eq!(double(5), 10);
    AROUND.switch(false);
    assert_eq!(double(6), 12);
    assert_eq!(SEEN.get().afters, 1);
    assert_eq!(SEEN.get().result, 10);
    // Another detour of the same function is refused.
    static OTHER: Around = Around::new(None, None);
    let refused = put_in(around_switched as *const (), &OTHER);
    assert_eq!(refused, Err(Refusal::AlreadyDetoured));
}

#[test]
fn a_call_that_was_left_by_a_jump_hides_no_later_one() {
    static JUMPS: Around = Around::new(Some(before), Some(after));
    assert_eq!(put_in(around_jumps as *const (), &JUMPS), Ok(()));
    JUMPS.switch(true);
    for times in 1..=3 {
        // SAFETY: the jump leads behind its own call.
        unsafe { around_jumped_over() };
        assert_eq!((SEEN.get().befores, SEEN.get().afters), (times, 0));
        assert_ne!(tls::allocator_call(), 0);
    }
    tls::set_allocator_call(0);
}
