//! Every way to end: the profile is whole, and the ending is the program's own.

use crate::support::ledger::Ledger;
use crate::support::process::{self, send, wait_for};
use crate::support::{Lab, describe, workloads};
use nix::sys::signal::Signal;
use residue_profile::End;
use std::os::unix::process::ExitStatusExt;
use std::process::Child;

fn expect_exact_ending(how: &str, has_handlers: bool) {
    let lab = Lab::new();
    let native = lab.native(&["endings", how]);
    let recorded = lab.record(&[], &["endings", how]);
    let status = recorded.output.status;
    assert_eq!(
        (status.code(), status.signal()),
        (native.status.code(), native.status.signal()),
        "{how}: {}",
        recorded.describe()
    );
    let (ledger, truths) = (recorded.ledger(), recorded.truths());
    ledger.expect_truths(&truths);
    let expected = match status.signal() {
        Some(signal) => End::Killed { signal },
        None => End::Exited {
            code: status
                .code()
                .expect("an exit code where there is no signal"),
        },
    };
    assert_eq!(ledger.profile.meta.end, expected, "{how}");
    assert!(ledger.sum("ending_alloc").calls >= 100, "{how}");
    let handlers_ran = truths.find("atexit_alloc.calls") == Some(1);
    assert_eq!(handlers_ran, has_handlers, "{how}: {}", recorded.describe());
}

#[test]
fn returns_and_exits_with_handlers_are_exact() {
    for how in ["return", "exit", "quick_exit", "thread_exit"] {
        expect_exact_ending(how, true);
    }
}

#[test]
fn an_exit_without_handlers_is_exact() {
    expect_exact_ending("_exit", false);
}

#[test]
fn deaths_by_a_signal_are_exact_and_residue_dies_the_same_way() {
    for how in ["abort", "segv", "sigterm", "sigkill"] {
        expect_exact_ending(how, false);
    }
}

#[test]
fn every_exit_status_is_passed_on() {
    for status in [0, 1, 2, 42, 125, 127, 128, 137, 255] {
        let lab = Lab::new();
        let recorded = lab.record(&[], &["hello", &status.to_string()]);
        assert_eq!(recorded.output.status.code(), Some(status));
        let end = &recorded.ledger().profile.meta.end;
        assert_eq!(*end, End::Exited { code: status });
    }
}

/// Ended with the test, however that ends.
struct Ended(Child);

impl Drop for Ended {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A pipe that nobody reads never takes the profile.
#[test]
fn while_the_profile_is_written_the_second_interrupt_ends_it_and_nothing_is_lost() {
    let lab = Lab::new();
    let pipe = lab.path("pipe");
    nix::unistd::mkfifo(&pipe, nix::sys::stat::Mode::S_IRWXU).expect("the lab takes a pipe");
    let arenas = lab.folder("arenas").display().to_string();
    let stderr = lab.path("stderr");
    let file = std::fs::File::create(&stderr).expect("the lab is writable");
    let mut command = lab.residue();
    command
        .args(["run", "--arena-dir", &arenas, "-o"])
        .arg(&pipe)
        .arg("--")
        .arg(workloads::find("hello"))
        .stdout(std::process::Stdio::null())
        .stderr(file);
    let mut residue = Ended(command.spawn().expect("residue can be started"));
    let pid = residue.0.id();
    let told = || std::fs::read_to_string(&stderr).unwrap_or_default();
    wait_for("the program ends", || {
        let has_begun = told().contains("hello, stderr");
        let children = format!("/proc/{pid}/task/{pid}/children");
        let has_child = std::fs::read_to_string(children).is_ok_and(|list| !list.is_empty());
        (has_begun && !has_child).then_some(())
    });
    // One that comes before it writes is taken for another wish, and not answered. Not SIGINT,
    // which shells ignore in what they run in the background.
    let is_told = || told().contains("writing the profile");
    let ended = wait_for("it says what it does", || {
        send(pid, Signal::SIGTERM);
        let ended = residue.0.try_wait().expect("it can be asked");
        assert!(ended.is_none() || is_told(), "{ended:?}: {}", told());
        is_told().then_some(ended)
    });
    if ended.is_none() {
        send(pid, Signal::SIGTERM);
    }
    let status = residue.0.wait().expect("it ends");
    assert_eq!(status.signal(), Some(Signal::SIGTERM as i32), "{}", told());

    let mut recover = lab.residue();
    recover.arg("recover").args(["-o", "late.residue"]);
    let left = std::fs::read_dir(&arenas).unwrap().next().unwrap().unwrap();
    recover.arg(left.path());
    let recovered = process::finish(recover);
    assert!(recovered.status.success(), "{}", describe(&recovered));
    assert_eq!(
        Ledger::read(&lab.path("late.residue"))
            .sum("hello_alloc")
            .calls,
        3
    );
}
