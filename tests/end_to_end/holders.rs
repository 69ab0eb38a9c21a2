//! Who holds what: pictures of programs that know it themselves.

use crate::schemas::Documents;
use crate::support::ledger::Ledger;
use crate::support::process::{self, Running};
use crate::support::truth::Truths;
use crate::support::{Lab, PROFILE, describe};
use residue_profile::End;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;

const FUNCTIONS: [&str; 14] = [
    "keep_in_array",
    "drop",
    "drop_chain",
    "drop_cycles",
    "fill_vector",
    "fill_list",
    "fill_map",
    "fill_hash",
    "reserve_hash",
    "keep_in_thread_local",
    "keep_tagged",
    "keep_inside",
    "element",
    "keep_in_ended_thread",
];
const OF_THREADS: [&str; 2] = ["made_for_stack", "made_for_register"];
const STATES: [(&str, &str); 5] = [
    ("held", "held"),
    ("held_inside", "inside"),
    ("lost", "lost"),
    ("lost_in_cycle", "in_cycle"),
    ("held_by_lost", "held_by_lost"),
];

/// What `residue` answers about a running program, with the status.
fn told(lab: &Lab, command: &str, pid: u32, arguments: &[&str]) -> (Option<i32>, String, Vec<u8>) {
    let mut residue = lab.residue();
    residue.args([command, "--pid", &pid.to_string()]);
    residue.args(arguments);
    let output = process::finish(residue);
    (output.status.code(), describe(&output), output.stdout)
}

/// A picture of a running program, taken now.
fn picture_of(lab: &Lab, pid: u32) -> Value {
    let (status, text, json) = told(lab, "holders", pid, &["--json"]);
    assert_eq!(status, Some(0), "{text}");
    serde_json::from_slice(&json).expect("JSON")
}

/// Until it has told all of its truths.
fn served(lab: &Lab, options: &[&str], arguments: &[&str]) -> (Running, Truths) {
    let mut run = Running::start(lab.run(options, &[&["who_holds", "serves"], arguments].concat()));
    run.hear("truth keep_in_ended_thread.held_by_lost");
    if arguments.contains(&"threads") {
        run.hear("truth made_for_register.held_by_lost");
    }
    let truths = Truths::parse(run.heard());
    (run, truths)
}

fn document(lab: &Lab) -> Value {
    let output = lab.residue().args(["holders", "--json", PROFILE]).output();
    let output = output.expect("residue starts");
    assert!(output.status.success(), "{}", describe(&output));
    serde_json::from_slice(&output.stdout).expect("JSON")
}

/// The stacks in which a function occurs.
fn stacks_of<'a>(document: &'a Value, function: &'a str) -> impl Iterator<Item = &'a Value> {
    let stacks = document["stacks"].as_array().expect("stacks").iter();
    stacks.filter(move |stack| {
        let path = stack["path"].as_array().expect("a path");
        path.iter().any(|name| name == function)
    })
}

fn expect_truth(document: &Value, truths: &Truths, functions: &[&str]) {
    for function in functions {
        for (state, key) in STATES {
            let blocks = stacks_of(document, function).map(|stack| stack[state]["blocks"].as_u64());
            let blocks: u64 = blocks.map(Option::unwrap_or_default).sum();
            let truth = truths.get(&format!("{function}.{key}"));
            assert_eq!(blocks, truth, "{function}.{key}");
        }
    }
}

/// Who holds most of what a function left, in words.
fn holder_of(document: &Value, function: &str) -> String {
    let chains = stacks_of(document, function).flat_map(|stack| stack["chains"].as_array());
    let chains = chains.flatten();
    let largest = chains.max_by_key(|chain| chain["bytes"].as_u64());
    let words = largest.and_then(|chain| chain["words"].as_str());
    words.unwrap_or_default().to_string()
}

