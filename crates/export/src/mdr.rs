//! MallocProfiler's dumps.
//!
//! ```text
//!   _mpTrace_;ROOT;...;LEAF $NCALLS$MEMTOT$MEMLIVE$MAXLIVE      one line a stack
//!
//!   Stat NCALLS MEMTOT MEMLIVE MAXLIVE at                       the detailed one
//!   #0 LEAF FILE:LINE
//!   #1 CALLER FILE:LINE
//! ```

use std::io::{self, Write};

use residue_calltree::{Label, NodeValues};
use residue_profile::Counter;

use crate::Source;
use crate::bounds::PathSizes;
use crate::folded::texts;
use crate::plain::visible;
use crate::walk::{PathText, Placed, depth_first};

/// The counters of MallocProfiler, in its order.
const COUNTERS: [Counter; 4] = [Counter::Calls, Counter::Total, Counter::Live, Counter::Peak];

/// One line a stack. Wants a tree with the detail of names.
pub fn write(source: &Source<'_>, out: &mut dyn Write) -> io::Result<()> {
    let texts = texts(source.tree);
    PathSizes::of(source.tree, |label| texts[label].len()).expect_few()?;
    let values = Values::of(source);
    let mut path = PathText::default();
    let children = source.tree.children();
    for Placed { node, depth } in depth_first(&children, |_| {}) {
        let label = source.tree.nodes[node as usize].label;
        let path = path.go_to(depth, &texts[label as usize], ';');
        if let Some([calls, total, live, peak]) = values.of_node(node) {
            writeln!(out, "_mpTrace_;{path} ${calls}${total}${live}${peak}")?;
        }
    }
    Ok(())
}

/// Some lines a stack, leaf first. Wants a tree with the detail of lines.
pub fn write_details(source: &Source<'_>, out: &mut dyn Write) -> io::Result<()> {
    let labels = &source.tree.labels;
    let label_bytes = |label: usize| labels[label].name.len() + labels[label].file.len();
    PathSizes::of(source.tree, label_bytes).expect_few()?;
    let values = Values::of(source);
    let children = source.tree.children();
    for Placed { node, .. } in depth_first(&children, |_| {}) {
        let Some([calls, total, live, peak]) = values.of_node(node) else {
            continue;
        };
        writeln!(out, "Stat {calls} {total} {live} {peak} at")?;
        for (depth, &node) in source.tree.path(node).iter().rev().enumerate() {
            let (name, place) = words(source.tree.label(node));
            writeln!(out, "#{depth} {name} {place}")?;
        }
    }
    Ok(())
}

/// A place without a file is the library's, line 0, as MallocProfiler has it.
fn words(label: &Label) -> (String, String) {
    let file = match &*label.file {
        "" if label.module.is_empty() => "??",
        "" => &label.module,
        file => file,
    };
    let file = visible(file).replace(' ', "_");
    (visible(&label.name), format!("{file}:{}", label.line))
}

/// Of every counter, the values by node.
struct Values([NodeValues; 4]);

impl Values {
    fn of(source: &Source<'_>) -> Values {
        Values(COUNTERS.map(|counter| source.own(counter)))
    }

    /// The values of the stacks that end in a node, if any do.
    fn of_node(&self, node: u32) -> Option<[u64; 4]> {
        let values = std::array::from_fn(|counter| self.0[counter][node as usize]);
        (values != [0; 4]).then_some(values)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample;
    use residue_calltree::Detail;
    use residue_profile::MemoryKind;

    fn written(detail: Detail, write: fn(&Source<'_>, &mut dyn Write) -> io::Result<()>) -> String {
        let profile = sample::profile();
        let tree = sample::tree_with(&profile, MemoryKind::Heap, detail);
        let source = Source {
            profile: &profile,
            tree: &tree,
            counters: &[],
        };
        let mut out = Vec::new();
        write(&source, &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn a_line_has_the_path_and_four_values() {
        let text = written(Detail::Name, write);
        let first = text.lines().next().unwrap();
        assert!(
            first.starts_with("_mpTrace_;main;load;space::Thing::foo;operator new $"),
            "{text}"
        );
        assert!(first.split('$').count() == 5, "{first}");
        let live = |line: &str| line.rsplit('$').nth(1).unwrap().parse::<u64>().unwrap();
        assert_eq!(text.lines().map(live).sum::<u64>(), 2936);
    }

    #[test]
    fn details_have_files_and_lines() {
        let text = written(Detail::Line, write_details);
        let stats = text.lines().filter(|line| line.starts_with("Stat "));
        let live = |line: &str| line.split(' ').nth(3).unwrap().parse::<u64>().unwrap();
        assert_eq!(stats.map(live).sum::<u64>(), 2936);
        assert!(text.contains("\n#1 space::Thing::foo src/thing.hpp:7\n#2 load src/load.cpp:20\n#3 main server:0\n"), "{text}");
    }
}
