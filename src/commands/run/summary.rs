//! What is said at the end of a run: of the process worth looking at a summary and the
//! verdict, of the others a line each, and what to do next.

use std::collections::BTreeSet;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};

use residue_analysis::history::EventRange;
use residue_analysis::verdict::{Verdict, verdict};
use residue_names::cut_middle;
use residue_profile::timeline::Source;
use residue_profile::units::{bytes, count, counted, counted_units, duration};
use residue_profile::{End, ListedProcess, Profile, StackKind, write_processes};
use residue_query::choice::Names;
use residue_query::leaks::headline;
use residue_query::no_events::NoVerdict;
use residue_query::visible::{command_line, visible};
use residue_query::warnings::warnings;
use residue_recording::arenas::ArenaDirectory;
use residue_recording::destination::{clear_processes, processes_folder};
use residue_recording::ending::Finished;
use residue_recording::program::Obstacle;

use residue_text::leaks::{Length, lines};
use residue_text::output::{tell, tell_plain};

/// Lines that the verdict may take, so that all of it stays on one screen.
const VERDICT_LINES: usize = 7;
const MOST_STACKS: usize = 3;
/// Other processes that have a line of their own, and characters of their commands.
const SHOWN_PROCESSES: usize = 5;
const LONGEST_COMMAND: usize = 60;
const SHOWN_NOTES: usize = 3;

/// What the run was for.
pub struct Expected<'a> {
    pub is_quiet: bool,
    /// The pattern that programs had to match to be recorded.
    pub program: Option<&'a str>,
    pub can_be_recorded: bool,
}

/// What is kept of the profiles while others are made.
#[derive(Default)]
pub struct Summary {
    chosen: Option<(PathBuf, Profile)>,
    others: Vec<OtherProcess>,
    failures: Vec<String>,
    /// Processes that were to be recorded and could not begin.
    unrecorded: u64,
    /// Programs that could not carry the recorder, and why.
    unrecorded_programs: BTreeSet<(PathBuf, Obstacle)>,
    is_one_file: bool,
}

struct OtherProcess {
    path: PathBuf,
    process: ListedProcess,
    peak_bytes: u64,
    line: String,
    notes: Vec<String>,
}

impl Summary {
    pub fn new(arenas: &ArenaDirectory) -> Summary {
        Summary {
            unrecorded: arenas.unrecorded(),
            unrecorded_programs: arenas.unrecorded_programs(),
            ..Summary::default()
        }
    }

    pub fn add(&mut self, finished: Finished) {
        match finished.profile {
            Ok(profile) if finished.is_chosen => self.chosen = Some((finished.path, profile)),
            Ok(profile) => self.others.push(OtherProcess::of(&profile, &finished.path)),
            Err(error) => {
                let path = finished.path.display();
                self.failures.push(format!("{path}: {error:#}"));
            }
        }
    }

    /// Puts the profiles of all processes into the one file; with a single process it is
    /// what it was.
    pub fn join(&mut self) {
        let Some((file, profile)) = self.chosen.as_ref().filter(|_| !self.others.is_empty()) else {
            return;
        };
        sort_by_size(&mut self.others);
        let others = self.others.iter();
        let members: Vec<(ListedProcess, PathBuf)> =
            std::iter::once((ListedProcess::of(profile), file.clone()))
                .chain(others.map(|other| (other.process.clone(), other.path.clone())))
                .collect();
        let folder = processes_folder(file);
        match write_processes(file, &members) {
            Ok(()) => {
                clear_processes(&folder);
                self.is_one_file = true;
            }
            Err(error) => self.failures.push(format!(
                "--one-file: {error}; the other processes are in {}",
                folder.display()
            )),
        }
    }

