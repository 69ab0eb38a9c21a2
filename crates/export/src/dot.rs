//! The hot part of the call graph for Graphviz: a function a box, as large as its
//! share, and a call an arrow, as thick as what was allocated below it.

use std::cmp::Reverse;
use std::io::{self, Write};

use residue_calltree::{by_function, edges};
use residue_names::cut_middle;

use crate::Source;
use crate::plain::visible;

/// More boxes than this are no picture any more.
const MOST_FUNCTIONS: usize = 80;
/// Characters of a name; the whole one, with exact values, is shown when the mouse is
/// over the box.
const LONGEST_NAME: usize = 50;

/// What is left out.
#[derive(Debug, Clone, Copy)]
pub struct Limit {
    /// Functions and calls with a smaller share of the whole.
    pub min_percent: f64,
}

/// Wants a tree with the detail of functions. `amount` puts a value in words.
pub fn write(
    source: &Source<'_>,
    limit: Limit,
    amount: &dyn Fn(u64) -> String,
    out: &mut dyn Write,
) -> io::Result<()> {
    let tree = source.tree;
    let own = source.own(source.counter());
    let children = tree.children();
    let sums = by_function(tree, &children, &own);
    let whole = own.whole();
    let share = |value: u64| value as f64 / whole.max(1) as f64;
    let is_hot = |value: u64| value > 0 && share(value) * 100.0 >= limit.min_percent;
    let mut hot: Vec<usize> = (0..tree.labels.len())
        .filter(|&label| is_hot(sums.cumulative[label]))
        .collect();
    hot.sort_by_key(|&label| (Reverse(sums.cumulative[label]), label));
    let left_out = hot.len().saturating_sub(MOST_FUNCTIONS);
    hot.truncate(MOST_FUNCTIONS);
    let title = format!(
        "{}: {}, {} in all{}",
        source.profile.meta.program,
        source.counter().subject(),
        amount(whole),
        match left_out {
            0 => String::new(),
            many => format!("; {many} more not shown"),
        }
    );
    writeln!(out, "digraph residue {{")?;
    writeln!(
        out,
        "  label={}; labelloc=t; fontname=\"sans-serif\";",
        quoted(&title)
    )?;
    writeln!(
        out,
        "  node [shape=box, style=filled, fontname=\"sans-serif\"];"
    )?;
    writeln!(out, "  edge [fontname=\"sans-serif\", fontsize=9];")?;
    let mut is_shown = vec![false; tree.labels.len()];
    for &label in &hot {
        is_shown[label] = true;
        let shown = &tree.labels[label];
        let (own, all) = (sums.own[label], sums.cumulative[label]);
        let text = format!(
            "{}\n{} ({:.1} %)\nof {} ({:.1} %)",
            cut_middle(&shown.name, LONGEST_NAME),
            amount(own),
            share(own) * 100.0,
            amount(all),
            share(all) * 100.0
        );
        writeln!(
            out,
            "  f{label} [label={}, tooltip={}, fontsize={:.0}, fillcolor=\"0.05 {:.3} 1.0\"];",
            quoted(&text),
            quoted(&format!(
                "{}  {}\n{own} itself, {all} in all",
                shown.name, shown.module
            )),
            8.0 + 16.0 * share(own).sqrt(),
            share(all)
        )?;
    }
    for edge in edges(tree, &children, &own) {
        let (caller, callee) = (edge.caller as usize, edge.callee as usize);
        if is_shown[caller] && is_shown[callee] && is_hot(edge.value) {
            writeln!(
                out,
                "  f{caller} -> f{callee} [label={}, penwidth={:.2}];",
                quoted(&amount(edge.value)),
                1.0 + 5.0 * share(edge.value)
            )?;
        }
    }
    writeln!(out, "}}")
}

/// Lines are kept; what else controls a terminal is written out.
fn quoted(text: &str) -> String {
    let lines: Vec<String> = text
        .split('\n')
        .map(|line| visible(line).replace('\\', "\\\\").replace('"', "\\\""))
        .collect();
    format!("\"{}\"", lines.join("\\n"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample;
    use residue_calltree::Detail;
    use residue_profile::{Counter, MemoryKind};

    #[test]
    fn hot_functions_and_their_calls_are_drawn() {
        let profile = sample::profile();
        let tree = sample::tree_with(&profile, MemoryKind::Heap, Detail::Function);
        let source = Source {
            profile: &profile,
            tree: &tree,
            counters: &[Counter::Live],
        };
        let drawn = |min_percent| {
            let mut out = Vec::new();
            let limit = Limit { min_percent };
            write(&source, limit, &|value| format!("{value} B"), &mut out).unwrap();
            String::from_utf8(out).unwrap()
        };
        let all = drawn(0.0);
        assert!(
            all.contains("label=\"server: live bytes, 2936 B in all\""),
            "{all}"
        );
        assert!(
            all.contains("[label=\"main\\n0 B (0.0 %)\\nof 2920 B (99.5 %)\""),
            "{all}"
        );
        assert_eq!(all.matches(" -> ").count(), 6);
        assert!(
            all.contains("tooltip=\"main  server\\n0 itself, 2920 in all\""),
            "{all}"
        );
        let hot = drawn(50.0);
        assert_eq!(hot.matches(" -> ").count(), 3, "{hot}");
    }

    #[test]
    fn texts_cannot_end_the_string() {
        assert_eq!(quoted("a\"b\\c\nd"), r#""a\"b\\c\nd""#);
        assert_eq!(
            cut_middle(&"x".repeat(51), LONGEST_NAME).chars().count(),
            50
        );
    }
}
