//! From a frozen child to what its picture says.

use super::memory::{FrozenMemory, areas_of};
use super::pages;
use super::private;
use super::roots::{self, Around, Source};
use super::stop::Registers;
use super::table;
use super::variables::{self, Variables};
use anyhow::{Context, Result, bail};
use residue_arena::{FILE_SUFFIX, header};
use residue_finish::ArenaFile;
use residue_pins::Footprint;
use residue_profile::holders::{
    Chain, HeldState, HeldSum, Holder, HolderKind, Picture, Retained, Shape, Step,
};
use residue_reach::{
    Chains, Dominator, Dominators, Graph, Heap, Lost, Marks, Offset, Origins, Root, RootWord,
    RootWords, Shapes, State,
};
use residue_symbols::Search;
use residue_window::Window;
use std::path::Path;
use std::sync::atomic::Ordering;

/// Chains of one stack that are kept; most blocks of a stack are held in one or two ways.
const MOST_CHAINS: usize = 8;
/// What a detour takes of the stack.
const MOST_DETOUR_BYTES: u64 = 1 << 16;
/// Holders that retain most.
const MOST_RETAINED: usize = 50;

/// When the latest picture was taken, and what that took.
pub fn moment(window: &Window) -> Picture {
    let is_set = |word| window.get(word) != 0;
    Picture {
        event: window.get(header::PICTURE_BIRTH) as u32,
        at_exit: window.get(header::PICTURE_AT) == header::AT_EXIT,
        is_asked: window.get(header::PICTURE_AT) == header::AT_REQUEST,
        took_ns: window.get(header::PICTURE_TOOK_NS),
        threads: window.get(header::PICTURE_THREADS) as u32,
        others_ran: is_set(header::PICTURE_UNSTOPPED),
        ..Picture::default()
    }
}

/// Reads the child of the process that writes an arena. `is_read` is called when the child may go.
pub fn read(
    arena: &Path,
    child: u32,
    others: &[Registers],
    window: &Window,
    search: &Search,
    is_read: impl FnOnce(),
) -> Result<Picture> {
    let mut arena = ArenaFile::open(arena)?;
    let of_child = || format!("/proc/{child}");
    let areas = areas_of(child).with_context(of_child)?;
    let memory = FrozenMemory::of(child, &areas).with_context(of_child)?;
    if areas.is_empty() {
        bail!("the copy of the process has gone");
    }
    let mut table = table::read(&mut arena, &areas)?;
    let mut own = private::mappings(&memory, window.get(header::PRIVATE_LIST));
    let vectors = window.get(header::PICTURE_VECTORS)..window.get(header::PICTURE_VECTORS_END);
    let stack = window.get(header::PICTURE_STACK);
    if vectors.start > stack && vectors.end - stack < MOST_DETOUR_BYTES {
        own.push(vectors);
    }
    let taker = Registers {
        tid: window.get(header::PICTURE_TID) as u32,
        stack_pointer: window.get(header::PICTURE_STACK),
        thread_pointer: window.get(header::PICTURE_THREAD_POINTER),
        values: Vec::new(),
    };
    let threads: Vec<Registers> = [taker].into_iter().chain(others.iter().cloned()).collect();
    let allocator = arena.text(arena.word(header::ALLOCATOR))?;
    let allocator = allocator.split(',').next().unwrap_or_default();
    let around = Around {
        table: &table,
        threads: &threads,
        own: &own,
        is_own_file: &is_own_file,
        allocator: (!roots::is_libc(allocator)).then_some(allocator),
        others_ran: window.get(header::PICTURE_UNSTOPPED) != 0,
    };
    let ranges = roots::ranges(&areas, &memory, &around);
    // Kernels may not say it: then nothing is known of pages, and all else is.
    let pages = pages::of_heap(child, &areas, &around).ok();
    let footprint = match roots::is_glibc(allocator) {
        true => Footprint::Glibc,
        false => Footprint::Classes,
    };
    let mut sources = Vec::new();
    let mut words = Vec::new();
    for root in ranges {
        sources.push(root.source);
        words.push(RootWords::Range(root.range));
    }
    for thread in &threads {
        sources.push(Source::Registers(thread.tid));
        let values = thread.values.iter().copied();
        words.push(RootWords::Values(
            values.chain([thread.stack_pointer]).collect(),
        ));
    }
    let roots = (0..).zip(words).map(|(id, words)| Root {
        id,
        rank: rank(&sources[id as usize]),
        words,
    });
    let heap = Heap::new(std::mem::take(&mut table.blocks));
    let show = |done, of| {
        for (word, bytes) in [
            (header::PICTURE_READ_BYTES, done),
            (header::PICTURE_TO_READ_BYTES, of),
        ] {
            window.word(word).store(bytes, Ordering::Relaxed);
        }
    };
    let graph = Graph::scan(heap, roots.collect(), &memory, &show);
    let asked = variables::find(&graph, &sources, &areas, &memory, &threads, &arena);
    let moment = Picture {
        is_incomplete: window.get(header::PICTURE_LOST) != 0,
        ..moment(window)
    };
    is_read();
    let variables = variables::name(asked, search);
    let pins = pages.map(|pages| residue_pins::pins(graph.heap(), &pages, footprint));
    Ok(Picture {
        pins,
        ..said(&graph, &sources, &variables, moment)
    })
}

