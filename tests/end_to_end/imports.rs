//! Files of other tools, in and out through the commands.

use crate::support::{Lab, describe, process};
use crate::verdicts::{leaks_json, said, said_json};
use residue_testkit::files::sprof;
use std::fs;

fn write(lab: &Lab, name: &str, text: &str) {
    fs::write(lab.path(name), text).expect("a file can be made in the lab");
}

#[test]
fn stamps_come_out_as_they_went_in() {
    let lab = Lab::new();
    for text in [sprof::five_stamps(), sprof::seven_stamps()] {
        write(&lab, "job.txt", &text);
        said(&lab, &["import", "job.txt", "-o", "job.residue"]);
        let export = ["export", "job.residue", "--format", "stamps"];
        assert!(said(&lab, &export) == text, "to standard output");
        said(&lab, &[&export[..], &["-o", "again.txt"]].concat());
        assert!(fs::read_to_string(lab.path("again.txt")).expect("a text") == text);
    }
}

#[test]
fn an_array_with_names_carries_the_same_stamps() {
    let lab = Lab::new();
    let text = sprof::five_stamps();
    write(&lab, "job.txt", &text);
    said(&lab, &["import", "job.txt"]);
    said(
        &lab,
        &[
            "export",
            "job.residue",
            "--format",
            "npy",
            "-o",
            "array.npy",
        ],
    );
    let array = fs::read(lab.path("array.npy")).expect("an array");
    let header = String::from_utf8_lossy(&array[10..128]).into_owned();
    assert!(
        header.contains("'<i8'") && header.contains("(5002, 3)"),
        "{header}"
    );
    assert_eq!(array.len(), 128 + 5002 * 3 * 8);
    let names = fs::read_to_string(lab.path("array_names.txt")).expect("names");
    assert!(
        names
            .lines()
            .eq(text.lines().filter_map(|line| line.split(':').next()))
    );

    said(&lab, &["import", "array.npy", "-o", "back.residue"]);
    assert!(said(&lab, &["export", "back.residue", "--format", "stamps"]) == text);
    // Without the import, too.
    let stages = |file: &str| said_json(&lab, &["stages", file, "--json"]);
    assert!(stages("array.npy") == stages("job.txt"));
}

#[test]
fn settings_between_stamps_become_notes() {
    let lab = Lab::new();
    let text = sprof::run_meta();
    write(&lab, "run_meta.txt", &text);
    let summary = said(&lab, &["import", "run_meta.txt"]);
    assert!(summary.contains("GPUMeta:1:NVIDIA_TITAN_RTX"), "{summary}");
    let exported = said(&lab, &["export", "run_meta.residue", "--format", "stamps"]);
    let stamps = text.lines().filter(|line| line.starts_with("SEvt__"));
    assert!(exported.lines().eq(stamps));
}

#[test]
fn a_recorded_program_hands_out_its_stamps_and_events() {
    let lab = Lab::new();
    lab.record(&[], &["marks_c", "40"]).expect_exact();
    let stamps = said(&lab, &["export", "profile.residue", "--format", "stamps"]);
    let names = |text: &str| -> Vec<String> {
        let names = text.lines().filter_map(|line| line.split(':').next());
        names.map(String::from).collect()
    };
    assert_eq!(names(&stamps), ["begin", "middle", "end"].repeat(40));
    write(&lab, "stamps.txt", &stamps);
    let stages = said_json(&lab, &["stages", "stamps.txt", "--value", "time", "--json"]);
    assert_eq!(stages["stages"]["rows"].as_array().expect("rows").len(), 40);

    let table = said(&lab, &["export", "profile.residue", "--format", "csv"]);
    let mut lines = table.lines();
    let heading = "id,time_ns,vm_bytes,rss_bytes,live_bytes,mapped_bytes,hits,wall_ns,cpu_ns,calls,total_bytes";
    assert_eq!(lines.next(), Some(heading));
    let rows: Vec<Vec<&str>> = lines.map(|line| line.split(',').collect()).collect();
    assert_eq!(rows.len(), 40);
    let live = |row: usize| rows[row][4].parse::<u64>().expect("live bytes");
    for (index, row) in rows.iter().enumerate() {
        assert_eq!(row[0], index.to_string());
        assert_eq!(row[6], (index % 7).to_string(), "hits of event {index}");
        assert_eq!(live(index), live(0) + 1000 * index as u64);
    }
    write(&lab, "events.csv", &table);
    let again = leaks_json(&lab, "events.csv");
    assert_eq!(again["rate_bytes_per_event"], 1000.0);
}

