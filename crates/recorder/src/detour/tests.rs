//! Detours of functions with awkward beginnings, of libc's, and while threads run.

use super::mapping::Mapping;
use super::{Refusal, hook_for_tests, install};
use crate::sys;
use core::arch::{asm, global_asm, naked_asm};
use core::ffi::{c_char, c_int, c_long, c_void};
use std::ffi::CStr;
use std::hint::black_box;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;

global_asm!(
    ".pushsection .text.detour_tests, \"ax\", @progbits",
    ".macro detour_function name",
    ".p2align 4",
    ".globl \\name",
    ".hidden \\name",
    "\\name:",
    ".endm",
    // An address relative to rip.
    "detour_function detour_lea",
    "lea rax, [rip + detour_word]",
    "mov rax, [rax]",
    "ret",
    // The same with an immediate behind the displacement, and a store.
    "detour_function detour_store",
    "mov dword ptr [rip + detour_stored], 77",
    "mov eax, dword ptr [rip + detour_stored]",
    "add rax, rdi",
    "ret",
    "detour_function detour_landing_pad",
    "endbr64",
    "push rbx",
    "mov ebx, edi",
    "lea eax, [rbx + rbx]",
    "pop rbx",
    "ret",
    // Five pushes of a byte or two.
    "detour_function detour_pushes",
    "push rbp",
    "push r15",
    "push rbx",
    "push r12",
    "lea rax, [rdi + rdi * 2]",
    "pop r12",
    "pop rbx",
    "pop r15",
    "pop rbp",
    "ret",
    // A short branch within the first five bytes, out of them.
    "detour_function detour_short_branch",
    "test rdi, rdi",
    "js 2f",
    "lea rax, [rdi + 1]",
    "ret",
    "2:",
    "mov rax, rdi",
    "neg rax",
    "ret",
    "detour_function detour_short_jump",
    "jmp 2f",
    "ud2",
    "ud2",
    "2:",
    "lea rax, [rdi + 5]",
    "ret",
    "detour_function detour_tail_call",
    "jmp detour_short_jump",
    "detour_function detour_indirect_jump",
    "jmp qword ptr [rip + detour_pointer]",
    // Calls first: what is called tells where it would return to.
    "detour_function detour_call",
    "call detour_return_address",
    "ret",
    "detour_function detour_indirect_call",
    "call qword ptr [rip + detour_pointer_to_return_address]",
    "ret",
    "detour_function detour_late_call",
    "push rbx",
    "call detour_return_address",
    "pop rbx",
    "ret",
    "detour_function detour_get_pc",
    "call 2f",
    "2:",
    "pop rax",
    "ret",
    "detour_function detour_return_address",
    "mov rax, [rsp]",
    "ret",
    // Recursion by call: each level is an entry.
    "detour_function detour_recursive",
    "test edi, edi",
    "je 2f",
    "dec edi",
    "call detour_recursive",
    "inc eax",
    "ret",
    "2:",
    "xor eax, eax",
    "ret",
    // Loops back to its second instruction, and to its first.
    "detour_function detour_loop_inside",
    "xor eax, eax",
    "2:",
    "inc eax",
    "dec edi",
    "jnz 2b",
    "ret",
    "detour_function detour_loop_at_entry",
    "inc rax",
    "dec rdi",
    "jnz detour_loop_at_entry",
    "ret",
    ".p2align 4",
    ".popsection",
    ".pushsection .data.detour_tests, \"aw\", @progbits",
    ".p2align 3",
    "detour_word: .quad 4711",
    "detour_stored: .quad 0",
    "detour_pointer: .quad detour_short_jump",
    "detour_pointer_to_return_address: .quad detour_return_address",
    ".popsection",
);

type Function = unsafe extern "C" fn(usize) -> usize;

unsafe extern "C" {
    fn detour_lea(_: usize) -> usize;
    fn detour_store(_: usize) -> usize;
    fn detour_landing_pad(_: usize) -> usize;
    fn detour_pushes(_: usize) -> usize;
    fn detour_short_branch(_: usize) -> usize;
    fn detour_short_jump(_: usize) -> usize;
    fn detour_tail_call(_: usize) -> usize;
    fn detour_indirect_jump(_: usize) -> usize;
    fn detour_call(_: usize) -> usize;
    fn detour_indirect_call(_: usize) -> usize;
    fn detour_late_call(_: usize) -> usize;
    fn detour_get_pc(_: usize) -> usize;
    fn detour_recursive(_: usize) -> usize;
    fn detour_loop_inside(_: usize) -> usize;
    fn detour_loop_at_entry(_: usize) -> usize;
}

