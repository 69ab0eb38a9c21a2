//! Blocks of one stack that point to each other at the same places.

use super::{Shape, StackShape};
use crate::bits::Bits;
use crate::block::BlockId;
use crate::graph::Graph;
use rustc_hash::FxHashMap;

/// Fewer nodes prove nothing.
const MIN_NODES: u64 = 8;
/// Links of a node are in its first 256 bytes.
const MAX_WORD: u64 = 32;
/// Places of links that are looked at for each stack.
const MAX_LINKS: usize = 3;
/// Where libstdc++ and libc++ have them: a colour or a child is in front.
const TREE_WORDS: [u64; 3] = [1, 2, 3];

/// Whether at least so many of a hundred are.
fn is_share(part: u64, all: u64, percent: u64) -> bool {
    u128::from(part) * 100 >= u128::from(all) * u128::from(percent)
}

pub(super) struct Links {
    stacks: FxHashMap<u32, Candidate>,
}

/// A stack whose blocks mostly have a pointer to another of them at the same place.
struct Candidate {
    blocks: u64,
    /// Most frequent first.
    links: Vec<Link>,
    /// Of each pair of links, how often one and then the other leads back.
    returns: [[u64; MAX_LINKS]; MAX_LINKS],
    tree: Option<TreeLinks>,
    /// Of the first word of a block, which may be unaligned.
    first_offset: u64,
}

struct Link {
    word: u64,
    count: u64,
    /// How many of its targets nothing else points to at this place.
    distinct: u64,
}

#[derive(Default)]
struct TreeLinks {
    children: [u64; 2],
    /// Children whose parent is the node they are a child of.
    right: u64,
}

impl Links {
    pub fn new(graph: &Graph) -> Self {
        let mut links = Links {
            stacks: candidates(graph),
        };
        if !links.stacks.is_empty() {
            links.verify(graph);
        }
        links
    }

    fn verify(&mut self, graph: &Graph) {
        let blocks = graph.heap().len();
        // Targets are of the stack of their source, so stacks share these without mixing.
        let mut seen: [Bits; MAX_LINKS] = std::array::from_fn(|_| Bits::new(blocks));
        for block in 0..blocks as u32 {
            let stack = graph.heap().stack(BlockId(block));
            let Some(candidate) = self.stacks.get_mut(&stack) else {
                continue;
            };
            for (place, seen) in seen.iter_mut().enumerate().take(candidate.links.len()) {
                let word = candidate.links[place].word;
                let Some(target) = link_at(graph, block, word) else {
                    continue;
                };
                if seen.set(target) {
                    candidate.links[place].distinct += 1;
                }
                for (other, back) in candidate.links.iter().enumerate() {
                    if other != place && link_at(graph, target, back.word) == Some(block) {
                        candidate.returns[place][other] += 1;
                    }
                }
            }
            if let Some(tree) = &mut candidate.tree {
                for (side, word) in [(0, TREE_WORDS[1]), (1, TREE_WORDS[2])] {
                    if let Some(child) = link_at(graph, block, word) {
                        tree.children[side] += 1;
                        let parent = link_at(graph, child, TREE_WORDS[0]);
                        tree.right += u64::from(parent == Some(block));
                    }
                }
            }
        }
    }

    pub fn shapes(&self) -> impl Iterator<Item = StackShape> + '_ {
        self.stacks.iter().filter_map(|(&stack, candidate)| {
            let (shape, blocks) = candidate.shape()?;
            Some(StackShape {
                stack,
                shape,
                blocks,
                all_blocks: candidate.blocks,
                largest_array: None,
            })
        })
    }

    /// Where the nodes of this stack point to the next one, if they are a list.
    pub fn list_offset(&self, stack: u32) -> Option<u64> {
        match self.stacks.get(&stack)?.shape()?.0 {
            Shape::List { next_offset } => Some(next_offset),
            _ => None,
        }
    }
}

impl Candidate {
    /// With the number of blocks that have it.
    fn shape(&self) -> Option<(Shape, u64)> {
        self.doubly_linked()
            .or_else(|| self.tree())
            .or_else(|| self.list())
    }

