//! Programs that start others: the one worth looking at is judged, the others are a line
//! each, and their files lie in one folder beside the profile.

use crate::support::{Lab, PROFILE, Recorded, describe, process, workloads};
use residue_profile::End;

const FOLDER: &str = "profile.processes";

fn program(name: &str) -> String {
    workloads::find(name).display().to_string()
}

/// The lines that tell of other processes.
fn others(recorded: &Recorded) -> Vec<String> {
    let stderr = recorded.stderr();
    let lines = stderr.lines().filter(|line| line.contains("  peak "));
    lines.map(str::to_string).collect()
}

/// Four processes of one job, as `mpirun -np 4` starts them; the third leaks.
fn four_ranks() -> String {
    let shapes = program("shapes");
    let rank = |shape: &str, rank: u32| format!("{shapes} {shape} 100 {rank} & ");
    let ranks = [
        rank("flat", 0),
        rank("flat", 1),
        rank("leak", 2),
        rank("flat", 3),
    ];
    format!("{}wait", ranks.concat())
}

#[test]
fn of_four_ranks_the_one_that_leaks_is_judged_and_the_others_have_their_verdicts() {
    let lab = Lab::new();
    let recorded = lab.record(&[], &["sh", "-c", &four_ranks()]);
    assert!(recorded.output.status.success(), "{}", recorded.describe());
    let leaking = recorded.ledger().profile;
    assert_eq!(leaking.meta.command[1..], ["leak", "100", "2"]);
    let stderr = recorded.stderr();
    let head = format!(
        "residue: {} leak 100 2 (pid {}, most events of ",
        program("shapes"),
        leaking.meta.pid
    );
    assert!(stderr.starts_with(&head), "{stderr}");
    assert!(stderr.contains("\nLEAK  "), "{stderr}");
    let lines = others(&recorded);
    for rank in [0, 1, 3] {
        let verdict = format!(
            "{} flat 100 {rank}  100 events: NO GROWTH",
            program("shapes")
        );
        let found = lines.iter().filter(|line| line.contains(&verdict));
        assert_eq!(found.count(), 1, "rank {rank}: {lines:?}");
    }
    assert_eq!(lab.names_in("."), [FOLDER, PROFILE]);
}

#[test]
fn the_program_asked_for_has_the_profile_under_a_wrapper() {
    let lab = Lab::new();
    let script = format!("{} 100; true", program("marks_c"));
    let recorded = lab.record(&["-t", "marks_c"], &["sh", "-c", &script]);
    assert!(recorded.output.status.success(), "{}", recorded.describe());
    let profile = recorded.ledger().profile;
    assert_eq!(profile.meta.program, "marks_c");
    assert_eq!(profile.timeline.about.events, 100);
    let stderr = recorded.stderr();
    assert!(
        stderr.starts_with("residue: 100 events, 1 100 allocations, "),
        "{stderr}"
    );
    assert!(stderr.contains("\nLEAK  1000 B/event"), "{stderr}");
    assert!(
        stderr.ends_with(
            "residue: next: residue leaks profile.residue\n\
             residue:   or: residue view profile.residue\n"
        ),
        "{stderr}"
    );
    assert_eq!(lab.names_in("."), [PROFILE]);
}

#[test]
fn a_run_with_nothing_special_says_at_most_ten_lines() {
    for command in [&["marks_c"][..], &["leaky_events"], &["sleep", "0.1"]] {
        let recorded = Lab::new().record(&[], command);
        let lines = recorded.stderr().lines().count();
        assert!((4..=10).contains(&lines), "{}", recorded.describe());
    }
}

#[test]
fn without_events_the_largest_is_judged() {
    let lab = Lab::new();
    let script = format!(
        "{}; {} 50000; true",
        program("hello"),
        program("live_blocks")
    );
    let recorded = lab.record(&[], &["sh", "-c", &script]);
    assert_eq!(recorded.ledger().profile.meta.program, "live_blocks");
    assert!(
        recorded.stderr().contains("most memory of 3 processes"),
        "{}",
        recorded.describe()
    );
    assert_eq!(others(&recorded).len(), 2, "{}", recorded.describe());
}

