//! Recording that is paused and resumed from outside.

use crate::schemas::Documents;
use crate::support::ledger::Ledger;
use crate::support::process::{self, Running};
use crate::support::truth::Truths;
use crate::support::{Lab, PROFILE, describe};
use serde_json::Value;
use std::process::Output;

fn told(lab: &Lab, arguments: &[&str]) -> Output {
    let mut command = lab.residue();
    command.args(arguments);
    process::finish(command)
}

/// What `pause` or `resume` answers, which is what its schema says.
fn answer(lab: &Lab, command: &str, pid: &str) -> Value {
    let output = told(lab, &[command, pid, "--json"]);
    assert_eq!(output.status.code(), Some(0), "{}", describe(&output));
    let mut documents = Documents::default();
    documents.add(lab, command, command, &output.stdout);
    documents.expect_valid();
    serde_json::from_slice(&output.stdout).expect("a JSON document")
}

#[track_caller]
fn expect_refused(lab: &Lab, arguments: &[&str], reason: &str) {
    let output = told(lab, arguments);
    assert_eq!(output.status.code(), Some(2), "{}", describe(&output));
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(text.contains(reason), "{text}");
}

fn steps(run: &mut Running, say: &[&str], ran: &str) {
    for line in say {
        run.say(line);
    }
    run.hear(&format!("ran {ran}"));
}

#[test]
fn a_running_program_is_paused_and_resumed() {
    let lab = Lab::new();
    let mut run = Running::start(lab.run(&[], &["stepped", "marks"]));
    steps(&mut run, &["7"], "7");
    let pid = run.program().to_string();
    let paused = answer(&lab, "pause", &pid);
    assert_eq!(
        (&paused["state"], &paused["was"]),
        (&"paused".into(), &"recording".into())
    );
    assert_eq!(
        (&paused["event"], &paused["paused_calls"]),
        (&7.into(), &0.into())
    );
    steps(&mut run, &["skip", "5"], "12");
    let again = answer(&lab, "pause", &pid);
    assert_eq!(
        (&again["state"], &again["was"]),
        (&"paused".into(), &"paused".into())
    );
    assert_eq!(
        (&again["event"], &again["paused_calls"]),
        (&12.into(), &55.into())
    );
    let output = told(&lab, &["pause", &pid]);
    assert_eq!(
        String::from_utf8_lossy(&output.stdout),
        format!("process {pid}: already paused, at event 12; 55 allocations not recorded so far\n")
    );
    let output = told(&lab, &["resume", &pid]);
    assert_eq!(
        String::from_utf8_lossy(&output.stdout),
        format!("process {pid}: resumed, at event 12; 55 allocations not recorded so far\n")
    );
    let resumed = answer(&lab, "resume", &pid);
    assert_eq!(
        (&resumed["state"], &resumed["was"]),
        (&"recording".into(), &"recording".into())
    );
    assert_eq!(resumed["format"], "residue-resume");
    steps(&mut run, &["count", "3"], "15");
    let command = run.pid().to_string();
    expect_refused(
        &lab,
        &["pause", &command],
        &format!("`residue pause {pid}`"),
    );
    run.say("");
    let truths = Truths::parse(&run.hear_all());
    assert!(run.wait().success());

    let ledger = Ledger::read(&lab.path(PROFILE));
    ledger.expect_truths(&truths);
    assert_eq!(ledger.sum("step_leak").calls, 10);
    assert_eq!(
        ledger.profile.recorder.paused_calls,
        truths.get("other_calls")
    );
    assert_eq!(ledger.profile.timeline.about.events, 15);
}

#[test]
fn a_program_that_started_paused_is_resumed_from_outside() {
    let lab = Lab::new();
    let mut run = Running::start(lab.run(&["--start", "paused"], &["stepped", "marks"]));
    steps(&mut run, &["skip", "4"], "4");
    let pid = run.program().to_string();
    let resumed = answer(&lab, "resume", &pid);
    assert_eq!(
        (&resumed["state"], &resumed["was"]),
        (&"recording".into(), &"paused".into())
    );
    assert_eq!(
        (&resumed["event"], &resumed["paused_calls"]),
        (&4.into(), &44.into())
    );
    steps(&mut run, &["count", "6"], "10");
    run.say("");
    let truths = Truths::parse(&run.hear_all());
    assert!(run.wait().success());
    let ledger = Ledger::read(&lab.path(PROFILE));
    ledger.expect_truths(&truths);
    assert_eq!(ledger.profile.recorder.paused_calls, 44);
}

#[test]
fn processes_that_cannot_be_paused() {
    let lab = Lab::new();
    let own = std::process::id();
    for command in ["pause", "resume"] {
        expect_refused(&lab, &[command, "999999999"], "no process 999999999");
        let reason = format!("process {own} is not being recorded by residue");
        expect_refused(&lab, &[command, &own.to_string()], &reason);
    }
}
