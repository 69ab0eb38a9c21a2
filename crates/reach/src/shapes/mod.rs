//! What kind of container the blocks of a stack are part of, where their pointers leave no
//! doubt.
//!
//! ```text
//!   links.rs    blocks of one stack that point to each other: lists, trees
//!   arrays.rs   blocks full of pointers to blocks of another stack
//!   both        buckets that point into one list: hash map
//!   deques.rs   chunks, a block of pointers to them, and the deque that has it
//! ```
//!
//! A shape is told for a stack, because a container's nodes are made in one place. A stack
//! with too few blocks or too many exceptions has none.

mod arrays;
mod deques;
mod links;

use crate::block::BlockId;
use crate::graph::Graph;
use arrays::{Arrays, StackArrays};
use deques::deque_maps;
use links::Links;
use rustc_hash::FxHashSet;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// Nodes, each with a pointer to the next one.
    List {
        next_offset: u64,
    },
    /// Nodes that point to each other: following one and then the other leads back.
    DoublyLinkedList {
        offsets: [u64; 2],
    },
    /// Nodes of `std::map` and `std::set` of libstdc++ and libc++ alike: parent, left and
    /// right.
    Tree {
        offsets: [u64; 3],
    },
    /// Nodes of a hash map in one list, into which the buckets point.
    HashNodes {
        buckets_stack: u32,
    },
    HashBuckets {
        nodes_stack: u32,
    },
    /// The 512-byte chunks of `std::deque` of libstdc++.
    DequeChunks {
        map_stack: u32,
    },
    DequeMap {
        chunks_stack: u32,
    },
    /// A buffer of pointers, or of structs with a pointer in each: a vector's, most likely.
    PointerArray {
        elements_stack: u32,
        stride_bytes: u64,
    },
}

/// The largest of the arrays of a stack.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LargestArray {
    pub block: BlockId,
    /// Pointers in it that are set.
    pub elements: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StackShape {
    pub stack: u32,
    pub shape: Shape,
    /// Those that have the shape, as far as a single block can.
    pub blocks: u64,
    /// Of the stack.
    pub all_blocks: u64,
    pub largest_array: Option<LargestArray>,
}

#[derive(Debug)]
pub struct Shapes {
    shapes: Vec<StackShape>,
}

impl Shapes {
    /// Needs half a byte a block while it runs, and the pointers of one block at a time.
    pub fn new(graph: &Graph) -> Self {
        let links = Links::new(graph);
        let arrays = Arrays::new(graph);
        let mut shapes: Vec<StackShape> = links.shapes().collect();
        let could_be_maps = arrays
            .stacks()
            .iter()
            .filter(|array| array.could_be_deque && arrays.are_chunks(array.elements_stack));
        let deque_maps = deque_maps(
            graph,
            &could_be_maps.map(|array| array.largest.block.0).collect(),
        );
        for array in arrays.stacks() {
            let shape = match kind_of(array, &links, &deque_maps) {
                Kind::Buckets => {
                    let nodes_stack = array.elements_stack;
                    let buckets_stack = array.stack;
                    replace(&mut shapes, nodes_stack, Shape::HashNodes { buckets_stack });
                    Shape::HashBuckets { nodes_stack }
                }
                Kind::DequeMap => {
                    let chunks_stack = array.elements_stack;
                    shapes.push(StackShape {
                        stack: chunks_stack,
                        shape: Shape::DequeChunks {
                            map_stack: array.stack,
                        },
                        blocks: arrays.chunks(chunks_stack),
                        all_blocks: arrays.blocks(chunks_stack),
                        largest_array: None,
                    });
                    Shape::DequeMap { chunks_stack }
                }
                Kind::Plain => Shape::PointerArray {
                    elements_stack: array.elements_stack,
                    stride_bytes: array.stride_bytes,
                },
            };
            shapes.push(StackShape {
                stack: array.stack,
                shape,
                blocks: array.arrays,
                all_blocks: arrays.blocks(array.stack),
                largest_array: Some(array.largest),
            });
        }
        // A stack has one: nodes before arrays, and chunks before what they are else.
        shapes.sort_by_key(|shape| (shape.stack, rank(&shape.shape)));
        shapes.dedup_by_key(|shape| shape.stack);
        Shapes { shapes }
    }

    /// Sorted by stack.
    pub fn all(&self) -> &[StackShape] {
        &self.shapes
    }

    pub fn of_stack(&self, stack: u32) -> Option<&StackShape> {
        let place = self.shapes.binary_search_by_key(&stack, |of| of.stack);
        place.ok().map(|place| &self.shapes[place])
    }
}

enum Kind {
    Buckets,
    DequeMap,
    Plain,
}

fn kind_of(array: &StackArrays, links: &Links, deque_maps: &FxHashSet<u32>) -> Kind {
    let nodes = links.list_offset(array.elements_stack);
    if array.could_be_buckets && nodes == Some(0) {
        Kind::Buckets
    } else if deque_maps.contains(&array.largest.block.0) {
        Kind::DequeMap
    } else {
        Kind::Plain
    }
}

fn replace(shapes: &mut [StackShape], stack: u32, shape: Shape) {
    if let Some(known) = shapes.iter_mut().find(|known| known.stack == stack) {
        known.shape = shape;
    }
}

fn rank(shape: &Shape) -> u8 {
    match shape {
        Shape::HashNodes { .. } | Shape::DequeChunks { .. } => 0,
        Shape::HashBuckets { .. } | Shape::DequeMap { .. } => 1,
        Shape::DoublyLinkedList { .. } | Shape::Tree { .. } | Shape::List { .. } => 2,
        Shape::PointerArray { .. } => 3,
    }
}
