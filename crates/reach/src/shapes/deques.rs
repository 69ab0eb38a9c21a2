//! Which arrays of pointers are the map of a `std::deque`.
//!
//! A vector of pointers to structs of 512 bytes looks the same. But whoever has a deque of
//! libstdc++ has these words, and nothing else has three of them at these places:
//!
//! ```text
//!   map, size, start (current, first, last, node), finish (current, first, last, node)
//!   0          2                            5      6                            9
//!   -> start of the map                     -> into the map                     -> into the map
//! ```

use crate::block::WORD_BYTES;
use crate::graph::Graph;
use rustc_hash::FxHashSet;

const NODE_WORDS: [u64; 2] = [5, 9];

/// Those of the candidates that are.
pub(super) fn deque_maps(graph: &Graph, candidates: &FxHashSet<u32>) -> FxHashSet<u32> {
    let mut found = FxHashSet::default();
    if candidates.is_empty() {
        return found;
    }
    // The words of one holder that point to candidates, in order.
    let mut words: Vec<(u32, u64)> = Vec::new();
    for id in graph.heap().ids() {
        let edges = graph.rows().edges(id.0);
        let edges = edges.filter(|edge| candidates.contains(&edge.target));
        words.extend(edges.map(|edge| (edge.target, edge.word)));
        take(&mut words, &mut found);
    }
    let of_one_root = graph
        .root_words()
        .chunk_by(|one, other| one.root == other.root);
    for root in of_one_root {
        let root = root
            .iter()
            .filter(|word| candidates.contains(&word.target.0));
        words.extend(root.map(|word| (word.target.0, word.at / WORD_BYTES)));
        take(&mut words, &mut found);
    }
    found
}

fn take(words: &mut Vec<(u32, u64)>, found: &mut FxHashSet<u32>) {
    words.sort_unstable();
    for &(target, word) in words.iter() {
        let is_there = |ahead: &u64| words.binary_search(&(target, word + ahead)).is_ok();
        if NODE_WORDS.iter().all(is_there) {
            found.insert(target);
        }
    }
    words.clear();
}
