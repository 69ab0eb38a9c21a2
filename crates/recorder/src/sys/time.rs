//! Clocks, and sleeping.

use super::call;
use core::ffi::c_int;
use core::sync::atomic::{AtomicU32, AtomicUsize, Ordering};

const SYS_NANOSLEEP: usize = 35;
pub(super) const SYS_FUTEX: usize = 202;
pub(super) const SYS_CLOCK_GETTIME: usize = 228;

pub const CLOCK_REALTIME: usize = 0;
pub const CLOCK_MONOTONIC: usize = 1;
pub const CLOCK_PROCESS_CPUTIME_ID: usize = 2;
pub const CLOCK_THREAD_CPUTIME_ID: usize = 3;

pub fn clock_ns(clock: usize) -> u64 {
    let mut time = [0_u64; 2];
    // SAFETY: the kernel writes two words into the array.
    let _ = unsafe {
        call(
            SYS_CLOCK_GETTIME,
            [clock, time.as_mut_ptr() as usize, 0, 0, 0, 0],
        )
    };
    time[0].wrapping_mul(1_000_000_000).wrapping_add(time[1])
}

/// CPU time that this thread has spent in the kernel, about.
pub fn thread_system_ns() -> u64 {
    const SYS_GETRUSAGE: usize = 98;
    const THIS_THREAD: usize = 1;
    // Seconds and microseconds of the program's own time, then of the kernel's, then counts.
    let mut usage = [0_u64; 18];
    let to = usage.as_mut_ptr() as usize;
    // SAFETY: the kernel writes 18 words.
    let _ = unsafe { call(SYS_GETRUSAGE, [THIS_THREAD, to, 0, 0, 0, 0]) };
    usage[2]
        .wrapping_mul(1_000_000_000)
        .wrapping_add(usage[3].wrapping_mul(1000))
}

/// Time from one of the kernel's ticks to the next, in which its coarse clock stands still.
pub fn tick_ns() -> u64 {
    const SYS_CLOCK_GETRES: usize = 229;
    const CLOCK_MONOTONIC_COARSE: usize = 6;
    let mut time = [0_u64; 2];
    let to = time.as_mut_ptr() as usize;
    // SAFETY: the kernel writes two words into the array.
    let _ = unsafe { call(SYS_CLOCK_GETRES, [CLOCK_MONOTONIC_COARSE, to, 0, 0, 0, 0]) };
    time[0].wrapping_mul(1_000_000_000).wrapping_add(time[1])
}

/// The kernel's clock function in the program's own address space, where it is known.
/// Not libc's, which some programs replace to live in another time.
pub static KERNEL_CLOCK: AtomicUsize = AtomicUsize::new(0);

/// `CLOCK_MONOTONIC`, without a system call where that is possible.
pub fn monotonic_ns() -> u64 {
    type Clock = unsafe extern "C" fn(c_int, *mut u64) -> c_int;
    let address = KERNEL_CLOCK.load(Ordering::Relaxed);
    if address == 0 {
        return clock_ns(CLOCK_MONOTONIC);
    }
    let mut time = [0_u64; 2];
    // SAFETY: the kernel's function of this kind, which writes two words.
    unsafe {
        core::mem::transmute::<usize, Clock>(address)(CLOCK_MONOTONIC as c_int, time.as_mut_ptr())
    };
    time[0].wrapping_mul(1_000_000_000).wrapping_add(time[1])
}

/// Not zero once the program had the kernel forbid reading the time stamp counter, on pain of
/// a signal; seccomp's strict mode does so too.
static TICKS_ARE_FORBIDDEN: AtomicU32 = AtomicU32::new(0);

/// From now on neither the counter nor the kernel's clock function, which reads it, is used.
pub fn forbid_ticks() {
    TICKS_ARE_FORBIDDEN.store(1, Ordering::Relaxed);
    KERNEL_CLOCK.store(0, Ordering::Relaxed);
}

pub fn may_read_ticks() -> bool {
    TICKS_ARE_FORBIDDEN.load(Ordering::Relaxed) == 0
}

/// The time stamp counter; zero where it must not be read.
#[inline]
pub fn ticks() -> u64 {
    match may_read_ticks() {
        // SAFETY: every x86-64 has it.
        true => unsafe { core::arch::x86_64::_rdtsc() },
        false => 0,
    }
}

/// Sleeps, or returns early when a signal comes.
pub fn sleep_ns(nanoseconds: u64) {
    let time = [nanoseconds / 1_000_000_000, nanoseconds % 1_000_000_000];
    // SAFETY: the kernel reads the two words.
    let _ = unsafe { call(SYS_NANOSLEEP, [time.as_ptr() as usize, 0, 0, 0, 0, 0]) };
}

/// Sleeps as long as the word holds this value, until it is woken or the time is over.
pub fn sleep_while(word: &AtomicU32, value: u32, nanoseconds: u64) {
    const WAIT_PRIVATE: usize = 128;
    let time = [nanoseconds / 1_000_000_000, nanoseconds % 1_000_000_000];
    let (at, time) = (word.as_ptr() as usize, time.as_ptr() as usize);
    // SAFETY: the kernel reads the word and the two words of the time.
    let _ = unsafe { call(SYS_FUTEX, [at, WAIT_PRIVATE, value as usize, time, 0, 0]) };
}

/// Wakes one thread that sleeps on this word.
pub fn wake_one(word: &AtomicU32) {
    const WAKE_PRIVATE: usize = 129;
    let at = word.as_ptr() as usize;
    // SAFETY: the address only names whom to wake.
    let _ = unsafe { call(SYS_FUTEX, [at, WAKE_PRIVATE, 1, 0, 0, 0]) };
}