    pub fn tell(mut self, expected: &Expected) {
        for failure in &self.failures {
            tell(failure);
        }
        tell_unrecorded(&self.unrecorded_programs);
        if self.unrecorded > 0 {
            tell(format_args!(
                "{} not recorded: no memory for the recording when it began, or killed in that \
                 moment",
                counted(self.unrecorded, "process", "processes")
            ));
        }
        if expected.is_quiet {
            return;
        }
        sort_by_size(&mut self.others);
        match &self.chosen {
            Some((path, profile)) => {
                let is_judged = tell_process(profile, self.others.len());
                let file = path.display();
                let place = match self.is_one_file {
                    true => format!("the same file; `residue processes {file}` lists them"),
                    false => format!("{}/", processes_folder(path).display()),
                };
                tell_others(&self.others, &place);
                let command = if is_judged { "leaks" } else { "report" };
                tell(format_args!("next: residue {command} {file}"));
                tell(format_args!("  or: residue view {file}"));
            }
            None if !self.failures.is_empty() || self.unrecorded > 0 => {}
            None if !self.unrecorded_programs.is_empty() => {}
            None => tell_nothing(expected),
        }
    }
}

/// Why programs were not recorded; of a long list the names alone.
fn tell_unrecorded(programs: &BTreeSet<(PathBuf, Obstacle)>) {
    for (program, obstacle) in programs.iter().take(SHOWN_PROCESSES) {
        let program = program.display().to_string();
        tell(format_args!("{} {}", visible(&program), obstacle.explain()));
    }
    let more: Vec<String> = programs
        .iter()
        .skip(SHOWN_PROCESSES)
        .map(|(program, _)| program.display().to_string())
        .collect();
    if !more.is_empty() {
        tell(format_args!(
            "also not recorded: {}",
            visible(&more.join(", "))
        ));
    }
}

fn tell_nothing(expected: &Expected) {
    match expected.program {
        Some(pattern) => tell(format_args!(
            "nothing recorded: no program that ran matched -t '{pattern}'"
        )),
        None if expected.can_be_recorded => {
            tell("nothing recorded: the program made no allocations that can be intercepted");
        }
        // It was said before the program began.
        None => {}
    }
}

/// The process worth looking at. Returns whether there is a verdict.
fn tell_process(profile: &Profile, others: usize) -> bool {
    if others > 0 {
        let why = match has_events(profile) {
            true => "most events",
            false => "most memory",
        };
        tell(format_args!(
            "{} (pid {}, {why} of {} processes)",
            shown_command(profile),
            profile.meta.pid,
            count(others as u64 + 1),
        ));
    }
    tell_cpu(profile);
    if profile.meta.options.without_heap {
        tell_notes(profile);
        return false;
    }
    tell(format_args!(
        "{}, {}, {} in total, peak {}, live {} in {}",
        events_text(profile),
        counted(profile.heap.calls, "allocation", "allocations"),
        bytes(profile.heap.total_bytes),
        bytes(profile.heap.peak_bytes),
        bytes(profile.heap.live_bytes),
        counted(profile.heap.live_blocks, "block", "blocks"),
    ));
    let recorder = &profile.recorder;
    if recorder.verified_stacks > 0 {
        tell(format_args!(
            "{} compared with libgcc's, {} differ",
            counted(recorder.verified_stacks, "stack", "stacks"),
            count(recorder.verify_differences),
        ));
    }
    let verdict = verdict(profile, EventRange::ALL);
    match &verdict {
        Some(verdict) => {
            let lines = verdict_lines(profile, verdict);
            lines.iter().for_each(|line| tell_plain(visible(line)));
        }
        None => {
            let missing = NoVerdict::of(profile, EventRange::ALL);
            tell(missing.reason);
            tell(format_args!("  {}", missing.advice));
        }
    }
    tell_notes(profile);
    verdict.is_some()
}

/// CPU time, where it was sampled.
fn tell_cpu(profile: &Profile) {
    let period_ns = profile.meta.options.cpu_period_ns;
    if period_ns == 0 {
        return;
    }
    let cpu = profile
        .stacks
        .iter()
        .filter(|stack| stack.kind == StackKind::Cpu);
    let stacks = cpu.clone().count() as u64;
    let ns = cpu.fold(0_u64, |sum, stack| {
        sum.saturating_add(stack.counters.cpu_ns)
    });
    tell(format_args!(
        "{}, {} of CPU time in {} of {}, at {}: `--counter cpu` shows it",
        events_text(profile),
        duration(ns),
        counted(ns / period_ns, "sample", "samples"),
        duration(period_ns),
        counted(stacks, "stack", "stacks"),
    ));
}

