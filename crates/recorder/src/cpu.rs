//! Where CPU time goes: samples of the stacks of threads that run.
//!
//! ```text
//!   thread's CPU clock ──► timer ──► signal ──► handler: interrupted registers
//!                                                  └──► unwind ──► trie ──► ledger
//! ```
//!
//! Each thread has a timer on its own CPU clock ([`timer`]). A thread that waits uses no CPU time and
//! gets no signal; one that runs gets one for every period. The first period of the process begins at
//! a moment drawn at random, so that its moments are all as likely to be seen.
//!
//! The handler does what a hook does for an allocation in a signal handler, which may come at any
//! instruction: no lock, no allocation, a state of its own where it interrupted the recorder. It is
//! the one signal that the recorder takes, and only where it was asked to.

mod periods;
mod timer;

pub use timer::Timer;

use crate::arena_map::{Arena, bump};
use crate::hot;
use crate::ledger;
use crate::loss::Loss;
use crate::recorder;
use crate::sys::{self, SignalAction, TimerSignal};
use crate::thread::{self, Thread};
use crate::unwind::rule::Cursor;
use core::ffi::{c_int, c_void};
use core::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use residue_arena::tables::thread as stat;
use residue_arena::{header, node};
use timer::TIMER_VALUE;

/// Signals that may bring samples, tried in turn: high real-time ones, which no system library
/// uses, and not the highest, which other tools take.
const SIGNALS: [u32; 6] = [61, 60, 59, 58, 57, 56];

/// Not zero once the program blocked all signals, and this one was left out.
static IS_LEFT_OUT: AtomicU32 = AtomicU32::new(0);

/// Takes a signal, if samples were asked for. Where none is free there will be no samples.
pub fn set_up(arena: Arena) {
    if arena.get(header::CPU_PERIOD_NS) == 0 {
        return;
    }
    // Whoever has some of them blocked may wait for them.
    let blocked = sys::blocked_signals();
    let is_open = |&signal: &u32| blocked >> (signal - 1) & 1 == 0;
    let open = SIGNALS.into_iter().filter(is_open);
    match open.chain(SIGNALS).find(|&signal| take(signal)) {
        Some(signal) => arena.set(header::CPU_SIGNAL, u64::from(signal)),
        None => arena.note(header::NOTE_CPU_ENDED),
    }
    if arena.get(header::WITHOUT_HEAP) != 0 {
        static IS_REGISTERED: AtomicBool = AtomicBool::new(false);
        // SAFETY: the handler is a function of this library.
        unsafe { hot::run_in_children(child_begins, &IS_REGISTERED) };
    }
}

/// A forked child has an arena from its first allocation on, or from here where those are not seen.
unsafe extern "C" fn child_begins() {
    recorder::with_thread(Loss::Nothing, |_, _, _| {});
}

/// Handles a signal that is nobody's, or that was the recorder's before a fork.
fn take(signal: u32) -> bool {
    let is_free = sys::signal_action(signal)
        .is_ok_and(|now| now.handler == 0 || now.handler == handler as *const () as usize);
    is_free && sys::handle_signal(signal, handler).is_ok()
}

/// Whether this is the signal that brings samples. In a child made by `vfork`, which has signals of
/// its own and the memory of its parent, none does.
pub fn is_taken(signal: c_int) -> bool {
    signal > 0
        && taken_as_bit() == 1 << (signal as u32 - 1).min(63)
        && hot::get().arena().is_some_and(|arena| !arena.is_borrowed())
}

/// The signal that brings samples, in a set; zero where none is taken.
pub fn taken_as_bit() -> u64 {
    let arena = hot::get().recording_arena();
    let signal = arena.map_or(0, |arena| arena.get(header::CPU_SIGNAL));
    match signal {
        0 => 0,
        signal => 1 << ((signal - 1) & 63),
    }
}

/// The signal stays out of a set of all signals that the program blocks.
pub fn leave_out() {
    IS_LEFT_OUT.store(1, Ordering::Relaxed);
}

/// Ends sampling in all threads: the program wants the signal for itself, or handlers would not be
/// allowed to do their work.
#[cold]
pub fn end() {
    if let Some(signal) = stop() {
        // What is ignored leaves every queue; what waits there would end the program later.
        let _ = sys::set_signal_action(signal, &SignalAction::ignore());
        let _ = sys::set_signal_action(signal, &SignalAction::default());
    }
}

/// Stops all timers; returns the signal that brought samples.
fn stop() -> Option<u32> {
    let arena = hot::get().arena().filter(|arena| !arena.is_borrowed())?;
    let signal = arena.word(header::CPU_SIGNAL).swap(0, Ordering::SeqCst);
    if signal == 0 {
        return None;
    }
    arena.note(header::NOTE_CPU_ENDED);
    thread::each(|thread| thread.timer.stop());
    Some(signal as u32)
}

/// Reads how much CPU time the threads that live have used.
pub fn note_times() {
    thread::each(|thread| {
        if let Some(tid) = thread.owner()
            && thread.is_first()
        {
            let now_ns = sys::clock_ns(sys::thread_cpu_clock(tid));
            // A thread that is just ending has no clock any more.
            if now_ns != 0 {
                thread.stats[stat::CPU_NS].store(now_ns, Ordering::Relaxed);
            }
        }
    });
}