#[test]
fn hundreds_of_short_processes_leave_the_profile_and_one_folder() {
    let lab = Lab::new();
    let script = format!("for i in $(seq 60); do {}; done", program("hello"));
    let recorded = lab.record(&[], &["sh", "-c", &script]);
    assert!(recorded.output.status.success(), "{}", recorded.describe());
    assert_eq!(lab.names_in("."), [FOLDER, PROFILE]);
    assert!(
        lab.names_in(FOLDER).len() >= 60,
        "{:?}",
        lab.names_in(FOLDER)
    );
    assert_eq!(others(&recorded).len(), 5, "{}", recorded.describe());
    let more = format!("and {} more", lab.names_in(FOLDER).len() - 5);
    assert!(recorded.stderr().contains(&more), "{}", recorded.describe());
    let lines = recorded
        .stderr()
        .lines()
        .filter(|line| *line != "hello, stderr")
        .count();
    assert!(lines <= 16, "{lines} lines: {}", recorded.describe());
}

#[test]
fn a_second_run_replaces_the_processes_of_the_first() {
    let lab = Lab::new();
    let script = format!("{}; true", program("hello"));
    lab.record(&[], &["sh", "-c", &script]);
    let first = lab.names_in(FOLDER);
    lab.record(&[], &["sh", "-c", &script]);
    let second = lab.names_in(FOLDER);
    assert_eq!((first.len(), second.len()), (1, 1));
    assert_ne!(first, second);
    lab.record(&[], &["hello"]);
    assert_eq!(lab.names_in("."), [PROFILE]);
}

#[test]
fn without_children_there_is_one_file() {
    let lab = Lab::new();
    let script = format!("{}; exec {} 5", program("hello"), program("hello"));
    let recorded = lab.record(&["--no-children"], &["sh", "-c", &script]);
    assert_eq!(
        recorded.output.status.code(),
        Some(5),
        "{}",
        recorded.describe()
    );
    let profile = recorded.ledger().profile;
    assert_eq!(profile.meta.program, "hello");
    assert_eq!(profile.meta.end, End::Exited { code: 5 });
    assert_eq!(lab.names_in("."), [PROFILE]);
    assert!(
        !recorded.stderr().contains("other process"),
        "{}",
        recorded.describe()
    );
}

#[test]
fn a_pattern_that_no_program_matches_is_said() {
    let lab = Lab::new();
    let recorded = lab.record(&["-t", "nonesuch"], &["hello", "3"]);
    assert_eq!(recorded.output.status.code(), Some(3));
    let said = "residue: nothing recorded: no program that ran matched -t 'nonesuch'\n";
    assert!(recorded.stderr().ends_with(said), "{}", recorded.describe());
    assert_eq!(lab.names_in("."), [""; 0]);
}

#[test]
fn arguments_and_the_name_that_a_process_gives_itself_are_kept() {
    let lab = Lab::new();
    let script = "import ctypes; ctypes.CDLL(None).prctl(15, b'rank 2', 0, 0, 0); \
                  x = bytearray(1 << 20)";
    let recorded = lab.record(&["-t", "python3*"], &["/usr/bin/python3", "-c", script]);
    let meta = recorded.ledger().profile.meta;
    assert_eq!(meta.command, ["/usr/bin/python3", "-c", script]);
    assert_eq!(meta.process_name, "rank 2");
    let mut dump = lab.residue();
    dump.args(["dump", PROFILE]);
    let dump = process::finish(dump);
    let text = String::from_utf8_lossy(&dump.stdout).into_owned();
    assert!(
        text.contains("process name                 rank 2\n"),
        "{}",
        describe(&dump)
    );
    let hello = lab.record(&[], &["hello"]).ledger().profile.meta;
    assert_eq!(hello.process_name, "");
    // Written over the arguments, as PostgreSQL does.
    let room = "x".repeat(20);
    let titled = lab.record(&[], &["corners", "titled", &room]);
    let meta = titled.ledger().profile.meta;
    assert_eq!(meta.command[1..], ["titled", &room]);
    assert_eq!(meta.process_name, "corners: session 7");
}

