//! massif's files, for ms_print and massif-visualizer: how the heap went, and a tree
//! of who held it, from the allocation up to its callers.
//!
//! With the counter at-peak the tree is that of the peak, else that of the end.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::io::{self, Write};

use residue_calltree::{CallNodeId, CallTree, TREE_ROOT};
use residue_profile::{Counter, Profile};

use crate::Source;
use crate::bounds::PathSizes;
use crate::plain::visible;

/// As many as massif itself writes.
const MOST_SNAPSHOTS: usize = 100;
const RULE: &str = "#-----------";

/// Wants a tree with the detail of lines. Callers below `min_percent` of the whole are
/// put together.
pub fn write(source: &Source<'_>, min_percent: f64, out: &mut dyn Write) -> io::Result<()> {
    PathSizes::of(source.tree, |_| 0).expect_few_levels()?;
    let meta = &source.profile.meta;
    writeln!(out, "desc: residue {}", env!("CARGO_PKG_VERSION"))?;
    writeln!(out, "cmd: {}", visible(&meta.command.join(" ")))?;
    writeln!(out, "time_unit: ms")?;
    let own = source.own(source.counter());
    let whole = own.whole();
    let is_peak = source.counter() == Counter::AtPeak;
    let mut series = series(source.profile);
    let detailed_at = match is_peak {
        // The series holds the heap between events, which may miss its highest.
        true => highest(&series),
        false => series.len(),
    };
    let time_ms = match is_peak {
        true => series.get(detailed_at).map_or(0, |one| one.0),
        false => meta.duration_ns / 1_000_000,
    };
    series.insert(detailed_at, (time_ms, whole));
    for (number, (time_ms, live_bytes)) in series.into_iter().enumerate() {
        writeln!(out, "{RULE}\nsnapshot={number}\n{RULE}")?;
        writeln!(out, "time={time_ms}\nmem_heap_B={live_bytes}")?;
        writeln!(out, "mem_heap_extra_B=0\nmem_stacks_B=0")?;
        if number == detailed_at {
            let kind = if is_peak { "peak" } else { "detailed" };
            writeln!(out, "heap_tree={kind}")?;
            write_tree(source.tree, &own, whole, min_percent, out)?;
        } else {
            writeln!(out, "heap_tree=empty")?;
        }
    }
    Ok(())
}

/// Milliseconds and live bytes, evenly chosen where there are too many.
fn series(profile: &Profile) -> Vec<(u64, u64)> {
    let all: Vec<(u64, u64)> = profile
        .timeline
        .moments
        .iter()
        .filter_map(|moment| Some((moment.time_ns / 1_000_000, moment.live_bytes?)))
        .collect();
    let room = MOST_SNAPSHOTS - 1;
    if all.len() <= room {
        return all;
    }
    (0..room)
        .map(|number| all[number * (all.len() - 1) / (room - 1)])
        .collect()
}

fn highest(series: &[(u64, u64)]) -> usize {
    let numbered = series.iter().enumerate();
    let highest = numbered.max_by_key(|(number, one)| (one.1, Reverse(*number)));
    highest.map_or(0, |(number, _)| number)
}

/// Stacks that end in the same way: where each has got to on the way to its root.
struct Group {
    /// Nodes whose label is the group's, with what ends below them in this way.
    members: Vec<(CallNodeId, u64)>,
    value: u64,
    depth: usize,
}

enum Line {
    Group(Group),
    Rest {
        places: usize,
        value: u64,
        depth: usize,
    },
}