/// Detours a function and calls it with each argument, before and after.
fn same_results(function: Function, arguments: &[usize], entries_per_call: usize) {
    hook_for_tests::use_it();
    let tag = hook_for_tests::new_tag();
    let call = |argument: &usize| {
        // SAFETY: the function takes any number.
        unsafe { function(*argument) }
    };
    let before: Vec<usize> = arguments.iter().map(call).collect();
    assert_eq!(install(function as usize, None, tag), Ok(()));
    let after: Vec<usize> = arguments.iter().map(call).collect();
    assert_eq!(before, after);
    assert_eq!(
        hook_for_tests::entries(tag),
        arguments.len() * entries_per_call
    );
}

#[test]
fn instructions_relative_to_rip_still_find_their_data() {
    same_results(detour_lea, &[0, 1], 1);
    same_results(detour_store, &[0, 1, 1000], 1);
    // SAFETY: the function takes any number.
    unsafe {
        assert_eq!(detour_lea(0), 4711);
        assert_eq!(detour_store(3), 80);
    }
}

#[test]
fn prologues_are_moved() {
    same_results(detour_landing_pad, &[0, 21], 1);
    same_results(detour_pushes, &[0, 5, 1 << 40], 1);
    // The landing pad is still where indirect calls land.
    let start = detour_landing_pad as *const [u8; 5];
    // SAFETY: the function is longer than five bytes.
    assert_eq!(unsafe { *start }, [0xf3, 0x0f, 0x1e, 0xfa, 0xe9]);
}

#[test]
fn branches_lead_where_they_led() {
    same_results(detour_short_branch, &[0, 7, usize::MAX, 1 << 63 | 5], 1);
    same_results(detour_tail_call, &[0, 9], 1);
    same_results(detour_indirect_jump, &[0, 9], 1);
    same_results(detour_short_jump, &[0, 9], 1);
}

#[test]
fn calls_return_to_the_original_code() {
    for function in [
        detour_call,
        detour_indirect_call,
        detour_late_call,
        detour_get_pc,
    ] {
        same_results(function, &[0, 0, 0], 1);
        // SAFETY: the function ignores its argument.
        let returned = unsafe { (function as Function)(0) };
        assert!((function as usize + 5..function as usize + 7).contains(&returned));
    }
}

#[test]
fn recursion_counts_each_level() {
    same_results(detour_recursive, &[9, 9], 10);
}

#[test]
fn loops_into_the_entry_are_refused_and_left_alone() {
    hook_for_tests::use_it();
    let functions: [(Function, Refusal); 2] = [
        (detour_loop_inside, Refusal::BranchIntoEntry),
        (detour_loop_at_entry, Refusal::EntryIsLoop),
    ];
    for (function, refusal) in functions {
        // SAFETY: every test function is longer than eight bytes, with its padding.
        let bytes = || unsafe { *(function as *const [u8; 8]) };
        let before = bytes();
        assert_eq!(install(function as usize, None, 1), Err(refusal));
        assert_eq!(bytes(), before);
    }
}

#[test]
fn symbols_within_the_first_bytes_are_refused_and_others_are_not() {
    hook_for_tests::use_it();
    let function = |next_symbol| super::Function {
        address: detour_loop_inside as *const () as usize,
        size: None,
        next_symbol: Some(next_symbol),
    };
    for bytes in 1..5 {
        let refused = super::install_in(&function(bytes), 1);
        assert_eq!(refused, Err(Refusal::SecondEntry), "{bytes} bytes further");
    }
    let refused = super::install_in(&function(5), 1);
    assert_eq!(refused, Err(Refusal::BranchIntoEntry));
}

#[test]
fn what_is_no_code_is_refused() {
    let data = Box::new([0x90_u8; 16]);
    let on_heap = data.as_ptr() as usize;
    assert_eq!(install(on_heap, Some(16), 1), Err(Refusal::NotCode));
    assert_eq!(install(64, None, 1), Err(Refusal::NotCode));
    let function = detour_lea as *const () as usize;
    assert_eq!(install(function, Some(1 << 40), 1), Err(Refusal::NotCode));
}

#[unsafe(naked)]
extern "C" fn installed_twice(_: usize) -> usize {
    naked_asm!("mov eax, 12345", "ret")
}

