//! A forest in which every node comes after its parent, and the nearest ancestor of a kind
//! found in logarithmic time, however deep it is.
//!
//! Each node has one jump beside its parent, as long as the two jumps that follow each other
//! from the parent on where those are of one length, else just to the parent:
//!
//! ```text
//!   depth   0   1   2   3   4   5   6   7
//!   jump    0   0   1   0   3   4   3   0
//! ```

use crate::block::NONE;

#[derive(Debug)]
pub(crate) struct Ancestors {
    parents: Vec<u32>,
    jumps: Vec<u32>,
}

impl Ancestors {
    /// A parent is `NONE`, or less than its child.
    pub fn new(parents: Vec<u32>) -> Self {
        let mut jumps = vec![0u32; parents.len()];
        let mut depths = vec![0u32; parents.len()];
        for (node, &parent) in parents.iter().enumerate() {
            if parent == NONE {
                jumps[node] = node as u32;
                continue;
            }
            let parent = parent as usize;
            debug_assert!(parent < node);
            depths[node] = depths[parent] + 1;
            let once = jumps[parent] as usize;
            let twice = jumps[once] as usize;
            let equal = depths[parent] - depths[once] == depths[once] - depths[twice];
            jumps[node] = if equal { twice as u32 } else { parent as u32 };
        }
        Ancestors { parents, jumps }
    }

    pub fn parent(&self, node: u32) -> Option<u32> {
        Some(self.parents[node as usize]).filter(|&parent| parent != NONE)
    }

    /// The nearest of the node and its ancestors that is meant, where all ancestors of one
    /// that is meant are meant too.
    pub fn nearest(&self, mut node: u32, is_meant: impl Fn(u32) -> bool) -> Option<u32> {
        while !is_meant(node) {
            let jump = self.jumps[node as usize];
            if jump != node && !is_meant(jump) {
                node = jump;
            } else {
                node = self.parent(node)?;
            }
        }
        Some(node)
    }

    pub fn heap_bytes(&self) -> usize {
        (self.parents.capacity() + self.jumps.capacity()) * 4
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_is_found_at_every_depth() {
        let parents = (0..300u32).map(|node| node.checked_sub(1).unwrap_or(NONE));
        let chain = Ancestors::new(parents.collect());
        for from in [0, 1, 2, 150, 299] {
            for meant in 0..300 {
                let found = chain.nearest(from, |node| node <= meant);
                assert_eq!(found, Some(meant.min(from)));
            }
            assert_eq!(chain.nearest(from, |_| false), None);
        }
    }

    #[test]
    fn trees_do_not_mix() {
        let forest = Ancestors::new(vec![NONE, NONE, 0, 1, 2]);
        assert_eq!(forest.nearest(4, |node| node == 0), Some(0));
        assert_eq!(forest.nearest(3, |node| node == 0), None);
        assert_eq!(forest.parent(3), Some(1));
        assert_eq!(forest.parent(1), None);
    }
}