#[test]
fn every_block_is_lost_or_held_as_the_program_knows() {
    let lab = Lab::new();
    let native = lab.native(&["who_holds"]);
    let recorded = lab.record(&["--holders"], &["who_holds"]);
    assert_eq!(recorded.output.status, native.status);
    assert_eq!(recorded.output.stdout, native.stdout);
    recorded.ledger().expect_nothing_lost();
    let document = document(&lab);
    expect_truth(&document, &recorded.truths(), &FUNCTIONS);
    assert_eq!(document["at_exit"], true);
    assert_eq!(document["unread_bytes"], 0);
}

#[test]
fn variables_and_containers_are_named() {
    let lab = Lab::new();
    lab.record(&["--holders"], &["who_holds"]);
    let document = document(&lab);
    for (function, variable, container) in [
        (
            "keep_in_array",
            "variable kept in who_holds (who_holds.cpp:",
            "",
        ),
        (
            "fill_vector",
            "variable names in who_holds (who_holds.cpp:",
            "an array of 100 pointers",
        ),
        (
            "fill_list",
            "variable items in who_holds (who_holds.cpp:",
            "nodes of a doubly linked list",
        ),
        (
            "fill_map",
            "variable store::shelves in who_holds",
            "nodes of a tree",
        ),
        (
            "fill_hash",
            "variable store::shelves[1].by_hash in who_holds",
            "nodes of a hash map",
        ),
        (
            "keep_in_thread_local",
            "thread-local variable of_thread (who_holds.cpp:",
            "",
        ),
        ("keep_tagged", "variable tagged in who_holds", ""),
        ("keep_inside", "variable behind_header in who_holds", ""),
    ] {
        let words = holder_of(&document, function);
        assert!(
            words.starts_with(&format!("held by {variable}")),
            "{function}: {words}"
        );
        assert!(words.contains(container), "{function}: {words}");
    }
    let retained = document["retained"].as_array().expect("retained");
    let most = retained[0]["holder"]["words"].as_str().unwrap_or_default();
    assert!(most.starts_with("variable store::shelves"), "{most}");
}

/// A list whose nodes are made on five paths in turn is a chain of as many steps as can be.
#[test]
fn long_chains_are_told_by_their_ends() {
    let lab = Lab::new();
    lab.record(&["--holders"], &["live_blocks", "1000"]);
    let document = document(&lab);
    let chains = stacks_of(&document, "hold_block").flat_map(|it| it["chains"].as_array());
    let longest = chains
        .flatten()
        .max_by_key(|it| it["steps"].as_array().map(Vec::len));
    let longest = longest.expect("a chain");
    let steps = longest["steps"].as_array().map_or(0, Vec::len);
    let words = longest["words"].as_str().unwrap_or_default();
    let left_out = format!(" > {} more > ", steps - 6);
    assert!(steps > 20 && words.contains(&left_out), "{words}");
    assert_eq!(words.matches(" > ").count(), 6, "{words}");
}

/// Of threads that wait, with a pointer that is nowhere else.
#[test]
fn stacks_and_registers_of_other_threads_hold() {
    let lab = Lab::new();
    let native = lab.native(&["who_holds", "threads"]);
    let recorded = lab.record(&["--holders"], &["who_holds", "threads"]);
    assert_eq!(recorded.output.status, native.status);
    assert_eq!(recorded.output.stdout, native.stdout);
    let document = document(&lab);
    assert_eq!(document["other_threads_ran"], false, "{document}");
    expect_truth(&document, &recorded.truths(), &FUNCTIONS);
    expect_truth(&document, &recorded.truths(), &OF_THREADS);
    for (function, place) in [
        ("made_for_stack", "the stack"),
        ("made_for_register", "a register"),
    ] {
        let words = holder_of(&document, function);
        assert!(
            words.starts_with(&format!("held by {place} of thread")),
            "{words}"
        );
    }
}

