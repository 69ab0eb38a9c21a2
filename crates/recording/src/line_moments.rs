//! Lines of output as events: each becomes a moment of every recorded process that
//! runs, since a line does not say who printed it.

use super::arenas::ArenaDirectory;
use super::lines::LineEvent;
use super::pausing;
use super::sighting::{About, Process};
use super::snapshots;
use super::watch::Snapshots;
use residue_arena::header;
use residue_profile::timeline::MomentKind;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::atomic::Ordering;

pub struct LineMoments {
    directory: ArenaDirectory,
    snapshots: Snapshots,
    /// A line is printed when its event is over.
    is_end: bool,
    processes: BTreeMap<PathBuf, Process>,
    /// The arenas of those that ran when the last line came.
    ran: Vec<PathBuf>,
}

impl LineMoments {
    pub fn new(directory: PathBuf, snapshots: Snapshots, is_end: bool) -> LineMoments {
        LineMoments {
            directory: ArenaDirectory::at(directory),
            snapshots,
            is_end,
            processes: BTreeMap::new(),
            ran: Vec::new(),
        }
    }

    pub fn event(&mut self, line: LineEvent) {
        let files = self.directory.files();
        // What was finished and deleted takes memory as long as it is mapped.
        self.processes.retain(|path, _| files.contains(path));
        for path in files {
            if !self.processes.contains_key(&path)
                && let Some(process) = Process::open(&path)
            {
                self.processes.insert(path, process);
            }
        }
        self.listen();
        for path in &self.ran {
            if let Some(process) = self.processes.get_mut(path) {
                // What cannot be written down is missing from the timeline, no more.
                let _ = begin(process, &line, &self.snapshots, self.is_end);
            }
        }
    }

    /// Finds out who runs. When all have ended, the last lines are still under way:
    /// they are for those that ran before.
    fn listen(&mut self) {
        let paths = |running_only: bool| {
            self.processes
                .iter()
                .filter(|(_, process)| !running_only || process.is_running())
                .map(|(path, _)| path.clone())
                .collect::<Vec<_>>()
        };
        let running = paths(true);
        if !running.is_empty() {
            self.ran = running;
        } else if self.ran.is_empty() {
            self.ran = paths(false);
        }
    }
}

fn begin(
    process: &mut Process,
    line: &LineEvent,
    wanted: &Snapshots,
    is_end: bool,
) -> anyhow::Result<()> {
    let number = process
        .window
        .word(header::EVENTS)
        .fetch_add(1, Ordering::AcqRel)
        + 1;
    process
        .window
        .word(header::BIRTH)
        .store(number, Ordering::Release);
    let begun = number + u64::from(is_end);
    pausing::event_begins(&process.window, begun - 1, begun);
    // Also of events that are not kept.
    let late_lines = process.window.word(header::LATE_LINES);
    late_lines.fetch_add(u64::from(line.is_late), Ordering::Relaxed);
    if !process.keep(number) {
        process.skip_counts(&line.counters);
        return Ok(());
    }
    process.moment(
        MomentKind::Begin,
        About {
            event: number as u32,
            id: line.id.unwrap_or(number),
            counts: line.counters.iter().cloned().collect(),
            ..About::default()
        },
    )?;
    if wanted.holds(number) {
        snapshots::take(process, number as u32, number.to_string())?;
    }
    Ok(())
}
