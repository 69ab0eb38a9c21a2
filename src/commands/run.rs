//! `residue run`: record a program and its children.

mod event_log;
mod event_turns;
mod summary;

use crate::commands::symbolize::SymbolArgs;
use crate::flags::arguments;
use crate::flags::help::TEMPLATE;
use anyhow::{Context, Result, bail};
use clap::ValueEnum;
use nix::sys::resource::{Resource, setrlimit};
use nix::sys::signal::Signal;
use residue_finish::Asked;
use residue_profile::units;
use residue_recording::arenas::{ArenaDirectory, Order};
use residue_recording::destination::Destination;
use residue_recording::ending::{self, Run};
use residue_recording::line_moments::LineMoments;
use residue_recording::lines::LineEvents;
use residue_recording::output_name::{self, Surroundings};
use residue_recording::passing::{Passed, Passing};
use residue_recording::prepared::Prepared;
use residue_recording::program::{self, Obstacle};
use residue_recording::settings::{Events, Injection, Settings};
use residue_recording::signals::{self, Forwarding};
use residue_recording::triggers::{Requests, Triggers};
use residue_recording::watch::{self, Orders, Snapshots};
use residue_recording::{ended, own_names, threads};
use residue_text::output::tell;
use std::ffi::{OsStr, OsString};
use std::io;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitCode, ExitStatus};
use std::time::{Duration, Instant};

use event_log::Sink;
use summary::{Expected, Summary};