/// What a variable holds is told of it, even where a register or an old word of a stack is nearer.
fn rank(source: &Source) -> u8 {
    match source {
        Source::Module(_) => 0,
        Source::Thread(_) => 1,
        Source::Registers(_) => 2,
        Source::Unknown => 3,
    }
}

/// The recorder, and what it writes.
fn is_own_file(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or_default();
    let path = path.trim_end_matches(" (deleted)");
    path.ends_with(FILE_SUFFIX) || (name.starts_with("recorder-") && name.ends_with(".so"))
}

fn said(graph: &Graph, sources: &[Source], variables: &Variables, moment: Picture) -> Picture {
    let counts = graph.counts();
    let marks = Marks::new(graph);
    let lost = Lost::new(graph, &marks);
    let origins = Origins::by(graph, |word| origin(word, sources, variables));
    let shapes = Shapes::new(graph);
    let chains = Chains::new(graph, &marks, &origins, MOST_CHAINS);
    let dominators = Dominators::new(graph, &origins);
    let said = Said {
        graph,
        sources,
        variables,
        shapes: &shapes,
    };
    let blocks = graph.heap().ids();
    let bytes = blocks.map(|id| graph.heap().bytes(id));
    let left_out = chains.stacks().iter().map(|of| of.left_out.bytes);
    Picture {
        blocks: graph.heap().len() as u64,
        bytes: bytes.sum(),
        unread_bytes: counts.unread_root_bytes + counts.unread_block_bytes,
        sums: sums(&lost),
        left_out_bytes: left_out.sum(),
        chains: chains
            .stacks()
            .iter()
            .flat_map(|of| of.chains.iter().map(|chain| said.chain(chain)))
            .collect(),
        retained: said.retained(&dominators, &origins),
        ..moment
    }
}

/// Words that are one thing: of a variable all, of a thread's stack all, else each is its own.
fn origin(word: &RootWord, sources: &[Source], variables: &Variables) -> (u32, u64) {
    if let Some(variable) = variables.at(word.at) {
        return (word.root, word.at.wrapping_sub(variable.offset));
    }
    match sources.get(word.root as usize) {
        Some(Source::Thread(_) | Source::Registers(_)) => (word.root, 0),
        _ => (word.root, word.at),
    }
}

/// As the profile has them: what only pointers inside hold is a state of its own.
fn sums(lost: &Lost) -> Vec<HeldSum> {
    let mut sums = Vec::new();
    for sum in lost.sums() {
        let state = match sum.state {
            State::Held => HeldState::Held,
            State::Lost => HeldState::Lost,
            State::LostInCycle => HeldState::LostInCycle,
            State::HeldByLost => HeldState::HeldByLost,
        };
        let mut add = |state, blocks, bytes| {
            if blocks > 0 {
                sums.push(HeldSum {
                    stack: sum.stack,
                    birth: sum.birth,
                    state,
                    blocks,
                    bytes,
                });
            }
        };
        let inside = match state {
            HeldState::Held => sum.interior_only,
            _ => residue_reach::Amount::default(),
        };
        add(
            state,
            sum.amount.blocks - inside.blocks,
            sum.amount.bytes.saturating_sub(inside.bytes),
        );
        add(HeldState::HeldInside, inside.blocks, inside.bytes);
    }
    sums
}

