//! The other threads of a program, stopped for the milliseconds in which its page tables are
//! copied, by ptrace.
//!
//! A program must not notice. Calls of the kernel that wait are begun again by the kernel, but for
//! a few which would return `EINTR`: those get the error that the kernel itself uses for "begin
//! again, unless a handler ran". A signal that comes meanwhile is handed on.
//!
//! All is done by a thread that ends with it: when a tracer ends, the kernel lets all go that it
//! holds, with the signals that they were stopped at, also those that never stood, and hands those
//! that died to their parents.
//! `residue` waits for the program in another thread, which may be told of these stops instead of
//! this one: so nothing is waited for here, and whether a thread stands is seen by asking for its
//! registers.

use nix::errno::Errno;
use nix::libc;
use nix::sys::ptrace;
use nix::unistd::Pid;
use std::collections::BTreeSet;
use std::fs;
use std::time::{Duration, Instant};

/// A thread that is in the kernel where nothing interrupts it (a disk that does not answer) is not
/// waited for longer than this.
const LONGEST_STOP: Duration = Duration::from_millis(100);
const LOOK: Duration = Duration::from_micros(20);
/// Threads that begin others meanwhile.
const MOST_ROUNDS: usize = 50;

/// Calls that return `EINTR` where nothing but a stop has come between: the kernel does not begin
/// them again by itself. Those on sockets do so only where a time limit was set for the socket.
const NOT_RESTARTED: [i64; 14] = [
    libc::SYS_epoll_wait,
    libc::SYS_epoll_pwait,
    libc::SYS_epoll_pwait2,
    libc::SYS_semop,
    libc::SYS_semtimedop,
    libc::SYS_rt_sigtimedwait,
    libc::SYS_io_getevents,
    libc::SYS_io_uring_enter,
    libc::SYS_recvfrom,
    libc::SYS_recvmsg,
    libc::SYS_sendto,
    libc::SYS_sendmsg,
    libc::SYS_accept,
    libc::SYS_accept4,
];
/// The kernel's own "begin again, unless a handler ran".
const ERESTARTNOHAND: i64 = 514;

/// Of one thread.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Registers {
    pub tid: u32,
    pub stack_pointer: u64,
    pub thread_pointer: u64,
    pub values: Vec<u64>,
}

/// Stops all threads of a process but one, does `work`, and lets them go on. Gives what their
/// registers held; an error where they could not all be stopped, and `work` was not done.
pub fn while_others_stand(
    pid: u32,
    spared: u32,
    work: impl FnOnce() + Send,
) -> Result<Vec<Registers>, Errno> {
    std::thread::scope(|scope| {
        let tracer = std::thread::Builder::new().name("tracer".to_string());
        let tracer = tracer.spawn_scoped(scope, move || {
            let stopped = all_but(pid, spared)?;
            work();
            let registers = stopped.iter().map(Standing::registers).collect();
            stopped.into_iter().for_each(Standing::prepare);
            Ok(registers)
        });
        let done = tracer.map_err(|_| Errno::EAGAIN)?.join();
        done.unwrap_or(Err(Errno::EAGAIN))
    })
}

/// A thread that stands.
struct Standing {
    tid: Pid,
    registers: libc::user_regs_struct,
}

fn all_but(pid: u32, spared: u32) -> Result<Vec<Standing>, Errno> {
    let mut stopped = Vec::new();
    let mut seized = BTreeSet::from([spared]);
    let deadline = Instant::now() + LONGEST_STOP;
    for _ in 0..MOST_ROUNDS {
        let fresh: Vec<u32> = threads_of(pid)
            .into_iter()
            .filter(|tid| seized.insert(*tid))
            .collect();
        if fresh.is_empty() {
            return Ok(stopped);
        }
        let mut asked = Vec::new();
        for tid in fresh {
            let tid = Pid::from_raw(tid as i32);
            match ptrace::seize(tid, ptrace::Options::empty()) {
                Ok(()) => {}
                Err(_) if !is_there(tid) => continue,
                Err(error) => {
                    stopped.into_iter().for_each(Standing::prepare);
                    return Err(error);
                }
            }
            let _ = ptrace::interrupt(tid);
            asked.push(tid);
        }
        for tid in asked {
            match standing(tid, deadline) {
                Ok(it) => stopped.extend(it),
                Err(error) => {
                    stopped.into_iter().for_each(Standing::prepare);
                    return Err(error);
                }
            }
        }
    }
    stopped.into_iter().for_each(Standing::prepare);
    Err(Errno::EAGAIN)
}

impl Standing {
    fn registers(&self) -> Registers {
        let it = &self.registers;
        Registers {
            tid: self.tid.as_raw() as u32,
            stack_pointer: it.rsp,
            thread_pointer: it.fs_base,
            values: vec![
                it.rax, it.rbx, it.rcx, it.rdx, it.rsi, it.rdi, it.rbp, it.r8, it.r9, it.r10,
                it.r11, it.r12, it.r13, it.r14, it.r15,
            ],
        }
    }

    /// What is to be done before it goes on.
    fn prepare(mut self) {
        let was_interrupted = self.registers.rax as i64 == -i64::from(libc::EINTR);
        if was_interrupted && NOT_RESTARTED.contains(&(self.registers.orig_rax as i64)) {
            self.registers.rax = -ERESTARTNOHAND as u64;
            let _ = ptrace::setregs(self.tid, self.registers);
        }
    }
}

/// Waits until a thread stands; `None` where it has ended.
fn standing(tid: Pid, deadline: Instant) -> Result<Option<Standing>, Errno> {
    loop {
        match ptrace::getregs(tid) {
            Ok(registers) => return Ok(Some(Standing { tid, registers })),
            Err(_) if !is_there(tid) => return Ok(None),
            Err(_) if Instant::now() > deadline => return Err(Errno::ETIMEDOUT),
            Err(_) => std::thread::sleep(LOOK),
        }
    }
}

fn is_there(tid: Pid) -> bool {
    let stat = fs::read_to_string(format!("/proc/{tid}/stat")).unwrap_or_default();
    let state = stat
        .rsplit_once(") ")
        .and_then(|(_, rest)| rest.chars().next());
    state.is_some_and(|state| !matches!(state, 'Z' | 'X'))
}

fn threads_of(pid: u32) -> Vec<u32> {
    let entries = fs::read_dir(format!("/proc/{pid}/task"));
    let names = entries.into_iter().flatten().flatten();
    names
        .filter_map(|entry| entry.file_name().to_str()?.parse().ok())
        .collect()
}