/// Messages of SimpleMemoryCheck once per event: event, VSIZE and RSS in MiB.
fn memory_check(events: impl Iterator<Item = (u32, f64, f64)>) -> String {
    let (mut text, mut before) = (String::new(), None);
    for (event, vsize, rss) in events {
        let (vsize_before, rss_before) = before.unwrap_or((vsize, rss));
        let (minute, second) = (event / 60, event % 60);
        text += &format!(
            "Begin processing the {event}th record. Run 1, Event {event}, LumiSection 2\n\
             %MSG-w MemoryCheck:  PostProcessEvent 15-Dec-2016 14:{minute:02}:{second:02} CET Run: 1 Event: {event}\n\
             MemoryCheck: event : VSIZE {vsize} {} RSS {rss} {}\n\
             %MSG\n",
            vsize - vsize_before,
            rss - rss_before,
        );
        before = Some((vsize, rss));
    }
    text
}

#[test]
fn a_log_of_simple_memory_check_gets_its_verdict_and_its_largest_jumps() {
    // 1.5 MiB an event, and 64 once: at event 40.
    let jump = |event: u32| if event >= 40 { 62.5 } else { 0.0 };
    let events = (1..=120).map(|event| {
        let rss = 700.25 + 1.5 * f64::from(event) + jump(event);
        (event, 984.5 + f64::from(event / 50), rss)
    });
    let lab = Lab::new();
    write(&lab, "cmsRun.log", &memory_check(events));
    let verdict = leaks_json(&lab, "cmsRun.log");
    assert_eq!(verdict["verdict"], "growth");
    assert_eq!(verdict["basis"], "rss");
    assert_eq!(verdict["rate_bytes_per_event"], 1.5 * 1_048_576.0);
    assert_eq!(verdict["events"], 120);
    let stages = said_json(&lab, &["stages", "cmsRun.log", "--json"]);
    let jump = &stages["stages"]["jumps"][0];
    assert_eq!(jump["growth"], 64 << 20);
    // From the line of event 39 to that of event 40.
    assert_eq!(jump["event"], 39);
    let text = said(&lab, &["stages", "cmsRun.log"]);
    assert!(text.contains("\nevent 39: 64.0 MiB, "), "{text}");
}

#[test]
fn what_cannot_be_read_is_refused_and_left_as_it_was() {
    let lab = Lab::new();
    write(&lab, "job.log", "MemoryCheck: event : VSIZE 1 0 RSS x 0\n");
    write(&lab, "poem.txt", "no stamps here\nand none there\n");
    write(&lab, "one.txt", "begin:1706856131162134,4,4\n");
    for (arguments, reason) in [
        (&["import", "job.log"][..], "job.log"),
        (&["import", "poem.txt"], "poem.txt"),
        (&["leaks", "poem.txt"], "poem.txt"),
        (&["stages", "none.txt"], "none.txt"),
        (
            &["leaks", "one.txt"],
            "one.txt: no verdict: the imported file (stamps) has 0 events",
        ),
        (
            &["stages", "one.txt"],
            "one.txt: the stamps belong to no events",
        ),
        (&["import", "one.txt", "-o", "one.txt"], "one.txt"),
    ] {
        let mut command = lab.residue();
        command.args(arguments);
        let output = process::finish(command);
        let text = describe(&output);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {text}");
        assert!(output.stdout.is_empty(), "{arguments:?}: {text}");
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(
            error.starts_with("residue: ") && error.contains(reason),
            "{arguments:?}: {text}"
        );
    }
    let one = fs::read_to_string(lab.path("one.txt")).expect("the file is there");
    assert_eq!(one, "begin:1706856131162134,4,4\n");
    assert!(lab.profiles().is_empty());
}
