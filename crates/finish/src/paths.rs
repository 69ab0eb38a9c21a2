//! The call paths of the profile: the nodes of the trie that lead to something, under
//! the numbers that they have from here on.

use crate::trie::{Trie, TrieNode};
use residue_arena::node::CUT_KEY;
use residue_profile::{CUT, FrameId, NONE, Node, NodeId, ROOT};
use rustc_hash::FxHashMap;

pub struct Paths {
    pub nodes: Vec<Node>,
    /// The key that each frame has in the trie.
    pub frame_keys: Vec<u64>,
    /// By number in the trie.
    numbers: Vec<NodeId>,
}

/// In place of the number of a node that leads nowhere.
const ABSENT: NodeId = NodeId::MAX;

impl Paths {
    /// The paths to these nodes of the trie.
    pub fn to(ends: impl Iterator<Item = TrieNode>, trie: &Trie) -> Paths {
        let mut paths = Paths {
            nodes: Vec::new(),
            frame_keys: Vec::new(),
            numbers: mark_used(ends, trie),
        };
        let mut frame_of_key: FxHashMap<u64, FrameId> = FxHashMap::default();
        for (node, parent, key) in trie.paths() {
            if paths.numbers[node as usize] == ABSENT {
                continue;
            }
            let frame = match (node, key) {
                (ROOT, _) => NONE,
                (_, CUT_KEY) => CUT,
                (_, key) => *frame_of_key.entry(key).or_insert_with(|| {
                    paths.frame_keys.push(key);
                    (paths.frame_keys.len() - 1) as FrameId
                }),
            };
            // A parent's number is below its child's, so that it has its new one.
            let parent = paths.numbers[parent as usize];
            paths.numbers[node as usize] = paths.nodes.len() as NodeId;
            paths.nodes.push(Node { parent, frame });
        }
        paths
    }

    /// The number of a node that was among the ends.
    pub fn number(&self, node: TrieNode) -> NodeId {
        self.numbers[node as usize]
    }
}

/// By number in the trie: something other than [`ABSENT`] on the paths to these nodes.
fn mark_used(ends: impl Iterator<Item = TrieNode>, trie: &Trie) -> Vec<NodeId> {
    let mut numbers = vec![ABSENT; trie.end()];
    numbers[ROOT as usize] = ROOT;
    for end in ends {
        let mut at = end;
        while numbers[at as usize] == ABSENT {
            numbers[at as usize] = ROOT;
            at = trie.parent(at);
        }
    }
    numbers
}