struct Said<'a> {
    graph: &'a Graph,
    sources: &'a [Source],
    variables: &'a Variables,
    shapes: &'a Shapes,
}

impl Said<'_> {
    fn chain(&self, chain: &residue_reach::Chain) -> Chain {
        let amount = chain.amount();
        let (last, before) = match chain.steps.split_last() {
            Some((last, before)) => (Some(last), before),
            None => (None, &chain.steps[..]),
        };
        let held_at = |place: usize| chain.steps.get(place + 1).and_then(|next| next.held_at);
        let mut steps: Vec<Step> = before
            .iter()
            .enumerate()
            .map(|(place, step)| self.step(step, held_at(place)))
            .collect();
        // Nodes of a list that hold each other are a step of their own.
        if let Some(last) = last
            && let Some(repeat) = last.repeat
        {
            steps.push(self.step(last, Some(repeat.offset)));
        }
        Chain {
            stack: last.map_or(0, |last| last.stack),
            blocks: amount.blocks,
            bytes: amount.bytes,
            root: self.holder(chain.root_word as usize, chain.root_words),
            steps,
        }
    }

    fn step(&self, step: &residue_reach::Step, held_at: Option<Offset>) -> Step {
        let shape = self.shapes.of_stack(step.stack);
        let elements = shape.and_then(|shape| shape.largest_array);
        Step {
            stack: step.stack,
            offset: match held_at {
                Some(Offset::Bytes(bytes)) => Some(bytes),
                _ => None,
            },
            is_repeated: step.repeat.is_some(),
            shape: shape.map(|it| shape_of(it.shape)),
            elements: elements.map_or(0, |array| array.elements),
        }
    }

    fn holder(&self, root_word: usize, words: u64) -> Holder {
        let Some(word) = self.graph.root_words().get(root_word) else {
            return Holder::default();
        };
        let (kind, place) = match self.sources.get(word.root as usize) {
            Some(Source::Module(path)) => (HolderKind::Module, path.clone()),
            Some(Source::Thread(tid)) => (HolderKind::Thread, tid.to_string()),
            Some(Source::Registers(tid)) => (HolderKind::Registers, tid.to_string()),
            _ => (HolderKind::Unknown, String::new()),
        };
        let holder = Holder {
            kind,
            place,
            address: word.at,
            is_one_of_many: words > 1,
            ..Holder::default()
        };
        match self.variables.at(word.at) {
            None => holder,
            Some(variable) => Holder {
                variable: variable.name.clone(),
                // Of several words that hold the same the variable is what they share.
                member: match words {
                    1 => variable.member.concat(),
                    _ => String::new(),
                },
                file: variable.file.clone().unwrap_or_default(),
                line: variable.line,
                ..holder
            },
        }
    }

    fn retained(&self, dominators: &Dominators, origins: &Origins) -> Vec<Retained> {
        let largest = dominators.largest(MOST_RETAINED).into_iter();
        let retained = largest.filter_map(|(by, bytes)| {
            let Dominator::Origin(origin) = by else {
                return None;
            };
            if bytes == 0 {
                return None;
            }
            let words = origins.words(origin);
            let first = *words.first()? as usize;
            let target = self.graph.root_words().get(first)?.target;
            Some(Retained {
                holder: self.holder(first, words.len() as u64),
                stack: self.graph.heap().stack(target),
                bytes,
            })
        });
        retained.collect()
    }
}

fn shape_of(shape: residue_reach::Shape) -> Shape {
    use residue_reach::Shape as Found;
    const POINTER_BYTES: u64 = 8;
    match shape {
        Found::List { .. } => Shape::List,
        Found::DoublyLinkedList { .. } => Shape::DoublyLinkedList,
        Found::Tree { .. } => Shape::Tree,
        Found::HashNodes { .. } => Shape::HashNodes,
        Found::HashBuckets { .. } => Shape::HashBuckets,
        Found::DequeChunks { .. } => Shape::DequeChunks,
        Found::DequeMap { .. } => Shape::DequeMap,
        Found::PointerArray {
            stride_bytes: POINTER_BYTES,
            ..
        } => Shape::Pointers,
        Found::PointerArray { .. } => Shape::Structs,
    }
}
