//! One number of every node. It carries how two become one, so that whoever joins nodes, functions
//! or calls cannot add up what is a maximum.

use std::ops::Deref;

use residue_profile::Merge;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NodeValues {
    pub merge: Merge,
    pub values: Vec<u64>,
}

impl NodeValues {
    /// Nothing yet at so many nodes.
    pub fn none(merge: Merge, nodes: usize) -> NodeValues {
        NodeValues {
            merge,
            values: vec![0; nodes],
        }
    }

    /// Joins one more number to what the node has.
    pub fn include(&mut self, node: usize, more: u64) {
        self.merge.include(&mut self.values[node], more);
    }

    /// One for each node that has anything: how many there are adds up, whatever their numbers
    /// do.
    pub fn lines(&self) -> NodeValues {
        let values = self.values.iter();
        NodeValues {
            merge: Merge::Sum,
            values: values.map(|&value| u64::from(value > 0)).collect(),
        }
    }

    /// What all nodes come to.
    pub fn whole(&self) -> u64 {
        self.merge.all(self.values.iter().copied())
    }
}

impl Deref for NodeValues {
    type Target = [u64];

    fn deref(&self) -> &[u64] {
        &self.values
    }
}
