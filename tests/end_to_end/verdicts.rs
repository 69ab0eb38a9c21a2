//! The verdict on programs whose behaviour is known: what they leave, and who left it.

use crate::dumped::Dump;
use crate::support::process::{Running, send};
use crate::support::{Lab, PROFILE, describe, process};
use nix::sys::signal::Signal;
use serde_json::Value;
use std::os::unix::process::ExitStatusExt;

mod accounts;

/// What a command of `residue` prints; it must succeed.
pub fn said(lab: &Lab, arguments: &[&str]) -> String {
    let mut command = lab.residue();
    command.args(arguments);
    let output = process::finish(command);
    assert!(
        output.status.success(),
        "{arguments:?}: {}",
        describe(&output)
    );
    String::from_utf8(output.stdout).expect("text")
}

pub fn said_json(lab: &Lab, arguments: &[&str]) -> Value {
    serde_json::from_str(&said(lab, arguments)).expect("one JSON document")
}

/// `residue leaks ADDRESS --json`
pub fn leaks_json(lab: &Lab, address: &str) -> Value {
    let document = said_json(lab, &["leaks", address, "--json"]);
    assert_eq!(document["format"], "residue-leaks");
    document
}

/// A lab with a recorded program, and the verdict on it.
fn judged(options: &[&str], command: &[&str]) -> (Lab, Value) {
    let lab = Lab::new();
    lab.record(options, command).expect_exact();
    let verdict = leaks_json(&lab, PROFILE);
    (lab, verdict)
}

fn number(value: &Value) -> f64 {
    value
        .as_f64()
        .unwrap_or_else(|| panic!("{value} is no number"))
}

fn names(path: &Value) -> Vec<&str> {
    let path = path.as_array().expect("a path");
    path.iter()
        .map(|name| name.as_str().expect("a name"))
        .collect()
}

/// The stacks through a function, of those that the verdict names.
fn stacks_through<'a>(verdict: &'a Value, function: &str) -> Vec<&'a Value> {
    let stacks = verdict["stacks"].as_array().expect("stacks");
    stacks
        .iter()
        .filter(|stack| names(&stack["path"]).contains(&function))
        .collect()
}

fn stack_through<'a>(verdict: &'a Value, function: &str) -> &'a Value {
    let stacks = stacks_through(verdict, function);
    assert_eq!(stacks.len(), 1, "stacks through {function} in {verdict:#}");
    stacks[0]
}

fn expect_no_leak(verdict: &Value) {
    assert_eq!(verdict["verdict"], "no-growth", "{verdict:#}");
    let stacks = verdict["stacks"].as_array().expect("stacks");
    assert!(
        stacks.iter().all(|stack| stack["shape"] != "leak"),
        "{verdict:#}"
    );
}

fn expect_exact_leak(verdict: &Value, bytes_per_event: f64) {
    assert_eq!(verdict["verdict"], "leak", "{verdict:#}");
    for member in ["rate_bytes_per_event", "low", "high"] {
        assert_eq!(number(&verdict[member]), bytes_per_event, "{verdict:#}");
    }
}

#[test]
fn hits_that_the_next_event_frees_are_deferred_and_their_destructor_is_named() {
    let (lab, verdict) = judged(&[], &["deferred_hits", "200"]);
    expect_no_leak(&verdict);
    let hits = stack_through(&verdict, "convertHit");
    assert_eq!(hits["shape"], "deferred");
    let freed_at = names(&hits["freed_at"]);
    assert_eq!(freed_at.last(), Some(&"HCofThisEvent::~HCofThisEvent"));
    let text = said(&lab, &["leaks", PROFILE]);
    let freed = "freed in a later event by main > EventManager::process > ";
    let line = text.lines().find(|line| line.contains(freed));
    let line = line.unwrap_or_else(|| panic!("no freeing path in\n{text}"));
    assert!(
        line.contains(" > HCofThisEvent::~HCofThisEvent  deferred_hits.cpp:"),
        "{line}"
    );
}

#[test]
fn what_is_freed_only_at_the_end_of_the_job_is_told_apart_from_a_leak() {
    let lab = Lab::new();
    let recorded = lab.record(&[], &["shapes", "exit-freed", "150", "13"]);
    let truth: Value = serde_json::from_str(&recorded.stdout()).expect("a line of JSON");
    let verdict = leaks_json(&lab, PROFILE);
    assert_eq!(verdict["verdict"], "freed-at-exit", "{verdict:#}");
    let held = stack_through(&verdict, "site_exit_freed");
    assert_eq!(held["shape"], "freed-at-exit");
    let rate = number(&truth["expected_rate_bytes_per_event"]);
    let (low, high) = (number(&verdict["low"]), number(&verdict["high"]));
    assert!(low <= rate && rate <= high, "{low} {rate} {high}");
    let text = said(&lab, &["leaks", PROFILE]);
    assert!(text.starts_with("FREED AT EXIT  "), "{text}");
    // The part of the run up to event 100 is told of the exit.
    let part = leaks_json(&lab, &format!("{PROFILE}@..100"));
    assert_eq!(part["verdict"], "freed-at-exit");
    let held = stack_through(&part, "site_exit_freed");
    assert_eq!(held["shape"], "freed-at-exit");
}

