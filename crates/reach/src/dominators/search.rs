//! The graph of what is held as numbers: one vertex above all origins, then the origins, then
//! the blocks; and the order in which a depth-first search meets them.

use super::lengauer_tarjan::{Edges, Predecessors};
use crate::block::NONE;
use crate::graph::Graph;
use crate::origins::Origins;

#[derive(Clone, Copy)]
pub(crate) struct Vertices<'a> {
    graph: &'a Graph,
    origins: &'a Origins,
}

impl<'a> Vertices<'a> {
    pub fn new(graph: &'a Graph, origins: &'a Origins) -> Self {
        Vertices { graph, origins }
    }

    pub fn len(self) -> usize {
        self.first_block() as usize + self.graph.heap().len()
    }

    pub fn first_block(self) -> u32 {
        1 + self.origins.len() as u32
    }

    pub fn of_block(self, block: u32) -> u32 {
        self.first_block() + block
    }

    fn each_next(self, vertex: u32, mut each: impl FnMut(u32)) {
        if vertex == 0 {
            (1..self.first_block()).for_each(each);
        } else if let Some(block) = vertex.checked_sub(self.first_block()) {
            self.graph
                .each_held_by(block, |target, _| each(self.of_block(target)));
        } else {
            for &word in self.origins.words(vertex - 1) {
                let target = self.graph.root_words()[word as usize].target;
                each(self.of_block(target.0));
            }
        }
    }
}

pub(crate) struct Search {
    /// Of each vertex its number in the order of the search; `NONE` where it was not met.
    pub numbers: Vec<u32>,
    /// The other way round.
    pub vertices: Vec<u32>,
    /// By number.
    pub parents: Vec<u32>,
}

impl Search {
    pub fn new(vertices: Vertices<'_>) -> Self {
        let mut search = Search {
            numbers: vec![NONE; vertices.len()],
            vertices: Vec::new(),
            parents: Vec::new(),
        };
        // Whoever was pushed last is the parent: that makes the order depth first.
        let mut waiting = vec![(0, 0)];
        while let Some((vertex, parent)) = waiting.pop() {
            if search.numbers[vertex as usize] != NONE {
                continue;
            }
            let number = search.vertices.len() as u32;
            search.numbers[vertex as usize] = number;
            search.vertices.push(vertex);
            search.parents.push(parent);
            vertices.each_next(vertex, |next| {
                if search.numbers[next as usize] == NONE {
                    waiting.push((next, number));
                }
            });
        }
        search
    }

    pub fn predecessors(&self, vertices: Vertices<'_>) -> Predecessors {
        let numbered = Numbered {
            vertices,
            numbers: &self.numbers,
        };
        Predecessors::new(self.vertices.len(), &numbered)
    }
}

struct Numbered<'a> {
    vertices: Vertices<'a>,
    numbers: &'a [u32],
}

impl Edges for Numbered<'_> {
    /// In the order of the rows, which lie one behind the other.
    fn each(&self, mut edge: impl FnMut(u32, u32)) {
        for (vertex, &number) in (0..).zip(self.numbers) {
            if number != NONE {
                let each = |next: u32| edge(number, self.numbers[next as usize]);
                self.vertices.each_next(vertex, each);
            }
        }
    }
}
