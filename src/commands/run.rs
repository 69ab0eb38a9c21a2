//! `residue run`: record a program and its children.

use crate::commands::symbolize::SymbolArgs;
use crate::flags::arguments;
use crate::text::leaks::{Length, lines};
use anyhow::{Context, Result};
use clap::ValueEnum;
use nix::sys::resource::{Resource, setrlimit};
use residue_analysis::history::EventRange;
use residue_analysis::verdict::verdict;
use residue_profile::Profile;
use residue_profile::units;
use residue_query::choice::Names;
use residue_recording::arenas::ArenaDirectory;
use residue_recording::ending::{self, Finished, Run};
use residue_recording::line_moments::LineMoments;
use residue_recording::lines::LineEvents;
use residue_recording::passing::{Passed, Passing};
use residue_recording::prepared::Prepared;
use residue_recording::program::{self, Obstacle};
use residue_recording::settings::{Events, Injection, Settings};
use residue_recording::signals::Forwarding;
use residue_recording::watch::{Orders, Snapshots, Watch};
use std::ffi::OsString;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitCode, ExitStatus};
use std::time::{Duration, Instant};

#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
    residue run -- ./simulate run.mac\n  \
    residue run -o job.residue -t cc1plus -- make -j8\n  \
    residue run --min-size 4096 -- python3 train.py\n\n\
    The exit status is the program's; 125 when residue could not start, 126 when the program\n\
    is not executable, 127 when it is not found.")]
pub struct Args {
    /// Where the profile goes [default: PROGRAM.PID.residue]; those of other processes stand beside it
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Record only processes whose program name matches NAME (`*` and `?` allowed)
    #[arg(short = 't', long, value_name = "NAME", default_value = "")]
    program: String,
    /// Keep stacks only for blocks of at least N bytes; smaller ones are counted in one pooled stack
    #[arg(long, value_name = "N", default_value_t = 0)]
    min_size: u64,
    /// Keep stacks only for blocks of at most N bytes; larger ones are counted in one pooled stack
    #[arg(long, value_name = "N", default_value_t = u64::MAX, hide_default_value = true)]
    max_size: u64,
    /// Begin with recording switched on or off
    #[arg(long, value_enum, value_name = "STATE", default_value_t = Start::Recording)]
    start: Start,
    /// Record only the program itself, not the processes it starts
    #[arg(long)]
    no_children: bool,
    /// Longest stack kept whole; of deeper ones the root side and the leaf side are kept
    #[arg(long, value_name = "N", default_value_t = 4096, value_parser = clap::value_parser!(u32).range(2..=32768))]
    max_depth: u32,
    /// Compare every stack (or one in N) with the one libgcc's unwinder gives, and count differences
    #[arg(long, value_name = "N", num_args = 0..=1, require_equals = true, default_missing_value = "1")]
    verify_stacks: Option<u32>,
    /// Each entry of this function begins the next event: a mangled or demangled name, `*` and
    /// `?` allowed, in the executable or any library
    #[arg(long, value_name = "NAME", conflicts_with = "event_line")]
    event_function: Vec<String>,
    /// Each line of output that matches is an event; the group `id` is its id, other named groups
    /// are counters of the event it ends: 'eventID (?<id>\d+) .* hits (?<hits>\d+)'
    #[arg(long, value_name = "REGEX")]
    event_line: Option<String>,
    /// Where no events are marked, let each span of this length be one; 0 for none
    #[arg(long, value_name = "TIME", default_value = "1s", value_parser = arguments::time)]
    tick: Duration,
    /// Take a snapshot, with the kernel's maps, at every N-th event
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true)]
    snapshot_every: u64,
    /// Take snapshots at these events: 1,51,101 (`end` is always there)
    #[arg(long, value_name = "EVENTS", value_delimiter = ',', value_parser = arguments::event)]
    snapshot_at: Vec<arguments::Event>,
    /// Leak so much at every event, to check the measurement: 10MB/event; with `,untouched` the
    /// memory is never written
    #[arg(long, value_name = "BYTES/event", value_parser = arguments::injection)]
    inject_leak: Option<Injection>,
    /// Finish when the program ends, even if processes it left behind still run
    #[arg(long)]
    no_wait: bool,
    /// Keep the recorder's memory in a directory of DIR [default: /dev/shm, or a temporary directory]
    #[arg(long, value_name = "DIR")]
    arena_dir: Option<PathBuf>,
    #[command(flatten)]
    symbols: SymbolArgs,
    /// Say nothing but errors
    #[arg(short, long)]
    quiet: bool,
    /// The program and its arguments
    #[arg(
        required = true,
        trailing_var_arg = true,
        allow_hyphen_values = true,
        value_name = "CMD"
    )]
    command: Vec<OsString>,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Start {
    Recording,
    Paused,
}

