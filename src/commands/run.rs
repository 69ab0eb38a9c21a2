//! `residue run`: record a program and its children.

mod args;
mod event_log;
mod event_turns;
mod summary;

use anyhow::{Context, Result, bail};
use nix::sys::resource::{Resource, setrlimit};
use residue_finish::Asked;
use residue_profile::units;
use residue_recording::arenas::{ArenaDirectory, Order};
use residue_recording::destination::Destination;
use residue_recording::ending::{self, Run};
use residue_recording::line_moments::LineMoments;
use residue_recording::lines::LineEvents;
use residue_recording::output_name::{self, Surroundings};
use residue_recording::passing::{Passed, Passing};
use residue_recording::pausing::WantedEvents;
use residue_recording::pictures::{self, OnRequest};
use residue_recording::prepared::Prepared;
use residue_recording::program::{self, Obstacle};
use residue_recording::settings::{Events, Settings};
use residue_recording::signals::{self, Forwarding};
use residue_recording::triggers::{Requests, Triggers};
use residue_recording::watch::{self, Orders};
use residue_recording::{ended, own_names, threads};
use residue_text::output::tell;
use rustix::io::Errno;
use rustix::process::{Pid, WaitId, WaitIdOptions, WaitOptions, waitid, waitpid};
use std::ffi::OsStr;
use std::io;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitCode, ExitStatus};
use std::time::{Duration, Instant};

pub use args::Args;
use args::Start;
use event_log::Sink;
use summary::{Expected, Summary};

/// Also for wrong usage: the program's own statuses must not be mistaken for it.
pub const EXIT_CANNOT_START: u8 = 125;
const EXIT_NOT_EXECUTABLE: u8 = 126;
const EXIT_NOT_FOUND: u8 = 127;

/// As many as fit into what the recorder is told.
const MOST_SNAPSHOTS_AT: usize = 200;

/// Processes left behind are waited for this long before the user is told.
const SILENT_WAIT: Duration = Duration::from_secs(1);
/// A thread stands for some milliseconds while a picture is taken.
const STOP_STEP: Duration = Duration::from_millis(1);
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
    let recording = match prepare(
        &args,
        &path,
        &order,
        obstacle.as_ref(),
        args.wanted(lines.as_ref()),
    ) {
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
            let mut moments =
                LineMoments::new(arenas.path.clone(), snapshots.clone(), lines.is_end());
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
    let child = match spawned {
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
        tick: args.tick(),
        ticks_are_wanted: args.tick.is_some(),
        functions: args.event_function.clone(),
        snapshots,
    };
    let is_quiet = args.quiet;
    let search = args.symbols.search();
    let asked = order.asked.clone();
    let wants_holders = args.holders().is_some();
    let helpers = arenas.as_ref().map(|ArenaDirectory { path, .. }| {
        let on_request = OnRequest::new(path.clone(), search.clone());
        let on_request = (!wants_holders).then_some(on_request);
        let watch = watch::start(path.clone(), orders, triggers, on_request, move |text| {
            if !is_quiet {
                tell(text);
            }
        })
        .map_err(|error| {
            tell_without(
                "ticks, --event-function, snapshots and pictures on request are missing",
                &error,
            );
        });
        // Without it, all is finished at the end.
        let ended = ended::start(path.clone(), pid, asked, search.clone());
        let pictures = wants_holders.then(|| pictures::start(path.clone(), search.clone()));
        (watch, ended, pictures)
    });
    let event_log = arenas.as_ref().zip(sink).and_then(|(arenas, sink)| {
        event_log::Running::start(&arenas.path, sink, args.event_line.is_some())
            .map_err(|error| tell_without("--print-events prints nothing", &error))
            .ok()
    });
    let status = wait(&child)?;
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
    wanted: WantedEvents,
) -> Result<Option<Prepared>> {
    if obstacle.is_some_and(Obstacle::forbids_preload) {
        return Ok(None);
    }
    let settings = Settings {
        min_size: args.min_size,
        max_size: args.max_size.unwrap_or(u64::MAX),
        max_depth: args.max_depth,
        verify_every: args.verify_stacks.map_or(0, u64::from),
        start_paused: args.start == Start::Paused || wanted.from != 0,
        wanted,
        with_children: !args.no_children,
        program_pattern: args.program.clone().unwrap_or_default(),
        events: match (args.event_function.is_empty(), &args.event_line) {
            (false, _) => Events::Function,
            (true, Some(_)) => Events::Lines,
            (true, None) => Events::Marks,
        },
        tick: args.tick(),
        snapshots: args.snapshots(),
        injection: args.inject_leak,
        own_names: match args.no_heap {
            true => String::new(),
            false => own_names::of(program),
        },
        cpu_hz: args.cpu.unwrap_or(0),
        with_heap: !args.no_heap,
        holders: args.holders(),
    };
    Prepared::new(args.arena_dir.as_deref(), order, &settings, args.allocator).map(Some)
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

/// Waits for the program's end. That it is stopped while a picture is taken is told here, too: it
/// is only looked at, since the signal that a thread was stopped at goes to whoever takes the word.
fn wait(child: &Child) -> Result<ExitStatus> {
    let pid = Pid::from_raw(child.id() as i32).context("the program has no number")?;
    let end_or_stop = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
    loop {
        match waitid(WaitId::Pid(pid), end_or_stop) {
            Ok(Some(status)) if status.stopped() || status.trapped() => {
                std::thread::sleep(STOP_STEP);
            }
            Ok(_) => break,
            Err(Errno::INTR) => {}
            Err(error) => return Err(error).context("cannot wait for the program"),
        }
    }
    let ended = waitpid(Some(pid), WaitOptions::empty()).context("cannot wait for the program")?;
    let (_, status) = ended.context("the program ended without a status")?;
    Ok(ExitStatus::from_raw(status.as_raw()))
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
