//! What formats write that name every function of every path. Paths share their beginnings
//! in a profile and not there, so a small file may become an endless one; that is refused
//! before anything is written.

use std::io;

use residue_calltree::{CallTree, NOT_SHOWN, TREE_ROOT};

/// Functions on all paths together, and the texts of all paths: more would take longer than
/// anybody waits.
const MOST_STEPS: u64 = 1 << 32;
const MOST_BYTES: u64 = 64 << 30;
const MOST_CELLS: u64 = 1 << 28;
/// One path is in memory as a whole.
const LONGEST_BYTES: u64 = 256 << 20;

/// Of all paths that stacks end.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct PathSizes {
    pub longest_steps: u64,
    pub longest_bytes: u64,
    pub steps: u64,
    pub bytes: u64,
}

impl PathSizes {
    /// With so many bytes for each label.
    pub(crate) fn of(tree: &CallTree, label_bytes: impl Fn(usize) -> usize) -> PathSizes {
        let to_node = to_nodes(tree, label_bytes);
        let mut has_end = vec![false; tree.nodes.len()];
        let ends = tree.node_of_stack.iter().filter(|&&end| end != NOT_SHOWN);
        ends.for_each(|&end| has_end[end as usize] = true);
        let ended = to_node.iter().zip(has_end).filter(|(_, ends)| *ends);
        let paths = ended.map(|(path, _)| path);
        paths.fold(PathSizes::default(), |sizes, &(steps, bytes)| PathSizes {
            longest_steps: sizes.longest_steps.max(steps),
            longest_bytes: sizes.longest_bytes.max(bytes),
            steps: sizes.steps.saturating_add(steps),
            bytes: sizes.bytes.saturating_add(bytes),
        })
    }

    /// Of a form in which each step stands so far to the right as it is deep.
    pub(crate) fn expect_few_levels(self) -> io::Result<()> {
        expect("steps", self.steps, MOST_STEPS)?;
        let levels = self.longest_steps.saturating_mul(self.longest_steps) / 2;
        expect("levels", levels, MOST_STEPS)
    }

    pub(crate) fn expect_few(self) -> io::Result<PathSizes> {
        expect("steps", self.steps, MOST_STEPS)?;
        expect("bytes", self.bytes, MOST_BYTES)?;
        match self.longest_bytes > LONGEST_BYTES {
            true => Err(refused(format!(
                "the longest path has {} bytes, more than the {LONGEST_BYTES} that can be written",
                self.longest_bytes
            ))),
            false => Ok(self),
        }
    }
}

/// Numbers of a table with a row for each event and a column for each of the program's
/// counters.
pub(crate) fn expect_few_cells(events: usize, counters: usize) -> io::Result<()> {
    match (events as u64).saturating_mul(counters as u64) > MOST_CELLS {
        true => Err(refused(format!(
            "a table of {events} events by {counters} counters has more than the {MOST_CELLS} \
             cells that can be written"
        ))),
        false => Ok(()),
    }
}

/// Per node, the functions down to it and the bytes of their labels.
fn to_nodes(tree: &CallTree, label_bytes: impl Fn(usize) -> usize) -> Vec<(u64, u64)> {
    let mut sizes: Vec<(u64, u64)> = Vec::with_capacity(tree.nodes.len());
    for (index, node) in tree.nodes.iter().enumerate() {
        sizes.push(match index == TREE_ROOT as usize {
            true => (0, 0),
            false => {
                let (steps, bytes) = sizes[node.parent as usize];
                // One for what stands between two.
                let own = label_bytes(node.label as usize) as u64 + 1;
                (steps + 1, bytes.saturating_add(own))
            }
        });
    }
    sizes
}

fn expect(what: &str, found: u64, most: u64) -> io::Result<()> {
    match found > most {
        true => Err(refused(format!(
            "all paths together have {found} {what}, more than the {most} that can be written"
        ))),
        false => Ok(()),
    }
}

fn refused(why: String) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, why)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample;
    use residue_profile::MemoryKind;

    #[test]
    fn paths_are_measured_at_their_ends() {
        let paths = [vec!["a", "bb"], vec!["a", "bb", "ccc"], vec!["d"]];
        let profile = sample::paths(&paths);
        let tree = sample::tree(&profile, MemoryKind::Heap);
        let sizes = PathSizes::of(&tree, |label| tree.labels[label].name.len());
        let expected = PathSizes {
            longest_steps: 3,
            longest_bytes: 9,
            steps: 2 + 3 + 1,
            bytes: 5 + 9 + 2,
        };
        assert_eq!(sizes, expected);
    }

    #[test]
    fn what_would_never_end_is_refused() {
        let sizes = PathSizes {
            steps: MOST_STEPS,
            bytes: MOST_BYTES,
            longest_bytes: LONGEST_BYTES,
            longest_steps: 1,
        };
        assert!(sizes.expect_few().is_ok());
        for more in [
            PathSizes {
                steps: MOST_STEPS + 1,
                ..sizes
            },
            PathSizes {
                bytes: MOST_BYTES + 1,
                ..sizes
            },
            PathSizes {
                longest_bytes: LONGEST_BYTES + 1,
                ..sizes
            },
        ] {
            let why = more.expect_few().unwrap_err().to_string();
            assert!(why.ends_with("that can be written"), "{why}");
        }
    }
}
