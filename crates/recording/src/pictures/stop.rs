//! The other threads of a program, stopped for the milliseconds in which its page tables are
//! copied, by ptrace.
//!
//! A program must not notice. Calls of the kernel that wait are begun again by the kernel, but for
//! those which return `EINTR`: these get the error that the kernel itself uses for "begin again,
//! unless a handler ran". A signal that comes meanwhile is handed on.
//!
//! All is done by a thread that ends with it: when a tracer ends, the kernel lets all go that it
//! holds, with the signals that they were stopped at, also those that never stood, and hands those
//! that died to their parents.
//! `residue` waits for the program in another thread, which may be told of these stops instead of
//! this one: so nothing is waited for here, and whether a thread stands is seen by asking for its
//! registers.
//!
//! ```text
//!   program's thread: execve, waits until all others are gone ◄──── the dead one is taken away
//!   tracer:           seizes the next, waits for that execve                  │
//!   who began:        looks for dead ones meanwhile ──────────────────────────┘
//! ```
//!
//! A traced thread that dies stays until its tracer's process takes it away, and `execve` keeps any
//! seizing waiting: without that look both would wait for each other for ever.

use nix::errno::Errno;
use nix::libc;
use nix::sys::ptrace;
use nix::sys::wait::{WaitPidFlag, waitpid};
use nix::unistd::Pid;
use std::collections::{BTreeSet, VecDeque};
use std::fs;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// A thread that is in the kernel where nothing interrupts it (a disk that does not answer) is not
/// waited for longer than this.
const LONGEST_STOP: Duration = Duration::from_millis(100);
const LOOK: Duration = Duration::from_micros(20);
const LOOK_AT_TRACER: Duration = Duration::from_millis(1);
/// A tracer is looked after when it takes so long: most have done before.
const LOOKS_PER_SEARCH: u32 = 20;
/// When it failed, those that were asked to stand and do not yet are waited for once more.
const LATE_STOP: Duration = Duration::from_millis(5);
/// Threads that begin others meanwhile.
const MOST_ROUNDS: usize = 50;

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
    let seized = Seized::of(pid);
    std::thread::scope(|scope| {
        let tracer = std::thread::Builder::new().name("tracer".to_string());
        let tracer = tracer.spawn_scoped(scope, || {
            let mut traced = Traced::default();
            let done = traced.stop_all_but(spared, &seized).map(|()| {
                work();
                traced.standing.iter().map(Standing::registers).collect()
            });
            traced.prepare();
            done
        });
        let tracer = tracer.map_err(|_| Errno::EAGAIN)?;
        for look in 1_u32.. {
            if tracer.is_finished() {
                break;
            }
            if look % LOOKS_PER_SEARCH == 0 {
                seized.take_dead_away();
            }
            std::thread::sleep(LOOK_AT_TRACER);
        }
        tracer.join().unwrap_or(Err(Errno::EAGAIN))
    })
}

/// The threads of a program that are traced.
struct Seized {
    pid: u32,
    tids: Mutex<BTreeSet<u32>>,
}

impl Seized {
    fn of(pid: u32) -> Seized {
        Seized {
            pid,
            tids: Mutex::default(),
        }
    }

    fn tids(&self) -> MutexGuard<'_, BTreeSet<u32>> {
        self.tids.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// But the first thread: its death is the program's, and whoever waits for that is to be told.
    /// The tracer is not kept waiting meanwhile: other threads stand.
    fn take_dead_away(&self) {
        let tids = self.tids().clone();
        for tid in tids {
            if tid != self.pid && state_of(tid) == Some('Z') {
                let flags = WaitPidFlag::WNOHANG | WaitPidFlag::__WALL;
                let _ = waitpid(Pid::from_raw(tid as i32), Some(flags));
                self.tids().remove(&tid);
            }
        }
    }
}

/// Of these the tracer has asked some to stand; some stand.
#[derive(Default)]
struct Traced {
    asked: VecDeque<Pid>,
    standing: Vec<Standing>,
}

impl Traced {
    fn stop_all_but(&mut self, spared: u32, seized: &Seized) -> Result<(), Errno> {
        let mut known = BTreeSet::from([spared]);
        let deadline = Instant::now() + LONGEST_STOP;
        for _ in 0..MOST_ROUNDS {
            let threads = threads_of(seized.pid).into_iter();
            let fresh: Vec<u32> = threads.filter(|tid| known.insert(*tid)).collect();
            if fresh.is_empty() {
                return Ok(());
            }
            for tid in fresh {
                self.ask(tid, seized)?;
            }
            while let Some(&tid) = self.asked.front() {
                self.standing.extend(standing(tid, deadline)?);
                self.asked.pop_front();
            }
        }
        Err(Errno::EAGAIN)
    }

    fn ask(&mut self, tid: u32, seized: &Seized) -> Result<(), Errno> {
        let id = Pid::from_raw(tid as i32);
        match ptrace::seize(id, ptrace::Options::empty()) {
            Ok(()) => {}
            Err(_) if !is_there(id) => return Ok(()),
            Err(error) => return Err(error),
        }
        seized.tids().insert(tid);
        let _ = ptrace::interrupt(id);
        self.asked.push_back(id);
        Ok(())
    }

    /// What is to be done before they go on, those too that were not waited for.
    fn prepare(self) {
        let deadline = Instant::now() + LATE_STOP;
        let late = self.asked.into_iter();
        let late = late.filter_map(|tid| standing(tid, deadline).ok().flatten());
        self.standing
            .into_iter()
            .chain(late)
            .for_each(Standing::prepare);
    }
}

/// A thread that stands.
struct Standing {
    tid: Pid,
    registers: libc::user_regs_struct,
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

    /// `EINTR` means that nothing was done, but by `close`, which has closed the file. A stop has no
    /// handler to tell of, so the call begins again.
    fn prepare(mut self) {
        let call = self.registers.orig_rax as i64;
        let was_interrupted = call >= 0 && self.registers.rax as i64 == -i64::from(libc::EINTR);
        if was_interrupted && call != libc::SYS_close {
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
    state_of(tid.as_raw() as u32).is_some_and(|state| !matches!(state, 'Z' | 'X'))
}

/// The letter that the kernel has for what a thread does.
fn state_of(tid: u32) -> Option<char> {
    let stat = fs::read_to_string(format!("/proc/{tid}/stat")).ok()?;
    stat.rsplit_once(") ")?.1.chars().next()
}

fn threads_of(pid: u32) -> Vec<u32> {
    let entries = fs::read_dir(format!("/proc/{pid}/task"));
    let names = entries.into_iter().flatten().flatten();
    names
        .filter_map(|entry| entry.file_name().to_str()?.parse().ok())
        .collect()
}
