//! Nothing that a function can see at its entry differs with a detour.

use super::gate::gate;
use super::hook_for_tests::{self, UNWINDING_TAG};
use super::install;
use core::arch::{asm, global_asm, naked_asm};
use core::ffi::c_int;

global_asm!(
    ".pushsection .text.detour_register_tests, \"ax\", @progbits",
    ".p2align 4",
    // Nothing but its return, so that whatever differs is the detour's doing.
    ".globl detour_idle",
    ".hidden detour_idle",
    "detour_idle:",
    "nop dword ptr [rax + rax + 0]",
    "ret",
    ".p2align 4",
    ".globl detour_unwound",
    ".hidden detour_unwound",
    "detour_unwound:",
    "mov rax, [rsp]",
    "ret",
    ".p2align 4",
    // Four bytes, and padding behind them.
    ".globl detour_vector_count",
    ".hidden detour_vector_count",
    "detour_vector_count:",
    "movzx eax, al",
    "ret",
    ".p2align 4",
    ".popsection",
);

unsafe extern "C" {
    fn detour_idle();
    fn detour_unwound() -> usize;
    fn detour_vector_count(first: c_int, ...) -> usize;
}

/// The registers that a function may use, the flags, and what is on the stack.
#[derive(Debug, Clone, PartialEq, Eq)]
#[repr(C, align(64))]
pub struct Registers {
    vectors: [[u64; 8]; 32],
    masks: [u64; 8],
    general: [u64; 16],
    pub flags: u64,
}

impl Registers {
    fn zeroed() -> Registers {
        Registers {
            vectors: [[0; 8]; 32],
            masks: [0; 8],
            general: [0; 16],
            flags: 0,
        }
    }

    fn distinct() -> Registers {
        let mut registers = Registers::zeroed();
        let words = registers.vectors.as_flattened_mut().iter_mut();
        let words = words.chain(&mut registers.masks);
        for (index, word) in words.chain(&mut registers.general).enumerate() {
            *word = 0x0123_4567_89ab_cdef_u64.rotate_left(index as u32 % 64) ^ index as u64;
        }
        // Carry, parity, adjust, zero, sign and overflow, and what always is.
        registers.flags = 0x8d5 | 0x202;
        registers
    }
}

/// Loads the scratch registers, calls, and stores them. `$load` and `$store` move
/// the vectors, from and to where rbx points.
macro_rules! round_trip {
    ($name:ident, $load:expr, $store:expr) => {
        #[unsafe(naked)]
        unsafe extern "C" fn $name(_registers: *mut Registers, _function: usize) {
            naked_asm!(
                "push rbx",
                "push rbp",
                "sub rsp, 8",
                "mov rbx, rdi",
                "mov rbp, rsi",
                $load,
                "push qword ptr [rbx + 2240]",
                "popfq",
                ".set place, 2112",
                ".irp r,rax,rcx,rdx,rsi,rdi,r8,r9,r10,r11",
                "mov \\r, [rbx + place]",
                ".set place, place + 8",
                ".endr",
                "call rbp",
                ".set place, 2112",
                ".irp r,rax,rcx,rdx,rsi,rdi,r8,r9,r10,r11",
                "mov [rbx + place], \\r",
                ".set place, place + 8",
                ".endr",
                "pushfq",
                "pop qword ptr [rbx + 2240]",
                $store,
                "add rsp, 8",
                "pop rbp",
                "pop rbx",
                "ret",
            )
        }
    };
}

const _: () = {
    assert!(core::mem::offset_of!(Registers, masks) == 2048);
    assert!(core::mem::offset_of!(Registers, general) == 2112);
    assert!(core::mem::offset_of!(Registers, flags) == 2240);
};

macro_rules! each_vector {
    ($instructions:literal, $numbers:literal) => {
        concat!(
            ".set place, 0\n.irp n,",
            $numbers,
            "\n",
            $instructions,
            "\n.set place, place + 64\n.endr"
        )
    };
}

macro_rules! each_mask {
    ($instruction:literal) => {
        concat!(
            ".set place, 2048\n.irp n,0,1,2,3,4,5,6,7\n",
            $instruction,
            "\n.set place, place + 8\n.endr"
        )
    };
}