#[test]
fn a_second_detour_is_the_first_or_refused() {
    hook_for_tests::use_it();
    let (tag, other) = (hook_for_tests::new_tag(), hook_for_tests::new_tag());
    let function = installed_twice as *const () as usize;
    for _ in 0..3 {
        assert_eq!(install(function, Some(6), tag), Ok(()));
    }
    let again = install(function, Some(6), other);
    assert_eq!(again, Err(Refusal::AlreadyDetoured));
    assert_eq!(installed_twice(0), 12345);
    assert_eq!(
        (hook_for_tests::entries(tag), hook_for_tests::entries(other)),
        (1, 0)
    );

    // Neither the code nor the trampoline is left writable.
    // SAFETY: the entry is a jump now.
    let distance = unsafe { ((function + 1) as *const i32).read_unaligned() };
    let trampoline = (function + 5).wrapping_add_signed(distance as isize);
    for address in [function, trampoline] {
        let protection = Mapping::at(address).unwrap().protection;
        assert_eq!(protection, sys::PROT_READ | sys::PROT_EXEC);
    }
}

/// The kernel keeps a page apart once it was written; a function that crosses into
/// the next must still be seen as a whole.
#[test]
fn a_patched_page_and_its_neighbours_are_one_mapping() {
    hook_for_tests::use_it();
    let function = in_libc(c"strtoul");
    assert_eq!(install(function, None, hook_for_tests::new_tag()), Ok(()));
    // Other tests patch pages of libc meanwhile, which divides them differently.
    let _held = crate::hot::get().mappings_lock.lock();
    let maps = std::fs::read_to_string("/proc/self/maps").unwrap();
    let mut end = 0;
    for line in maps.lines() {
        let (range, rest) = line.split_once(' ').unwrap();
        let (start, stop) = range.split_once('-').unwrap();
        let [start, stop] = [start, stop].map(|hex| usize::from_str_radix(hex, 16).unwrap());
        let continues = start == end && rest.starts_with("r-xp");
        if (start..stop).contains(&function) || (end != 0 && continues) {
            end = stop;
        } else if end != 0 {
            break;
        }
    }
    let found = Mapping::at(function).unwrap();
    assert_eq!((found.end, found.is_private_code()), (end, true));
    assert!(
        maps.lines()
            .filter(|line| line.contains("r-xp") && line.contains("libc.so"))
            .count()
            > 1
    );
}

#[inline(never)]
#[rustfmt::skip]
extern "C" fn many_arguments(
    a: i64, b: i32, c: i64, d: i8, e: i64, f: i64, g: i64, h: i16,
    p: f64, q: f32, r: f64, s: f64, t: f64, u: f64, v: f64, w: f64, x: f64, y: f32,
) -> f64 {
    let whole = a + 3 * b as i64 + 5 * c + 7 * d as i64 + 11 * e + 13 * f + 17 * g + 19 * h as i64;
    let broken = p + 3.0 * q as f64 + 5.0 * r + 7.0 * s + 11.0 * t + 13.0 * u;
    whole as f64 + broken + 17.0 * v + 19.0 * w + 23.0 * x + 29.0 * y as f64
}

#[test]
fn arguments_of_all_kinds_arrive() {
    hook_for_tests::use_it();
    let call = || {
        // Unknown numbers, or the compiler computes the result itself.
        let (i, x) = (black_box(0), black_box(0.5));
        many_arguments(
            i + 1,
            2,
            3,
            4,
            5,
            6,
            7,
            8,
            x,
            1.5,
            2.5,
            3.5,
            4.5,
            5.5,
            6.5,
            7.5,
            8.5,
            9.5,
        )
    };
    let before = call();
    assert_eq!(before, 454.0 + 887.0);
    let tag = hook_for_tests::new_tag();
    assert_eq!(
        install(many_arguments as *const () as usize, None, tag),
        Ok(())
    );
    assert_eq!(call(), before);
    assert_eq!(hook_for_tests::entries(tag), 1);
}

unsafe extern "C" {
    fn qsort(
        base: *mut c_void,
        count: usize,
        bytes: usize,
        order: extern "C" fn(*const c_void, *const c_void) -> c_int,
    );
    fn strtol(text: *const c_char, end: *mut *mut c_char, base: c_int) -> c_long;
    fn getenv(name: *const c_char) -> *mut c_char;
    fn dlsym(handle: *mut c_void, name: *const c_char) -> *mut c_void;
}

