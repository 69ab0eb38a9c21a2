//! Folded stacks: `main;parse;malloc 4096`, one line a path, root first.

use std::io::{self, Write};

use residue_calltree::{CallNodeId, CallTree, Children, NodeValues, TREE_ROOT};

use crate::Source;
use crate::bounds::PathSizes;
pub use crate::plain::step;

/// Writes all paths whose value is not zero, sorted byte by byte.
pub fn write(source: &Source<'_>, out: &mut dyn Write) -> io::Result<()> {
    let own = source.own(source.counter());
    let texts = texts(source.tree);
    PathSizes::of(source.tree, |label| texts[label].len()).expect_few()?;
    Folding {
        tree: source.tree,
        children: source.tree.children(),
        texts,
        lines: source.tree.cumulative(&own.lines()),
        own,
    }
    .write(out)
}

/// Per label, how it stands in a folded path.
pub(crate) fn texts(tree: &CallTree) -> Vec<String> {
    tree.labels.iter().map(|label| step(&label.name)).collect()
}

struct Folding<'a> {
    tree: &'a CallTree,
    children: Children,
    texts: Vec<String>,
    own: NodeValues,
    /// Lines of each node and of all below it.
    lines: NodeValues,
}

impl Folding<'_> {
    fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let mut path = String::new();
        // A list and not recursion: how deep paths go is up to the file.
        let mut work = self.steps_below(TREE_ROOT);
        while let Some(step) = work.pop() {
            match step {
                Step::Line(node) => {
                    let value = self.own[node as usize];
                    writeln!(out, "{path}{} {value}", self.text(node))?;
                }
                Step::Down(node) => {
                    work.push(Step::Up(path.len()));
                    path.push_str(self.text(node));
                    path.push(';');
                    work.extend(self.steps_below(node));
                }
                Step::Up(length) => path.truncate(length),
            }
        }
        Ok(())
    }

    /// What to do for the children of a node, last first. Sorted by what their lines
    /// begin with, which sorts the lines.
    fn steps_below(&self, node: CallNodeId) -> Vec<Step> {
        let mut steps: Vec<(&str, String, Step)> = Vec::new();
        for &child in self.children.of_node(node) {
            let (own, lines) = (self.own[child as usize], self.lines[child as usize]);
            let text = self.text(child);
            if own > 0 {
                steps.push((text, format!(" {own}"), Step::Line(child)));
            }
            if lines > u64::from(own > 0) {
                steps.push((text, ";".to_string(), Step::Down(child)));
            }
        }
        let bytes = |(text, end, _): &(&str, String, Step)| -> Vec<u8> {
            text.bytes().chain(end.bytes()).collect()
        };
        if steps.len() > 1 {
            steps.sort_by_cached_key(|step| std::cmp::Reverse(bytes(step)));
        }
        steps.into_iter().map(|(_, _, step)| step).collect()
    }

    fn text(&self, node: CallNodeId) -> &str {
        &self.texts[self.tree.nodes[node as usize].label as usize]
    }
}

enum Step {
    /// Write the line of this node.
    Line(CallNodeId),
    /// Go on with what is below this node.
    Down(CallNodeId),
    /// Leave a node; the path had this length before.
    Up(usize),
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample;
    use residue_profile::{Counter, MemoryKind, Profile};

    fn fold(profile: &Profile, counter: Counter, kind: MemoryKind) -> String {
        let tree = sample::tree(profile, kind);
        let source = Source {
            profile,
            tree: &tree,
            counters: &[counter],
        };
        let mut out = Vec::new();
        write(&source, &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn paths_are_merged_and_sorted() {
        assert_eq!(
            fold(&sample::profile(), Counter::Calls, MemoryKind::Heap),
            "[pooled: blocks outside the size limits] 50\n\
             main;[... frames left out ...];[jit] 0x7f0012f0;odd:name 1\n\
             main;load;space::Thing::foo;operator new 110\n"
        );
    }

    #[test]
    fn zeros_are_left_out() {
        let profile = sample::profile();
        assert_eq!(
            fold(&profile, Counter::Live, MemoryKind::Heap),
            "[pooled: blocks outside the size limits] 16\n\
             main;[... frames left out ...];[jit] 0x7f0012f0;odd:name 1000\n\
             main;load;space::Thing::foo;operator new 1920\n"
        );
        assert_eq!(
            fold(&profile, Counter::Live, MemoryKind::Mapping),
            "main;libfoo.so+0x12f0 8192\n"
        );
        assert_eq!(
            fold(&profile, Counter::Live, MemoryKind::All)
                .lines()
                .count(),
            4
        );
        assert_eq!(
            fold(&Profile::default(), Counter::Live, MemoryKind::All),
            ""
        );
    }

    #[test]
    fn lines_are_in_the_order_of_their_bytes() {
        let names = ["f", "f new", "f !", "f x", "f<a>", "f!", "f\u{e9}"];
        let paths: Vec<Vec<&str>> = names
            .iter()
            .flat_map(|&one| {
                let below = names.iter().map(move |&other| vec![one, other]);
                below.chain([vec![one]])
            })
            .collect();
        let text = fold(&sample::paths(&paths), Counter::Calls, MemoryKind::Heap);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 56);
        assert!(lines.is_sorted(), "{text}");
    }

    /// What inferno, which reads this form too, takes for the sum.
    fn sum_by_inferno(folded: &str) -> u64 {
        let mut options = inferno::flamegraph::Options::default();
        let mut svg = Vec::new();
        inferno::flamegraph::from_lines(&mut options, folded.lines(), &mut svg).unwrap();
        let svg = String::from_utf8(svg).unwrap();
        let (_, sum) = svg.split_once("total_samples=\"").unwrap();
        sum.split('"').next().unwrap().parse().unwrap()
    }

    #[test]
    fn another_reader_finds_every_value() {
        let text = fold(&sample::profile(), Counter::Live, MemoryKind::All);
        assert_eq!(sum_by_inferno(&text), 1920 + 1000 + 8192 + 16);
        let hostile = ["f 1", "f 1.5", "# f", " f", "f ", "", "f;g 3", "\u{a0}"];
        let paths: Vec<Vec<&str>> = hostile
            .iter()
            .flat_map(|&one| hostile.iter().map(move |&other| vec![one, other]))
            .collect();
        let text = fold(&sample::paths(&paths), Counter::Calls, MemoryKind::Heap);
        assert_eq!(sum_by_inferno(&text), 64);
    }

    #[test]
    fn a_path_of_a_million_calls_does_not_overflow() {
        let path = vec!["f"; 1_000_000];
        let text = fold(&sample::paths(&[path]), Counter::Calls, MemoryKind::Heap);
        assert!(text.ends_with(";f;f;f 1\n"));
        assert_eq!(text.len(), 2 * 1_000_000 + " 1".len());
    }
}
