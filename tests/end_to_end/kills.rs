//! Killed at any instruction: the profile is whole, and every number lies between
//! what was certainly done and what was begun.

use crate::support::ledger::Ledger;
use crate::support::process::{Running, send, wait_for};
use crate::support::{Lab, PROFILE, describe, process, workloads};
use nix::sys::signal::Signal;
use residue_profile::End;
use residue_testkit::random::Random;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::time::Duration;

/// What `kill_me` wrote down about itself, over all its threads.
#[derive(Debug, Default)]
pub struct Slots {
    pub calls: [u64; 2],
    pub bytes: [u64; 2],
    pub frees: [u64; 2],
    pub freed: [u64; 2],
}

impl Slots {
    /// `None` while the file is not yet complete.
    pub fn read(log: &Path, threads: usize) -> Option<Slots> {
        const SLOT_BYTES: usize = 64;
        let bytes = std::fs::read(log).ok()?;
        if bytes.len() != threads * SLOT_BYTES {
            return None;
        }
        let mut sum = Slots::default();
        for slot in bytes.chunks_exact(SLOT_BYTES) {
            let word = |index: usize| {
                let word = slot[8 * index..8 * index + 8].try_into();
                u64::from_le_bytes(word.expect("eight bytes"))
            };
            // Done and begun of each.
            let places = [(0, 3), (1, 4), (2, 5), (6, 7)];
            let sums = [
                &mut sum.calls,
                &mut sum.bytes,
                &mut sum.frees,
                &mut sum.freed,
            ];
            for (sum, (done, begun)) in sums.into_iter().zip(places) {
                sum[0] += word(done);
                sum[1] += word(begun);
            }
        }
        Some(sum)
    }

    /// The recorded numbers lie between done and begun.
    pub fn expect_within(&self, ledger: &Ledger) {
        let recorded = ledger.sum("kill_alloc");
        let live = [
            self.bytes[0].saturating_sub(self.freed[1]),
            self.bytes[1] - self.freed[0],
        ];
        let blocks = [
            self.calls[0].saturating_sub(self.frees[1]),
            self.calls[1] - self.frees[0],
        ];
        for (what, recorded, [done, begun]) in [
            ("calls", recorded.calls, self.calls),
            ("bytes", recorded.total_bytes, self.bytes),
            ("frees", recorded.frees, self.frees),
            ("live bytes", recorded.live_bytes, live),
            ("live blocks", recorded.live_blocks, blocks),
        ] {
            assert!(
                done <= recorded && recorded <= begun,
                "{what}: {recorded} recorded, but {done} done and {begun} begun; {self:?}"
            );
        }
        // Its blocks have 16 to 515 bytes; one that was begun counts for its size or not at all.
        if self.calls[0] > 0 {
            let largest = recorded.largest_bytes;
            assert!((16..=515).contains(&largest), "{largest}");
        }
        ledger.expect_nothing_lost();
    }
}

/// A moment at which to kill, between 0.5 and 40 ms.
fn moment(random: &mut Random) -> Duration {
    Duration::from_micros(500 + random.below(39_500))
}

/// Whom the kill hits. The kernel's out-of-memory killer may take both.
#[derive(Debug, Clone, Copy)]
enum Victim {
    Program,
    Residue,
    Both,
}

const VICTIMS: [Victim; 3] = [Victim::Program, Victim::Residue, Victim::Both];

/// One kill of a process that was a shell before. Both images have a profile afterwards, by
/// `residue recover` where `residue` was killed, and nothing is left of their arenas.
fn kill_once(program: &Path, threads: usize, victim: Victim, after: Duration) {
    let lab = Lab::new();
    let log = lab.path("log");
    let arenas = lab.folder("arenas").display().to_string();
    let script = format!("exec {} {} {threads}", program.display(), log.display());
    let options = ["--arena-dir", &arenas];
    let mut run = Running::start(lab.run(&options, &["sh", "-c", &script]));
    let program = run.program();
    wait_for("kill_me allocates", || {
        Slots::read(&log, threads).filter(|slots| slots.calls[0] > 0)
    });
    // Not to wait for anything: this is the random moment.
    std::thread::sleep(after);
    if !matches!(victim, Victim::Program) {
        send(run.pid(), Signal::SIGKILL);
        run.wait();
    }
    send(program, Signal::SIGKILL);
    if matches!(victim, Victim::Program) {
        assert_eq!(run.wait().signal(), Some(Signal::SIGKILL as i32));
    } else {
        run.hear_all();
        let mut recover = lab.residue();
        recover.args([
            "recover",
            &format!("{arenas}/{}", lab.names_in("arenas")[0]),
        ]);
        let recovered = process::finish(recover);
        assert!(recovered.status.success(), "{}", describe(&recovered));
    }
    let slots = Slots::read(&log, threads).expect("the log was complete before");
    let ledger = Ledger::read(&lab.path(PROFILE));
    let expected = match victim {
        Victim::Program => End::Killed { signal: 9 },
        Victim::Residue | Victim::Both => End::Unknown,
    };
    assert_eq!(ledger.profile.meta.end, expected, "{victim:?}");
    slots.expect_within(&ledger);
    let shell = format!("{program}.1.{}", shell_name());
    let names = lab.names_in("profile.processes");
    assert_eq!(names, [format!("{shell}.residue")], "{victim:?}");
    assert_eq!(lab.names_in("arenas"), [""; 0], "{victim:?}");
}

/// What `sh` is called when links are followed.
fn shell_name() -> String {
    let path = std::fs::canonicalize("/bin/sh").expect("there is a shell");
    path.file_name().unwrap_or_default().display().to_string()
}

fn kill_often(threads: usize, times: usize) {
    kill_program_often(&workloads::find("kill_me"), threads, times);
}

/// The same for any build of it.
pub fn kill_program_often(program: &Path, threads: usize, times: usize) {
    let mut random = Random::new(threads as u64);
    for (_, victim) in (0..times).zip(VICTIMS.into_iter().cycle()) {
        kill_once(program, threads, victim, moment(&mut random));
    }
}

#[test]
fn program_residue_or_both_killed_at_random_moments_leave_whole_profiles() {
    kill_often(1, 21);
}

#[test]
fn with_four_threads_program_residue_or_both_killed_leave_whole_profiles() {
    kill_often(4, 21);
}

#[test]
#[ignore = "takes a minute; forty-two kills are always done"]
fn two_hundred_kills() {
    kill_often(1, 100);
    kill_often(4, 100);
}

#[test]
#[ignore = "takes minutes; forty-two kills are always done"]
fn five_hundred_kills() {
    kill_often(1, 250);
    kill_often(4, 250);
}
