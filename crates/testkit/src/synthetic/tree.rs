//! The tree of calls: one walk down, back up a little, and down again elsewhere.
//!
//! ```text
//!   root ── main ── f ── g ── h        <- stack 0
//!                     │    └─ k        <- stack 1: up one, down one
//!                     └─ m ── n ── o   <- stack 2: up two, down three
//! ```
//!
//! A level of the path remembers from which place it went down last, and goes on
//! at the next one. So no node is made twice, and neighbours share most of their
//! frames.

use residue_profile::{Node, NodeId, ROOT, StackKind};

use super::ROOT_NODE;
use super::code::{Code, MAIN, OPERATOR_NEW, Site, THREAD_RUN};
use crate::random::Random;

/// Where a stack ends, and what it allocates.
#[derive(Debug, Clone, Copy)]
pub struct Path {
    pub node: NodeId,
    pub kind: StackKind,
    /// Called from `main` and not from the start of a thread.
    pub is_in_main: bool,
}

pub struct Tree {
    pub nodes: Vec<Node>,
    pub stacks: Vec<Path>,
}

/// One call on the current path, from which the next goes down.
#[derive(Debug, Clone, Copy)]
struct Level {
    node: NodeId,
    next: Site,
}

pub fn grow(code: &mut Code, random: &mut Random, stacks: usize, depth: usize) -> Tree {
    let mut walk = Walk {
        code,
        nodes: vec![ROOT_NODE],
        path: Vec::new(),
        starts: 0,
        is_in_main: true,
    };
    let mut paths = Vec::with_capacity(stacks);
    for index in 0..stacks {
        let kind = kind(index, random);
        if matches!(kind, StackKind::Pooled | StackKind::Overflow) {
            // These have no path.
            paths.push(Path {
                node: ROOT,
                kind,
                is_in_main: true,
            });
            continue;
        }
        walk.up(steps_up(random, depth));
        let aim = depth / 2 + random.below(depth as u64) as usize;
        let missing = aim.saturating_sub(walk.path.len());
        walk.down(1 + missing / 4);
        let mut node = walk.here();
        if kind == StackKind::Heap && random.one_in(3) {
            let site = Site {
                function: OPERATOR_NEW,
                number: 0,
            };
            node = walk.add(node, site);
        }
        paths.push(Path {
            node,
            kind,
            is_in_main: walk.is_in_main,
        });
    }
    Tree {
        nodes: walk.nodes,
        stacks: paths,
    }
}

fn kind(index: usize, random: &mut Random) -> StackKind {
    match (index, random.below(1000)) {
        (1, _) => StackKind::Pooled,
        (2, _) => StackKind::Overflow,
        (_, 0) => StackKind::Reported,
        (_, 1 | 2) => StackKind::Mapping,
        _ => StackKind::Heap,
    }
}

/// Mostly few, at times most of the way to the root.
fn steps_up(random: &mut Random, depth: usize) -> usize {
    match random.below(1024) {
        0 => random.below(2 * depth as u64) as usize,
        1..16 => random.below(depth as u64 / 2) as usize,
        16..120 => 0,
        120..500 => 2 + random.below(5) as usize,
        _ => 1,
    }
}

struct Walk<'a> {
    code: &'a mut Code,
    nodes: Vec<Node>,
    path: Vec<Level>,
    /// How often it went down from the root.
    starts: u32,
    is_in_main: bool,
}

impl Walk<'_> {
    fn here(&self) -> NodeId {
        self.path.last().map_or(ROOT, |level| level.node)
    }

    fn up(&mut self, steps: usize) {
        self.path.truncate(self.path.len().saturating_sub(steps));
        // Further up, where there is still something to call.
        while let Some(level) = self.path.last()
            && level.next.number >= self.code.sites(level.next.function)
        {
            self.path.pop();
        }
    }

    fn down(&mut self, steps: usize) {
        for _ in 0..steps {
            let parent = self.here();
            let site = match self.path.last_mut() {
                Some(level) => {
                    let site = level.next;
                    level.next.number += 1;
                    site
                }
                None => self.start(),
            };
            let node = self.add(parent, site);
            let next = Site {
                function: self.code.callee(site),
                number: 0,
            };
            self.path.push(Level { node, next });
        }
    }

    /// One start in four is in the main thread.
    fn start(&mut self) -> Site {
        self.is_in_main = self.starts.is_multiple_of(4);
        let number = self.starts;
        self.starts += 1;
        let function = if self.is_in_main { MAIN } else { THREAD_RUN };
        Site { function, number }
    }

    fn add(&mut self, parent: NodeId, site: Site) -> NodeId {
        let frame = self.code.frame(site);
        self.nodes.push(Node { parent, frame });
        (self.nodes.len() - 1) as NodeId
    }
}