/// What `residue` prints of a file or a part of it.
fn residue(lab: &Lab, arguments: &[&str]) -> String {
    let mut command = lab.residue();
    command.args(arguments);
    let output = process::finish(command);
    assert!(output.status.success(), "{}", describe(&output));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn one_file_holds_all_processes_and_every_command_takes_it_apart() {
    let lab = Lab::new();
    let recorded = lab.record(&["--one-file"], &["sh", "-c", &four_ranks()]);
    assert!(recorded.output.status.success(), "{}", recorded.describe());
    assert_eq!(lab.names_in("."), [PROFILE]);
    let stderr = recorded.stderr();
    let hint = "other processes in the same file; `residue processes profile.residue` lists them";
    assert!(stderr.contains(hint), "{stderr}");

    let listed: serde_json::Value =
        serde_json::from_str(&residue(&lab, &["processes", PROFILE, "--json"])).unwrap();
    let ranks: Vec<&serde_json::Value> = listed["processes"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|one| one["program"] == "shapes")
        .collect();
    let verdicts: Vec<(&str, &str)> = ranks
        .iter()
        .map(|one| {
            let shape = one["command"][1].as_str().unwrap();
            (shape, one["verdict"].as_str().unwrap())
        })
        .collect();
    // The one worth looking at comes first.
    let flat = ("flat", "no-growth");
    assert_eq!(verdicts, [("leak", "leak"), flat, flat, flat]);

    let whole = residue(&lab, &["leaks", PROFILE]);
    assert!(whole.starts_with("LEAK  "), "{whole}");
    let address = |one: &serde_json::Value| format!("{PROFILE}@process:{}", one["pid"]);
    let of_rank = residue(&lab, &["leaks", &address(ranks[1])]);
    assert!(of_rank.starts_with("NO GROWTH  "), "{of_rank}");
    let of_events = format!("{}@1..50", address(ranks[0]));
    assert!(residue(&lab, &["leaks", &of_events]).contains("events 1..49"));

    let calls = |file: &str| -> u64 {
        let text = residue(&lab, &["report", file, "--view", "summary", "--json"]);
        let report: serde_json::Value = serde_json::from_str(&text).unwrap();
        report["heap"]["calls"].as_u64().unwrap()
    };
    let all = listed["processes"].as_array().unwrap();
    let sum: u64 = all
        .iter()
        .map(|one| {
            let program = one["program"].as_str().unwrap();
            calls(&format!("{PROFILE}@process:{}:{program}", one["pid"]))
        })
        .sum();
    assert_eq!(calls(&format!("{PROFILE}@process:all")), sum);

    let compared = residue(&lab, &["diff", &address(ranks[1]), &address(ranks[0])]);
    assert!(compared.contains("shapes"), "{compared}");
    residue(&lab, &["symbolize", PROFILE]);
    let renamed = residue(&lab, &["processes", PROFILE, "--json"]);
    let renamed: serde_json::Value = serde_json::from_str(&renamed).unwrap();
    assert_eq!(renamed["processes"].as_array().unwrap().len(), all.len());

    let mut missing = lab.residue();
    missing.args(["report", &format!("{PROFILE}@process:1")]);
    let missing = process::finish(missing);
    assert_eq!(missing.status.code(), Some(2));
    let told = String::from_utf8_lossy(&missing.stderr).into_owned();
    assert!(told.contains("no process:1; `residue processes"), "{told}");
}

#[test]
fn ranks_with_one_name_for_the_output_do_not_overwrite_each_other() {
    let lab = Lab::new();
    for rank in ["0", "1", "2"] {
        let mut command = lab.run(&[], &["marks_c", "5"]);
        command.env("OMPI_COMM_WORLD_RANK", rank);
        command.env("OMPI_COMM_WORLD_SIZE", "3");
        let output = process::finish(command);
        assert!(output.status.success(), "{}", describe(&output));
    }
    let names = [
        "profile.rank0.residue",
        "profile.rank1.residue",
        "profile.rank2.residue",
    ];
    assert_eq!(lab.names_in("."), names);

    let lab = Lab::new();
    let mut command = lab.residue();
    command.args(["run", "-q", "-o", "job-%q{JOB}.%p.residue", "--"]);
    command.arg(workloads::find("hello")).env("JOB", "a%pb");
    let output = process::finish(command);
    assert!(output.status.success(), "{}", describe(&output));
    let names = lab.names_in(".");
    let [name] = &names[..] else {
        panic!("{names:?}");
    };
    let profile = residue_profile::read(&lab.path(name)).unwrap();
    assert_eq!(*name, format!("job-a%pb.{}.residue", profile.meta.pid));

    let mut command = lab.residue();
    command.args(["run", "-o", "job.%z.residue", "--", "true"]);
    let refused = process::finish(command);
    assert_eq!(refused.status.code(), Some(125), "{}", describe(&refused));
}
