//! `--print-events`: a line for every event while the program runs, and the largest jumps.

use super::event_turns::{MEASURES, Turn, Turns, named, signed, thinned};
use anyhow::{Context, Result};
use residue_profile::units;
use residue_recording::arenas::ArenaDirectory;
use residue_recording::event_rows::EventRows;
use residue_recording::repeated::Repeated;
use residue_recording::sighting::Process;
use residue_text::output::{tell, tell_plain};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// How often the arenas are looked at, and most lines of a process in one look: more would take
/// the processors from the program, and nobody reads them.
const PERIOD: Duration = Duration::from_millis(100);
const MOST_LINES: usize = 2000;

/// Jumps that are told of each size.
const MOST_JUMPS: usize = 3;

/// Where lines go.
pub enum Sink {
    Stderr,
    File(PathBuf, File),
}

impl Sink {
    /// The file is made before the program starts.
    pub fn new(file: Option<&Path>) -> Result<Sink> {
        let Some(path) = file else {
            return Ok(Sink::Stderr);
        };
        let file = File::create(path)
            .with_context(|| format!("--print-events={}: cannot write", path.display()))?;
        Ok(Sink::File(path.to_path_buf(), file))
    }

    fn write(&mut self, lines: &[String]) -> io::Result<()> {
        match self {
            // Whether anybody reads it must not decide what becomes of a recording.
            Sink::Stderr if !lines.is_empty() => {
                let lines: Vec<String> = lines.iter().map(|it| format!("residue: {it}")).collect();
                tell_plain(lines.join("\n"));
                Ok(())
            }
            Sink::Stderr => Ok(()),
            Sink::File(_, file) => {
                let lines: String = lines.iter().map(|it| format!("{it}\n")).collect();
                file.write_all(lines.as_bytes())
            }
        }
    }
}

/// A log that is written while the program runs.
pub struct Running {
    log: Arc<Mutex<EventLog>>,
    looks: Repeated,
}

impl Running {
    /// `are_lines`: events are lines, which are read when their process may have ended. Fails where
    /// no thread can be started.
    pub fn start(arenas: &Path, sink: Sink, are_lines: bool) -> io::Result<Running> {
        let log = Arc::new(Mutex::new(EventLog::new(arenas, sink, are_lines)));
        let shared = Arc::clone(&log);
        let looks = Repeated::start("events", move |_| {
            let mut log = shared.lock().unwrap_or_else(PoisonError::into_inner);
            log.look(false);
            PERIOD
        })?;
        Ok(Running { log, looks })
    }

    /// All has ended, and nothing is finished yet.
    pub fn end(self) {
        drop(self.looks);
        let mut log = self.log.lock().unwrap_or_else(PoisonError::into_inner);
        log.look(true);
        log.tell_jumps();
    }
}

struct EventLog {
    directory: ArenaDirectory,
    sink: Sink,
    are_lines: bool,
    /// By arena; `None` for those that have ended.
    processes: BTreeMap<PathBuf, Option<(EventRows, Turns)>>,
    jumps: [Vec<Jump>; MEASURES.len()],
    events: u64,
    not_printed: u64,
    trouble: Option<io::Error>,
}

#[derive(Debug, Clone)]
struct Jump {
    bytes: i64,
    pid: u32,
    /// `event 7`, `events 7..9`.
    events: String,
}

impl EventLog {
    fn new(arenas: &Path, sink: Sink, are_lines: bool) -> EventLog {
        EventLog {
            directory: ArenaDirectory::at(arenas.to_path_buf()),
            sink,
            are_lines,
            processes: BTreeMap::new(),
            jumps: Default::default(),
            events: 0,
            not_printed: 0,
            trouble: None,
        }
    }

    fn look(&mut self, is_over: bool) {
        let files = self.directory.files();
        for path in &files {
            if !self.processes.contains_key(path)
                && let Some(process) = Process::open(path)
                && let Ok(rows) = EventRows::of(process)
            {
                let followed = Some((rows, Turns::default()));
                self.processes.insert(path.clone(), followed);
            }
        }
        let mut lines = Vec::new();
        for (path, followed) in &mut self.processes {
            let Some((rows, turns)) = followed else {
                continue;
            };
            // First this: what came before it ended is read then.
            let will_have_none = !self.are_lines && !rows.is_running();
            let has_ended = is_over || !files.contains(path) || will_have_none;
            let pid = rows.pid;
            let news = rows.news(has_ended).unwrap_or_default();
            let mut told: Vec<Turn> = news.into_iter().filter_map(|row| turns.take(row)).collect();
            if has_ended {
                told.extend(turns.end(rows.live_bytes()));
                *followed = None;
            }
            for turn in &told {
                self.events += turn.events();
                note_jumps(&mut self.jumps, pid, turn);
            }
            for turn in thinned(told, MOST_LINES) {
                self.not_printed += turn.events() - 1;
                lines.push(format!("[{pid}] {turn}"));
            }
        }
        self.processes.retain(|path, _| files.contains(path));
        self.write(&lines);
    }

    fn write(&mut self, lines: &[String]) {
        if let Err(error) = self.sink.write(lines) {
            self.trouble.get_or_insert(error);
        }
    }

    fn tell_jumps(&mut self) {
        let mut lines = Vec::new();
        if self.not_printed > 0 {
            lines.push(format!(
                "{} of {} without a line of their own: they came too fast",
                units::count(self.not_printed),
                units::counted(self.events, "event", "events")
            ));
        }
        for (name, jumps) in MEASURES.iter().zip(&self.jumps) {
            let jumps: Vec<String> = jumps.iter().map(Jump::told).collect();
            let told = match jumps.is_empty() {
                true => "none".to_string(),
                false => jumps.join(", "),
            };
            lines.push(format!("largest jumps of {name}: {told}"));
        }
        if self.events == 0 {
            lines = vec!["no events to print; see `residue run --help`, Events".to_string()];
        }
        self.write(&lines);
        if let (Some(error), Sink::File(path, _)) = (&self.trouble, &self.sink) {
            let path = path.display();
            tell(format_args!("--print-events={path}: cannot write: {error}"));
        }
    }
}

/// Keeps the largest, of equal ones the first.
fn note_jumps(jumps: &mut [Vec<Jump>; MEASURES.len()], pid: u32, turn: &Turn) {
    for (largest, growth) in jumps.iter_mut().zip(turn.growths) {
        let Some(growth) = growth.filter(|growth| growth.bytes > 0) else {
            continue;
        };
        let place = largest.partition_point(|jump| jump.bytes >= growth.bytes);
        if place < MOST_JUMPS {
            let jump = Jump {
                bytes: growth.bytes,
                pid,
                events: named(turn.unit, growth.first, turn.last),
            };
            largest.insert(place, jump);
            largest.truncate(MOST_JUMPS);
        }
    }
}

impl Jump {
    fn told(&self) -> String {
        let Jump { bytes, pid, events } = self;
        format!("{} in {events} [{pid}]", signed(*bytes))
    }
}