#[derive(clap::Args)]
#[command(
    help_template = TEMPLATE,
    before_help = "\
Examples:
  residue run ./simulate run.mac
  residue run -o job.residue -- ./simulate run.mac
  residue run --event-function 'Manager::ProcessOneEvent' -- ./simulate
  residue run --event-line 'event (?<id>\\d+) hits (?<hits>\\d+)' -- ./simulate
  residue run --print-events -- ./simulate          # a line for each event
  residue run --cpu -- ./simulate                   # and where CPU time goes
  residue run -t cc1plus -- make -j8                # the compiler only",
    after_help = "\
Exit status: the program's own; 125 for wrong usage or if residue cannot record, 126 if CMD is not executable, \
127 if CMD is not found. If a signal ends the program, the same signal ends residue."
)]
pub struct Args {
    /// Profile to write [default: PROGRAM.PID.residue]
    ///
    /// In a directory it gets its default name. With several processes it holds the one with the
    /// most events, else the most memory; the others go to the directory FILE.processes beside
    /// it, without FILE's suffix. In FILE, %p is the number of the process, %h the host, %n the
    /// rank of an MPI or Slurm job, %q{VAR} an environment variable, and %% is %. Ranks of a job
    /// get files of their own (job.rank2.residue). If FILE cannot be written, the program still
    /// runs, and residue says at once where the profile goes instead.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Record only programs of this name
    ///
    /// The default is all programs; `*` and `?` are wildcards.
    #[arg(short = 't', long, value_name = "NAME", value_parser = arguments::program_pattern)]
    program: Option<String>,
    /// Keep stacks only for blocks of at least this size (512, 4KiB)
    ///
    /// Smaller ones are counted in one pooled stack.
    #[arg(
        long,
        value_name = "SIZE",
        default_value = "0",
        hide_default_value = true,
        value_parser = arguments::size,
        help_heading = RECORDER
    )]
    min_size: u64,
    /// Keep stacks only for blocks of at most this size (1MiB)
    ///
    /// Larger ones are counted in one pooled stack.
    #[arg(long, value_name = "SIZE", value_parser = arguments::size, help_heading = RECORDER)]
    max_size: Option<u64>,
    /// Whether to record from the start
    ///
    /// `paused` records nothing until the program calls residue_resume_all.
    #[arg(
        long,
        value_enum,
        value_name = "STATE",
        default_value_t = Start::Recording,
        help_heading = RECORDER
    )]
    start: Start,
    /// Sample where CPU time goes as well, so many times a second [default: 99]
    ///
    /// Each thread is sampled by a timer on its own CPU time, with its whole stack: one that waits is
    /// not disturbed. `residue report --counter cpu` shows it. The recorder takes one real-time
    /// signal for it; threads that block all signals are not sampled.
    #[arg(
        long,
        value_name = "HZ",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "99",
        value_parser = clap::value_parser!(u32).range(1..=MOST_SAMPLES_HZ),
        help_heading = CPU
    )]
    cpu: Option<u32>,
    /// Record CPU time alone
    ///
    /// Calls of malloc and its kin are not touched.
    #[arg(long, requires = "cpu", help_heading = CPU)]
    no_heap: bool,
    /// Put all processes into one profile
    ///
    /// `residue processes FILE` lists them, FILE@process:PID is one of them in every command.
    #[arg(long)]
    one_file: bool,
    /// Do not record the processes that the program starts
    ///
    /// One file is written.
    #[arg(long)]
    no_children: bool,
    /// Cut the middle out of stacks with more than N frames
    #[arg(
        long,
        value_name = "N",
        default_value_t = 4096,
        value_parser = clap::value_parser!(u32).range(2..=32768),
        hide_short_help = true, help_heading = RECORDER
    )]
    max_depth: u32,
    /// Compare stacks (all, or one in N) with those of libgcc's unwinder
    ///
    /// Differences are counted and reported.
    #[arg(
        long,
        value_name = "N",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "1",
        value_parser = clap::value_parser!(u32).range(1..),
        hide_short_help = true,
        help_heading = RECORDER
    )]
    verify_stacks: Option<u32>,
    /// Begin an event at each call of this function
    ///
    /// A mangled or demangled name, with or without parameters; `*` and `?` are wildcards. The
    /// executable and all libraries are searched, also those loaded later. A symbol table is
    /// needed, debug information is not. A call ends the event before it on the same thread.
    /// Inlined functions are never called, and functions shorter than five bytes cannot be watched;
    /// the profile says how many. May be given several times.
    #[arg(
        long,
        value_name = "NAME",
        conflicts_with = "event_line",
        value_parser = clap::builder::NonEmptyStringValueParser::new(),
        help_heading = EVENTS
    )]
    event_function: Vec<String>,
    /// Take each line of output that matches as an event
    ///
    /// The named group `id` is the event's id, other named groups are its counters. A line with
    /// counters ends its event, a line without begins it. The program is not stopped at its lines: use --event-function for programs that print many lines
    /// a second. Programs must not buffer their output: run Python with -u, C programs under
    /// `stdbuf -oL`.
    #[arg(
        long,
        value_name = "REGEX",
        value_parser = clap::builder::NonEmptyStringValueParser::new(),
        help_heading = EVENTS
    )]
    event_line: Option<String>,
    /// Interval that counts as an event where there are none
    ///
    /// `1s`, `250ms`, `2min`. 0 for none. Rates are then per tick. The first event of the program ends the ticks.
    #[arg(
        long,
        value_name = "TIME",
        default_value = "1s",
        value_parser = arguments::time,
        help_heading = EVENTS
    )]
    tick: Duration,
    /// Take a snapshot at every N-th event
    ///
    /// A snapshot keeps the heap by stack, and /proc/PID/maps, smaps and numa_maps. The event's
    /// number is its name: FILE@51.
    #[arg(
        long,
        value_name = "N",
        value_parser = clap::value_parser!(u64).range(1..),
        help_heading = EVENTS
    )]
    snapshot_every: Option<u64>,
    /// Take snapshots at these events: 1,51,101
    #[arg(
        long,
        value_name = "EVENTS",
        value_delimiter = ',',
        value_parser = arguments::event,
        help_heading = EVENTS
    )]
    snapshot_at: Vec<arguments::Event>,
    /// Take a snapshot when this file appears or is touched
    ///
    /// The file is then removed. One that is there at the start is left alone until it is touched.
    /// All recorded processes have a snapshot: outside-1, outside-2, ... `touch FILE` is enough.
    #[arg(long, value_name = "FILE", hide_short_help = true, help_heading = EVENTS)]
    snapshot_file: Option<PathBuf>,
    /// Take a snapshot when residue itself gets this signal: SIGUSR1, SIGUSR2 or SIGHUP
    ///
    /// The default is none: signals are passed on to the program. This one is not. All recorded
    /// processes have a snapshot: `kill -USR1 PID` with the number of `residue run`.
    #[arg(
        long,
        value_name = "SIGNAL",
        value_parser = arguments::snapshot_signal,
        hide_short_help = true,
        help_heading = EVENTS
    )]
    snapshot_signal: Option<Signal>,
    /// Print a line for each event when it is over, to stderr or to FILE
    ///
    /// The process, the event, its id, the time since the start, and virtual size, RSS and live
    /// heap with what each grew by in that event; at the end the largest jumps of each. Events that
    /// come faster than some thousands a second share lines, and are counted.
    #[arg(
        long,
        value_name = "FILE",
        num_args = 0..=1,
        require_equals = true,
        help_heading = EVENTS
    )]
    print_events: Option<Option<PathBuf>>,
    /// Leak this much at every event, to check the measurement
    ///
    /// `10MB/event`, or `10MB/event,untouched` for memory that is never written to.
    #[arg(
        long,
        value_name = "SIZE/event",
        value_parser = arguments::injection,
        hide_short_help = true,
        help_heading = EVENTS
    )]
    inject_leak: Option<Injection>,
    /// Do not wait for processes that outlive the program
    #[arg(long)]
    no_wait: bool,
    /// Keep the recorder's shared memory below DIR [default: /dev/shm]
    #[arg(long, value_name = "DIR", hide_short_help = true, help_heading = RECORDER)]
    arena_dir: Option<PathBuf>,
    #[command(flatten)]
    symbols: SymbolArgs,
    /// Print errors only
    #[arg(short, long)]
    quiet: bool,
    /// Program to record, and its arguments
    #[arg(required = true, trailing_var_arg = true, value_name = "CMD")]
    command: Vec<OsString>,
}

