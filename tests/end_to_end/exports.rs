//! `residue export`: whatever the form, it has every byte and every call of the ledger.

use crate::support::{Lab, PROFILE, describe, process};
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::Field;
use residue_profile::{Counter, MemoryKind, Profile, Stack};
use serde_json::Value;
use std::fs::{self, File};
use std::process::Output;

/// The sum of every counter, in the order of [`Counter::MEMORY`].
type Sums = [u64; 10];

fn export(lab: &Lab, arguments: &[&str]) -> Output {
    let mut command = lab.residue();
    command.arg("export").args(arguments);
    process::finish(command)
}

/// What a successful export wrote to standard output.
fn exported(lab: &Lab, arguments: &[&str]) -> String {
    let output = export(lab, arguments);
    assert!(output.status.success(), "{}", describe(&output));
    String::from_utf8(output.stdout).expect("text")
}

/// What a refused export said.
fn refused(lab: &Lab, arguments: &[&str]) -> String {
    let output = export(lab, arguments);
    assert_eq!(output.status.code(), Some(2), "{}", describe(&output));
    assert!(output.stdout.is_empty(), "{}", describe(&output));
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn sums<'a>(stacks: impl Iterator<Item = &'a Stack> + Clone) -> Sums {
    Counter::MEMORY.map(|counter| stacks.clone().map(|stack| counter.value(stack)).sum())
}

fn of_kind(profile: &Profile, kind: MemoryKind) -> Sums {
    sums(profile.stacks.iter().filter(|stack| kind.holds(stack.kind)))
}

fn folded_sum(text: &str) -> u64 {
    let values = text.lines().map(|line| line.rsplit(' ').next().unwrap());
    values
        .map(|value| value.parse::<u64>().expect("a value"))
        .sum()
}

fn folded(lab: &Lab, options: &[&str]) -> Sums {
    Counter::MEMORY.map(|counter| {
        let form = [PROFILE, "--format", "folded", "--counter", counter.name()];
        folded_sum(&exported(lab, &[&form, options].concat()))
    })
}

/// The width of the whole picture; nothing is drawn of nothing.
fn flamegraph(lab: &Lab, options: &[&str]) -> Sums {
    Counter::MEMORY.map(|counter| {
        let form = [
            PROFILE,
            "--format",
            "flamegraph",
            "--counter",
            counter.name(),
        ];
        let output = export(lab, &[&form, options].concat());
        if !output.status.success() {
            let said = String::from_utf8_lossy(&output.stderr).into_owned();
            assert!(said.contains("profile.residue: nothing to draw"), "{said}");
            return 0;
        }
        let picture = String::from_utf8(output.stdout).expect("text");
        let (_, rest) = picture.split_once("total_samples=\"").expect("a width");
        let (width, _) = rest.split_once('"').expect("a width");
        width.parse().expect("a number")
    })
}

fn json(lab: &Lab, form: &str, options: &[&str]) -> Value {
    let form = [PROFILE, "--format", form];
    serde_json::from_str(&exported(lab, &[&form, options].concat())).expect("JSON")
}

fn speedscope(lab: &Lab, options: &[&str]) -> Sums {
    weights(&json(lab, "speedscope", options)["profiles"], |profile| {
        assert_eq!(
            profile["samples"].as_array().map(Vec::len),
            length(&profile["weights"])
        );
        &profile["weights"]
    })
}

fn firefox(lab: &Lab, options: &[&str]) -> Sums {
    weights(&json(lab, "firefox", options)["threads"], |thread| {
        &thread["samples"]["weight"]
    })
}

/// The sums of the weights of parts that are called like the counters.
fn weights(parts: &Value, of_part: fn(&Value) -> &Value) -> Sums {
    Counter::MEMORY.map(|counter| {
        let mut parts = parts.as_array().expect("parts").iter();
        let part = parts.find(|part| part["name"] == counter.name());
        let weights = of_part(part.expect("a part for every counter")).as_array();
        let weights = weights.expect("weights").iter();
        weights
            .map(|weight| weight.as_u64().expect("a weight"))
            .sum()
    })
}

fn length(list: &Value) -> Option<usize> {
    list.as_array().map(Vec::len)
}

