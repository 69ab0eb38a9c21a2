//! Call paths that readers gather, and the tables of a profile that they become.
//!
//! Equal names, modules, frames and paths are stored once.

use std::collections::HashMap;
use std::path::Path;

use residue_profile::timeline::StackId;
use residue_profile::{
    Counters, FileId, Frame, FrameId, FunctionId, MemoryKind, Meta, Module, ModuleId, NONE, Node,
    NodeId, Profile, ROOT, Ragged, RecorderStats, SizeBin, SourcePlace, Stack, StackKind, Timeline,
    Totals,
};

use crate::detect::Format;
use crate::error::Wrong;

/// Which blocks a size belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Blocks {
    Made,
    Live,
}

pub(crate) struct Stacks {
    pub meta: Meta,
    pub recorder: RecorderStats,
    pub timeline: Timeline,
    /// Whether the largest block of each stack is known.
    pub has_largest: bool,
    /// Where the format knows them.
    pub heap_peak_bytes: u64,
    pub mappings_peak_bytes: u64,
    functions: Names,
    files: Names,
    modules: Vec<Module>,
    module_ids: HashMap<(String, u64), ModuleId>,
    frames: Vec<Frame>,
    places: Ragged<SourcePlace>,
    frame_ids: HashMap<(Frame, Vec<SourcePlace>), FrameId>,
    nodes: Vec<Node>,
    node_ids: HashMap<(NodeId, FrameId), NodeId>,
    stacks: Vec<Stack>,
    /// The heap's stack at each node, [`NONE`] where there is none.
    heap_stacks: Vec<StackId>,
    other_stacks: HashMap<(NodeId, u8), StackId>,
    /// Blocks by stack and by bits of their size.
    sizes: HashMap<(Blocks, StackId, u8), u64>,
}

impl Default for Stacks {
    fn default() -> Stacks {
        Stacks {
            meta: Meta::default(),
            recorder: RecorderStats::default(),
            timeline: Timeline::default(),
            has_largest: false,
            heap_peak_bytes: 0,
            mappings_peak_bytes: 0,
            functions: Names::default(),
            files: Names::default(),
            modules: Vec::new(),
            module_ids: HashMap::new(),
            frames: Vec::new(),
            places: Ragged::default(),
            frame_ids: HashMap::new(),
            nodes: vec![Node {
                parent: ROOT,
                frame: NONE,
            }],
            node_ids: HashMap::new(),
            stacks: Vec::new(),
            heap_stacks: Vec::new(),
            other_stacks: HashMap::new(),
            sizes: HashMap::new(),
        }
    }
}

impl Stacks {
    /// [`NONE`] for an empty name.
    pub fn function(&mut self, name: &[u8]) -> FunctionId {
        self.functions.id(name)
    }

    /// [`NONE`] for an empty path.
    pub fn file(&mut self, path: &[u8]) -> FileId {
        self.files.id(path)
    }

    /// A module of which only the path is known; [`NONE`] for an empty one.
    pub fn module_at(&mut self, path: &[u8]) -> ModuleId {
        if path.is_empty() {
            return NONE;
        }
        self.module(Module {
            path: String::from_utf8_lossy(path).into_owned(),
            ..Module::default()
        })
    }

    /// Modules are told apart by path and place.
    pub fn module(&mut self, module: Module) -> ModuleId {
        let next = self.modules.len() as ModuleId;
        let id = *self
            .module_ids
            .entry((module.path.clone(), module.start))
            .or_insert(next);
        if id == next {
            self.modules.push(module);
        }
        id
    }

    /// Of a module's addresses; zero for [`NONE`].
    pub fn bias(&self, module: ModuleId) -> u64 {
        let module = self.modules.get(module as usize);
        module.map_or(0, |module| module.bias)
    }

    pub fn frame(&mut self, frame: Frame, places: Vec<SourcePlace>) -> FrameId {
        let next = self.frames.len() as FrameId;
        let key = (frame, places);
        if let Some(&known) = self.frame_ids.get(&key) {
            return known;
        }
        self.frames.push(frame);
        self.places.push_row(key.1.iter().copied());
        self.frame_ids.insert(key, next);
        next
    }

    /// A frame of which only the function's name is known.
    pub fn named_frame(&mut self, name: &[u8]) -> FrameId {
        let function = self.function(name);
        let frame = Frame {
            module: NONE,
            address: 0,
            function,
        };
        self.frame(frame, Vec::new())
    }

    pub fn child(&mut self, parent: NodeId, frame: FrameId) -> NodeId {
        let next = self.nodes.len() as NodeId;
        let id = *self.node_ids.entry((parent, frame)).or_insert(next);
        if id == next {
            self.nodes.push(Node { parent, frame });
        }
        id
    }

    /// The end of a path that is given root first.
    pub fn path(&mut self, frames: impl IntoIterator<Item = FrameId>) -> NodeId {
        let mut node = ROOT;
        for frame in frames {
            node = self.child(node, frame);
        }
        node
    }

