//! Every way to end: the profile is whole, and the ending is the program's own.

use crate::support::Lab;
use residue_profile::End;
use std::os::unix::process::ExitStatusExt;

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