const EVENTS: &str = "Events";
const CPU: &str = "CPU time";
const MOST_SAMPLES_HZ: i64 = 10_000;
const RECORDER: &str = "Recorder";

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Start {
    Recording,
    Paused,
}

impl Args {
    pub fn is_quiet(&self) -> bool {
        self.quiet
    }

    fn snapshots(&self) -> Snapshots {
        let numbers = self.snapshot_at.iter().filter_map(|event| match event {
            arguments::Event::Number(number) => Some(*number),
            // The end is a moment of every recording.
            arguments::Event::End => None,
        });
        Snapshots {
            every: self.snapshot_every.unwrap_or(0),
            at: numbers.collect(),
        }
    }
}

/// Also for wrong usage: the program's own statuses must not be mistaken for it.
pub const EXIT_CANNOT_START: u8 = 125;
const EXIT_NOT_EXECUTABLE: u8 = 126;
const EXIT_NOT_FOUND: u8 = 127;

/// As many as fit into what the recorder is told.
const MOST_SNAPSHOTS_AT: usize = 200;

/// Processes left behind are waited for this long before the user is told.
const SILENT_WAIT: Duration = Duration::from_secs(1);
const WAIT_STEP: Duration = Duration::from_millis(20);

pub fn run(args: Args) -> ExitCode {
    record(args).unwrap_or_else(|error| {
        tell(format_args!("{error:#}"));
        ExitCode::from(EXIT_CANNOT_START)
    })
}

