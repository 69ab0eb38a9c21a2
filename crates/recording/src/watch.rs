//! The watch over the recorded processes while they run: it ticks where a program
//! marks no events, and answers where functions are that begin events.
//!
//! The recorder itself never asks for the time and reads no symbols.

use super::arenas::ArenaDirectory;
use super::functions;
use super::pausing;
use super::pictures::OnRequest;
use super::repeated::Repeated;
use super::sighting::{About, Process};
use super::snapshots;
use super::triggers::Triggers;
use residue_arena::header;
use residue_profile::timeline::MomentKind;
use residue_profile::units;
use std::collections::BTreeMap;
use std::io;
use std::path::PathBuf;
use std::sync::atomic::Ordering;
use std::time::Duration;

/// How often the processes are looked at: a program that waits for an answer about
/// its functions waits this long.
const PERIOD: Duration = Duration::from_millis(50);
const QUICK_PERIOD: Duration = Duration::from_millis(2);

/// What to watch for.
#[derive(Debug, Clone, Default)]
pub struct Orders {
    pub tick: Duration,
    /// Functions whose entries begin events.
    pub functions: Vec<String>,
    pub snapshots: Snapshots,
    /// Ticks count where events are to be recorded.
    pub ticks_are_wanted: bool,
}

/// The events at which a snapshot is wanted.
#[derive(Debug, Clone, Default)]
pub struct Snapshots {
    pub every: u64,
    pub at: Vec<u64>,
}

impl Snapshots {
    pub fn holds(&self, event: u64) -> bool {
        let is_every = self.every != 0 && event.is_multiple_of(self.every);
        is_every || self.at.contains(&event)
    }
}

/// Watches the processes that record into a directory, from now on. What the user should know
/// is told by `tell`. Pictures are read on request where nobody reads them anyway.
pub fn start(
    directory: PathBuf,
    orders: Orders,
    mut triggers: Triggers,
    mut pictures: Option<OnRequest>,
    tell: impl Fn(String) + Send + 'static,
) -> io::Result<Repeated> {
    let directory = ArenaDirectory::at(directory);
    let mut watched = Watched::default();
    let period = match orders.functions.is_empty() {
        true => PERIOD.min(orders.tick / 4).max(QUICK_PERIOD),
        false => QUICK_PERIOD,
    };
    Repeated::start("watch", move |_| {
        watched.look(&directory, &orders);
        watched.take_snapshots(&mut triggers, &tell);
        if let Some(pictures) = &mut pictures {
            watched
                .0
                .values()
                .flatten()
                .for_each(|it| pictures.look(it));
        }
        period
    })
}

/// The processes known so far, by arena; `None` for those that have ended.
#[derive(Default)]
struct Watched(BTreeMap<PathBuf, Option<Process>>);

impl Watched {
    fn look(&mut self, directory: &ArenaDirectory, orders: &Orders) {
        let files = directory.files();
        // What was finished and deleted takes memory as long as it is mapped.
        self.0.retain(|path, _| files.contains(path));
        for path in files {
            if !self.0.contains_key(&path) {
                let Some(process) = Process::open(&path) else {
                    continue;
                };
                self.0.insert(path.clone(), Some(process));
            }
            let Some(place) = self.0.get_mut(&path) else {
                continue;
            };
            if place
                .as_ref()
                .is_some_and(|process| !process.window.is_whole())
            {
                *place = None;
            }
            let Some(process) = place else {
                continue;
            };
            if !orders.functions.is_empty() {
                functions::answer(process, &orders.functions);
            }
            if !is_due(process) {
                continue;
            }
            if !process.is_running() {
                *place = None;
                continue;
            }
            // What cannot be written down now is tried again at the next tick.
            let _ = tick(process, orders);
        }
    }
}

impl Watched {
    /// Takes a snapshot of every process that runs, if that is asked for. Before any does, the
    /// request waits.
    fn take_snapshots(&mut self, triggers: &mut Triggers, tell: &dyn Fn(String)) {
        let Some(asked) = triggers.asked() else {
            return;
        };
        let running = self.0.values_mut().flatten();
        let mut running = running.filter(|process| process.is_running()).peekable();
        if running.peek().is_none() {
            return;
        }
        for process in running {
            let pid = process.pid().unwrap_or_default();
            tell(match snapshots::take_now(process, None) {
                Ok((name, seen)) => format!(
                    "snapshot `{name}` of process {pid}, at event {}: live heap {}",
                    seen.event,
                    units::exact_bytes(seen.live_bytes)
                ),
                Err(error) => format!("no snapshot of process {pid}: {error:#}"),
            });
        }
        if let Err(trouble) = triggers.done(asked) {
            tell(trouble);
        }
    }
}

/// The tick that a process without events is in; zero where it has events.
fn tick_now(process: &Process) -> u64 {
    let tick_ns = process.window.get(header::TICK_NS);
    let has_ticks = process.window.get(header::SOURCE) == header::SOURCE_TICKS;
    match has_ticks && tick_ns != 0 {
        true => process.life().as_nanos() as u64 / tick_ns,
        false => 0,
    }
}

/// Whether the next tick has begun.
fn is_due(process: &Process) -> bool {
    tick_now(process) > process.window.get(header::BIRTH)
}

/// Begins the next tick of a process without events, if it is time.
fn tick(process: &mut Process, orders: &Orders) -> anyhow::Result<()> {
    let before = process.window.get(header::BIRTH);
    let due = tick_now(process);
    if due <= before {
        return Ok(());
    }
    // The program's first event may come at this very moment; then it is the event's.
    let birth = process.window.word(header::BIRTH);
    if birth
        .compare_exchange(before, due, Ordering::AcqRel, Ordering::Acquire)
        .is_err()
    {
        return Ok(());
    }
    if orders.ticks_are_wanted {
        pausing::event_begins(&process.window, before, due);
    }
    if !process.keep(due) {
        return Ok(());
    }
    let wants_snapshot = orders.snapshots.holds(due);
    process.moment(
        MomentKind::Tick,
        About {
            event: due as u32,
            id: due,
            ..About::default()
        },
    )?;
    if wants_snapshot {
        snapshots::take(process, due as u32, due.to_string())?;
    }
    Ok(())
}