impl Args {
    fn snapshots(&self) -> Snapshots {
        let numbers = self.snapshot_at.iter().filter_map(|event| match event {
            arguments::Event::Number(number) => Some(*number),
            // The end is a moment of every recording.
            arguments::Event::End => None,
        });
        Snapshots {
            every: self.snapshot_every,
            at: numbers.collect(),
        }
    }
}

const EXIT_CANNOT_START: u8 = 125;
const EXIT_NOT_EXECUTABLE: u8 = 126;
const EXIT_NOT_FOUND: u8 = 127;

/// Processes left behind are waited for this long before the user is told.
const SILENT_WAIT: Duration = Duration::from_secs(1);
const WAIT_STEP: Duration = Duration::from_millis(20);

/// Stacks shown at the end of a run.
const SHOWN_STACKS: usize = 3;

/// Profiles of other processes named in the summary before it says "and N more".
const MOST_NAMED: usize = 8;

pub fn run(args: Args) -> Result<ExitCode> {
    let path = match program::find(&args.command[0]) {
        Ok(path) => path,
        Err(reason) => return Ok(cannot_run(&args.command[0], reason.into())),
    };
    let obstacle = program::obstacle(&path);
    if let Some(obstacle) = &obstacle {
        eprintln!("residue: {} {}", path.display(), obstacle.explain());
    }
    let output = args.output.as_deref().map(ending::usable_output);
    let lines = match args.event_line.as_deref().map(LineEvents::new).transpose() {
        Ok(lines) => lines,
        Err(reason) => {
            eprintln!("residue: --event-line: {reason}");
            return Ok(ExitCode::from(EXIT_CANNOT_START));
        }
    };
    let forwarding = Forwarding::start().context("cannot take signals")?;
    let recording = match prepare(&args, output.as_deref(), obstacle.as_ref()) {
        Ok(recording) => recording,
        Err(error) => {
            eprintln!("residue: cannot record: {error:#}; the program runs unrecorded");
            None
        }
    };
    let mut command = Command::new(&args.command[0]);
    command.args(&args.command[1..]);
    let arenas = recording.map(|Prepared { arenas, variables }| {
        command.envs(variables);
        arenas
    });
    let snapshots = args.snapshots();
    let own_rss_bytes = ending::own_rss_bytes();
    let spawned = match (&lines, &arenas) {
        (Some(lines), Some(arenas)) => {
            let mut moments = LineMoments::new(arenas.path.clone(), snapshots.clone());
            Passing::spawn(command, lines, move |event| moments.event(event))
                .map(|(child, passing)| (child, Some(passing)))
        }
        _ => command.spawn().map(|child| (child, None)),
    };
    let (mut child, passing) = match spawned {
        Ok(spawned) => spawned,
        Err(error) => {
            if let Some(arenas) = arenas {
                arenas.remove();
            }
            return Ok(cannot_run(&args.command[0], error));
        }
    };
    let pid = child.id();
    forwarding.program_runs(pid);
    let orders = Orders {
        tick: args.tick,
        functions: args.event_function.clone(),
        snapshots,
    };
    let watch = arenas
        .as_ref()
        .map(|arenas| Watch::start(arenas.path.clone(), orders));
    let status = wait(&mut child)?;
    forwarding.program_ended();
    if let Some(arenas) = arenas {
        if !args.no_wait {
            wait_for_others(&arenas, &forwarding, args.quiet);
        }
        drop(watch);
        if let Some(passing) = passing {
            tell_of_lines(&passing.join());
        }
        let run = Run {
            main_pid: pid,
            status,
            own_rss_bytes,
            output,
        };
        let summary = Summary {
            quiet: args.quiet,
            expected: obstacle.is_none() && args.program.is_empty(),
        };
        summary.tell(run.finish_all(arenas, &args.symbols.search()));
    }
    Ok(end_as(status))
}

fn cannot_run(command: &std::ffi::OsStr, error: std::io::Error) -> ExitCode {
    eprintln!("residue: cannot run {}: {error}", command.display());
    ExitCode::from(match error.kind() {
        std::io::ErrorKind::NotFound => EXIT_NOT_FOUND,
        std::io::ErrorKind::PermissionDenied | std::io::ErrorKind::IsADirectory => {
            EXIT_NOT_EXECUTABLE
        }
        _ => EXIT_CANNOT_START,
    })
}

/// `None` where preloading would make the program's own dynamic linker complain.
fn prepare(
    args: &Args,
    output: Option<&Path>,
    obstacle: Option<&Obstacle>,
) -> Result<Option<Prepared>> {
    if obstacle.is_some_and(Obstacle::forbids_preload) {
        return Ok(None);
    }
    let settings = Settings {
        min_size: args.min_size,
        max_size: args.max_size,
        max_depth: args.max_depth,
        verify_every: args.verify_stacks.map_or(0, u64::from),
        start_paused: args.start == Start::Paused,
        with_children: !args.no_children,
        program_pattern: args.program.clone(),
        events: match (args.event_function.is_empty(), &args.event_line) {
            (false, _) => Events::Function,
            (true, Some(_)) => Events::Lines,
            (true, None) => Events::Marks,
        },
        tick: args.tick,
        snapshots: args.snapshots(),
        injection: args.inject_leak,
    };
    Prepared::new(args.arena_dir.as_deref(), output, &settings).map(Some)
}

