//! IgProf's dumps: the tree of calls, one line a node with its depth in front.
//!
//! ```text
//!   P=(ID=PID N=(PROGRAM) T=0.000000)
//!   C1 FN0=(F0=(LIBRARY)+0 N=(NAME))+0
//!   C2 FN1=(F0+0 N=(NAME))+0 V0=(MEM_TOTAL):(CALLS,BYTES,BYTES) V1=(MEM_LIVE):(BLOCKS,BYTES,PEAK)
//!      V2=(MEM_MAX):(CALLS,LARGEST,LARGEST)
//! ```
//!
//! What has a number is defined where it is first used; the values are those of the
//! node itself. Offsets are zero: a name stands for all its addresses here.

use std::io::{self, Write};

use residue_calltree::Label;
use residue_profile::Counter;
use rustc_hash::FxHashMap;

use crate::Source;
use crate::plain::visible;
use crate::walk::{Placed, depth_first};

/// Wants a tree with the detail of functions. Always writes the counters of IgProf.
pub fn write(source: &Source<'_>, out: &mut dyn Write) -> io::Result<()> {
    let meta = &source.profile.meta;
    let program = balanced(&meta.program);
    writeln!(out, "P=(ID={} N=({program}) T=0.000000)", meta.pid)?;
    let values = [
        Counter::Calls,
        Counter::Total,
        Counter::LiveBlocks,
        Counter::Live,
        Counter::Peak,
        Counter::Largest,
    ]
    .map(|counter| source.own(counter));
    let mut numbers = Numbers::default();
    let children = source.tree.children();
    for Placed { node, depth } in depth_first(&children, |_| {}) {
        write!(out, "C{} ", depth + 1)?;
        let label = source.tree.nodes[node as usize].label;
        numbers.write_function(label, source.tree.label(node), out)?;
        let [calls, total, blocks, live, peak, largest] =
            std::array::from_fn(|counter| values[counter][node as usize]);
        if calls > 0 || total > 0 {
            let name = numbers.counter(0, "MEM_TOTAL");
            write!(out, " {name}:({calls},{total},{total})")?;
        }
        if blocks > 0 || live > 0 || peak > 0 {
            let name = numbers.counter(1, "MEM_LIVE");
            write!(out, " {name}:({blocks},{live},{peak})")?;
        }
        if source.profile.has_largest && calls > 0 {
            let name = numbers.counter(2, "MEM_MAX");
            write!(out, " {name}:({calls},{largest},{largest})")?;
        }
        writeln!(out)?;
    }
    Ok(())
}

/// What has been defined already.
#[derive(Default)]
struct Numbers {
    functions: FxHashMap<u32, u32>,
    files: FxHashMap<String, u32>,
    has_counter: [bool; 3],
}

impl Numbers {
    fn write_function(&mut self, id: u32, label: &Label, out: &mut dyn Write) -> io::Result<()> {
        let next = self.functions.len() as u32;
        if let Some(number) = self.functions.get(&id) {
            return write!(out, "FN{number}+0");
        }
        self.functions.insert(id, next);
        let name = balanced(&label.name);
        let file = balanced(&label.module);
        let next_file = self.files.len() as u32;
        match self.files.get(&file) {
            Some(number) => write!(out, "FN{next}=(F{number}+0 N=({name}))+0"),
            None => {
                write!(out, "FN{next}=(F{next_file}=({file})+0 N=({name}))+0")?;
                self.files.insert(file, next_file);
                Ok(())
            }
        }
    }

    fn counter(&mut self, number: usize, name: &str) -> String {
        match std::mem::replace(&mut self.has_counter[number], true) {
            true => format!("V{number}"),
            false => format!("V{number}=({name})"),
        }
    }
}

/// A name whose round brackets match, since one that does not would end the field; and
/// which does not hold what stands between fields.
fn balanced(name: &str) -> String {
    let text = visible(name);
    let mut open = 0_i64;
    let is_balanced = text.chars().all(|char| {
        open += match char {
            '(' => 1,
            ')' => -1,
            _ => 0,
        };
        open >= 0
    }) && open == 0;
    let text = match is_balanced {
        true => text,
        false => text.replace('(', "[").replace(')', "]"),
    };
    text.replace(")+", ") +")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample;
    use residue_calltree::Detail;
    use residue_profile::MemoryKind;

    #[test]
    fn every_node_is_a_line_and_defined_once() {
        let profile = sample::profile();
        let tree = sample::tree_with(&profile, MemoryKind::Heap, Detail::Function);
        let source = Source {
            profile: &profile,
            tree: &tree,
            counters: &[],
        };
        let mut out = Vec::new();
        write(&source, &mut out).unwrap();
        let text = String::from_utf8(out).unwrap();
        assert!(
            text.starts_with(
                "P=(ID=4711 N=(server) T=0.000000)\nC1 FN0=(F0=(server)+0 N=(main))+0\n"
            ),
            "{text}"
        );
        assert_eq!(text.lines().count(), tree.nodes.len());
        assert_eq!(text.matches("=(MEM_LIVE)").count(), 1);
        let live: u64 = text
            .lines()
            .filter_map(|line| line.split_once(" V1").map(|(_, values)| values))
            .map(|values| values.split(',').nth(1).unwrap().parse::<u64>().unwrap())
            .sum();
        assert_eq!(live, 2936);
    }

    #[test]
    fn brackets_of_names_do_not_end_fields() {
        assert_eq!(balanced("f(int)"), "f(int)");
        assert_eq!(balanced("f)("), "f][");
        assert_eq!(balanced("f(int))"), "f[int]]");
        assert_eq!(balanced("(a)+b"), "(a) +b");
        assert_eq!(balanced("a\nb"), r"a\nb");
    }
}
