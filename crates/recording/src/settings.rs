//! What the recorder is asked to do, as it is handed over in the environment.

use super::pausing::WantedEvents;
use super::watch::Snapshots;
use residue_arena::header;
use std::ffi::OsString;
use std::path::Path;
use std::time::Duration;

#[derive(Debug, Clone)]
pub struct Settings {
    pub min_size: u64,
    pub max_size: u64,
    pub max_depth: u32,
    /// Compare one in this many stacks with libgcc's; zero: none.
    pub verify_every: u64,
    pub start_paused: bool,
    pub wanted: WantedEvents,
    /// Samples of CPU time a second; zero: none.
    pub cpu_hz: u32,
    pub with_heap: bool,
    /// Whether pictures are taken of who holds what, and at which events alone.
    pub holders: Option<Vec<u64>>,
    pub with_children: bool,
    /// Record only programs of this name; empty: all.
    pub program_pattern: String,
    pub events: Events,
    pub tick: Duration,
    pub snapshots: Snapshots,
    pub injection: Option<Injection>,
    /// Where the program has an allocator with names of its own, for the recorder; else empty.
    pub own_names: String,
}

/// A deliberate leak in every event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Injection {
    pub bytes: u64,
    pub is_untouched: bool,
}

/// Where events come from, if not from the program's own marks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Events {
    /// From marks; from the clock where there are none.
    Marks,
    Function,
    Lines,
}

impl Events {
    fn source(self, tick: Duration) -> u64 {
        match self {
            Events::Marks if tick.is_zero() => header::SOURCE_NONE,
            Events::Marks => header::SOURCE_TICKS,
            Events::Function => header::SOURCE_FUNCTION,
            Events::Lines => header::SOURCE_LINES,
        }
    }
}

/// Asked for by tests: modules are found as they are with a glibc that has no `_dl_find_object`.
fn finds_modules_by_list() -> bool {
    std::env::var_os("RESIDUE_MODULES").is_some_and(|how| how == "list")
}

impl Settings {
    /// The value of the recorder's environment variable.
    pub fn encode(&self, arena_directory: &Path) -> OsString {
        let at: Vec<String> = self.snapshots.at.iter().map(u64::to_string).collect();
        let holders = self.holders.iter().flatten().map(u64::to_string);
        let mut value = OsString::from(format!(
            "min={};max={};depth={};verify={};paused={};from={};to={};source={};tick={};every={};at={};inject={};\
             untouched={};root={};children={};match={};own={};list={};cpu={};heap={};holders={};holders_at={};dir=",
            self.min_size,
            self.max_size,
            self.max_depth,
            self.verify_every,
            u8::from(self.start_paused),
            self.wanted.from,
            self.wanted.to,
            self.events.source(self.tick),
            self.tick.as_nanos(),
            self.snapshots.every,
            at.join(","),
            self.injection.map_or(0, |injection| injection.bytes),
            u8::from(
                self.injection
                    .is_some_and(|injection| injection.is_untouched)
            ),
            std::process::id(),
            u8::from(self.with_children),
            self.program_pattern,
            self.own_names,
            u8::from(finds_modules_by_list()),
            self.cpu_hz,
            u8::from(self.with_heap),
            u8::from(self.holders.is_some()),
            holders.collect::<Vec<_>>().join(","),
        ));
        value.push(arena_directory);
        value
    }
}
