//! Events of perf on a thread's CPU time: as timers, but finer than the kernel's ticks.

use super::{Errno, MAP_SHARED, PROT_READ, call, close, map, unmap};
use core::ffi::c_int;

const SYS_IOCTL: usize = 16;
const SYS_FCNTL: usize = 72;
const SYS_CLOCK_GETRES: usize = 229;
const SYS_PERF_EVENT_OPEN: usize = 298;

/// The code of a signal that an event sent: there is something to be read.
pub const FROM_EVENT: c_int = 1;
/// The code of a signal of the kernel's that says nothing else.
pub const FROM_KERNEL: c_int = 0x80;

/// Size of the page that keeps an event.
const PAGE_BYTES: usize = 4096;

/// Time from one of the kernel's ticks to the next, in which its coarse clock stands still.
pub fn tick_ns() -> u64 {
    const CLOCK_MONOTONIC_COARSE: usize = 6;
    let mut time = [0_u64; 2];
    let arguments = [
        CLOCK_MONOTONIC_COARSE,
        time.as_mut_ptr() as usize,
        0,
        0,
        0,
        0,
    ];
    // SAFETY: the kernel writes two words into the array.
    let _ = unsafe { call(SYS_CLOCK_GETRES, arguments) };
    time[0].wrapping_mul(1_000_000_000).wrapping_add(time[1])
}

/// The first 64 bytes of `struct perf_event_attr`, as its first version has them.
#[repr(C)]
struct Attributes {
    kind: u32,
    bytes: u32,
    event: u64,
    period_ns: u64,
    samples: u64,
    reading: u64,
    flags: u64,
    wakeup_events: u32,
    breakpoint: u32,
    address: u64,
}

/// An event that sends this thread `signal` for every `period_ns` of its CPU time that end outside of
/// the kernel. It lives as long as the page whose address is returned: no file stays open.
pub fn start_event(tid: u32, signal: u32, period_ns: u64) -> Result<usize, Errno> {
    const SOFTWARE: u32 = 1;
    const TASK_CLOCK: u64 = 1;
    const STARTS_DISABLED: u64 = 1;
    const EXCLUDES_KERNEL: u64 = 1 << 5;
    const CLOSE_ON_EXEC: usize = 8;
    let attributes = Attributes {
        kind: SOFTWARE,
        bytes: size_of::<Attributes>() as u32,
        event: TASK_CLOCK,
        period_ns,
        samples: 0,
        reading: 0,
        flags: STARTS_DISABLED | EXCLUDES_KERNEL,
        wakeup_events: 1,
        breakpoint: 0,
        address: 0,
    };
    let (this_thread, any_cpu, no_group) = (0, usize::MAX, usize::MAX);
    let about = &raw const attributes as usize;
    let arguments = [about, this_thread, any_cpu, no_group, CLOSE_ON_EXEC, 0];
    // SAFETY: the kernel reads the attributes.
    let file = unsafe { call(SYS_PERF_EVENT_OPEN, arguments) }?;
    // SAFETY: a new mapping disturbs nothing that exists.
    let page = unsafe {
        map(
            core::ptr::null_mut(),
            PAGE_BYTES,
            [PROT_READ, MAP_SHARED, file],
            0,
        )
    };
    let started = page.and_then(|page| match send_signals(file, tid, signal) {
        Ok(()) => Ok(page as usize),
        Err(error) => {
            stop_event(page as usize);
            Err(error)
        }
    });
    close(file);
    started
}

/// Has an event send its signal to the thread, and lets it run.
fn send_signals(file: usize, tid: u32, signal: u32) -> Result<(), Errno> {
    const SET_FLAGS: usize = 4;
    const SET_SIGNAL: usize = 10;
    const SET_OWNER: usize = 15;
    const SEND_SIGNALS: usize = 0o20000;
    const ENABLE: usize = 0x2400;
    const A_THREAD: u32 = 0;
    let owner = [A_THREAD, tid];
    let calls = [
        (SYS_FCNTL, SET_SIGNAL, signal as usize),
        (SYS_FCNTL, SET_OWNER, owner.as_ptr() as usize),
        (SYS_FCNTL, SET_FLAGS, SEND_SIGNALS),
        (SYS_IOCTL, ENABLE, 0),
    ];
    for (number, what, argument) in calls {
        // SAFETY: changes a file of the recorder's own; the kernel reads the owner.
        unsafe { call(number, [file, what, argument, 0, 0, 0]) }?;
    }
    Ok(())
}

pub fn stop_event(page: usize) {
    // SAFETY: the page was mapped by `start_event`, and nothing else uses it.
    unsafe { unmap(page as *mut u8, PAGE_BYTES) };
}
