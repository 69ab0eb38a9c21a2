//! A tree from the root to the leaves, without recursion: how deep paths go is up to
//! the file.

use residue_calltree::{CallNodeId, Children, TREE_ROOT};

/// A node on the way, and how many are above it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Placed {
    pub node: CallNodeId,
    pub depth: u32,
}

/// Every node but the root, each followed by all that is below it. `order` may sort the
/// children of a node or drop some, with all that is below them.
pub(crate) fn depth_first(
    children: &Children,
    mut order: impl FnMut(&mut Vec<CallNodeId>),
) -> impl Iterator<Item = Placed> {
    let mut row = Vec::new();
    let mut below = move |node: CallNodeId, depth: u32, work: &mut Vec<Placed>| {
        row.clear();
        row.extend_from_slice(children.of_node(node));
        order(&mut row);
        work.extend(row.iter().rev().map(|&node| Placed { node, depth }));
    };
    let mut work = Vec::new();
    below(TREE_ROOT, 0, &mut work);
    std::iter::from_fn(move || {
        let placed = work.pop()?;
        below(placed.node, placed.depth + 1, &mut work);
        Some(placed)
    })
}

/// The text of the path to the node that was placed last.
#[derive(Default)]
pub(crate) struct PathText {
    text: String,
    /// Per depth, where the text of its node begins.
    starts: Vec<usize>,
}

impl PathText {
    /// Goes on to the next node, depth first.
    pub(crate) fn go_to(&mut self, depth: u32, name: &str, separator: char) -> &str {
        if let Some(&start) = self.starts.get(depth as usize) {
            self.text.truncate(start);
            self.starts.truncate(depth as usize);
        }
        self.starts.push(self.text.len());
        if !self.text.is_empty() {
            self.text.push(separator);
        }
        self.text.push_str(name);
        &self.text
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample;
    use residue_profile::MemoryKind;

    #[test]
    fn parents_come_before_all_that_is_below_them() {
        let paths = [vec!["a", "b"], vec!["a", "c", "d"], vec!["e"], vec!["a"]];
        let profile = sample::paths(&paths);
        let tree = sample::tree(&profile, MemoryKind::Heap);
        let mut path = PathText::default();
        let texts: Vec<String> = depth_first(&tree.children(), |row| row.reverse())
            .map(|Placed { node, depth }| {
                path.go_to(depth, &tree.label(node).name, '/').to_string()
            })
            .collect();
        assert_eq!(texts, ["e", "a", "a/c", "a/c/d", "a/b"]);
    }
}
