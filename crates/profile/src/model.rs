//! What a finished recording says, as plain tables.
//!
//! ```text
//!   Stack --node--> Node --parent--> Node --parent--> ... --> ROOT
//!                    |
//!                    +--frame--> Frame --module--> Module
//!                                  |   --function--> name
//!                                  +--places--> functions inlined there, file, line
//! ```
//!
//! Ids are indices into the tables; a parent always stands before its children.

pub use crate::counters::{Counters, RecorderStats, Totals};
use crate::holders::Picture;
use crate::timeline::Timeline;
use serde::{Deserialize, Serialize};

/// Index into [`Profile::modules`].
pub type ModuleId = u32;
/// Index into [`Profile::functions`].
pub type FunctionId = u32;
/// Index into [`Profile::files`].
pub type FileId = u32;
/// Index into [`Profile::threads`].
pub type ThreadId = u32;
/// Index into [`Profile::frames`].
pub type FrameId = u32;
/// Index into [`Profile::nodes`].
pub type NodeId = u32;

/// No module, no function: the address could not be placed or named.
pub const NONE: u32 = u32::MAX;
/// The root of the tree of calls; `nodes[ROOT]` has itself as parent and no frame.
pub const ROOT: NodeId = 0;

#[derive(Debug, Clone, Default, PartialEq)]
pub struct Profile {
    pub meta: Meta,
    pub heap: Totals,
    pub mappings: Totals,
    pub recorder: RecorderStats,
    pub modules: Vec<Module>,
    /// Linkage (mangled) names; demangled when read.
    pub functions: Vec<String>,
    /// Paths of source files, as the compiler was given them.
    pub files: Vec<String>,
    pub frames: Vec<Frame>,
    /// Frames in code without an unwind table, ascending: who called them was found by
    /// the frame pointer alone, and is less certain than other callers.
    pub without_table: Vec<FrameId>,
    /// Per frame, in the order of `frames`: where it is in the source, innermost first.
    /// The last place is the frame's own function, those before it were inlined there.
    /// Empty where there is no debug information.
    pub places: Ragged<SourcePlace>,
    pub nodes: Vec<Node>,
    pub stacks: Vec<Stack>,
    /// Per stack, in the order of `stacks`: allocations by size.
    pub sizes_total: Ragged<SizeBin>,
    /// Per stack: blocks live at the end by size.
    pub sizes_live: Ragged<SizeBin>,
    /// Per stack: blocks live at the end by the moment they were made, ascending.
    pub births: Ragged<BirthBin>,
    pub threads: Vec<Thread>,
    /// Per stack: who made and freed its blocks, ascending by thread.
    pub by_thread: Ragged<ThreadCounters>,
    pub timeline: Timeline,
    /// Whether the largest block of each stack is known. Earlier recorders did not note it, and
    /// other tools do not say.
    pub has_largest: bool,
    /// Who held what was live, where a picture was asked for: the latest.
    pub picture: Option<Picture>,
}

/// Who was recorded, how, and how it ended.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct Meta {
    pub residue_version: String,
    /// File name of the executable.
    pub program: String,
    pub executable: String,
    pub command: Vec<String>,
    /// What the process called itself by `prctl`; empty where that is `program`.
    pub process_name: String,
    pub pid: u32,
    pub parent_pid: u32,
    pub host: String,
    pub kernel: String,
    /// Nanoseconds since 1970 at the first recorded call.
    pub started_unix_ns: u64,
    /// How long the recording lasted.
    pub duration_ns: u64,
    pub end: End,
    /// Which file answers `malloc`: `libc.so.6`, `libjemalloc.so.2`, `rustc`; then the allocators
    /// that were called by their own names: `libc.so.6, mimalloc`.
    pub allocator: String,
    pub page_bytes: u64,
    /// Highest resident size the kernel saw, where it is known.
    pub max_rss_bytes: Option<u64>,
    pub options: Options,
    /// Unit of [`BirthBin::birth`]: `"second"` or `"event"`.
    pub birth_unit: String,
    /// How many profiles were added up to make this one; zero for a recording.
    pub merged_profiles: u64,
    /// The format of another tool that this was read from; empty for a recording.
    pub imported_from: String,
    /// Whether parts of the file could not be read. A reader sets it; it is not stored.
    #[serde(skip)]
    pub is_damaged: bool,
    /// What the reader should know: things that could not be recorded, and why.
    pub notes: Vec<String>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum End {
    /// The program was still running when this was read.
    Running,
    Exited {
        code: i32,
    },
    Killed {
        signal: i32,
    },
    /// It replaced by another program (exec) with `exec`.
    Exec,
    /// Also any end that only a newer version knows.
    #[default]
    #[serde(other)]
    Unknown,
}