const COLUMNS: [&str; 10] = [
    "calls",
    "total_bytes",
    "live_bytes",
    "live_blocks",
    "peak_bytes",
    "at_peak_bytes",
    "at_peak_blocks",
    "frees",
    "temporaries",
    "reallocs",
];

fn parquet(lab: &Lab, options: &[&str]) -> Sums {
    let form = [PROFILE, "--format", "parquet", "-o", "tables"];
    exported(lab, &[&form, options].concat());
    let file = File::open(lab.path("tables/stacks.parquet")).expect("a table");
    let reader = SerializedFileReader::new(file).expect("a table");
    let mut sums = [0; 10];
    for row in reader.get_row_iter(None).expect("rows") {
        for (name, cell) in row.expect("a row").get_column_iter() {
            if let Some(place) = COLUMNS.iter().position(|column| column == name) {
                let Field::ULong(value) = cell else {
                    panic!("{name}: {cell:?}");
                };
                sums[place] += value;
            }
        }
    }
    sums
}

type Read = fn(&Lab, &[&str]) -> Sums;

const FORMS: [(&str, Read); 5] = [
    ("folded", folded),
    ("flamegraph", flamegraph),
    ("speedscope", speedscope),
    ("firefox", firefox),
    ("parquet", parquet),
];

/// Every form has the sums of the ledger: all of it, without rules, of one kind of
/// memory, and of the stacks through one function.
fn expect_the_law(recording: &[&str], command: &[&str], function: &str) {
    let lab = Lab::new();
    let ledger = lab.record(recording, command).ledger();
    let heap = of_kind(&ledger.profile, MemoryKind::Heap);
    let through = ledger.stacks_with(function).map(|(_, stack)| stack);
    let through: Vec<&Stack> = through.filter(|stack| stack.kind.is_heap()).collect();
    let focused = sums(through.into_iter());
    assert!(
        focused[0] > 0,
        "{command:?} has no stacks through {function}"
    );
    let exactly = format!("^{function}$");
    for (name, read) in FORMS {
        for (options, expected) in [
            (&[][..], heap),
            (&["--no-rules"], heap),
            (
                &["--kind", "all"],
                of_kind(&ledger.profile, MemoryKind::All),
            ),
            (
                &["--kind", "mapping"],
                of_kind(&ledger.profile, MemoryKind::Mapping),
            ),
            (&["--focus", &exactly], focused),
        ] {
            assert_eq!(
                read(&lab, options),
                expected,
                "{name} {options:?} of {command:?}"
            );
        }
    }
}

#[test]
fn an_event_loop_is_whole_in_every_form() {
    expect_the_law(&[], &["leaky_events"], "SEvt::getPhotonFrame");
}

#[test]
fn every_way_to_allocate_is_whole_in_every_form() {
    expect_the_law(&[], &["c_alloc"], "main");
}

#[test]
fn mappings_are_whole_in_every_form() {
    expect_the_law(&[], &["mappings"], "main");
}

#[test]
fn what_has_no_path_is_in_every_form() {
    expect_the_law(&["--min-size", "200"], &["thresholds"], "main");
}

#[test]
fn several_recordings_are_added_up() {
    let lab = Lab::new();
    let mut expected = 0;
    for (name, command) in [("one.residue", "leaky_events"), ("two.residue", "c_alloc")] {
        let recorded = lab.record(&[], &[command]);
        expected += of_kind(&recorded.ledger().profile, MemoryKind::Heap)[2];
        fs::rename(&recorded.profile, lab.path(name)).expect("it can be renamed");
    }
    let form = ["one.residue", "two.residue", "--format", "folded"];
    assert_eq!(folded_sum(&exported(&lab, &form)), expected);
    let form = [
        "one.residue",
        "two.residue",
        "--format",
        "folded",
        "-o",
        "two.residue",
    ];
    let said = refused(&lab, &form);
    assert!(said.contains("two.residue is the input file"), "{said}");
}