#[test]
fn a_needle_beside_two_hundred_megabytes_of_churn_is_found() {
    let (_, verdict) = judged(&[], &["needle", "1000"]);
    expect_exact_leak(&verdict, 100.0);
    let needle = stack_through(&verdict, "needle_leak");
    assert_eq!(names(&needle["path"]).last(), Some(&"needle_leak"));
    assert_eq!(
        (&needle["share"], &needle["blocks_per_event"]),
        (&1.0.into(), &1.0.into())
    );
    assert_eq!(needle["confidence"], "high");
}

#[test]
fn a_killed_job_gets_its_verdict() {
    let lab = Lab::new();
    let mut run = Running::start(lab.run(&[], &["marks_endless"]));
    let program = run.program();
    while run.hear("ended ").parse::<u64>().expect("an event") < 150 {}
    send(program, Signal::SIGKILL);
    assert_eq!(run.wait().signal(), Some(Signal::SIGKILL as i32));
    let verdict = leaks_json(&lab, PROFILE);
    expect_exact_leak(&verdict, 1000.0);
    assert!(verdict["events"].as_u64() > Some(150), "{verdict:#}");
    stack_through(&verdict, "leak_here");
}

#[test]
fn a_program_without_events_leaks_by_the_tick() {
    // A busy machine makes the steps irregular, so that more of them are needed to tell.
    let recorded_for = |milliseconds: &str| {
        let lab = Lab::new();
        let recorded = lab.record(&["--tick", "20ms"], &["slow_leak", milliseconds]);
        recorded.expect_exact();
        let verdict = leaks_json(&lab, PROFILE);
        (lab, recorded, verdict)
    };
    let (lab, recorded, verdict) = ["2000", "4000", "8000", "16000"]
        .into_iter()
        .map(recorded_for)
        .find(|(.., verdict)| verdict["verdict"] != "undetermined")
        .expect("a leak of every tick is told in the end");
    assert_eq!(verdict["verdict"], "leak");
    assert_eq!(verdict["unit"], "tick");
    let (low, high) = (number(&verdict["low"]), number(&verdict["high"]));
    // A machine that is busy stretches the steps, and so the number of ticks, and lets the program
    // start late: the mean is over the ticks that the verdict is about.
    let dump = Dump::of(&lab, &recorded);
    let judged = number(&verdict["first_event"]) as u32..=number(&verdict["last_event"]) as u32;
    let of_tick = |moment: usize| &dump.timeline.moments[moment];
    let is_judged = |event: u32| judged.contains(&event);
    let ticks = dump.moments("tick");
    let known = ticks
        .iter()
        .map(|tick| tick.event)
        .filter(|it| is_judged(*it));
    let (first, last) = (known.clone().min().unwrap(), known.max().unwrap());
    let (bytes, _) = dump.change(&dump.stacks_with("slow_leak"), |moment| {
        let tick = of_tick(moment);
        tick.kind == "tick" && (first + 1..=last).contains(&tick.event)
    });
    let mean = bytes as f64 / f64::from(last - first);
    assert!(0.9 * low < mean && mean < 1.1 * high, "{low} {mean} {high}");
    stack_through(&verdict, "slow_leak");
    let text = said(&lab, &["leaks", PROFILE]);
    assert!(text.contains(" B/tick  (95 %: "), "{text}");
}

#[test]
fn overlapping_events_on_four_threads_leak_at_their_mean() {
    let lab = Lab::new();
    let recorded = lab.record(&[], &["overlap", "400"]);
    let (_, truths) = recorded.expect_exact();
    let verdict = leaks_json(&lab, PROFILE);
    assert_eq!(verdict["verdict"], "leak", "{verdict:#}");
    let truth = truths.get("task_leak.live") as f64 / truths.get("events") as f64;
    let (low, high) = (number(&verdict["low"]), number(&verdict["high"]));
    assert!(low < truth && truth < high, "{low} {truth} {high}");
    assert!(high - low < 0.2 * truth, "{low} {truth} {high}");
    for stack in stacks_through(&verdict, "task_leak") {
        assert_eq!(stack["shape"], "leak");
    }
    let share: f64 = stacks_through(&verdict, "task_leak")
        .iter()
        .map(|stack| number(&stack["share"]))
        .sum();
    assert!((share - 1.0).abs() < 0.01, "{verdict:#}");
}