/// Pictures of events are there when the program is killed, and are no children of it.
#[test]
fn a_killed_program_has_the_picture_of_an_event() {
    let lab = Lab::new();
    let recorded = lab.record(&["--holders-at", "8,20"], &["who_holds", "killed"]);
    assert_eq!(
        recorded.ledger().profile.meta.end,
        End::Killed { signal: 9 }
    );
    let document = document(&lab);
    let event = document["event"].as_u64();
    assert!(matches!(event, Some(8 | 20)), "{event:?}");
    assert_eq!(document["at_exit"], false);
    expect_truth(&document, &recorded.truths(), &FUNCTIONS);
    assert_eq!(recorded.truths().get("children"), 0);
}

/// While pictures are read the live table is frozen, and the program goes on.
#[test]
fn counts_stay_exact_while_pictures_are_read() {
    let events: Vec<String> = (1..=60).map(|event: u32| event.to_string()).collect();
    for program in [&["leaky_events"][..], &["overlap"]] {
        let lab = Lab::new();
        let native = lab.native(program);
        let recorded = lab.record(&["--holders-at", &events.join(",")], program);
        assert_eq!(recorded.output.status, native.status);
        let (ledger, _) = recorded.expect_exact();
        let picture = ledger.profile.picture.as_ref().expect("a picture");
        assert_eq!(picture.trouble, "");
        assert!(!picture.others_ran && !picture.is_incomplete);
    }
}

/// A picture at the end of each of forty events.
fn pictured(program: &[&str]) -> Truths {
    let lab = Lab::new();
    let events: Vec<String> = (1..=40).map(|event: u32| event.to_string()).collect();
    let program = [&["pictured"], program].concat();
    let recorded = lab.record(&["--holders-at", &events.join(",")], &program);
    assert!(recorded.output.status.success(), "{}", recorded.describe());
    recorded.truths()
}

#[test]
fn threads_that_wait_are_not_interrupted_by_pictures() {
    let truths = pictured(&["waits"]);
    assert_eq!((truths.get("interrupted"), truths.get("failed")), (0, 0));
}

#[test]
fn no_signal_is_lost_to_pictures() {
    let truths = pictured(&["signals"]);
    assert!(truths.get("sent") > 0);
    assert_eq!(truths.get("handled"), truths.get("sent"));
}

/// The kernel makes `execve` and tracers wait for each other.
#[test]
fn a_thread_may_replace_the_program_while_others_are_stopped() {
    pictured(&["execs", "40"]);
}

#[test]
fn leaks_say_in_a_line_that_a_leak_is_lost() {
    let lab = Lab::new();
    let recorded = lab.record(&["--holders"], &["leaky_events"]);
    let leaks = lab.residue().args(["leaks", PROFILE]).output();
    let text = describe(&leaks.expect("residue starts"));
    assert!(
        text.contains(" % of it lost: nothing points to it"),
        "{text}{}",
        recorded.describe()
    );
}

/// The verdict asks the picture where the growth alone leaves open what it is.
#[test]
fn growth_that_slows_down_is_a_leak_where_it_is_lost_and_may_be_a_cache_where_it_is_held() {
    for (way, options, verdicts) in [
        ("lost", &["--holders"][..], &["leak"][..]),
        ("kept", &["--holders"], &["filling", "slowing"]),
        ("lost", &[], &["filling", "slowing"]),
    ] {
        let lab = Lab::new();
        let recorded = lab.record(options, &["dwindling", way]);
        recorded.expect_exact();
        let leaks = lab.residue().args(["leaks", "--json", PROFILE]).output();
        let leaks = leaks.expect("residue starts");
        let json: Value = serde_json::from_slice(&leaks.stdout).expect("JSON");
        let verdict = json["verdict"].as_str().expect("a word");
        assert!(verdicts.contains(&verdict), "{way} {options:?}: {verdict}");
    }
}

