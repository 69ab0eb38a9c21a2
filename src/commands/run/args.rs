//! What `residue run` can be asked for.

use crate::commands::symbolize::SymbolArgs;
use crate::flags::arguments;
use crate::flags::help::TEMPLATE;
use crate::flags::words;
use clap::ValueEnum;
use nix::sys::signal::Signal;
use residue_recording::allocators::Allocator;
use residue_recording::lines::LineEvents;
use residue_recording::pausing::WantedEvents;
use residue_recording::settings::Injection;
use residue_recording::watch::Snapshots;
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

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
    pub(super) output: Option<PathBuf>,
    /// Record only programs of this name
    ///
    /// The default is all programs; `*` and `?` are wildcards.
    #[arg(short = 't', long, value_name = "NAME", value_parser = arguments::program_pattern)]
    pub(super) program: Option<String>,
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
    pub(super) min_size: u64,
    /// Keep stacks only for blocks of at most this size (1MiB)
    ///
    /// Larger ones are counted in one pooled stack.
    #[arg(long, value_name = "SIZE", value_parser = arguments::size, help_heading = RECORDER)]
    pub(super) max_size: Option<u64>,
    /// Whether to record from the start
    ///
    /// `paused` records nothing until `residue resume PID`, or until the program calls
    /// residue_resume_all.
    #[arg(
        long,
        value_enum,
        value_name = "STATE",
        default_value_t = Start::Recording,
        help_heading = RECORDER
    )]
    pub(super) start: Start,
    /// Record from the begin of this event on [default: from the start]
    ///
    /// Events are numbered from 1. The same as --events N..end.
    #[arg(
        long,
        value_name = "N",
        value_parser = arguments::first_event,
        conflicts_with_all = ["start", "events"],
        hide_short_help = true,
        help_heading = EVENTS
    )]
    pub(super) from_event: Option<WantedEvents>,
    /// Record only from the begin of event A to the begin of event B: 100..200 [default: all]
    ///
    /// `100..end` and `..200` leave one side open. Other events are counted and timed, and
    /// their allocations are not recorded; the verdict is of those that were. Ticks count only
    /// with --tick.
    #[arg(
        long,
        value_name = "A..B",
        value_parser = arguments::wanted_events,
        conflicts_with = "start",
        help_heading = EVENTS
    )]
    pub(super) events: Option<WantedEvents>,
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
    pub(super) cpu: Option<u32>,
    /// Record CPU time alone
    ///
    /// Calls of malloc and its kin are not touched.
    #[arg(long, requires = "cpu", help_heading = CPU)]
    pub(super) no_heap: bool,
    /// Find out who holds what is live
    ///
    /// When the program ends, and at some events before. A picture of the process's memory is taken and searched for pointers. `residue holders` tells
    /// then which blocks are lost, and which variable and which blocks hold the others.
    #[arg(long)]
    pub(super) holders: bool,
    /// The same at the end of these events: 51,101; and when the program ends
    #[arg(
        long,
        value_name = "EVENTS",
        value_delimiter = ',',
        value_parser = clap::value_parser!(u64).range(1..),
        hide_short_help = true
    )]
    pub(super) holders_at: Vec<u64>,
    /// Start the program with another allocator
    ///
    /// One that is installed is preloaded, in place of the program's own. Two runs and `residue diff`, `residue pins` show what it
    /// would change: how fast memory grows, and what of it is slack.
    #[arg(long, value_name = "NAME", value_parser = words::allocator(), conflicts_with = "no_heap")]
    pub(super) allocator: Option<Allocator>,
    /// Put all processes into one profile
    ///
    /// `residue processes FILE` lists them, FILE@process:PID is one of them in every command.
    #[arg(long)]
    pub(super) one_file: bool,
    /// Do not record the processes that the program starts
    ///
    /// One file is written.
    #[arg(long)]
    pub(super) no_children: bool,
    /// Cut the middle out of stacks with more than N frames
    #[arg(
        long,
        value_name = "N",
        default_value_t = 4096,
        value_parser = clap::value_parser!(u32).range(2..=32768),
        hide_short_help = true, help_heading = RECORDER
    )]
    pub(super) max_depth: u32,
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
    pub(super) verify_stacks: Option<u32>,
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
    pub(super) event_function: Vec<String>,
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
    pub(super) event_line: Option<String>,
    /// Interval that counts as an event where there are none [default: 1s]
    ///
    /// `1s`, `250ms`, `2min`. 0 for none. Rates are then per tick. The first event of the program ends the ticks.
    #[arg(
        long,
        value_name = "TIME",
        value_parser = arguments::time,
        help_heading = EVENTS
    )]
    pub(super) tick: Option<Duration>,
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
    pub(super) snapshot_every: Option<u64>,
    /// Take snapshots at these events: 1,51,101
    #[arg(
        long,
        value_name = "EVENTS",
        value_delimiter = ',',
        value_parser = arguments::event,
        help_heading = EVENTS
    )]
    pub(super) snapshot_at: Vec<arguments::Event>,
    /// Take a snapshot when this file appears or is touched
    ///
    /// The file is then removed. One that is there at the start is left alone until it is touched.
    /// All recorded processes have a snapshot: outside-1, outside-2, ... `touch FILE` is enough.
    #[arg(long, value_name = "FILE", hide_short_help = true, help_heading = EVENTS)]
    pub(super) snapshot_file: Option<PathBuf>,
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
    pub(super) snapshot_signal: Option<Signal>,
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
    pub(super) print_events: Option<Option<PathBuf>>,
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
    pub(super) inject_leak: Option<Injection>,
    /// Do not wait for processes that outlive the program
    #[arg(long)]
    pub(super) no_wait: bool,
    /// Keep the recorder's shared memory below DIR [default: /dev/shm]
    #[arg(long, value_name = "DIR", hide_short_help = true, help_heading = RECORDER)]
    pub(super) arena_dir: Option<PathBuf>,
    #[command(flatten)]
    pub(super) symbols: SymbolArgs,
    /// Print errors only
    #[arg(short, long)]
    pub(super) quiet: bool,
    /// Program to record, and its arguments
    #[arg(required = true, trailing_var_arg = true, value_name = "CMD")]
    pub(super) command: Vec<OsString>,
}

const EVENTS: &str = "Events";
const USUAL_TICK: Duration = Duration::from_secs(1);
const CPU: &str = "CPU time";
const MOST_SAMPLES_HZ: i64 = 10_000;
const RECORDER: &str = "Recorder";

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Start {
    Recording,
    Paused,
}

impl Args {
    pub fn is_quiet(&self) -> bool {
        self.quiet
    }

    pub(super) fn tick(&self) -> Duration {
        self.tick.unwrap_or(USUAL_TICK)
    }

    /// The events to record. Where lines end them, the first begins with the program.
    pub(super) fn wanted(&self, lines: Option<&LineEvents>) -> WantedEvents {
        let wanted = self.from_event.or(self.events).unwrap_or_default();
        match lines.is_some_and(LineEvents::is_end) && wanted.from == 1 {
            true => WantedEvents { from: 0, ..wanted },
            false => wanted,
        }
    }

    /// The events at whose ends pictures are wanted, beside the program's; none chooses some.
    pub(super) fn holders(&self) -> Option<Vec<u64>> {
        (self.holders || !self.holders_at.is_empty()).then(|| self.holders_at.clone())
    }

    pub(super) fn snapshots(&self) -> Snapshots {
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