#[test]
fn arrays_that_double_or_are_reserved_come_to_rest() {
    for how in ["grow", "reserve"] {
        let (_, verdict) = judged(&[], &["doubling", how, "200"]);
        expect_no_leak(&verdict);
        assert_eq!(number(&verdict["series"]["live"]["rate"]), 0.0);
    }
}

#[test]
fn high_water_steps_are_no_slope() {
    let (_, verdict) = judged(&[], &["doubling", "steps"]);
    let array = stack_through(&verdict, "fill_array");
    let live = array["live"].as_array().expect("readings");
    // 16384 items of 96 bytes after the first event, 524288 after the eighth.
    assert_eq!(live.last(), Some(&50_331_648.0.into()));
    assert_eq!(array["shape"], "plateau");
    // Ten events may be too few for the resident size, but never make it a slope.
    let said = verdict["verdict"].as_str().expect("a word");
    assert!(["no-growth", "undetermined"].contains(&said), "{verdict:#}");
}

#[test]
fn containers_that_grow_are_named_with_what_reserving_would_save() {
    let (lab, verdict) = judged(&[], &["doubling", "grow"]);
    let advice = verdict["churn"].as_array().expect("advice");
    let arrays: Vec<&Value> = advice
        .iter()
        .filter(|one| names(&one["path"]).contains(&"fill_array"))
        .collect();
    assert_eq!(arrays.len(), 1, "{advice:#?}");
    // Each of ten arrays: 13 allocations and 786336 bytes, the last of them 393216.
    for (member, truth) in [
        ("containers", 10),
        ("allocations", 130),
        ("bytes_allocated", 7_863_360),
        ("final_bytes_low", 3_932_160),
        ("final_bytes_high", 3_932_160),
        ("saved_allocations", 120),
        // By reserving between just more than half of each capacity and all of it.
        ("saved_bytes_low", 3_931_200),
        ("saved_bytes_high", 7_863_360 - 1_966_090),
    ] {
        assert_eq!(arrays[0][member], truth, "{member}");
    }
    let text = said(&lab, &["leaks", PROFILE]);
    let lines: Vec<&str> = text.lines().collect();
    let at = lines.iter().position(|line| {
        line.starts_with("  reserve       10 containers grew 130 times (13/event); reserving their numbers of elements would save 120 allocations and 3.75 MiB to 5.62 MiB")
    });
    let path = lines[at.unwrap_or_else(|| panic!("no advice in\n{text}")) + 1];
    assert!(
        path.contains(" > fill_array > vector<Item>::push_back  doubling.cpp:"),
        "{path}"
    );

    let (_, verdict) = judged(&[], &["doubling", "reserve"]);
    let advice = verdict["churn"].as_array().expect("advice");
    // One after another, and all of the same size.
    let actions: Vec<&Value> = advice
        .iter()
        .filter(|one| names(&one["path"]).contains(&"fill_array"))
        .map(|one| &one["action"])
        .collect();
    assert_eq!(actions, ["reuse"], "{advice:#?}");
}

#[test]
fn parts_of_a_run_leave_out_what_is_made_once() {
    let lab = Lab::new();
    let options = ["--snapshot-at", "1,51,101,end"];
    lab.record(&options, &["shapes", "leak", "150", "12"]);
    let whole = leaks_json(&lab, PROFILE);
    assert_eq!(whole["verdict"], "leak");
    // The first event makes a table that stays: a warm-up of the whole run, and
    // nothing at all of the part behind event 51.
    assert!(
        !stacks_through(&whole, "lazy_table").is_empty(),
        "{whole:#}"
    );
    let rate = number(&stack_through(&whole, "site_leak")["rate_bytes_per_event"]);
    for (part, events) in [
        ("51..end", (51, 150)),
        ("51..", (51, 150)),
        ("51..101", (51, 100)),
        ("..51", (1, 50)),
    ] {
        let verdict = leaks_json(&lab, &format!("{PROFILE}@{part}"));
        assert_eq!(verdict["verdict"], "leak", "{part}: {verdict:#}");
        let used = (&verdict["first_event"], &verdict["last_event"]);
        assert_eq!(used, (&events.0.into(), &events.1.into()), "{part}");
        let leak = stack_through(&verdict, "site_leak");
        assert!(leak["agreement"].is_string(), "{part}: {leak:#}");
        let (low, high) = (number(&leak["low"]), number(&leak["high"]));
        assert!(low <= rate && rate <= high, "{part}: {low} {rate} {high}");
        if events.0 == 51 {
            assert_eq!(stacks_through(&verdict, "lazy_table").len(), 0, "{part}");
        }
    }
    let options = ["leaks", PROFILE, "--from", "51", "--to", "100", "--json"];
    let same = leaks_json(&lab, &format!("{PROFILE}@51..101"));
    assert_eq!(said_json(&lab, &options), same);
}

