//! The tree of dominators, numbered so that what one dominates follows it, all in a row.

use super::lengauer_tarjan::immediate_dominators;
use super::search::{Search, Vertices};
use crate::ancestors::Ancestors;
use crate::block::NONE;

pub(crate) struct Tree {
    /// Of each vertex; `NONE` where it is not held.
    pub numbers: Vec<u32>,
    /// The other way round.
    pub vertices: Vec<u32>,
    /// By number, as all that follows. The root has none.
    pub ancestors: Ancestors,
    /// The number after the last one it dominates.
    pub ends: Vec<u32>,
}

impl Tree {
    pub fn new(graph: Vertices<'_>) -> Self {
        let mut search = Search::new(graph);
        let predecessors = search.predecessors(graph);
        let dominators = immediate_dominators(std::mem::take(&mut search.parents), &predecessors);
        drop(predecessors);
        let places = places(&dominators);
        let count = dominators.len();
        let mut vertices = vec![0; count];
        let mut parents = vec![NONE; count];
        for (met, &place) in places.iter().enumerate() {
            vertices[place as usize] = search.vertices[met];
            if met > 0 {
                parents[place as usize] = places[dominators[met] as usize];
            }
        }
        let mut numbers = search.numbers;
        for number in numbers.iter_mut().filter(|number| **number != NONE) {
            *number = places[*number as usize];
        }
        let mut ends: Vec<u32> = (1..=count as u32).collect();
        for number in (1..count).rev() {
            let parent = parents[number] as usize;
            ends[parent] = ends[parent].max(ends[number]);
        }
        Tree {
            numbers,
            vertices,
            ancestors: Ancestors::new(parents),
            ends,
        }
    }
}

/// The numbers of the tree, of vertices in the order the search met them: there too a
/// dominator comes before what it dominates.
fn places(dominators: &[u32]) -> Vec<u32> {
    let mut sizes = vec![1u32; dominators.len()];
    for met in (1..dominators.len()).rev() {
        let size = sizes[met];
        sizes[dominators[met] as usize] += size;
    }
    // Where the next one goes that this one dominates.
    let mut next = vec![1u32; dominators.len()];
    let mut places = vec![0; dominators.len()];
    for met in 1..dominators.len() {
        let slot = &mut next[dominators[met] as usize];
        places[met] = *slot;
        *slot += sizes[met];
        next[met] = places[met] + 1;
    }
    places
}
