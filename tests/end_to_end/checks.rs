//! `residue check`: the gate says yes, no, or that it cannot tell, and never lets an
//! error pass for one of these.

use crate::support::{Lab, PROFILE, describe, process};
use crate::verdicts::{leaks_json, said};

struct Gate {
    code: Option<i32>,
    stdout: String,
    stderr: String,
}

fn check(lab: &Lab, arguments: &[&str]) -> Gate {
    let mut command = lab.residue();
    command.arg("check").args(arguments);
    let output = process::finish(command);
    assert!(output.status.code().is_some(), "{}", describe(&output));
    Gate {
        code: output.status.code(),
        stdout: String::from_utf8(output.stdout).expect("text"),
        stderr: String::from_utf8(output.stderr).expect("text"),
    }
}

impl Gate {
    fn expect(&self, code: i32, parts: &[&str]) {
        assert_eq!(self.code, Some(code), "{}{}", self.stdout, self.stderr);
        for part in parts {
            assert!(
                self.stdout.contains(part),
                "no {part:?} in\n{}",
                self.stdout
            );
        }
    }
}

/// 1000 bytes an event, and nothing else.
fn leaking() -> Lab {
    let lab = Lab::new();
    lab.record(&[], &["marks_c", "150"]).expect_exact();
    lab
}

#[test]
fn growth_above_the_limit_fails_with_the_guilty_stack() {
    let lab = leaking();
    let lines = [
        "FAIL: LEAK  1000 B/event  (95 %: exact, events 1..150), limit 512 B/event\n",
        "  #1  1000 B/event  ▁▂▃▄▅▆▇█   100.0 % of the growth\n",
        "      main > leak_here  marks_c.c:18\n",
    ];
    check(&lab, &[PROFILE, "--max-growth", "512/event"]).expect(1, &lines);
    // Without a limit any leak is one too many.
    check(&lab, &[PROFILE]).expect(
        1,
        &[
            "FAIL: ",
            "limit 0 B/event\n",
            "main > leak_here  marks_c.c:18\n",
        ],
    );
    check(&lab, &[PROFILE, "--max-growth", "999"]).expect(1, &["main > leak_here  marks_c.c:18\n"]);
}

#[test]
fn growth_up_to_the_limit_passes() {
    let lab = leaking();
    let head = "PASS: LEAK  1000 B/event  (95 %: exact, events 1..150), limit 1000 B/event\n";
    check(&lab, &[PROFILE, "--max-growth", "1000"]).expect(0, &[head]);
    check(&lab, &[PROFILE, "--max-growth", "1KiB/event"]).expect(0, &["PASS: "]);
}

#[test]
fn a_program_at_rest_passes_any_limit() {
    let lab = Lab::new();
    lab.record(&[], &["doubling", "reserve", "150"])
        .expect_exact();
    check(&lab, &[PROFILE]).expect(0, &["PASS: NO GROWTH  live heap flat"]);
    check(&lab, &[PROFILE, "--max-growth", "64/event"]).expect(0, &["PASS: NO GROWTH"]);
}

#[test]
fn parts_of_a_run_are_checked_alone() {
    let lab = leaking();
    let part = |part: &str| format!("{PROFILE}@{part}");
    // Up to the begin of event 101.
    check(&lab, &[&part("51..101"), "--max-growth", "512"]).expect(1, &["events 51..100), limit"]);
    // The snapshot was taken inside event 76: whole events come after it.
    check(&lab, &[&part("half.."), "--max-growth", "1KiB"]).expect(0, &["events 77..150), limit"]);
    // One moment is no span.
    let moment = check(&lab, &[&part("half")]);
    moment.expect(2, &[]);
    let both = "`..half` for what came before it, `half..` for what came after";
    assert!(moment.stderr.contains(both), "{}", moment.stderr);
    // A single event says nothing about growth.
    let single = check(&lab, &[&part("150..end"), "--max-growth", "512"]);
    single.expect(3, &["CANNOT TELL: ", "fewer than two events"]);
}