/// `--from`, `--to` and `--events` know the program's own ids, which begin at 7000 here.
#[test]
fn events_are_chosen_by_the_programs_own_id() {
    let lab = Lab::new();
    lab.record(&[], &["marks_c", "150"]).expect_exact();
    let head = |options: &[&str]| {
        let text = said(&lab, &[&["leaks", PROFILE], options].concat());
        text.lines().next().expect("a headline").to_string()
    };
    let dump = said_json(&lab, &["dump", PROFILE, "--json"]);
    let moments = dump["timeline"]["moments"].as_array().expect("moments");
    let id_of = |event: u64| {
        let begin = moments
            .iter()
            .find(|moment| moment["kind"] == "begin" && moment["event"] == event);
        format!("id:{}", begin.expect("the event")["id"])
    };
    let (from, to) = (id_of(51), id_of(100));
    let expected = "LEAK  1000 B/event  (95 %: exact, events 51..100)";
    assert_eq!(head(&["--from", &from, "--to", &to]), expected);
    let next = id_of(101);
    assert_eq!(head(&["--events", &format!("{from}..{next}")]), expected);
    let span = format!("{from}..{next}");
    let part = said_json(&lab, &["dump", PROFILE, "--json", "--events", &span]);
    let kept = part["timeline"]["moments"].as_array().expect("moments");
    let events: Vec<u64> = kept
        .iter()
        .filter(|moment| moment["kind"] == "begin")
        .map(|moment| moment["event"].as_u64().expect("a number"))
        .collect();
    assert_eq!(events, (51..=100).collect::<Vec<u64>>());
    let mut command = lab.residue();
    command.args(["leaks", PROFILE, "--from", "id:999999"]);
    let refused = process::finish(command);
    assert_eq!(refused.status.code(), Some(2));
    let stderr = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(stderr.contains("no event has the id 999999"), "{stderr}");
}

#[test]
fn a_running_program_is_judged_as_of_now() {
    let lab = Lab::new();
    let mut run = Running::start(lab.run(&[], &["marks_endless"]));
    run.hear("ended 60");
    let pid = run.program().to_string();
    let text = said(&lab, &["leaks", "--pid", &pid]);
    // It goes on while it is read, so the last event may be half there.
    assert!(text.starts_with("LEAK  1000 B/event  (95 %: "), "{text}");
    assert!(
        text.contains("main > leak_here  marks_endless.c:13"),
        "{text}"
    );
    let survivors = text.split("survivors from ").nth(1).expect("a sentence");
    let numbers: Vec<u64> = survivors
        .split_whitespace()
        .filter_map(|word| word.parse().ok())
        .take(2)
        .collect();
    assert!(numbers[0] <= numbers[1], "{text}");
    let document = said_json(&lab, &["leaks", "--pid", &pid, "--json"]);
    let rate = number(&document["rate_bytes_per_event"]);
    assert!((rate - 1000.0).abs() < 1.0, "{rate}");
    send(run.program(), Signal::SIGKILL);
    run.wait();
}

/// Where no allocation was recorded, as of a program with an allocator of its own, nothing is
/// said of its heap.
#[test]
fn what_is_mapped_is_not_called_heap() {
    let lab = Lab::new();
    let recorded = lab.record(&["--tick", "50ms"], &["maps_only", "40", "0"]);
    assert!(recorded.output.status.success(), "{}", recorded.describe());
    assert_eq!(recorded.ledger().profile.heap.calls, 0);
    let text = said(&lab, &["leaks", PROFILE]);
    let head = text.lines().next().expect("a headline").to_string();
    assert!(head.contains(" mapped memory "), "{head}");
    assert!(!text.contains("live heap flat"), "{text}");
    if head.starts_with("NO GROWTH") {
        assert!(head.contains("; no allocations recorded; RSS "), "{head}");
    }
}

#[test]
fn the_headline_has_a_colour_where_it_is_asked_for() {
    let lab = Lab::new();
    lab.record(&[], &["marks_c", "150"]).expect_exact();
    let plain = said(&lab, &["leaks", PROFILE]);
    assert!(!plain.contains('\u{1b}'), "{plain}");
    let painted = said(&lab, &["leaks", PROFILE, "--color", "always"]);
    assert!(
        painted.starts_with("\u{1b}[1;31mLEAK\u{1b}[0m  1000 B/event"),
        "{painted}"
    );
    let mut bare = painted;
    for code in ["[1;31m", "[1m", "[2m", "[0m"] {
        bare = bare.replace(&format!("\u{1b}{code}"), "");
    }
    assert_eq!(bare, plain);
}
