//! Immediate dominators by Lengauer and Tarjan, with path compression: O(edges log vertices)
//! whatever the graph is. The iterative algorithms are quadratic for some graphs, and a
//! program's heap may be any.
//!
//! Vertices are numbered in the order a depth-first search met them, 0 is the root.
//! `parents` is the tree of that search. No recursion.

use crate::block::NONE;

/// Of every vertex; the root's is itself.
pub(crate) fn immediate_dominators(parents: Vec<u32>, predecessors: &Predecessors) -> Vec<u32> {
    let count = parents.len();
    let mut forest = Forest::new(parents);
    // Until a vertex is known, its place is the link of a bucket: those that wait for the
    // same semidominator.
    let mut dominators = vec![NONE; count];
    let mut buckets = vec![NONE; count];
    for vertex in (1..count as u32).rev() {
        let parent = forest.ancestors[vertex as usize];
        let mut semi = vertex;
        for &predecessor in predecessors.of(vertex) {
            let best = forest.best(predecessor, vertex + 1);
            semi = semi.min(forest.semis[best as usize]);
        }
        forest.semis[vertex as usize] = semi;
        dominators[vertex as usize] = buckets[semi as usize];
        buckets[semi as usize] = vertex;
        let mut waiting = std::mem::replace(&mut buckets[parent as usize], NONE);
        while waiting != NONE {
            let best = forest.best(waiting, vertex);
            let is_lower = forest.semis[best as usize] < forest.semis[waiting as usize];
            let next = dominators[waiting as usize];
            dominators[waiting as usize] = if is_lower { best } else { parent };
            waiting = next;
        }
    }
    for vertex in 1..count {
        let dominator = dominators[vertex];
        if dominator != forest.semis[vertex] {
            dominators[vertex] = dominators[dominator as usize];
        }
    }
    if let Some(root) = dominators.first_mut() {
        *root = 0;
    }
    dominators
}

/// The vertices from some number on hang on their parents; the paths are compressed as they
/// are walked.
struct Forest {
    ancestors: Vec<u32>,
    semis: Vec<u32>,
    /// The vertex of least semidominator on the path that was compressed.
    labels: Vec<u32>,
    path: Vec<u32>,
}

impl Forest {
    fn new(parents: Vec<u32>) -> Self {
        let own: Vec<u32> = (0..parents.len() as u32).collect();
        Forest {
            ancestors: parents,
            semis: own.clone(),
            labels: own,
            path: Vec::new(),
        }
    }

    /// The vertex of least semidominator from this one up to the tree it hangs on, where
    /// those below `first_linked` hang on nothing yet.
    fn best(&mut self, vertex: u32, first_linked: u32) -> u32 {
        if vertex < first_linked {
            return vertex;
        }
        let mut at = vertex;
        while self.ancestors[at as usize] >= first_linked {
            self.path.push(at);
            at = self.ancestors[at as usize];
        }
        while let Some(below) = self.path.pop() {
            let above = self.ancestors[below as usize];
            let label = self.labels[above as usize];
            let own = self.labels[below as usize];
            if self.semis[label as usize] < self.semis[own as usize] {
                self.labels[below as usize] = label;
            }
            self.ancestors[below as usize] = self.ancestors[above as usize];
        }
        self.labels[vertex as usize]
    }
}

/// All edges of a graph, the same each time.
pub(crate) trait Edges {
    fn each(&self, edge: impl FnMut(u32, u32));
}

/// Who points to each vertex.
pub(crate) struct Predecessors {
    firsts: Vec<u64>,
    sources: Vec<u32>,
}

impl Predecessors {
    pub fn new(vertices: usize, edges: &impl Edges) -> Self {
        let mut firsts = vec![0u64; vertices + 1];
        edges.each(|_, to| firsts[to as usize] += 1);
        let mut end = 0;
        for first in &mut firsts {
            end += *first;
            *first = end;
        }
        let mut sources = vec![0; end as usize];
        // From the ends down to the firsts.
        edges.each(|from, to| {
            let place = &mut firsts[to as usize];
            *place -= 1;
            sources[*place as usize] = from;
        });
        Predecessors { firsts, sources }
    }

    fn of(&self, vertex: u32) -> &[u32] {
        let first = self.firsts[vertex as usize] as usize;
        let end = self.firsts[vertex as usize + 1] as usize;
        &self.sources[first..end]
    }
}
