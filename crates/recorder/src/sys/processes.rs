//! A child of the recorder's own: made, rid of what it inherited, and taken away.

use super::{Errno, O_WRONLY, SYS_PRLIMIT64, call, close, open, soft_limit, write};
use crate::confined;

const SYS_CLOSE: usize = 3;
const SYS_CLONE: usize = 56;
const SYS_WAIT4: usize = 61;
const SYS_CLOSE_RANGE: usize = 436;
const SYS_PRCTL: usize = 157;
const SYS_NANOSLEEP: usize = 35;
const SYS_EXIT_GROUP: usize = 231;

const RLIMIT_CORE: usize = 4;
const RLIMIT_NOFILE: usize = 7;
/// Descriptors that are closed one by one, where the kernel cannot close all.
const MOST_DESCRIPTORS: u64 = 1 << 20;

/// A child with a copy of all memory, of whose end no parent is told: zero in the child. A
/// program that waits for any of its children does not get this one.
///
/// # Safety
/// The child must do nothing that takes a lock, allocates or returns to the program.
pub unsafe fn clone_silently() -> Result<usize, Errno> {
    const NO_SIGNAL_AT_ITS_END: usize = 0;
    // A debugger would take it for a thread of its program.
    const UNTRACED: usize = 0x0080_0000;
    if confined::is_confined() {
        // What the child does, and could not leave undone.
        for number in [SYS_NANOSLEEP, SYS_EXIT_GROUP] {
            confined::permits(number, &[0; 6])?;
        }
    }
    // SAFETY: the child has a stack of its own, at the same address; the caller vouches for it.
    unsafe { call(SYS_CLONE, [UNTRACED | NO_SIGNAL_AT_ITS_END, 0, 0, 0, 0, 0]) }
}

/// Whether threads may be stopped where they wait: the kernel goes on with some waits by a system
/// call of its own, which a filter may kill for.
pub fn may_be_stopped() -> bool {
    const SYS_RESTART_SYSCALL: usize = 219;
    !confined::is_confined() || confined::permits(SYS_RESTART_SYSCALL, &[0; 6]).is_ok()
}

/// Whether a signal waits that is to end the process: from a user, a terminal, a batch system.
pub fn is_asked_to_end() -> bool {
    const SYS_RT_SIGPENDING: usize = 127;
    const HANGUP_INTERRUPT_QUIT_TERMINATE: u64 = 1 << 0 | 1 << 1 | 1 << 2 | 1 << 14;
    let mut pending = 0_u64;
    // SAFETY: the kernel writes the set of signals.
    let asked = unsafe {
        call(
            SYS_RT_SIGPENDING,
            [&raw mut pending as usize, 8, 0, 0, 0, 0],
        )
    };
    asked.is_ok() && pending & HANGUP_INTERRUPT_QUIT_TERMINATE != 0
}

/// Should memory run out, this process is the first to go.
pub fn die_first() {
    if let Ok(file) = open(b"/proc/self/oom_score_adj\0", O_WRONLY, 0) {
        let _ = write(file, b"1000");
        close(file);
    }
}

/// Leaves no core file and starts no collector of them, whoever sends it what: it is not the program.
/// A limit of one byte is the kernel's word for that; one of zero would still start a collector.
pub fn never_dump_core() {
    let limits = [1_u64; 2];
    // SAFETY: only a child of the recorder's own comes here; the kernel reads two words.
    let _ = unsafe {
        call(
            SYS_PRLIMIT64,
            [0, RLIMIT_CORE, limits.as_ptr() as usize, 0, 0, 0],
        )
    };
}

/// Where the kernel lets only ancestors read a process (Yama), every process of the user may read
/// this one: its maker may be gone by then.
pub fn let_anybody_read() {
    const SET_READER: usize = 0x5961_6d61;
    const ANYBODY: usize = usize::MAX;
    // SAFETY: only a child of the recorder's own comes here.
    let _ = unsafe { call(SYS_PRCTL, [SET_READER, ANYBODY, 0, 0, 0, 0]) };
}

/// Closes all descriptors of this process.
pub fn close_all() {
    // SAFETY: only a child of the recorder's own comes here, which uses none.
    unsafe {
        if call(SYS_CLOSE_RANGE, [0, u32::MAX as usize, 0, 0, 0, 0]).is_ok() {
            return;
        }
        for file in 0..soft_limit(RLIMIT_NOFILE).min(MOST_DESCRIPTORS) as usize {
            let _ = call(SYS_CLOSE, [file, 0, 0, 0, 0, 0]);
        }
    }
}

/// Takes a child of [`clone_silently`] away if it has ended; true when there is none any more.
pub fn is_reaped(child: u32) -> bool {
    const WITHOUT_WAITING: usize = 1;
    const SILENT_ONES: usize = 0x8000_0000;
    // SAFETY: a number of a child of the recorder's own.
    let waited = unsafe {
        call(
            SYS_WAIT4,
            [child as usize, 0, WITHOUT_WAITING | SILENT_ONES, 0, 0, 0],
        )
    };
    waited != Ok(0)
}