/// The recording options in force.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct Options {
    pub min_size_bytes: u64,
    pub max_size_bytes: u64,
    pub max_depth: u32,
    pub start_paused: bool,
    /// The first event that was recorded; zero: from the start of the program on.
    pub recorded_from_event: u64,
    /// The first event that was no longer recorded; zero: up to the end.
    pub recorded_to_event: u64,
    pub verify_every: u64,
    /// CPU time that one sample stands for; zero where none were taken.
    pub cpu_period_ns: u64,
    /// CPU time was recorded, and no memory.
    pub without_heap: bool,
}

/// One load of one file; the same file loaded again is another module.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct Module {
    pub path: String,
    /// Lower-case hexadecimal, empty where the file has none.
    pub build_id: String,
    /// Address range it was loaded at.
    pub start: u64,
    pub end: u64,
    /// Load address minus link-time address.
    pub bias: u64,
}

/// One return address: a place in a module.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Frame {
    /// [`NONE`] for code outside every module, such as a JIT's.
    pub module: ModuleId,
    /// Link-time address in the module, or the plain address where there is none.
    pub address: u64,
    /// [`NONE`] where no name is known.
    pub function: FunctionId,
}

/// One function at one place of the source.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct SourcePlace {
    /// [`NONE`] where no name is known.
    pub function: FunctionId,
    /// [`NONE`] where no file is known.
    pub file: FileId,
    /// From one; zero where it is not known.
    pub line: u32,
}

/// One node of the tree of calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Node {
    pub parent: NodeId,
    /// [`NONE`] for the root and [`CUT`] where the middle of a stack was left out.
    pub frame: FrameId,
}

/// In place of a frame: the middle of a stack deeper than the limit was left out here.
pub const CUT: FrameId = u32::MAX - 1;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StackKind {
    /// Heap blocks with their call path.
    Heap,
    /// Memory mapped by `mmap`, `mremap` or `sbrk`.
    Mapping,
    /// Heap blocks outside the size thresholds: counted here, without a path.
    Pooled,
    /// Heap blocks whose path could not be kept; node is [`ROOT`].
    Overflow,
    /// Blocks that the program's own allocator or pool reported.
    Reported,
    /// No memory: where threads used CPU time.
    Cpu,
}

impl StackKind {
    /// The name it has in what is written for other programs.
    pub fn name(self) -> &'static str {
        match self {
            StackKind::Heap => "heap",
            StackKind::Mapping => "mapping",
            StackKind::Pooled => "pooled",
            StackKind::Overflow => "overflow",
            StackKind::Reported => "reported",
            StackKind::Cpu => "cpu",
        }
    }

    /// Whether its blocks are part of the heap's sums: reported ones lie inside memory
    /// that is counted already.
    pub fn is_heap(self) -> bool {
        match self {
            StackKind::Heap | StackKind::Pooled | StackKind::Overflow => true,
            StackKind::Mapping | StackKind::Reported | StackKind::Cpu => false,
        }
    }
}

/// One call path that allocated, and its ledger.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stack {
    pub node: NodeId,
    pub kind: StackKind,
    pub counters: Counters,
}

/// One thread of the program.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(default)]
pub struct Thread {
    /// The kernel's number for it.
    pub tid: u32,
    /// As the program named it; empty where that is not known.
    pub name: String,
    /// CPU time that it used, by the kernel's clock; with the threads that had its place before.
    /// Zero where it was not read. Of a program that was killed, up to the last sample.
    pub cpu_ns: u64,
}

/// What one thread did with the blocks of one stack.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ThreadCounters {
    pub thread: ThreadId,
    /// Blocks it made, and their bytes.
    pub calls: u64,
    pub total_bytes: u64,
    /// Blocks it freed, whoever made them.
    pub frees: u64,
    /// Bytes made minus bytes freed; the sum over all threads is what is live.
    pub net_bytes: i64,
    /// CPU time that it used there, by samples; of stacks of CPU time alone.
    pub cpu_ns: u64,
    /// The largest block that it made; zero where [`Profile::has_largest`] is not set.
    pub largest_bytes: u64,
}

