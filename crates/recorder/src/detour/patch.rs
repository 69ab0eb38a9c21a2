//! Replaces the first bytes of a function by a jump, under the feet of the program.
//!
//! Processors fetch code in aligned pieces of sixteen bytes or more. A jump within
//! one is stored at once: who comes by runs the old entry or the new one. A jump
//! across two is stored around a jump to itself, in which threads wait meanwhile:
//!
//! ```text
//!   old0 old1 old2 old3 old4
//!   EB   FE   old2 old3 old4     jmp to itself
//!   EB   FE   new2 new3 new4
//!   new0 new1 new2 new3 new4
//! ```

use super::Refusal;
use super::emit::{self, JUMP_BYTES};
use crate::sys;
use core::arch::asm;

const PAGE_BYTES: usize = 4096;
const FETCHED_BYTES: usize = 16;
const JUMP_TO_ITSELF: [u8; 2] = [0xeb, 0xfe];

/// Writes a jump to `target` at `entry`, in code that has the given protection.
pub fn jump(entry: usize, target: usize, protection: usize) -> Result<(), Refusal> {
    let new = emit::jump_bytes(entry, target)?;
    let first_page = entry & !(PAGE_BYTES - 1);
    let bytes = (entry + JUMP_BYTES).next_multiple_of(PAGE_BYTES) - first_page;
    let writable = sys::PROT_READ | sys::PROT_WRITE | sys::PROT_EXEC;
    // SAFETY: the code stays readable and executable.
    unsafe { sys::protect(first_page, bytes, writable) }.map_err(|_| Refusal::NotAllowed)?;

    let offset = entry % FETCHED_BYTES;
    // SAFETY: the pages are writable for the moment, the lock keeps other patches
    // away, and the instructions replaced have been moved to the trampoline.
    unsafe {
        if offset + JUMP_BYTES <= FETCHED_BYTES {
            store_at_once((entry - offset) as *mut u128, offset, new);
        } else {
            store_in_steps(entry as *mut u8, new);
        }
    }
    // SAFETY: the protection it had before. Should that fail, the code still runs.
    let _ = unsafe { sys::protect(first_page, bytes, protection) };
    sys::refetch_code_everywhere();
    Ok(())
}

/// # Safety
/// `place` must be aligned and writable, and hold code that may be replaced at `offset`.
unsafe fn store_at_once(place: *mut u128, offset: usize, new: [u8; JUMP_BYTES]) {
    // SAFETY: the caller vouches for the place.
    let mut old = unsafe { place.read_volatile() };
    loop {
        let mut bytes = old.to_le_bytes();
        for (to, from) in bytes.iter_mut().skip(offset).zip(new) {
            *to = from;
        }
        // SAFETY: the caller vouches for the place.
        match unsafe { compare_exchange(place, old, u128::from_le_bytes(bytes)) } {
            found if found == old => return,
            found => old = found,
        }
    }
}

/// Every x86-64 processor of the last fifteen years has this instruction, which no
/// stable Rust function offers.
///
/// # Safety
/// `place` must be aligned and writable.
unsafe fn compare_exchange(place: *mut u128, old: u128, new: u128) -> u128 {
    let (low, high): (u64, u64);
    // SAFETY: the caller vouches for the place; rbx, which must not be named, is put back.
    unsafe {
        asm!(
            "xchg rsi, rbx",
            "lock cmpxchg16b [rdi]",
            "mov rbx, rsi",
            in("rdi") place,
            inout("rsi") new as u64 => _,
            in("rcx") (new >> 64) as u64,
            inout("rax") old as u64 => low,
            inout("rdx") (old >> 64) as u64 => high,
            options(nostack),
        );
    }
    u128::from(high) << 64 | u128::from(low)
}

/// # Safety
/// The five bytes must be writable, and hold code that may be replaced.
unsafe fn store_in_steps(entry: *mut u8, new: [u8; JUMP_BYTES]) {
    let [first, second, rest @ ..] = new;
    // SAFETY: the caller vouches for the five bytes.
    unsafe {
        store_two(entry, JUMP_TO_ITSELF);
        sys::refetch_code_everywhere();
        entry.add(2).cast::<[u8; 3]>().write_volatile(rest);
        sys::refetch_code_everywhere();
        store_two(entry, [first, second]);
    }
}

/// One store, which a write of two bytes need not be.
///
/// # Safety
/// The two bytes must be writable.
unsafe fn store_two(place: *mut u8, bytes: [u8; 2]) {
    let word = u16::from_le_bytes(bytes);
    // SAFETY: the caller vouches for the place.
    unsafe {
        asm!(
            "mov word ptr [{place}], {word:x}",
            place = in(reg) place,
            word = in(reg) word,
            options(nostack, preserves_flags),
        );
    }
}