round_trip!(
    through_sse,
    each_vector!(
        "movups xmm\\n, [rbx + place]",
        "0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15"
    ),
    each_vector!(
        "movups [rbx + place], xmm\\n",
        "0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15"
    )
);
round_trip!(
    through_avx,
    each_vector!(
        "vmovups ymm\\n, [rbx + place]",
        "0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15"
    ),
    concat!(
        each_vector!(
            "vmovups [rbx + place], ymm\\n",
            "0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15"
        ),
        "\nvzeroupper"
    )
);
round_trip!(
    through_avx512,
    concat!(
        each_vector!(
            "vmovups zmm\\n, [rbx + place]",
            "0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31"
        ),
        "\n",
        each_mask!("kmovq k\\n, [rbx + place]")
    ),
    concat!(
        each_vector!(
            "vmovups [rbx + place], zmm\\n",
            "0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31"
        ),
        "\n",
        each_mask!("kmovq [rbx + place], k\\n"),
        "\nvzeroupper"
    )
);

/// The registers before and after a call, in each width that the processor has.
///
/// # Safety
/// The function must not destroy registers that it has to keep.
pub unsafe fn around_call(function: usize) -> Vec<(Registers, Registers)> {
    let mut ways: Vec<unsafe extern "C" fn(*mut Registers, usize)> = vec![through_sse];
    if std::is_x86_feature_detected!("avx") {
        ways.push(through_avx);
    }
    if std::is_x86_feature_detected!("avx512bw") {
        ways.push(through_avx512);
    }
    let call = |way: unsafe extern "C" fn(*mut Registers, usize)| {
        let before = Registers::distinct();
        let mut after = before.clone();
        // SAFETY: the processor has the registers; the caller vouches for the function.
        unsafe { way(&raw mut after, function) };
        (before, after)
    };
    ways.into_iter().map(call).collect()
}

#[test]
fn every_register_and_flag_survives_the_hook() {
    hook_for_tests::use_it();
    let tag = hook_for_tests::new_tag();
    let function = detour_idle as *const () as usize;
    assert_eq!(install(function, Some(6), tag), Ok(()));
    // SAFETY: it changes none.
    let calls = unsafe { around_call(function) };
    for (before, after) in &calls {
        assert!(before == after, "{before:x?}\n{after:x?}");
    }
    assert_eq!(hook_for_tests::last().misaligned_bytes, 0);
    assert_eq!(hook_for_tests::entries(tag), calls.len());
}

#[test]
fn variadic_functions_see_how_many_vectors_they_were_given() {
    hook_for_tests::use_it();
    let tag = hook_for_tests::new_tag();
    // SAFETY: the function takes anything.
    let count = || unsafe { detour_vector_count(1, 2.0_f64, 3_i32, 4.0_f64, 5.0_f64) };
    assert_eq!(count(), 3);
    let function = detour_vector_count as *const () as usize;
    assert_eq!(install(function, Some(4), tag), Ok(()));
    assert_eq!(count(), 3);
    assert_eq!(hook_for_tests::entries(tag), 1);
}

#[test]
fn the_hook_gets_the_return_slot_and_bp_and_can_be_unwound_through() {
    hook_for_tests::use_it();
    let function = detour_unwound as *const () as usize;
    assert_eq!(install(function, Some(5), UNWINDING_TAG), Ok(()));
    let (returned, bp): (usize, usize);
    // SAFETY: a call without arguments; bp is only read.
    unsafe {
        asm!(
            "mov r12, rbp",
            "call {function}",
            out("r12") bp,
            function = sym detour_unwound,
            out("rax") returned,
            clobber_abi("C"),
        );
    }
    let entered = hook_for_tests::last();
    assert_eq!(entered.return_address, returned);
    assert_eq!(entered.bp, bp);
    // The slot is on this thread's stack, a little above here.
    let here = (&raw const entered) as usize;
    assert!(entered.return_slot.abs_diff(here) < 4096);
    // Between the hook and the function's caller there is the gate, and nothing else.
    let gate = gate as *const () as usize;
    let below = entered.called_by_caller.unwrap();
    assert!((gate..gate + 256).contains(&below));
    assert_eq!(hook_for_tests::entries(UNWINDING_TAG), 1);
}
