//! What paths refer to: the labels of a tree, as far as rows of the file use them.

use anyhow::Result;
use residue_calltree::{CallNodeId, CallTree, LabelId, NOT_SHOWN};
use residue_names::cut_middle;
use rustc_hash::FxHashMap;
use serde::Serialize;

use super::script_json::to_script_json;
use crate::page::answers::stack_row::MOST_NAME;

pub struct FileLabels<'a> {
    tree: &'a CallTree,
    numbers: FxHashMap<LabelId, u32>,
    pub labels: Vec<FileLabel>,
}

#[derive(Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct FileLabel {
    name: String,
    library: String,
    framework: bool,
}

impl<'a> FileLabels<'a> {
    pub fn of(tree: &'a CallTree) -> FileLabels<'a> {
        FileLabels {
            tree,
            numbers: FxHashMap::default(),
            labels: Vec::new(),
        }
    }

    /// The numbers of the labels from the root to a node.
    pub fn path(&mut self, node: CallNodeId) -> Vec<u32> {
        let nodes = match node {
            NOT_SHOWN => Vec::new(),
            node => self.tree.path(node),
        };
        let labels = nodes.iter().map(|&node| {
            let label = self.tree.nodes[node as usize].label;
            *self.numbers.entry(label).or_insert_with(|| {
                let label = &self.tree.labels[label as usize];
                self.labels.push(FileLabel {
                    name: cut_middle(&label.name, MOST_NAME),
                    library: label.module.to_string(),
                    framework: label.is_framework,
                });
                (self.labels.len() - 1) as u32
            })
        });
        labels.collect()
    }

    /// The number of a label that stands for no function.
    pub fn text(&mut self, name: String) -> u32 {
        self.labels.push(FileLabel {
            name,
            library: String::new(),
            framework: true,
        });
        (self.labels.len() - 1) as u32
    }

    pub fn count(&self) -> usize {
        self.labels.len()
    }

    /// Forgets those that came last.
    pub fn truncate(&mut self, count: usize) {
        self.labels.truncate(count);
        self.numbers.retain(|_, number| (*number as usize) < count);
    }

    /// What labels from one on take in the file.
    pub fn written_bytes(&self, from: usize) -> Result<usize> {
        Ok(to_script_json(&&self.labels[from..])?.len())
    }
}