/// A thread begins that has this state: what it used before is not counted.
pub fn thread_begins(stats: &[AtomicU64; stat::WORDS]) {
    let used_ns = sys::clock_ns(sys::CLOCK_THREAD_CPUTIME_ID);
    // Of one that ended without saying so.
    let left_ns = stats[stat::CPU_NS].swap(used_ns, Ordering::Relaxed);
    bump(&stats[stat::EARLIER_CPU_NS], left_ns.wrapping_sub(used_ns));
}

/// The thread that has this state ends.
pub fn thread_ends(arena: Arena, thread: &mut Thread) {
    let now_ns = sys::clock_ns(sys::CLOCK_THREAD_CPUTIME_ID);
    let period_ns = arena.get(header::CPU_PERIOD_NS);
    let lost = thread.timer.end(now_ns, period_ns);
    count_lost(arena, lost.wrapping_mul(period_ns));
    // The clock may be forbidden by now.
    let used_ns = now_ns.max(thread.stats[stat::CPU_NS].swap(0, Ordering::Relaxed));
    bump(&thread.stats[stat::EARLIER_CPU_NS], used_ns);
}

fn count_lost(arena: Arena, ns: u64) {
    if ns != 0 {
        arena
            .word(header::CPU_LOST_NS)
            .fetch_add(ns, Ordering::Relaxed);
    }
}

/// Somebody else sent the signal. It ends a program that does not expect it; one that blocks all
/// signals expects it to wait, and that is what it does from now on, in every thread that it comes to.
#[cold]
fn pass_on(signal: c_int, about: *const TimerSignal, context: *mut c_void) {
    if IS_LEFT_OUT.load(Ordering::Relaxed) == 0 {
        let _ = sys::set_signal_action(signal as u32, &SignalAction::default());
        return sys::send_to_own_thread(signal);
    }
    stop();
    // SAFETY: the mask that the kernel restores stands where it puts it.
    unsafe {
        let mask = context.byte_add(CONTEXT_MASK).cast::<u64>();
        mask.write(mask.read() | 1 << (signal - 1));
    }
    sys::queue_again(about);
}

/// Offsets of registers in what the kernel hands to a handler.
const CONTEXT_BP: usize = 120;
const CONTEXT_SP: usize = 160;
const CONTEXT_IP: usize = 168;
const CONTEXT_MASK: usize = 296;

/// Has a sample taken on a stack of the recorder's own, where this thread has one: what is left of
/// the program's may be a few hundred bytes.
#[unsafe(naked)]
unsafe extern "C" fn handler(signal: c_int, about: *const TimerSignal, context: *mut c_void) {
    core::arch::naked_asm!(
        ".cfi_startproc",
        "push rbp",
        ".cfi_adjust_cfa_offset 8",
        ".cfi_rel_offset rbp, 0",
        "mov rbp, rsp",
        ".cfi_def_cfa_register rbp",
        "push rdi",
        "push rsi",
        "push rdx",
        "sub rsp, 8",
        "call {stack}",
        "add rsp, 8",
        "pop rdx",
        "pop rsi",
        "pop rdi",
        "test rax, rax",
        "cmovne rsp, rax",
        "call {sampled}",
        "mov rsp, rbp",
        "pop rbp",
        ".cfi_def_cfa rsp, 8",
        "ret",
        ".cfi_endproc",
        stack = sym own_stack,
        sampled = sym sampled,
    )
}

unsafe extern "C" fn own_stack() -> *mut u8 {
    thread::own_timer().map_or(core::ptr::null_mut(), Timer::stack_top)
}

/// A period of this thread's CPU time has passed.
unsafe extern "C" fn sampled(signal: c_int, about: *const TimerSignal, context: *mut c_void) {
    // SAFETY: the kernel hands over what it knows of the signal.
    let (code, value) = unsafe { ((*about).code, (*about).value) };
    if code != sys::FROM_TIMER || value != TIMER_VALUE {
        return pass_on(signal, about, context);
    }
    let Some(arena) = hot::get().recording_arena() else {
        return;
    };
    let Some(timer) = thread::own_timer() else {
        // The thread has just ended, and its state owes this period.
        return;
    };
    let used_ns = sys::clock_ns(sys::CLOCK_THREAD_CPUTIME_ID);
    if used_ns == 0 {
        return;
    }
    thread::note_cpu_time(used_ns);
    // SAFETY: the registers stand where the kernel puts them.
    let register = |offset: usize| unsafe { context.byte_add(offset).cast::<usize>().read() };
    let leaf = Cursor {
        sp: register(CONTEXT_SP),
        ip: register(CONTEXT_IP),
        bp: register(CONTEXT_BP),
        exact: true,
    };
    let period_ns = arena.get(header::CPU_PERIOD_NS);
    let due = timer.due(used_ns, period_ns);
    count_lost(arena, period_ns.wrapping_mul(due.lost));
    if due.sampled == 0 {
        return;
    }
    let ns = period_ns.wrapping_mul(due.sampled);
    let Some(mut guard) = thread::enter_for_sample() else {
        return count_lost(arena, ns);
    };
    let thread = guard.thread();
    if thread.is_paused(arena) {
        return;
    }
    // SAFETY: the thread stands where the signal interrupted it.
    let stack = unsafe { recorder::sampled_stack(hot::get(), arena, thread, leaf) };
    let record = match stack {
        node::OVERFLOW_STACK => None,
        stack => ledger::record(arena, thread, stack),
    };
    match record {
        Some(record) => ledger::sampled(arena, record, stack, due.sampled, ns),
        None => count_lost(arena, ns),
    }
}