impl ThreadCounters {
    /// More that the same thread did with the same stack.
    pub fn add(&mut self, more: &ThreadCounters) {
        self.calls = self.calls.saturating_add(more.calls);
        self.total_bytes = self.total_bytes.saturating_add(more.total_bytes);
        self.frees = self.frees.saturating_add(more.frees);
        self.net_bytes = self.net_bytes.saturating_add(more.net_bytes);
        self.cpu_ns = self.cpu_ns.saturating_add(more.cpu_ns);
        self.largest_bytes = self.largest_bytes.max(more.largest_bytes);
    }
}

/// Number of blocks whose size has `bits` binary digits: bin 7 holds 64..=127 bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SizeBin {
    pub bits: u8,
    pub blocks: u64,
}

/// Blocks made at one moment and still live.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct BirthBin {
    pub birth: u32,
    pub blocks: u64,
    pub bytes: u64,
}

/// A list of short lists in two flat arrays.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ragged<T> {
    ends: Vec<u32>,
    items: Vec<T>,
}

impl<T> Default for Ragged<T> {
    fn default() -> Self {
        Ragged {
            ends: Vec::new(),
            items: Vec::new(),
        }
    }
}

impl<T> Ragged<T> {
    /// Of items in a row and the end of each row among them, ascending to their number.
    pub(crate) fn from_ends(ends: Vec<u32>, items: Vec<T>) -> Self {
        Ragged { ends, items }
    }

    /// So many rows without an item.
    pub(crate) fn empty_rows(rows: usize) -> Self {
        Ragged::from_ends(vec![0; rows], Vec::new())
    }

    /// Of items in the order of their rows, each with the number of its row.
    pub fn from_sorted(rows: usize, items: impl IntoIterator<Item = (u32, T)>) -> Self {
        let mut items = items.into_iter().peekable();
        let mut ragged = Ragged::default();
        for row in 0..rows as u32 {
            let of_row = std::iter::from_fn(|| items.next_if(|(of, _)| *of == row));
            ragged.push_row(of_row.map(|(_, item)| item));
        }
        ragged
    }

    pub fn push_row(&mut self, row: impl IntoIterator<Item = T>) {
        self.items.extend(row);
        self.ends.push(self.items.len() as u32);
    }

    /// The row at `index`; empty beyond the last one.
    pub fn row(&self, index: usize) -> &[T] {
        let Some(&end) = self.ends.get(index) else {
            return &[];
        };
        let start = if index == 0 { 0 } else { self.ends[index - 1] };
        &self.items[start as usize..end as usize]
    }

    pub fn rows(&self) -> usize {
        self.ends.len()
    }

    pub fn items(&self) -> &[T] {
        &self.items
    }

    pub(crate) fn items_mut(&mut self) -> &mut [T] {
        &mut self.items
    }
}

impl Profile {
    /// Frames from `node` up to the root, leaf first; [`CUT`] stands for a gap.
    pub fn frames_leaf_first(&self, node: NodeId) -> impl Iterator<Item = FrameId> + '_ {
        let mut at = node;
        std::iter::from_fn(move || {
            if at == ROOT {
                return None;
            }
            let here = self.nodes.get(at as usize)?;
            at = here.parent;
            Some(here.frame)
        })
    }

    /// Leaves no largest blocks where they are not known of all: of the table of counters or that of
    /// the threads only one may be there, and of profiles that are added up only some may know them.
    pub fn forget_largest(&mut self) {
        self.has_largest = false;
        for stack in &mut self.stacks {
            stack.counters.largest_bytes = 0;
        }
        for part in self.by_thread.items_mut() {
            part.largest_bytes = 0;
        }
    }

    /// Whether the caller of this frame was found by the frame pointer alone.
    pub fn is_without_table(&self, frame: FrameId) -> bool {
        self.without_table.binary_search(&frame).is_ok()
    }

    pub fn module_name(&self, module: ModuleId) -> Option<&str> {
        let path = &self.modules.get(module as usize)?.path;
        Some(path.rsplit('/').next().unwrap_or(path))
    }
}