fn in_libc(name: &CStr) -> usize {
    // SAFETY: the name is terminated; a null handle means the usual search order.
    unsafe { dlsym(core::ptr::null_mut(), name.as_ptr()) as usize }
}

#[test]
fn functions_of_libc_work_and_are_counted() {
    extern "C" fn order(a: *const c_void, b: *const c_void) -> c_int {
        // SAFETY: the elements of the array below.
        unsafe { (*a.cast::<i32>()).cmp(&*b.cast::<i32>()) as c_int }
    }
    hook_for_tests::use_it();
    let tags = [c"qsort", c"strtol", c"getenv"].map(|name| {
        let tag = hook_for_tests::new_tag();
        assert_eq!(install(in_libc(name), None, tag), Ok(()), "{name:?}");
        tag
    });
    let mut numbers = [5, 3, 9, -1, 7];
    for round in 0..100 {
        numbers.rotate_left(1);
        // SAFETY: arguments as the functions take them.
        unsafe {
            qsort(numbers.as_mut_ptr().cast(), 5, 4, order);
            assert_eq!(numbers, [-1, 3, 5, 7, 9]);
            assert_eq!(strtol(c"-123x".as_ptr(), core::ptr::null_mut(), 10), -123);
            if round % 2 == 0 {
                assert!(getenv(c"residue no such name".as_ptr()).is_null());
            }
        }
    }
    assert_eq!(tags.map(hook_for_tests::entries), [100, 100, 50]);
}

// Functions whose first instruction is as long as the jump, so that no thread can
// stand within it; half of them lie across two pieces of what processors fetch.
const MANY: usize = 200;
const MANY_BYTES: usize = 32;
global_asm!(
    ".pushsection .text.detour_many, \"ax\", @progbits",
    ".p2align 6",
    ".globl detour_many",
    ".hidden detour_many",
    "detour_many:",
    ".set number, 0",
    ".rept 100",
    "mov eax, number",
    "ret",
    ".p2align 5, 0xcc",
    ".skip 13, 0xcc",
    "mov eax, number + 1",
    "ret",
    ".p2align 5, 0xcc",
    ".set number, number + 2",
    ".endr",
    ".popsection",
);

unsafe extern "C" {
    fn detour_many();
}

fn many_function(number: usize) -> usize {
    let start = detour_many as *const () as usize + number * MANY_BYTES;
    start + (number % 2) * 13
}

fn call_number(address: usize) -> usize {
    let returned: usize;
    // SAFETY: the functions above change nothing but rax, and a detour not even that.
    unsafe { asm!("call {}", in(reg) address, out("rax") returned, clobber_abi("C")) };
    returned
}

#[test]
fn threads_may_call_while_functions_are_patched() {
    hook_for_tests::use_it();
    let tags: Vec<usize> = (0..MANY).map(|_| hook_for_tests::new_tag()).collect();
    let (is_patched, rounds) = (AtomicBool::new(false), AtomicUsize::new(0));
    const CALLERS: usize = 4;
    const ROUNDS_AFTER: usize = 10;
    thread::scope(|scope| {
        let callers: Vec<_> = (0..CALLERS)
            .map(|_| {
                scope.spawn(|| {
                    let call_all = || {
                        for number in 0..MANY {
                            assert_eq!(call_number(many_function(number)), number);
                        }
                        rounds.fetch_add(1, Ordering::Relaxed);
                    };
                    while !is_patched.load(Ordering::Acquire) {
                        call_all();
                    }
                    let before: Vec<usize> =
                        tags.iter().map(|&t| hook_for_tests::entries(t)).collect();
                    for _ in 0..ROUNDS_AFTER {
                        call_all();
                    }
                    for (tag, before) in tags.iter().zip(before) {
                        assert_eq!(hook_for_tests::entries(*tag) - before, ROUNDS_AFTER);
                    }
                })
            })
            .collect();
        while rounds.load(Ordering::Relaxed) < CALLERS {
            thread::yield_now();
        }
        for (number, &tag) in tags.iter().enumerate() {
            assert_eq!(install(many_function(number), Some(6), tag), Ok(()));
        }
        is_patched.store(true, Ordering::Release);
        for caller in callers {
            caller.join().unwrap();
        }
    });
    let rounds = rounds.load(Ordering::Relaxed);
    for tag in tags {
        let entries = hook_for_tests::all_entries(tag);
        assert!((CALLERS * ROUNDS_AFTER..=rounds).contains(&entries));
    }
}