    fn doubly_linked(&self) -> Option<(Shape, u64)> {
        for (place, one) in self.links.iter().enumerate() {
            for (other, two) in self.links.iter().enumerate().skip(place + 1) {
                let there = is_share(self.returns[place][other], one.count, 90);
                let back = is_share(self.returns[other][place], two.count, 90);
                if there && back && self.is_chain(one) && self.is_chain(two) {
                    let mut offsets = [one.word, two.word].map(|word| self.offset(word));
                    offsets.sort_unstable();
                    let blocks = one.count.min(two.count);
                    return Some((Shape::DoublyLinkedList { offsets }, blocks));
                }
            }
        }
        None
    }

    fn tree(&self) -> Option<(Shape, u64)> {
        let tree = self.tree.as_ref()?;
        let children = tree.children[0] + tree.children[1];
        // A list has no second child. A tree that is balanced has about as many of both.
        let has_both = tree
            .children
            .iter()
            .all(|&side| is_share(side, children, 10));
        let is_sure = children >= MIN_NODES / 2 && has_both && is_share(tree.right, children, 90);
        let offsets = TREE_WORDS.map(|word| self.offset(word));
        is_sure.then_some((Shape::Tree { offsets }, tree.right))
    }

    fn list(&self) -> Option<(Shape, u64)> {
        let link = self.links.iter().find(|link| self.is_chain(link))?;
        let next_offset = self.offset(link.word);
        Some((Shape::List { next_offset }, link.count))
    }

    /// No two nodes have the same next one.
    fn is_chain(&self, link: &Link) -> bool {
        is_share(link.distinct, link.count, 99)
    }

    fn offset(&self, word: u64) -> u64 {
        self.first_offset + word * 8
    }
}

/// The block of the same stack that this one points to there.
fn link_at(graph: &Graph, block: u32, word: u64) -> Option<u32> {
    let heap = graph.heap();
    let mut edges = graph.rows().edges(block);
    let edge = edges.find(|edge| edge.word >= word)?;
    let is_link =
        edge.word == word && heap.stack(BlockId(edge.target)) == heap.stack(BlockId(block));
    is_link.then_some(edge.target)
}

fn candidates(graph: &Graph) -> FxHashMap<u32, Candidate> {
    let heap = graph.heap();
    let mut blocks: FxHashMap<u32, u64> = FxHashMap::default();
    let mut counts: FxHashMap<(u32, u64), u64> = FxHashMap::default();
    for id in heap.ids() {
        let stack = heap.stack(id);
        *blocks.entry(stack).or_default() += 1;
        let edges = graph.rows().edges(id.0);
        for edge in edges.take_while(|edge| edge.word < MAX_WORD) {
            if heap.stack(BlockId(edge.target)) == stack {
                *counts.entry((stack, edge.word)).or_default() += 1;
            }
        }
    }
    let mut stacks: FxHashMap<u32, Candidate> = FxHashMap::default();
    for (&(stack, word), &count) in &counts {
        let all = blocks[&stack];
        if all >= MIN_NODES && is_share(count, all, 75) {
            let candidate = stacks.entry(stack).or_insert_with(|| Candidate {
                blocks: all,
                links: Vec::new(),
                returns: Default::default(),
                tree: None,
                first_offset: 0,
            });
            candidate.links.push(Link {
                word,
                count,
                distinct: 0,
            });
            if word == TREE_WORDS[0] {
                candidate.tree = Some(TreeLinks::default());
            }
        }
    }
    for candidate in stacks.values_mut() {
        let links = &mut candidate.links;
        links.sort_unstable_by_key(|link| (std::cmp::Reverse(link.count), link.word));
        links.truncate(MAX_LINKS);
    }
    for id in heap.ids() {
        let block = heap.blocks()[id.index()];
        if let Some(candidate) = stacks.get_mut(&block.stack) {
            candidate.first_offset = block.offset_of_word(0);
        }
    }
    stacks
}