#[test]
fn a_run_that_is_too_short_or_too_noisy_cannot_tell() {
    let lab = Lab::new();
    let noisy = [
        21316, 21280, 21247, 21301, 21338, 21290, 21322, 21275, 21340, 21329,
    ];
    let mut table = "event,rss_mib\n".to_string();
    for (event, size) in noisy.iter().enumerate() {
        table += &format!("{event},{size}\n");
    }
    std::fs::write(lab.path("ten.csv"), table).expect("a file can be made in the lab");
    let gate = check(&lab, &["ten.csv", "--max-growth", "1MiB/event"]);
    gate.expect(3, &["CANNOT TELL: UNDETERMINED  needs about "]);
    // What is far outside the interval can be told.
    check(&lab, &["ten.csv", "--max-growth", "1GiB/event"]).expect(0, &["PASS: UNDETERMINED"]);

    let lab = Lab::new();
    lab.record(&[], &["marks_c", "1"]).expect_exact();
    check(&lab, &[PROFILE]).expect(
        3,
        &["CANNOT TELL: ", "marked 1 event, and a verdict needs two"],
    );
}

#[test]
fn resident_size_has_a_limit_of_its_own() {
    let lab = Lab::new();
    lab.record(&[], &["account_leak", "100", "1000000"])
        .expect_exact();
    // 100 MB of blocks, a few of code.
    check(&lab, &[PROFILE, "--max-rss", "150MB"]).expect(0, &["PASS: peak RSS ", "limit 143 MiB"]);
    check(&lab, &[PROFILE, "--max-rss", "90MB"]).expect(1, &["FAIL: peak RSS "]);
    // Both are said, and one that fails is enough.
    let both = ["--max-rss", "150MB", "--max-growth", "0.5MB/event"];
    let lines = [
        "PASS: peak RSS ",
        "\nFAIL: LEAK  977 KiB/event  (",
        "main > account_run > event > leak_block  account_leak.c:15\n",
    ];
    check(&lab, &[&[PROFILE][..], &both].concat()).expect(1, &lines);
    let both = ["--max-rss", "90MB", "--max-growth", "2MB/event"];
    check(&lab, &[&[PROFILE][..], &both].concat()).expect(1, &["FAIL: peak RSS ", "\nPASS: LEAK"]);
}

#[test]
fn rules_take_known_stacks_out() {
    let lab = Lab::new();
    lab.record(&["--inject-leak", "10kB/event"], &["marks_c", "150"])
        .expect_exact();
    let write = |name: &str, text: &str| {
        std::fs::write(lab.path(name), text).expect("a file can be made in the lab");
    };
    write("injected.txt", "# on purpose\nresidue_inject*\n");
    write("own.txt", "leak_?ere # known\n");
    write("all.txt", "main\n");
    write("none.txt", "# nothing\nleak\n");
    let with = |rules: &str, limit: &str| {
        check(&lab, &[PROFILE, "--max-growth", limit, "--ignore", rules])
    };
    let ignored = ": 9.77 KiB/event ignored by injected.txt (1 stack), 1000 B/event left, limit ";
    with("injected.txt", "1KiB").expect(0, &[ignored]);
    let above = with("injected.txt", "999");
    above.expect(
        1,
        &[
            ignored,
            "  #1  1000 B/event",
            "main > leak_here  marks_c.c:18\n",
        ],
    );
    assert!(
        !above.stdout.contains("residue_injected_leak"),
        "{}",
        above.stdout
    );
    with("own.txt", "10000").expect(0, &["PASS: 1000 B/event ignored by own.txt (1 stack), 9.77 KiB/event left, limit 9.77 KiB/event\n"]);
    with("own.txt", "9999").expect(1, &["residue_injected_leak\n"]);
    with("all.txt", "0").expect(
        0,
        &["PASS: 10.7 KiB/event ignored by all.txt (2 stacks), 0 B/event left, limit 0 B/event\n"],
    );
    let none = with("none.txt", "10999");
    none.expect(1, &["FAIL: ", "main > leak_here  marks_c.c:18\n"]);
    assert!(!none.stdout.contains("ignored by"), "{}", none.stdout);
    with("none.txt", "11000").expect(0, &["PASS: "]);
}

#[test]
fn errors_are_neither_yes_nor_no() {
    let lab = leaking();
    let rules = lab.path("rules.txt");
    let rules = rules.to_str().expect("a path in text");
    for arguments in [
        &["none.residue"][..],
        &[PROFILE, "--ignore", rules],
        &[PROFILE, "--max-growth", "much"],
        &[PROFILE, "--max-growth", "1KiB/hour"],
        &[PROFILE, "--max-rss", "2XB"],
        &["profile.residue@nowhere"],
        &[],
    ] {
        let gate = check(&lab, arguments);
        assert_eq!(gate.code, Some(2), "{arguments:?}: {}", gate.stdout);
        assert!(
            !gate.stderr.is_empty() && gate.stdout.is_empty(),
            "{arguments:?}: {}",
            gate.stdout
        );
    }
}

