//! No room for the profile, and no room for the recorder.

use crate::support::ledger::Ledger;
use crate::support::process::{Running, send};
use crate::support::root::SmallDisk;
use crate::support::{Lab, describe, workloads};
use nix::sys::signal::Signal;
use residue_profile::StackKind;
use residue_profile::timeline::MomentKind;

#[test]
fn a_full_disk_keeps_the_recording_and_says_where_it_is() {
    let lab = Lab::new();
    let disk = SmallDisk::mount(lab.folder("full"), 64);
    disk.fill();
    let arenas = lab.folder("arenas");
    let mut residue = lab.residue();
    residue
        .arg("run")
        .arg("-o")
        .arg(disk.path.join("job.residue"))
        .arg("--arena-dir")
        .arg(&arenas)
        .arg("--")
        .arg(workloads::find("hello"))
        .arg("6");
    let recorded = lab.record_by(residue);
    assert_eq!(
        recorded.output.status.code(),
        Some(6),
        "{}",
        recorded.describe()
    );
    let stderr = recorded.stderr();
    let (_, rest) = stderr
        .split_once("kept in ")
        .unwrap_or_else(|| panic!("it does not say where: {stderr}"));
    let arena = rest.split(';').next().expect("a path");
    assert!(arena.starts_with(&arenas.display().to_string()), "{stderr}");

    let wanted = lab.path("job.residue");
    let mut recover = lab.residue();
    recover.args(["recover", arena, "-o"]).arg(&wanted);
    let recovered = recover.output().expect("residue can be started");
    assert!(recovered.status.success(), "{}", describe(&recovered));
    Ledger::read(&wanted).expect_truths(&recorded.truths());
}

/// Everything the program did is in the ledger or counted as dropped.
fn expect_complete_with_losses(command: &[&str]) {
    let whole = Lab::new();
    let (whole, _) = whole.record(&[], command).expect_exact();
    let lab = Lab::new();
    let disk = SmallDisk::mount(lab.folder("small"), 2048);
    let directory = disk.path.display().to_string();
    let recorded = lab.record(&["--arena-dir", &directory], command);
    assert!(recorded.output.status.success(), "{}", recorded.describe());
    let native = lab.native(command);
    let truths = |text: &[u8]| {
        let text = String::from_utf8_lossy(text).into_owned();
        let lines = text.lines().filter(|line| line.starts_with("truth"));
        lines.map(str::to_string).collect::<Vec<_>>()
    };
    assert_eq!(truths(&recorded.output.stdout), truths(&native.stdout));

    let ledger = recorded.ledger();
    let recorder = &ledger.profile.recorder;
    let overflow = ledger.total_of(StackKind::Overflow);
    assert!(
        recorder.dropped + overflow.calls > 0,
        "this did not fit, and nothing says so: {recorder:?}"
    );
    assert!(
        ledger
            .profile
            .meta
            .notes
            .iter()
            .any(|note| note.contains("full")),
        "{:?}",
        ledger.profile.meta.notes
    );
    let said = "residue: note: the recorder ran out of memory (its file system is full, or a limit";
    assert!(recorded.stderr().contains(said), "{}", recorded.describe());
    assert_eq!(
        ledger.profile.heap.calls + recorder.dropped,
        whole.profile.heap.calls,
        "calls recorded and dropped; {recorder:?}"
    );
    assert_eq!(
        ledger.profile.heap.total_bytes + recorder.dropped_bytes,
        whole.profile.heap.total_bytes,
        "bytes recorded and dropped; {recorder:?}"
    );
}

#[test]
fn a_full_arena_directory_drops_blocks_that_it_counts_and_the_program_runs_to_its_end() {
    expect_complete_with_losses(&["live_blocks", "150000"]);
}

#[test]
fn a_full_arena_directory_gives_up_stacks_but_no_counts() {
    expect_complete_with_losses(&["million_stacks", "300000"]);
}

#[test]
fn threads_on_a_full_arena_directory_run_to_their_end() {
    let lab = Lab::new();
    let disk = SmallDisk::mount(lab.folder("small"), 2048);
    let directory = disk.path.display().to_string();
    let recorded = lab.record(
        &["--arena-dir", &directory],
        &["crossfree", "64", "1000000"],
    );
    assert!(recorded.output.status.success(), "{}", recorded.describe());
    let ledger = recorded.ledger();
    let recorded_calls = ledger.profile.heap.calls + ledger.profile.recorder.dropped;
    assert!(recorded_calls >= recorded.truths().get("make_block.calls"));
}

/// A shell that runs `hello` so many times, then waits until only a few arenas are left and
/// says so, and reads a line.
fn many_processes(disk: &SmallDisk, times: usize) -> [String; 3] {
    let hello = workloads::find("hello");
    let script = format!(
        "for i in $(seq {times}); do {} 3 >/dev/null 2>&1; test $? = 3 || echo wrong; done; \
         for i in $(seq 600); do set -- {}/residue-*/*.arena; test $# -le 2 && break; sleep 0.1; \
         done; echo left $#; read line; exit 5",
        hello.display(),
        disk.path.display()
    );
    ["sh".to_string(), "-c".to_string(), script]
}