#[test]
fn without_a_picture_that_is_said() {
    let lab = Lab::new();
    lab.record(&[], &["leaky_events"]);
    let told = |file: &str| {
        let output = lab.residue().args(["holders", file]).output();
        let output = output.expect("residue starts");
        assert_eq!(output.status.code(), Some(2));
        describe(&output)
    };
    let text = told(PROFILE);
    assert!(
        text.contains("record with `residue run --holders`"),
        "{text}"
    );
    let text = told(&format!("{PROFILE}@3"));
    assert!(text.contains("a picture is of one moment"), "{text}");
}

/// The run that records it takes no pictures by itself.
#[test]
fn a_picture_of_a_running_program_is_taken_when_somebody_asks() {
    for (options, arguments) in [
        (&[][..], &[][..]),
        (&[], &["threads"]),
        (&["--holders"], &["threads"]),
    ] {
        let lab = Lab::new();
        let (mut run, truths) = served(&lab, options, arguments);
        let pid = run.program();
        run.say("work");
        // The second finds nothing left of the first.
        for _ in 0..2 {
            let now = picture_of(&lab, pid);
            expect_truth(&now, &truths, &FUNCTIONS);
            if arguments.contains(&"threads") {
                expect_truth(&now, &truths, &OF_THREADS);
                assert_eq!(now["threads"], 3);
            }
            assert_eq!(now["at_exit"], false);
            assert_eq!(now["is_asked"], true);
            assert_eq!(now["other_threads_ran"], false);
            assert_eq!(now["is_incomplete"], false);
        }
        let mut documents = Documents::default();
        for command in ["holders", "pins"] {
            let (_, _, json) = told(&lab, command, pid, &["--json"]);
            documents.add(&lab, command, command, &json);
        }
        documents.expect_valid();
        let (status, text, _) = told(&lab, "pins", pid, &[]);
        assert_eq!(status, Some(0), "{text}");
        assert!(text.contains("RESIDENT HEAP"), "{text}");
        run.say("event");
        run.hear("done");
        run.say("end");
        process::send(pid, nix::sys::signal::Signal::SIGKILL);
        run.wait();
        // The latest stays in the profile of a program that is killed.
        expect_truth(&document(&lab), &truths, &FUNCTIONS);
    }
}

#[test]
fn a_program_that_allocates_nothing_is_waited_for_so_long_and_not_harmed() {
    let lab = Lab::new();
    let (mut run, truths) = served(&lab, &[], &[]);
    let pid = run.program();
    let (status, text, _) = told(&lab, "holders", pid, &["--wait", "1"]);
    assert_eq!(status, Some(2), "{text}");
    let why = format!("process {pid} neither allocated nor ended an event for 1 s");
    assert!(text.contains(&why), "{text}");
    // What was taken back is not done later.
    run.say("event");
    run.hear("done");
    let (status, text, _) = told(&lab, "pins", pid, &["--wait", "0"]);
    assert_eq!(status, Some(2), "{text}");
    // The end of an event is enough, and so is a call whose recording is paused.
    let asked = std::thread::scope(|scope| {
        let asked = scope.spawn(|| picture_of(&lab, pid));
        while !asked.is_finished() {
            run.say("event");
            run.hear("done");
        }
        asked.join().expect("an answer")
    });
    expect_truth(&asked, &truths, &FUNCTIONS);
    assert_eq!(asked["is_asked"], false);
    let mut pause = lab.residue();
    pause.args(["pause", &pid.to_string()]);
    let paused = process::finish(pause);
    assert!(paused.status.success(), "{}", describe(&paused));
    run.say("work");
    let document = picture_of(&lab, pid);
    expect_truth(&document, &truths, &FUNCTIONS);
    drop(run);
}