fn tell_notes(profile: &Profile) {
    let notes = &profile.meta.notes;
    for warning in warnings(profile) {
        tell(format_args!("warning: {warning}"));
    }
    for note in notes.iter().take(SHOWN_NOTES) {
        tell(format_args!("note: {note}"));
    }
    if notes.len() > SHOWN_NOTES {
        let more = (notes.len() - SHOWN_NOTES) as u64;
        tell(format_args!(
            "and {}: `residue report` shows them",
            counted(more, "more note", "more notes")
        ));
    }
}

/// The verdict with as many stacks as fit.
fn verdict_lines(profile: &Profile, verdict: &Verdict) -> Vec<String> {
    let names = Names::usual();
    let with_stacks = |stacks| {
        let length = Length {
            stacks,
            with_rest: false,
        };
        lines(profile, verdict, length, &names)
    };
    let mut shown = with_stacks(MOST_STACKS);
    for stacks in (1..MOST_STACKS).rev() {
        if shown.len() > VERDICT_LINES {
            shown = with_stacks(stacks);
        }
    }
    shown
}

impl OtherProcess {
    fn of(profile: &Profile, path: &Path) -> OtherProcess {
        let peak_bytes = profile.heap.peak_bytes;
        OtherProcess {
            path: path.to_path_buf(),
            process: ListedProcess::of(profile),
            peak_bytes,
            line: format!(
                "{:>7}  peak {:>8}  {}{}",
                profile.meta.pid,
                bytes(peak_bytes),
                shown_command(profile),
                events_suffix(profile)
            ),
            notes: profile.meta.notes.clone(),
        }
    }
}

/// What a process with events of its own says about them.
fn events_suffix(profile: &Profile) -> String {
    if profile.meta.end == End::Exec {
        return "  (replaced by exec)".to_string();
    }
    if !has_events(profile) {
        return String::new();
    }
    let events = events_text(profile);
    match verdict(profile, EventRange::ALL) {
        Some(verdict) => format!("  {events}: {}", headline(&verdict)),
        None => format!("  {events}: no verdict"),
    }
}

fn sort_by_size(others: &mut [OtherProcess]) {
    others.sort_by_key(|other| std::cmp::Reverse(other.peak_bytes));
}

fn tell_others(others: &[OtherProcess], place: &str) {
    if others.is_empty() {
        return;
    }
    let number = counted(others.len() as u64, "other process", "other processes");
    tell(format_args!("{number} in {place}"));
    for other in others.iter().take(SHOWN_PROCESSES) {
        tell(&other.line);
    }
    if others.len() > SHOWN_PROCESSES {
        let more = count((others.len() - SHOWN_PROCESSES) as u64);
        tell(format_args!("         and {more} more"));
    }
    notes_of(others)
        .into_iter()
        .take(SHOWN_NOTES)
        .for_each(tell);
}

/// A note that holds of many processes is one line.
fn notes_of(others: &[OtherProcess]) -> Vec<String> {
    let mut by_text: Vec<(&str, Vec<String>)> = Vec::new();
    for other in others {
        for note in &other.notes {
            let pid = other.process.pid.to_string();
            match by_text.iter_mut().find(|(text, _)| *text == note) {
                Some((_, pids)) => pids.push(pid),
                None => by_text.push((note, vec![pid])),
            }
        }
    }
    let line = |(text, pids): (&str, Vec<String>)| match &pids[..] {
        [pid] => format!("note on process {pid}: {text}"),
        _ if pids.len() <= SHOWN_PROCESSES => {
            format!("note on processes {}: {text}", pids.join(", "))
        }
        _ => format!("note on {} processes: {text}", count(pids.len() as u64)),
    };
    by_text.into_iter().map(line).collect()
}

fn has_events(profile: &Profile) -> bool {
    let about = &profile.timeline.about;
    about.events > 0 && !matches!(about.source, Source::Ticks | Source::None)
}

fn events_text(profile: &Profile) -> String {
    let about = &profile.timeline.about;
    counted_units(about.events, about.source.unit())
}

/// Cut where it must fit a screen.
fn shown_command(profile: &Profile) -> String {
    let command = command_line(&profile.meta.command);
    let mut shown = match std::io::stderr().is_terminal() {
        true => cut_middle(&command, LONGEST_COMMAND),
        false => command,
    };
    if !profile.meta.process_name.is_empty() {
        shown.push_str(&format!(" [{}]", visible(&profile.meta.process_name)));
    }
    shown
}