/// Says what was not as the user may think.
fn tell_of_lines(passed: &Passed) {
    if let Some(error) = &passed.first_error {
        eprintln!(
            "residue: {} of the program's output could not be passed on: {error}",
            units::bytes(passed.lost_bytes)
        );
    }
    if passed.not_numbers != 0 {
        eprintln!(
            "residue: {} groups of matching lines were not numbers and were passed over",
            units::count(passed.not_numbers)
        );
    }
}

fn wait(child: &mut Child) -> Result<ExitStatus> {
    loop {
        match child.wait() {
            Ok(status) => return Ok(status),
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error).context("cannot wait for the program"),
        }
    }
}

/// Waits for recorded processes that outlive the program.
fn wait_for_others(arenas: &ArenaDirectory, forwarding: &Forwarding, quiet: bool) {
    let started = Instant::now();
    let mut told = quiet;
    loop {
        let still = arenas.users();
        if still.is_empty() || forwarding.was_interrupted() {
            return;
        }
        if !told && started.elapsed() > SILENT_WAIT {
            told = true;
            eprintln!(
                "residue: the program ended; still recording {}; Ctrl-C finishes now",
                still.join(", ")
            );
        }
        std::thread::sleep(WAIT_STEP);
    }
}

/// What is said at the end of a run.
struct Summary {
    quiet: bool,
    /// Whether the program itself should have been recorded.
    expected: bool,
}

impl Summary {
    fn tell(&self, profiles: Vec<Finished>) {
        let mut others = Vec::new();
        let mut has_main = false;
        for finished in profiles {
            let path = finished.path;
            has_main |= finished.is_main;
            match finished.profile {
                Ok(profile) if finished.is_main => self.summarize(&profile, &path),
                Ok(_) => others.push(path),
                Err(error) => eprintln!("residue: {}: {error:#}", path.display()),
            }
        }
        self.name_others(&others);
        if !has_main && self.expected {
            eprintln!("residue: the program allocated nothing that could be recorded");
        }
    }

    fn summarize(&self, profile: &Profile, path: &Path) {
        if self.quiet {
            return;
        }
        let recorder = &profile.recorder;
        let about = &profile.timeline.about;
        eprintln!(
            "residue: {}, {} allocations, {} in total, peak {}, live {} in {} blocks",
            units::counted(
                about.events,
                about.source.unit(),
                &format!("{}s", about.source.unit())
            ),
            units::count(profile.heap.calls),
            units::bytes(profile.heap.total_bytes),
            units::bytes(profile.heap.peak_bytes),
            units::bytes(profile.heap.live_bytes),
            units::count(profile.heap.live_blocks),
        );
        eprintln!(
            "residue: {}; recorder {}, {} dropped",
            units::counted(profile.stacks.len() as u64, "stack", "stacks"),
            units::bytes(recorder.arena_bytes + recorder.private_bytes),
            units::count(recorder.dropped),
        );
        if recorder.verified_stacks > 0 {
            eprintln!(
                "residue: {} stacks compared with libgcc's, {} differ",
                units::count(recorder.verified_stacks),
                units::count(recorder.verify_differences),
            );
        }
        if let Some(verdict) = verdict(profile, EventRange::ALL) {
            let length = Length {
                stacks: SHOWN_STACKS,
                with_rest: false,
            };
            for line in lines(profile, &verdict, length, &Names::usual()) {
                eprintln!("{line}");
            }
        }
        eprintln!("residue: see it: residue view {}", path.display());
    }

    fn name_others(&self, others: &[PathBuf]) {
        if self.quiet || others.is_empty() {
            return;
        }
        for path in others.iter().take(MOST_NAMED) {
            eprintln!("residue: another process: {}", path.display());
        }
        if others.len() > MOST_NAMED {
            eprintln!(
                "residue: and {} more processes beside them",
                others.len() - MOST_NAMED
            );
        }
    }
}

/// Ends as the program ended: with its status, or by the same signal.
fn end_as(status: ExitStatus) -> ExitCode {
    let Some(signal) = status.signal() else {
        return ExitCode::from(status.code().unwrap_or(0) as u8);
    };
    // The program may have left a core file; this process must not overwrite it.
    let _ = setrlimit(Resource::RLIMIT_CORE, 0, 0);
    let _ = signal_hook::low_level::emulate_default_handler(signal);
    // Only reached for signals that do not end a process by default.
    ExitCode::from((128 + signal) as u8)
}
