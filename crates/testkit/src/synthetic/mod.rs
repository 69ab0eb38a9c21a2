//! Large made-up profiles for tests and measurements: as deep, as wide and as
//! skewed as those of real programs, the same for the same seed, and consistent
//! to the byte.
//!
//! ```text
//!   code     modules, functions, files: who calls whom from where
//!   tree     a walk through the code that stops at every stack
//!   history  what the stacks allocate and free, moment by moment
//!   threads  who of the program's threads did it
//!   truth    sums that every reader must find again
//! ```

mod code;
mod history;
mod life;
mod names;
mod threads;
mod tree;
mod truth;

use residue_profile::{End, MemoryKind, Meta, Node, Profile, ROOT, Stack, Totals};

use crate::random::Random;
use code::Code;
use history::History;

pub use truth::truth;

/// What a profile is to be like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Spec {
    pub stacks: usize,
    /// Without any there is no timeline.
    pub events: u32,
    pub modules: usize,
    pub functions: usize,
    /// Frames of a stack, on average.
    pub depth: usize,
    pub threads: usize,
    pub seed: u64,
    /// Names of kilobytes, as templates make them, instead of short ones.
    pub long_names: bool,
}

impl Default for Spec {
    fn default() -> Self {
        Spec {
            stacks: 1_000_000,
            events: 1000,
            modules: 300,
            functions: 50_000,
            depth: 50,
            threads: 8,
            seed: 1,
            long_names: true,
        }
    }
}

/// The same spec always gives the same profile.
pub fn profile(spec: &Spec) -> Profile {
    let mut random = Random::new(spec.seed);
    let mut code = Code::new(spec);
    let tree = tree::grow(&mut code, &mut random, spec.stacks, spec.depth);
    let mut history = History::new(&mut random, &tree.stacks);
    let timeline = history.play(&mut random, spec.events, &tree.stacks);
    let lives = history.lives();

    let mut profile = Profile {
        meta: meta(spec),
        modules: code.modules,
        functions: code.functions,
        files: code.files,
        frames: code.frames,
        places: code.places,
        nodes: tree.nodes,
        timeline,
        has_largest: true,
        ..Profile::default()
    };
    profile.threads = threads::names(spec.threads);
    let at_peak = history.at_peak(&profile.timeline);
    for (index, (path, life)) in tree.stacks.iter().zip(lives).enumerate() {
        let counters = life.counters(at_peak[index]);
        profile.stacks.push(Stack {
            node: path.node,
            kind: path.kind,
            counters,
        });
        profile.sizes_total.push_row(life.sizes_total());
        profile.sizes_live.push_row(life.sizes_live());
        profile.births.push_row(life.birth_bins());
        let shares = threads::shares(&mut random, path, &counters, spec.threads);
        profile.by_thread.push_row(shares);
    }
    profile.heap = Totals {
        peak_bytes: history.heap_peak_bytes(),
        ..Totals::of(&profile.stacks, MemoryKind::Heap)
    };
    profile.mappings = Totals {
        peak_bytes: history.mapped_peak_bytes(),
        ..Totals::of(&profile.stacks, MemoryKind::Mapping)
    };
    profile
}

fn meta(spec: &Spec) -> Meta {
    Meta {
        residue_version: env!("CARGO_PKG_VERSION").into(),
        program: "synthetic".into(),
        executable: code::EXECUTABLE.into(),
        command: vec![code::EXECUTABLE.into(), format!("--seed={}", spec.seed)],
        pid: threads::FIRST_TID,
        parent_pid: 1,
        host: "nowhere".into(),
        kernel: "6.1".into(),
        started_unix_ns: 1_700_000_000_000_000_000,
        duration_ns: history::time_ns(2 * u64::from(spec.events) + 2),
        end: End::Exited { code: 0 },
        allocator: "libc.so.6".into(),
        page_bytes: 4096,
        birth_unit: "event".into(),
        notes: vec!["this profile was made up".into()],
        ..Meta::default()
    }
}

/// The root of every tree of calls.
const ROOT_NODE: Node = Node {
    parent: ROOT,
    frame: residue_profile::NONE,
};