/// The profiles of `hello`, each of which must be whole.
fn whole_hellos(lab: &Lab) -> usize {
    let profiles = lab.profiles();
    let hellos = profiles
        .iter()
        .filter(|(_, ledger)| ledger.profile.meta.program == "hello");
    let hellos = hellos.inspect(|(_, ledger)| {
        let made = ledger.sum("hello_alloc");
        assert_eq!(
            (made.calls, made.total_bytes, made.live_bytes),
            (3, 600, 300)
        );
    });
    hellos.count()
}

#[test]
fn processes_that_ended_are_finished_while_the_run_goes_on() {
    let lab = Lab::new();
    let disk = SmallDisk::mount(lab.folder("small"), 64 << 10);
    let command = many_processes(&disk, 40);
    let command = command.each_ref().map(String::as_str);
    let directory = disk.path.display().to_string();
    let mut run = Running::start(lab.run(&["--arena-dir", &directory], &command));
    let left: u32 = run.hear("left ").parse().expect("a number");
    assert!(left <= 2, "{left} arenas are left");
    run.say("go on");
    assert_eq!(run.wait().code(), Some(5));
    assert_eq!(whole_hellos(&lab), 40);
    assert_eq!(lab.names_in("small"), [""; 0]);
}

#[test]
fn what_was_finished_early_is_recovered_when_residue_is_killed() {
    let lab = Lab::new();
    let disk = SmallDisk::mount(lab.folder("small"), 64 << 10);
    let command = many_processes(&disk, 10);
    let command = command.each_ref().map(String::as_str);
    let directory = disk.path.display().to_string();
    let mut run = Running::start(lab.run(&["--arena-dir", &directory], &command));
    run.hear("left ");
    send(run.pid(), Signal::SIGKILL);
    run.wait();
    run.say("go on");
    run.hear_all();
    let mut recover = lab.residue();
    let folder = disk.path.join(&lab.names_in("small")[0]);
    recover.arg("recover").arg(&folder);
    let recovered = recover.output().expect("residue can be started");
    assert!(recovered.status.success(), "{}", describe(&recovered));
    assert_eq!(whole_hellos(&lab), 10);
    assert_eq!(lab.names_in("small"), [""; 0]);
}

#[test]
fn processes_that_find_no_room_are_counted_and_run_to_their_end() {
    let lab = Lab::new();
    let disk = SmallDisk::mount(lab.folder("small"), 1024);
    let hello = workloads::find("hello").display().to_string();
    let once = format!("{hello} 3 >/dev/null 2>&1; test $? = 3 || echo wrong");
    let script = format!("for i in $(seq 20); do {once}; done; exit 5");
    let command = ["sh", "-c", &script];
    let directory = disk.path.display().to_string();
    let filler = disk.path.join("filler");
    std::fs::write(&filler, vec![1; 900 << 10]).expect("there is room for it");
    let recorded = lab.record(&["--arena-dir", &directory], &command);
    assert_eq!(
        recorded.output.status.code(),
        Some(5),
        "{}",
        recorded.describe()
    );
    assert!(
        !recorded.stdout().contains("wrong"),
        "{}",
        recorded.describe()
    );
    let stderr = recorded.stderr();
    let told = stderr
        .lines()
        .find(|line| line.contains(" not recorded: no memory"));
    assert!(told.is_some(), "{stderr}");
    assert_eq!(lab.names_in("small"), ["filler"]);
}

#[test]
fn ticks_that_find_no_room_are_counted() {
    let lab = Lab::new();
    let disk = SmallDisk::mount(lab.folder("small"), 2048);
    let directory = disk.path.display().to_string();
    // By the shell itself: what another process took would be free again after its end.
    let script = format!("printf '%8000000s' x 2>/dev/null >{directory}/filler; sleep 1; exit 3");
    let recorded = lab.record(
        &["--arena-dir", &directory, "--tick", "10ms"],
        &["sh", "-c", &script],
    );
    assert_eq!(
        recorded.output.status.code(),
        Some(3),
        "{}",
        recorded.describe()
    );
    let profile = recorded.ledger().profile;
    let mut notes = profile.meta.notes.iter();
    let lost = notes.find_map(|note| {
        let rest = note.strip_prefix("no room to write down ")?;
        rest.split(' ').next()?.parse::<u64>().ok()
    });
    let lost = lost.unwrap_or_else(|| panic!("{:?}", profile.meta.notes));
    let moments = profile.timeline.moments.iter();
    let kept = moments
        .filter(|moment| moment.kind == MomentKind::Tick)
        .count() as u64;
    // Some ticks are passed over where the machine is busy; none is both kept and lost.
    assert!(
        lost > 0 && kept + lost <= profile.timeline.about.events,
        "{kept} {lost}"
    );
}