/// The function that allocates is inlined: text, JSON and rules all know it.
#[test]
fn an_inlined_function_is_blamed_and_can_be_ignored() {
    let lab = Lab::new();
    lab.record(&[], &["detector", "60", "21", "40", "1000"]);
    let verdict = leaks_json(&lab, PROFILE);
    let guilty = &verdict["stacks"][0];
    let path = guilty["path"].as_array().expect("a path");
    assert_eq!(path.last().expect("a leaf"), "SEvt::newPhoton");
    let shown = "main > process > propagate > SEvt::keepPhoton > SEvt::newPhoton";
    assert_eq!(guilty["shown"], shown);
    let place = guilty["place"].as_str().expect("a line");
    assert!(place.starts_with("detector.cpp:"), "{place}");
    let text = said(&lab, &["leaks", PROFILE]);
    assert!(
        text.contains(&format!("      {shown}  {place}\n")),
        "{text}"
    );
    std::fs::write(lab.path("known.txt"), "SEvt::newPhoton\n").expect("a file in the lab");
    check(&lab, &[PROFILE, "--max-growth", "100"]).expect(1, &["FAIL: LEAK"]);
    check(
        &lab,
        &[PROFILE, "--max-growth", "100", "--ignore", "known.txt"],
    )
    .expect(0, &[" ignored by known.txt (1 stack), 0 B/event left"]);
}

#[test]
fn a_check_is_a_json_document_too() {
    let lab = leaking();
    std::fs::write(lab.path("known.txt"), "leak_here\n").expect("a file in the lab");
    let gate = check(&lab, &[PROFILE, "--json", "--max-growth", "512/event"]);
    gate.expect(1, &[]);
    let document: serde_json::Value = serde_json::from_str(&gate.stdout).expect("one document");
    assert_eq!(document["format"], "residue-check");
    assert_eq!(document["version"], 1);
    assert_eq!(document["file"], PROFILE);
    assert_eq!(document["decision"], "fail");
    let growth = &document["checks"][0];
    assert_eq!(growth["check"], "growth");
    assert_eq!(growth["unit"], "bytes/event");
    assert_eq!(
        (&growth["measured"], &growth["limit"]),
        (&1000.0.into(), &512.0.into())
    );
    assert_eq!(growth["verdict"]["format"], "residue-leaks");
    assert_eq!(growth["verdict"]["stacks"][0]["place"], "marks_c.c:18");
    assert_eq!(growth["ignored"], serde_json::Value::Null);

    let gate = check(&lab, &[PROFILE, "--json", "--ignore", "known.txt"]);
    gate.expect(0, &[]);
    let document: serde_json::Value = serde_json::from_str(&gate.stdout).expect("one document");
    assert_eq!(document["decision"], "pass");
    let growth = &document["checks"][0];
    assert_eq!(growth["measured"], 0.0);
    assert_eq!(
        growth["ignored"],
        serde_json::json!({"rules": "known.txt", "stacks": 1, "bytes_per_event": 1000.0})
    );
    assert_eq!(
        growth["summary"],
        "1000 B/event ignored by known.txt (1 stack), 0 B/event left, limit 0 B/event"
    );
}

#[test]
fn a_check_is_written_as_junit_beside_the_text() {
    let lab = leaking();
    let limits = ["--max-rss", "2GiB", "--max-growth", "512"];
    let both = [&[PROFILE, "--junit", "out.xml"][..], &limits].concat();
    check(&lab, &both).expect(1, &["PASS: peak RSS ", "\nFAIL: LEAK  1000 B/event"]);
    let xml = std::fs::read_to_string(lab.path("out.xml")).expect("the file was written");
    for part in [
        "<testsuites name=\"residue check\" tests=\"2\" failures=\"1\" errors=\"0\">\n",
        "<testcase classname=\"profile.residue\" name=\"peak RSS\" time=\"0\">\n",
        "<failure type=\"above the limit\" message=\"LEAK  1000 B/event  (95 %: exact, ",
        "main &gt; leak_here  marks_c.c:18\n",
    ] {
        assert!(xml.contains(part), "no {part:?} in\n{xml}");
    }
    let alone = check(&lab, &[&[PROFILE, "--junit", "-"][..], &limits].concat());
    alone.expect(1, &[]);
    assert_eq!(alone.stdout, xml);
    let clash = check(&lab, &[PROFILE, "--junit", "-", "--json"]);
    clash.expect(2, &[]);
    assert!(clash.stderr.contains("both write to standard output"));
    // The profile itself is never overwritten.
    check(&lab, &[PROFILE, "--junit", PROFILE]).expect(2, &[]);
}