fn record(args: Args) -> Result<ExitCode> {
    let max_size = args.max_size.unwrap_or(u64::MAX);
    if args.min_size > max_size {
        bail!(
            "--min-size {} is above --max-size {max_size}: no stack would be kept",
            args.min_size
        );
    }
    if args.snapshot_at.len() > MOST_SNAPSHOTS_AT {
        bail!("--snapshot-at takes at most {MOST_SNAPSHOTS_AT} events; try --snapshot-every");
    }
    if let Some(signal) = args.snapshot_signal.filter(|it| signals::is_ignored(*it)) {
        bail!(
            "--snapshot-signal {signal}: it is ignored here (nohup does so), and the program has to \
             inherit that; use SIGUSR1 or SIGUSR2"
        );
    }
    if let Some(file) = &args.snapshot_file {
        expect_place(file).with_context(|| format!("--snapshot-file {}", file.display()))?;
    }
    let sink = args.print_events.as_ref();
    let sink = sink.map(|file| Sink::new(file.as_deref())).transpose()?;
    let lines = args.event_line.as_deref().map(LineEvents::new);
    let lines = lines.transpose().context("--event-line")?;
    let path = match program::find(&args.command[0]) {
        Ok(path) => path,
        Err(reason) => return Ok(cannot_run(&args.command[0], reason.into())),
    };
    let obstacle = program::obstacle(&path);
    if let Some(obstacle) = &obstacle {
        tell(format_args!("{} {}", path.display(), obstacle.explain()));
    }
    let output = args.output.as_deref().map(filled_in).transpose()?;
    let (destination, warning) = Destination::usable(output.as_deref());
    if let Some(warning) = warning {
        tell(warning);
    }
    let order = Order {
        destination,
        asked: Asked {
            event_functions: args.event_function.clone(),
            event_line: args.event_line.clone(),
        },
    };
    let signals = signals::take().context("cannot handle signals")?;
    let requests = Requests::default();
    let triggers = Triggers::new(args.snapshot_file.as_deref(), requests.clone());
    let recording = match prepare(&args, &path, &order, obstacle.as_ref()) {
        Ok(recording) => recording,
        Err(error) => {
            tell(format_args!(
                "cannot record: {error:#}; the program runs unrecorded"
            ));
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
    // Before the program, whose output somebody must read; all other threads come after it,
    // which may need what the user's limit leaves.
    let passing = match (&lines, &arenas) {
        (Some(lines), Some(arenas)) => {
            let mut moments = LineMoments::new(arenas.path.clone(), snapshots.clone());
            Passing::start(lines, move |event| moments.event(event))
                .map_err(|error| tell_without("--event-line: lines are no events", &error))
                .ok()
        }
        _ => None,
    };
    let (inlets, passing) = passing.unzip();
    let spawned = match inlets {
        Some(inlets) => inlets.spawn(command),
        None => spawn(command),
    };
    let mut child = match spawned {
        Ok(child) => child,
        Err(error) => {
            if let Some(arenas) = arenas {
                arenas.remove();
            }
            return Ok(cannot_run(&args.command[0], error));
        }
    };
    let pid = child.id();
    let forwarding = Forwarding::to(pid, args.snapshot_signal.map(|signal| (signal, requests)));
    if let Err(error) = forwarding.listen(signals) {
        tell_without("signals to residue are not passed on", &error);
    }
    let orders = Orders {
        tick: args.tick,
        functions: args.event_function.clone(),
        snapshots,
    };
    let is_quiet = args.quiet;
    let search = args.symbols.search();
    let asked = order.asked.clone();
    let helpers = arenas.as_ref().map(|ArenaDirectory { path, .. }| {
        let watch = watch::start(path.clone(), orders, triggers, move |text| {
            if !is_quiet {
                tell(text);
            }
        })
        .map_err(|error| {
            tell_without("ticks, --event-function and snapshots are missing", &error);
        });
        // Without it, all is finished at the end.
        let ended = ended::start(path.clone(), pid, asked, search.clone());
        (watch, ended)
    });
    let event_log = arenas.as_ref().zip(sink).and_then(|(arenas, sink)| {
        event_log::Running::start(&arenas.path, sink)
            .map_err(|error| tell_without("--print-events prints nothing", &error))
            .ok()
    });
    let status = wait(&mut child)?;
    let ended_unix_ns = ending::now_unix_ns();
    forwarding.program_ended();
    if let Some(arenas) = arenas {
        if !args.no_wait {
            wait_for_others(&arenas, &forwarding, args.quiet);
        }
        drop(helpers);
        if let Some(passing) = passing {
            tell_of_lines(&passing.join());
        }
        if let Some(event_log) = event_log {
            event_log.end();
        }
        forwarding.writes_profile(&arenas.path);
        let run = Run {
            first_pid: Some(pid),
            status: Some(status),
            ended_unix_ns,
            own_rss_bytes,
            keeps_replaced: !args.no_children,
            order,
        };
        threads::spread(|| {
            let mut summary = Summary::new(&arenas);
            run.finish_all(arenas, &search, |finished| summary.add(finished));
            if args.one_file {
                summary.join();
            }
            summary.tell(&Expected {
                is_quiet: args.quiet,
                program: args.program.as_deref(),
                can_be_recorded: obstacle.is_none(),
            });
        });
    }
    Ok(end_as(status))
}

/// Starts the program. A thread that ended a moment ago may still count against the user's limit.
fn spawn(mut command: Command) -> io::Result<Child> {
    const TRIES: usize = 20;
    for _ in 0..TRIES {
        match command.spawn() {
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                std::thread::sleep(WAIT_STEP);
            }
            result => return result,
        }
    }
    command.spawn()
}

/// Says what is missing where no thread can be started.
fn tell_without(missing: &str, error: &io::Error) {
    tell(format_args!("{missing}: cannot start a thread: {error}"));
}

/// A file can come and go here.
fn expect_place(file: &Path) -> Result<()> {
    if file.is_dir() {
        bail!("is a directory; name a file that does not exist yet");
    }
    let folder = match file.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    match folder.is_dir() {
        true => Ok(()),
        false => bail!("no directory {}; make it first", folder.display()),
    }
}

/// The name of the output in this place of a parallel job.
fn filled_in(wanted: &Path) -> Result<PathBuf> {
    let host = nix::unistd::gethostname().unwrap_or_default();
    let around = Surroundings {
        host: &host.to_string_lossy(),
        variable: &|name| std::env::var_os(name),
    };
    output_name::filled_in(wanted, &around)
}

fn cannot_run(command: &OsStr, error: io::Error) -> ExitCode {
    let is_there = program::find(command).is_ok();
    let (reason, status) = match error.kind() {
        io::ErrorKind::NotFound if is_there => (
            "cannot execute: its interpreter was not found".to_string(),
            EXIT_NOT_EXECUTABLE,
        ),
        io::ErrorKind::NotFound => ("command not found".to_string(), EXIT_NOT_FOUND),
        io::ErrorKind::PermissionDenied => ("permission denied".to_string(), EXIT_NOT_EXECUTABLE),
        io::ErrorKind::IsADirectory => ("is a directory".to_string(), EXIT_NOT_EXECUTABLE),
        _ if error.raw_os_error() == Some(nix::libc::ENOEXEC) => (
            "cannot execute: not a program".to_string(),
            EXIT_NOT_EXECUTABLE,
        ),
        _ => (format!("cannot start: {error}"), EXIT_CANNOT_START),
    };
    tell(format_args!("{}: {reason}", command.display()));
    ExitCode::from(status)
}

/// `None` where preloading would make the program's own dynamic linker complain.
fn prepare(
    args: &Args,
    program: &Path,
    order: &Order,
    obstacle: Option<&Obstacle>,
) -> Result<Option<Prepared>> {
    if obstacle.is_some_and(Obstacle::forbids_preload) {
        return Ok(None);
    }
    let settings = Settings {
        min_size: args.min_size,
        max_size: args.max_size.unwrap_or(u64::MAX),
        max_depth: args.max_depth,
        verify_every: args.verify_stacks.map_or(0, u64::from),
        start_paused: args.start == Start::Paused,
        with_children: !args.no_children,
        program_pattern: args.program.clone().unwrap_or_default(),
        events: match (args.event_function.is_empty(), &args.event_line) {
            (false, _) => Events::Function,
            (true, Some(_)) => Events::Lines,
            (true, None) => Events::Marks,
        },
        tick: args.tick,
        snapshots: args.snapshots(),
        injection: args.inject_leak,
        own_names: match args.no_heap {
            true => String::new(),
            false => own_names::of(program),
        },
        cpu_hz: args.cpu.unwrap_or(0),
        with_heap: !args.no_heap,
    };
    Prepared::new(args.arena_dir.as_deref(), order, &settings).map(Some)
}

/// What went wrong with output on its way through.
fn tell_of_lines(passed: &Passed) {
    if let Some(error) = &passed.first_error {
        tell(format_args!(
            "{} of the program's output could not be written: {error}",
            units::bytes(passed.lost_bytes)
        ));
    }
    if passed.not_numbers != 0 {
        tell(format_args!(
            "--event-line: ignored {} that did not match a number",
            units::counted(passed.not_numbers, "group", "groups")
        ));
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
            tell(format_args!(
                "the program ended; still recording {}; Ctrl-C finishes now",
                still.join(", ")
            ));
        }
        std::thread::sleep(WAIT_STEP);
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