#[test]
fn a_part_of_a_recording_has_what_it_left() {
    let lab = Lab::new();
    lab.record(&[], &["marks_c", "150"]);
    let leak = ["--focus", "^leak_here$", "--format", "folded"];
    let of_part = |file: &str| folded_sum(&exported(&lab, &[&[file], &leak[..]].concat()));
    assert_eq!(of_part("profile.residue@51..end"), 100_000);
    assert_eq!(of_part("profile.residue@51"), 50_000);
    let by_option = [&[PROFILE, "--events", "51..101"], &leak[..]].concat();
    assert_eq!(folded_sum(&exported(&lab, &by_option)), 50_000);
}

#[test]
fn files_and_lines_are_where_the_form_has_room_for_them() {
    let lab = Lab::new();
    lab.record(&[], &["marks_c", "150"]);
    let file = json(&lab, "speedscope", &["--counter", "live"]);
    let frames = file["shared"]["frames"].as_array().expect("frames");
    let leak = frames.iter().find(|frame| frame["name"] == "leak_here");
    let leak = leak.expect("the leak has a frame");
    let path = leak["file"].as_str().expect("a file");
    assert!(path.ends_with("marks_c.c"), "{leak}");
    assert!(leak["line"].as_u64().is_some_and(|line| line > 0), "{leak}");
    assert_eq!(length(&file["profiles"]), Some(1));
}

#[test]
fn several_forms_are_written_at_once() {
    let lab = Lab::new();
    lab.record(&[], &["marks_c", "20"]);
    let forms = "folded,flamegraph,speedscope,firefox,parquet,stamps,npy,csv";
    exported(&lab, &[PROFILE, "--format", forms, "-o", "job"]);
    for file in [
        "job.folded",
        "job.svg",
        "job.speedscope.json",
        "job.firefox.json",
        "job.parquet/stacks.parquet",
        "job.parquet/frames.parquet",
        "job.parquet/nodes.parquet",
        "job.parquet/events.parquet",
        "job.parquet/deltas.parquet",
        "job.stamps",
        "job.npy",
        "job_names.txt",
        "job.csv",
    ] {
        let written =
            fs::metadata(lab.path(file)).unwrap_or_else(|error| panic!("{file}: {error}"));
        assert!(written.len() > 0, "{file}");
    }
    let alone = exported(&lab, &[PROFILE, "--format", "folded"]);
    assert_eq!(fs::read_to_string(lab.path("job.folded")).unwrap(), alone);
}

#[test]
fn pictures_have_titles_and_are_always_the_same() {
    let lab = Lab::new();
    lab.record(&[], &["marks_c", "20"]);
    let form = [PROFILE, "--format", "flamegraph", "--title", "a <b> & c"];
    let picture = exported(&lab, &form);
    assert!(picture.contains("a &lt;b&gt; &amp; c"));
    assert_eq!(picture, exported(&lab, &form));
    let inverted = exported(&lab, &[&form[..], &["--inverted"]].concat());
    assert_ne!(picture, inverted);
    let plain = exported(
        &lab,
        &[PROFILE, "--format", "flamegraph", "--counter", "calls"],
    );
    assert!(plain.contains("marks_c: allocations"));
}

#[test]
fn what_cannot_be_done_is_refused_before_anything_is_written() {
    let lab = Lab::new();
    lab.record(&[], &["hello"]);
    for (arguments, message) in [
        (
            &["--format", "folded,csv"][..],
            "give the beginning of their names with -o",
        ),
        (
            &["--format", "parquet"],
            "parquet is several files: give a directory",
        ),
        (
            &["--format", "folded", "--counters", "live,calls"],
            "folded holds one counter per stack",
        ),
        (
            &["--format", "folded", "--inverted"],
            "need --format flamegraph",
        ),
        (&["--format", "folded", "-o", PROFILE], "is the input file"),
        (&["--format", "folded", "--focus", "("], "--focus"),
        (&["--format", "nothing"], "invalid value 'nothing'"),
    ] {
        let said = refused(&lab, &[&[PROFILE], arguments].concat());
        assert!(said.contains(message), "{arguments:?}: {said}");
    }
    let said = refused(&lab, &["nowhere.residue", "--format", "folded"]);
    assert!(said.contains("nowhere.residue"), "{said}");
    assert_eq!(
        fs::read_dir(lab.directory()).unwrap().count(),
        lab.profiles().len()
    );
}