    pub fn stack(&mut self, node: NodeId, kind: StackKind) -> StackId {
        let next = self.stacks.len() as StackId;
        let id = if kind == StackKind::Heap {
            let place = node as usize;
            if self.heap_stacks.len() <= place {
                self.heap_stacks.resize(self.nodes.len(), NONE);
            }
            let known = &mut self.heap_stacks[place];
            if *known == NONE {
                *known = next;
            }
            *known
        } else {
            *self.other_stacks.entry((node, kind as u8)).or_insert(next)
        };
        if id == next {
            self.stacks.push(Stack {
                node,
                kind,
                counters: Counters::default(),
            });
        }
        id
    }

    /// The heap's stack at a node; blocks without a path have overflown.
    pub fn heap_stack(&mut self, node: NodeId) -> StackId {
        match node {
            ROOT => self.stack(ROOT, StackKind::Overflow),
            node => self.stack(node, StackKind::Heap),
        }
    }

    pub fn counters(&mut self, stack: StackId) -> &mut Counters {
        &mut self.stacks[stack as usize].counters
    }

    pub fn ledgers(&mut self) -> impl Iterator<Item = &mut Counters> {
        self.stacks.iter_mut().map(|stack| &mut stack.counters)
    }

    pub fn add_size(&mut self, stack: StackId, blocks: Blocks, size_bytes: u64, count: u64) {
        if count > 0 {
            let bits = (u64::BITS - size_bytes.leading_zeros()) as u8;
            let sum = self.sizes.entry((blocks, stack, bits)).or_default();
            *sum = sum.saturating_add(count);
        }
    }

    /// Says what the format does not have.
    pub fn lacks(&mut self, what: &str) {
        self.meta
            .notes
            .push(format!("the format has no {what}; shown as 0"));
    }

    pub fn finish(mut self, path: &Path, format: Format) -> Result<Profile, Wrong> {
        if self.stacks.is_empty() && self.timeline.moments.is_empty() {
            return Err(Wrong::whole("no stacks in it"));
        }
        let heap = self.totals(MemoryKind::Heap, self.heap_peak_bytes)?;
        let mappings = self.totals(MemoryKind::Mapping, self.mappings_peak_bytes)?;
        let rows = |sizes: &HashMap<(Blocks, StackId, u8), u64>, wanted: Blocks| {
            let mut bins: Vec<(StackId, SizeBin)> = sizes
                .iter()
                .filter(|((kind, ..), _)| *kind == wanted)
                .map(|(&(_, stack, bits), &blocks)| (stack, SizeBin { bits, blocks }))
                .collect();
            bins.sort_unstable_by_key(|(stack, bin)| (*stack, bin.bits));
            Ragged::from_sorted(self.stacks.len(), bins)
        };
        let (sizes_total, sizes_live) = (
            rows(&self.sizes, Blocks::Made),
            rows(&self.sizes, Blocks::Live),
        );
        let births = Ragged::from_sorted(self.stacks.len(), []);
        let by_thread = Ragged::from_sorted(self.stacks.len(), []);
        let file = path.file_name().unwrap_or_default().to_string_lossy();
        let mut meta = self.meta;
        meta.residue_version = env!("CARGO_PKG_VERSION").to_string();
        meta.birth_unit = "event".to_string();
        meta.notes
            .insert(0, format!("imported from {file} ({})", format.name()));
        if meta.program.is_empty() {
            meta.program = file.into_owned();
        }
        let unnamed = self.frames.iter().filter(|frame| frame.function == NONE);
        self.recorder.frames_unresolved = unnamed.count() as u64;
        Ok(Profile {
            meta,
            heap,
            mappings,
            recorder: self.recorder,
            modules: self.modules,
            functions: self.functions.into_list(),
            files: self.files.into_list(),
            frames: self.frames,
            places: self.places,
            nodes: self.nodes,
            stacks: self.stacks,
            sizes_total,
            sizes_live,
            births,
            by_thread,
            timeline: self.timeline,
            has_largest: self.has_largest,
            ..Profile::default()
        })
    }

    fn totals(&self, kind: MemoryKind, peak_bytes: u64) -> Result<Totals, Wrong> {
        let sum = Counters::sum(&self.stacks, kind);
        // Also those that are no totals: others may add them up.
        let mut numbers = sum.values().into_iter().chain([peak_bytes]);
        numbers.try_for_each(fitting)?;
        Ok(Totals {
            peak_bytes,
            ..Totals::from(sum)
        })
    }
}

/// Sums must fit 63 bits, so that differences of them fit 64.
fn fitting(sum: u64) -> Result<(), Wrong> {
    let reason = "its counters add up to more than 63 bits, which no program allocates";
    match i64::try_from(sum) {
        Ok(_) => Ok(()),
        Err(_) => Err(Wrong::whole(reason)),
    }
}

/// Strings by number, each once.
#[derive(Default)]
struct Names(HashMap<String, u32>);

impl Names {
    fn id(&mut self, name: &[u8]) -> u32 {
        if name.is_empty() {
            return NONE;
        }
        let name = String::from_utf8_lossy(name);
        if let Some(&known) = self.0.get(name.as_ref()) {
            return known;
        }
        let next = self.0.len() as u32;
        self.0.insert(name.into_owned(), next);
        next
    }

    fn into_list(self) -> Vec<String> {
        let mut list: Vec<(u32, String)> =
            self.0.into_iter().map(|(name, id)| (id, name)).collect();
        list.sort_unstable();
        list.into_iter().map(|(_, name)| name).collect()
    }
}