#[test]
fn who_cannot_have_a_picture_is_told_why() {
    let lab = Lab::new();
    let (run, _) = served(&lab, &["--cpu", "--no-heap"], &[]);
    let (status, text, _) = told(&lab, "holders", run.program(), &[]);
    assert_eq!(status, Some(2), "{text}");
    assert!(text.contains("(--no-heap)"), "{text}");
    let (run, _) = served(&lab, &[], &[]);
    let pid = run.program();
    process::send(run.pid(), nix::sys::signal::Signal::SIGKILL);
    let (status, text, _) = told(&lab, "holders", pid, &[]);
    process::send(pid, nix::sys::signal::Signal::SIGKILL);
    assert_eq!(status, Some(2), "{text}");
    assert!(
        text.contains("the `residue run` that records it is gone"),
        "{text}"
    );
    let (status, text, _) = told(&lab, "holders", std::process::id(), &[]);
    assert_eq!(status, Some(2), "{text}");
    assert!(text.contains("not being recorded"), "{text}");
}

/// Each page of the live table has a byte for the picture that it was last kept for, which begins anew
/// after sixty.
#[test]
fn more_pictures_than_are_told_apart_are_whole() {
    let lab = Lab::new();
    let (mut run, truths) = served(&lab, &[], &[]);
    let pid = run.program();
    run.say("work");
    for picture in 1..=64 {
        let document = picture_of(&lab, pid);
        assert_eq!(document["is_incomplete"], false, "picture {picture}");
        expect_truth(&document, &truths, &FUNCTIONS);
    }
    drop(run);
}

/// The same on a machine with so much memory left, as it is told in a file that may change.
fn with_memory_left(lab: &Lab, kibibytes: u64, program: &[&str]) -> (Command, PathBuf) {
    let meminfo = lab.path("meminfo");
    tell_memory_left(&meminfo, kibibytes);
    let run = lab.run(&["--holders"], program);
    let mut command = Command::new("unshare");
    if !nix::unistd::geteuid().is_root() {
        command.arg("-r");
    }
    let script = "mount --bind \"$0\" /proc/meminfo && exec \"$@\"";
    command.args(["-m", "sh", "-c", script]).arg(&meminfo);
    command.arg(run.get_program()).args(run.get_args());
    command.current_dir(run.get_current_dir().expect("the lab"));
    let set = run.get_envs();
    command.envs(set.filter_map(|(name, value)| Some((name, value?))));
    (command, meminfo)
}

fn tell_memory_left(meminfo: &Path, kibibytes: u64) {
    let text = format!("MemAvailable: {kibibytes} kB\n");
    std::fs::write(meminfo, text).expect("a file can be written");
}

#[track_caller]
fn expect_no_picture(lab: &Lab, why: &str) {
    let output = lab.residue().args(["holders", PROFILE]).output();
    let output = output.expect("residue starts");
    assert_eq!(output.status.code(), Some(2));
    let text = describe(&output);
    let why = format!("no picture could be taken: {why}");
    assert!(text.contains(&why), "{text}");
}

#[test]
fn where_memory_is_short_there_is_no_picture_and_the_answer_says_why() {
    let lab = Lab::new();
    let (command, _) = with_memory_left(&lab, 40_000, &["live_blocks", "1000000"]);
    let recorded = lab.record_by(command);
    assert!(recorded.output.status.success(), "{}", recorded.describe());
    expect_no_picture(&lab, "too little memory is left: 39.1 MiB on this machine");
}

#[test]
fn a_picture_is_given_up_when_memory_runs_short() {
    let lab = Lab::new();
    let (command, meminfo) = with_memory_left(&lab, 4_000_000, &["live_blocks", "3000000"]);
    let mut run = Running::start(command);
    run.hear("vmrss_kib");
    let status = format!("/proc/{}/status", run.program());
    // When the program has ended its copy is being read.
    process::wait_for("the program ends", || {
        let status = std::fs::read_to_string(&status).unwrap_or_default();
        (!status.contains("VmRSS")).then_some(())
    });
    tell_memory_left(&meminfo, 10_000);
    assert!(run.wait().success());
    expect_no_picture(&lab, "memory ran short while it was read");
    Ledger::read(&lab.path(PROFILE)).expect_nothing_lost();
}
