//! Timers on a thread's own CPU time, and the signal that they send.

use super::{Errno, call};
use core::ffi::{c_int, c_void};

const SYS_RT_SIGACTION: usize = 13;
const SYS_TIMER_CREATE: usize = 222;
const SYS_TIMER_SETTIME: usize = 223;
const SYS_TIMER_DELETE: usize = 226;
const SYS_TGKILL: usize = 234;

/// The system calls that a sample cannot be taken without.
pub fn calls_of_a_sample() -> [(usize, [usize; 6]); 3] {
    const RT_SIGRETURN: usize = 15;
    let clock = [super::CLOCK_THREAD_CPUTIME_ID, 0, 0, 0, 0, 0];
    [
        (RT_SIGRETURN, [0; 6]),
        (super::SYS_CLOCK_GETTIME, clock),
        (super::SYS_RT_SIGPROCMASK, [2, 0, 0, 8, 0, 0]),
    ]
}

/// The clock of another thread's CPU time.
pub fn thread_cpu_clock(tid: u32) -> usize {
    const PER_THREAD: isize = 4;
    const SCHEDULED: isize = 2;
    ((!(tid as isize) << 3) | PER_THREAD | SCHEDULED) as usize
}

/// What the kernel tells of a timer, as far as it is needed.
#[repr(C)]
pub struct TimerSignal {
    signal: c_int,
    error: c_int,
    pub code: c_int,
    padding: c_int,
    timer: c_int,
    overruns: c_int,
    pub value: usize,
}

/// The code of a signal that a timer sent.
pub const FROM_TIMER: c_int = -2;

/// A timer on a clock of this thread, which will send it `signal` with `value`. It does not run yet.
pub fn create_timer(clock: usize, [tid, signal]: [u32; 2], value: usize) -> Result<u32, Errno> {
    const TO_THREAD: u32 = 4;
    /// `struct sigevent`: value, signal, way, thread.
    #[repr(C)]
    struct Event {
        value: usize,
        signal: u32,
        way: u32,
        thread: u32,
        unused: [u32; 11],
    }
    let event = Event {
        value,
        signal,
        way: TO_THREAD,
        thread: tid,
        unused: [0; 11],
    };
    let mut timer = 0_u32;
    let (about, to) = (&raw const event as usize, &raw mut timer as usize);
    let arguments = [clock, about, to, 0, 0, 0];
    // SAFETY: the kernel reads the event and writes one number.
    unsafe { call(SYS_TIMER_CREATE, arguments) }.map(|_| timer)
}

/// Lets a timer run: the first time after `first_ns`, then every `period_ns`.
pub fn start_timer(timer: u32, first_ns: u64, period_ns: u64) -> Result<usize, Errno> {
    let parts = |ns: u64| [ns / 1_000_000_000, ns % 1_000_000_000];
    let times = [parts(period_ns), parts(first_ns)];
    let arguments = [timer as usize, 0, times.as_ptr() as usize, 0, 0, 0];
    // SAFETY: the kernel reads four words.
    unsafe { call(SYS_TIMER_SETTIME, arguments) }
}

pub fn delete_timer(timer: u32) {
    // SAFETY: a timer of the recorder's own.
    let _ = unsafe { call(SYS_TIMER_DELETE, [timer as usize, 0, 0, 0, 0, 0]) };
}

/// Queues a signal for the process once more, with all that is said of it.
pub fn queue_again(about: *const TimerSignal) {
    const SYS_RT_SIGQUEUEINFO: usize = 129;
    // SAFETY: what the kernel handed to a handler is what it takes here.
    let _ = unsafe {
        let signal = (*about).signal as usize;
        let arguments = [super::pid() as usize, signal, about as usize, 0, 0, 0];
        call(SYS_RT_SIGQUEUEINFO, arguments)
    };
}

/// Sends this thread a signal.
pub fn send_to_own_thread(signal: c_int) {
    let arguments = [
        super::pid() as usize,
        super::tid() as usize,
        signal as usize,
        0,
        0,
        0,
    ];
    // SAFETY: does what somebody else's signal would have done.
    let _ = unsafe { call(SYS_TGKILL, arguments) };
}

/// What is done about a signal, as the kernel has it.
#[repr(C)]
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct SignalAction {
    /// Zero: what the kernel does by itself.
    pub handler: usize,
    pub flags: usize,
    pub restorer: usize,
    pub mask: u64,
}

impl SignalAction {
    /// The signal is dropped, also where it waits already.
    pub fn ignore() -> SignalAction {
        const IGNORE: usize = 1;
        SignalAction {
            handler: IGNORE,
            ..SignalAction::default()
        }
    }
}

pub type SignalHandler = unsafe extern "C" fn(c_int, *const TimerSignal, *mut c_void);

const WITH_INFO: usize = 4;
const WITH_RESTORER: usize = 0x0400_0000;
const ON_ALTERNATE_STACK: usize = 0x0800_0000;
const RESTART_CALLS: usize = 0x1000_0000;

/// What is done about `signal` now.
pub fn signal_action(signal: u32) -> Result<SignalAction, Errno> {
    let mut action = SignalAction::default();
    let to = &raw mut action as usize;
    // SAFETY: the kernel writes the action.
    unsafe { call(SYS_RT_SIGACTION, [signal as usize, 0, to, 8, 0, 0]) }.map(|_| action)
}

/// Has `signal` handled. What the kernel keeps for it goes to the thread's alternate stack where it has
/// one: stacks of other languages' runtimes have no room for it. All other signals wait meanwhile.
pub fn handle_signal(signal: u32, handler: SignalHandler) -> Result<(), Errno> {
    let action = SignalAction {
        handler: handler as usize,
        flags: WITH_INFO | WITH_RESTORER | ON_ALTERNATE_STACK | RESTART_CALLS,
        restorer: return_from_signal as *const () as usize + 1,
        mask: u64::MAX,
    };
    set_signal_action(signal, &action)
}

pub fn set_signal_action(signal: u32, action: &SignalAction) -> Result<(), Errno> {
    let from = core::ptr::from_ref(action) as usize;
    // SAFETY: the kernel reads the action, which is a handler of this library or one of before.
    unsafe { call(SYS_RT_SIGACTION, [signal as usize, from, 0, 8, 0, 0]) }.map(|_| ())
}

/// The way back from a handler, behind one byte. Unwinders and debuggers know it by these very
/// instructions; it must have no unwind table. They look up the byte before a return address: that
/// must not be the last one of a function that has a table.
#[unsafe(naked)]
unsafe extern "C" fn return_from_signal() {
    core::arch::naked_asm!("nop", ".byte 0x48, 0xc7, 0xc0, 0x0f, 0, 0, 0", "syscall")
}
