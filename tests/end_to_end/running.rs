//! Looking at a program while it runs.

use crate::support::process::Running;
use crate::support::truth::Truths;
use crate::support::{Lab, PROFILE, describe, ledger::Ledger};
use serde_json::Value;

/// `residue report --json` of a running program.
fn report(lab: &Lab, pid: u32) -> Value {
    let mut residue = lab.residue();
    residue.args(["report", "--json", "--pid", &pid.to_string()]);
    let output = residue.output().expect("residue can be started");
    assert!(output.status.success(), "{}", describe(&output));
    serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|error| panic!("{error}: {}", describe(&output)))
}

#[test]
fn a_running_program_is_read_without_harm() {
    let lab = Lab::new();
    let mut run = Running::start(lab.run(&[], &["live_blocks", "100000", "wait"]));
    run.hear("vmrss_kib");
    let pid = run.program();
    for _ in 0..3 {
        let report = report(&lab, pid);
        let number = |key: &str| report["heap"][key].as_u64();
        assert_eq!(number("calls"), Some(100_000), "{report}");
        assert_eq!(number("live_blocks"), Some(100_000), "{report}");
        assert_eq!(number("live_bytes"), Some(6_400_000), "{report}");
    }
    let mut text = lab.residue();
    text.args(["report", "--pid", &pid.to_string()]);
    let text = text.output().expect("residue can be started");
    assert!(text.status.success(), "{}", describe(&text));
    let text = String::from_utf8_lossy(&text.stdout).into_owned();
    assert!(
        text.contains("hold_block") && text.contains("running"),
        "{text}"
    );

    run.say("go on");
    assert!(run.wait().success());
    let ledger = Ledger::read(&lab.path(PROFILE));
    ledger.expect_truths(&Truths::parse(&run.hear_all()));
    ledger.expect_nothing_lost();
}

#[test]
fn a_busy_program_of_four_threads_is_read_again_and_again_and_ends_exact() {
    let lab = Lab::new();
    let log = lab.path("log").display().to_string();
    let mut run = Running::start(lab.run(&[], &["kill_me", &log, "4", "400000"]));
    run.hear("truth threads");
    let pid = run.program();
    let mut before = 0;
    loop {
        let mut residue = lab.residue();
        residue.args(["report", "--json", "--pid", &pid.to_string()]);
        let output = residue.output().expect("residue can be started");
        if !output.status.success() {
            // It ended in the meantime.
            break;
        }
        let report: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        let calls = report["heap"]["calls"].as_u64().expect("a number");
        assert!(calls >= before, "{calls} calls after {before}");
        before = calls;
    }
    assert!(before > 0, "it was read at least once");
    assert!(run.wait().success());
    let ledger = Ledger::read(&lab.path(PROFILE));
    ledger.expect_truths(&Truths::parse(&run.hear_all()));
}

#[test]
fn a_process_that_is_not_recorded_is_refused() {
    let lab = Lab::new();
    let mut residue = lab.residue();
    residue.args(["report", "--pid", &std::process::id().to_string()]);
    let output = residue.output().expect("residue can be started");
    assert_eq!(output.status.code(), Some(2), "{}", describe(&output));
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(stderr.contains("not being recorded"), "{stderr}");
}