fn write_tree(
    tree: &CallTree,
    own: &[u64],
    whole: u64,
    min_percent: f64,
    out: &mut dyn Write,
) -> io::Result<()> {
    let ends: Vec<(CallNodeId, u64)> = own
        .iter()
        .enumerate()
        .filter(|(_, value)| **value > 0)
        .map(|(node, value)| (node as CallNodeId, *value))
        .collect();
    let least = whole as f64 * min_percent / 100.0;
    let first = grouped(tree, ends, 1, least, min_percent);
    writeln!(
        out,
        "n{}: {whole} (heap allocation functions) malloc/new/new[], --alloc-fns, etc.",
        first.len()
    )?;
    let mut work = first;
    while let Some(line) = work.pop() {
        match line {
            Line::Rest {
                places,
                value,
                depth,
            } => writeln!(
                out,
                "{}n0: {value} in {places} place{}, below massif's threshold ({min_percent:.2}%)",
                " ".repeat(depth),
                if places == 1 { "" } else { "s, all" },
            )?,
            Line::Group(group) => {
                let Group {
                    members,
                    value,
                    depth,
                } = group;
                let Some(&(one, _)) = members.first() else {
                    continue;
                };
                let label = tree.label(one);
                let callers = members
                    .into_iter()
                    .map(|(node, value)| (tree.nodes[node as usize].parent, value))
                    .filter(|(node, _)| *node != TREE_ROOT)
                    .collect();
                let below = grouped(tree, callers, depth + 1, least, min_percent);
                let place = match (&*label.file, &*label.module) {
                    ("", "") => String::new(),
                    ("", module) => format!(" (in {})", visible(module)),
                    (file, _) => format!(" ({}:{})", visible(file), label.line),
                };
                writeln!(
                    out,
                    "{}n{}: {value} 0x0: {}{place}",
                    " ".repeat(depth),
                    below.len(),
                    visible(&label.name)
                )?;
                work.extend(below);
            }
        }
    }
    Ok(())
}

/// Groups by label, smallest first; those too small as one line.
fn grouped(
    tree: &CallTree,
    members: Vec<(CallNodeId, u64)>,
    depth: usize,
    least: f64,
    min_percent: f64,
) -> Vec<Line> {
    let mut by_label: BTreeMap<u32, (Vec<(CallNodeId, u64)>, u64)> = BTreeMap::new();
    for (node, value) in members {
        let group = by_label.entry(tree.nodes[node as usize].label).or_default();
        group.0.push((node, value));
        group.1 = group.1.saturating_add(value);
    }
    let is_large = |value: u64| min_percent == 0.0 || value as f64 >= least;
    let (large, small): (Vec<_>, Vec<_>) = by_label
        .into_values()
        .partition(|(_, value)| is_large(*value));
    let mut lines: Vec<Line> = large
        .into_iter()
        .map(|(members, value)| {
            Line::Group(Group {
                members,
                value,
                depth,
            })
        })
        .collect();
    if !small.is_empty() {
        lines.push(Line::Rest {
            places: small.len(),
            value: small
                .iter()
                .fold(0, |sum, (_, value)| sum.saturating_add(*value)),
            depth,
        });
    }
    lines.sort_by_key(|line| match line {
        Line::Group(group) => group.value,
        Line::Rest { value, .. } => *value,
    });
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample;
    use residue_calltree::Detail;
    use residue_profile::MemoryKind;

    fn written(min_percent: f64) -> String {
        let profile = sample::profile();
        let tree = sample::tree_with(&profile, MemoryKind::Heap, Detail::Line);
        let source = Source {
            profile: &profile,
            tree: &tree,
            counters: &[Counter::Live],
        };
        let mut out = Vec::new();
        write(&source, min_percent, &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn the_tree_grows_from_the_allocation_to_its_callers() {
        let text = written(0.0);
        let tree = text.split("heap_tree=detailed\n").nth(1).unwrap();
        assert_eq!(
            tree,
            "n3: 2936 (heap allocation functions) malloc/new/new[], --alloc-fns, etc.\n \
             n1: 1920 0x0: operator new (in libfoo.so)\n  \
             n1: 1920 0x0: space::Thing::foo (src/thing.hpp:7)\n   \
             n1: 1920 0x0: load (src/load.cpp:20)\n    \
             n0: 1920 0x0: main (in server)\n \
             n1: 1000 0x0: odd;name (in libfoo.so)\n  \
             n1: 1000 0x0: [jit] 0x7f0012f0\n   \
             n1: 1000 0x0: [... frames left out ...]\n    \
             n0: 1000 0x0: main (in server)\n \
             n0: 16 0x0: [pooled: blocks outside the size limits]\n"
        );
        assert_eq!(text.matches("\nsnapshot=").count(), 4);
    }

    #[test]
    fn small_ones_are_put_together() {
        let text = written(1.0);
        assert!(
            text.contains("\n n0: 16 in 1 place, below massif's threshold (1.00%)\n"),
            "{text}"
        );
    }
}
